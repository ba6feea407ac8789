package demo

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) }

// A third of the orders is in each language and a third in both. There are many
// words, and few equal remarks.
func TestTextIsVaried(t *testing.T) {
	db := create(t, Config{Dir: t.TempDir(), Rows: 3000, Seed: 1})
	remarks := column(t, db, "SELECT remarks FROM job_order")
	orders := column(t, db, "SELECT concat_ws(' ', customer, consignee, cargo, remarks) FROM job_order")

	var english, chinese, both int
	words, pairs := map[string]bool{}, map[string]bool{}
	for _, text := range orders {
		switch han, latin := strings.ContainsFunc(text, isHan), strings.ContainsFunc(text, isLatin); {
		case han && latin:
			both++
		case han:
			chinese++
		default:
			english++
		}
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !isLatin(r) }) {
			words[strings.ToLower(w)] = true
		}
		runes := []rune(text)
		for i := range len(runes) - 1 {
			if isHan(runes[i]) && isHan(runes[i+1]) {
				pairs[string(runes[i:i+2])] = true
			}
		}
	}
	for what, n := range map[string]int{"in English": english, "in Chinese": chinese, "in both": both} {
		if n < 900 || n > 1100 {
			t.Errorf("%d of 3,000 orders are %s, want about a third", n, what)
		}
	}
	if len(words) < 500 {
		t.Errorf("%d different English words, want at least 500", len(words))
	}
	if len(pairs) < 1000 {
		t.Errorf("%d different pairs of Chinese characters, want at least 1,000", len(pairs))
	}

	distinct, patterns := map[string]bool{}, map[string]int{}
	for _, text := range remarks {
		distinct[text] = true
		patterns[firstWords(text)]++
	}
	if len(distinct) < 3000*98/100 {
		t.Errorf("%d of 3,000 remarks are different, want 98 %%", len(distinct))
	}
	for pattern, n := range patterns {
		if n > 3000*5/100 {
			t.Errorf("%d of 3,000 remarks begin with %q, want at most 5 %%", n, pattern)
		}
	}
}

// firstWords returns the first three words or Chinese characters of a remark.
func firstWords(text string) string {
	if runes := []rune(text); isHan(runes[0]) {
		return string(runes[:3])
	}
	words := strings.Fields(text)
	return strings.Join(words[:min(3, len(words))], " ")
}

func TestGrammarsNameExistingRulesOnly(t *testing.T) {
	rule := regexp.MustCompile(`\{([^}]*)\}`)
	for name, g := range map[string]grammar{"english": grammarOf(english), "chinese": grammarOf(chinese)} {
		for r, productions := range g {
			for _, p := range productions {
				for _, m := range rule.FindAllStringSubmatch(p, -1) {
					if _, _, ok := numbers(m[1]); !ok && g[m[1]] == nil {
						t.Errorf("%s: %s: %q: unknown rule %s", name, r, p, m[1])
					}
				}
				if strings.ContainsAny(rule.ReplaceAllString(p, ""), "{}") {
					t.Errorf("%s: %s: %q has an unpaired brace", name, r, p)
				}
			}
		}
	}
}

func TestContainerNumberHasTheCheckDigit(t *testing.T) {
	for _, c := range []struct {
		owner  string
		serial int
		want   string
	}{
		{"CSQU", 305438, "CSQU3054383"}, // the standard's own example
		{"MSKU", 907032, "MSKU9070323"},
		{"TGHU", 758938, "TGHU7589380"}, // the sum is 7193, which is 10 modulo 11
	} {
		if got := containerNumber(c.owner, c.serial); got != c.want {
			t.Errorf("containerNumber(%s, %d) = %s, want %s", c.owner, c.serial, got, c.want)
		}
	}
	for _, number := range column(t, create(t, Config{Dir: t.TempDir(), Rows: 50}), "SELECT number FROM container") {
		var serial int
		if _, err := fmt.Sscanf(number[4:10], "%d", &serial); err != nil || containerNumber(number[:4], serial) != number {
			t.Errorf("container number %s has a wrong check digit", number)
		}
	}
}
