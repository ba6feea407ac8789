package analysis

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

func newTestAnalyzer(t testing.TB, name string, stopwords ...string) *Analyzer {
	t.Helper()
	a, err := New(Spec{Name: name, Stopwords: stopwords})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// printed joins terms with spaces, with _ for each position without a term.
func printed(tokens []Token) string {
	var b strings.Builder
	at := 0
	for _, t := range tokens {
		b.WriteString(strings.Repeat(" _", t.Pos-at-1) + " " + t.Term)
		at = t.Pos
	}
	return strings.TrimSpace(b.String())
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ analyzer, text, want string }{
		{"standard", "", ""},
		{"standard", " ,.- ", ""},
		{"standard", "A Epic Drama of THE Canadian Rockies", "a epic drama of the canadian rockies"},
		{"standard", "git.exe can't foo_bar 3.14 x86-64", "git exe can t foo_bar 3 14 x86 64"},
		{"standard", "Ünïcödé ÀÇCENTS e\u0301t", "ünïcödé àçcents e\u0301t"},
		{"standard", "ＷＩＤＥ　１２", "wide 12"},
		{"standard", "巧笑, 解b", "巧 笑 解 b"},
		{"standard", "서울 東京タワー", "서울 東 京 タ ワ ー"},
		{"standard", "\xff bad \xff\xfe", "bad"},
		{"en", "Dog's running, the dogs’ houses", "dog run the dog hous"},
		{"en", "it's s's", "it s"},
		{"cjk", "The Drama 今夜月 and 今, 夜月", "the drama 今夜 夜月 月 _ and 今 _ 夜月 月"},
		{"cjk", "abc今夜def", "abc 今夜 夜 _ def"},
		{"cjk", "서울 タワ", "서울 울 _ タワ ワ"},
		{"ngram", "Ab1 c_d 今夜", "ab b1 1 _ c _ d _ 今夜 夜"},
	} {
		if got := printed(newTestAnalyzer(t, c.analyzer).Tokens(nil, c.text)); got != c.want {
			t.Errorf("%s %q:\ngot  %s\nwant %s", c.analyzer, c.text, got, c.want)
		}
	}
}

func TestLongWordsAreCut(t *testing.T) {
	a := newTestAnalyzer(t, "standard")
	for _, word := range []string{strings.Repeat("a", MaxWord+1), strings.Repeat("é", MaxWord), "x" + strings.Repeat("é", MaxWord)} {
		got := a.Tokens(nil, word)
		if len(got) != 1 || len(got[0].Term) < MaxWord-1 || len(got[0].Term) > MaxWord || !utf8.ValidString(got[0].Term) || !strings.HasPrefix(word, got[0].Term) || got[0].End != len(word) {
			t.Errorf("a word of %d bytes: got %+v, want one token of %d", len(word), got, MaxWord)
		}
	}
}

// On ASCII text the tokens of standard are the words between PostgreSQL's \m and
// \M.
func TestStandardIsWholeWords(t *testing.T) {
	a := newTestAnalyzer(t, "standard")
	words := regexp.MustCompile(`[A-Za-z0-9_]+`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ -~\n]{0,40}`).Draw(t, "text")
		var want, got []string
		for _, w := range words.FindAllString(text, -1) {
			if w = strings.ToLower(w); !a.stop[w] {
				want = append(want, w)
			}
		}
		for _, tok := range a.Tokens(nil, text) {
			got = append(got, tok.Term)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	})
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"A Epic Drama", "今夜月 and 今", "ＷＩＤＥ İ ß ﬁ", "e\u0301\u0301 \xff", "dog's’s"} {
		f.Add(s)
	}
	var all []*Analyzer
	for _, name := range []string{"standard", "en", "cjk", "ngram"} {
		all = append(all, newTestAnalyzer(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, a := range all {
			pos, start := 0, 0
			for _, tok := range a.Tokens(nil, text) {
				if tok.Term == "" || len(tok.Term) > 2*MaxWord || tok.Pos <= pos || tok.Start < start || tok.End <= tok.Start || tok.End > len(text) {
					t.Fatalf("%q: token %+v after position %d, byte %d", text, tok, pos, start)
				}
				if utf8.ValidString(text) && !utf8.ValidString(tok.Term) {
					t.Fatalf("%q: term %q is not UTF-8", text, tok.Term)
				}
				pos, start = tok.Pos, tok.Start
			}
		}
	})
}
