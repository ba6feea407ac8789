package query

import (
	"regexp"
	"strings"
	"testing"
)

type re2Case struct{ text, matches, others string }

// The matches are those of OpenSearch 3.8.
func TestRE2(t *testing.T) {
	for _, c := range []re2Case{
		{"shark", "shark", "sharks hark"},
		{"s.*k", "shark sk", "sharks"},
		{"sh(a|o)rk", "shark shork", "shrk shaork"},
		{"ab?c+d*", "ac abccdd", "abd aab"},
		{"a{2}b{1,2}c{0,}", "aab aabbccc", "ab aabbb"},
		{"[a-c]x", "ax cx", "dx x"},
		{"[^a-c]x", "dx", "ax x"},
		{"[abc\\]]", "] a", "d"},
		{"@", "a ab", ""},
		{"a@b", "ab axb", "ba"},
		{"#", "", "a #"},
		{`a"b.c"d`, "ab.cd", "abxcd"},
		{`\.\*`, ".*", "ab"},
		{"^a$", "^a$", "a"},
		{"~a", "~a", "b a"},
		{`\w+`, "ab a1", "a-b"},
		{`\d{2}`, "12", "ab"},
		{"()", "", "a"},
		{"", "", "a"},
		{"a|b|cd", "a b cd", "c bd"},
		{"*a", "*a", "a xa"},
		{"武.", "武士", "武"},
		{"(a(b(c)))+", "abc abcabc", "ab"},
		{"a}", "a}", "a"},
		{"|a", "|a", "a"},
		{"a(|b)", "a|b", "a ab"},
	} {
		c.run(t, false)
	}
	for _, text := range []string{"s(h", "a)", "[", "[]", "[a", "a|", "a{", "a{x}", "a{1,2,3}", "a{,2}", `a\`, `"a`, "a&b", "<1-9>", "[z-a]", "(", "[a-]", strings.Repeat("a", MaxRegexp+1)} {
		if got, err := RE2(text, false); err == nil {
			t.Errorf("%s: got %s, want an error", text, got)
		}
	}
}

// The matches are those of OpenSearch 3.8 with case_insensitive.
func TestRE2OfEitherCase(t *testing.T) {
	for _, c := range []re2Case{
		{"aé1", "aé1 Aé1", "aÉ1"},
		{"[ab]x", "ax Bx AX", "cx"},
		{"[^ab]x", "cx CX", "ax Bx"},
		{"[a-b]x", "ax bX", "Ax B"},
		{"[^a-b]x", "Ax cx", "ax"},
		{`(a|b|"c\d")+`, "aB C\\D", "d"},
		{`[\d-x]`, "1 - X", "y"},
	} {
		c.run(t, true)
	}
}

func (c re2Case) run(t *testing.T, fold bool) {
	t.Helper()
	text, err := RE2(c.text, fold)
	if err != nil {
		t.Errorf("%s: %v", c.text, err)
		return
	}
	whole := regexp.MustCompile("^(?s:" + text + ")$")
	for _, term := range strings.Fields(c.matches) {
		if !whole.MatchString(term) {
			t.Errorf("%s does not match %s", c.text, term)
		}
	}
	for _, term := range strings.Fields(c.others) {
		if whole.MatchString(term) {
			t.Errorf("%s matches %s", c.text, term)
		}
	}
}

// Whatever the text is, the result is a regular expression or an error, at a bounded
// cost.
func FuzzRE2(f *testing.F) {
	for _, text := range []string{"s.*k", "[^a-z]{2,3}", `"a"\d#@`, "((((a*)*)*)*)*", "[武-士]|()"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := RE2(text, len(text)%2 == 0)
		if err != nil {
			return
		}
		if _, err := regexp.Compile("(?s:" + got + ")"); err != nil && !strings.Contains(err.Error(), "repeat") && !strings.Contains(err.Error(), "large") && !strings.Contains(err.Error(), "depth") {
			t.Fatalf("%q becomes %q: %v", text, got, err)
		}
	})
}
