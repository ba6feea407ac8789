package words

import (
	"testing"

	"indexerd/internal/index/query"
)

// Only ASCII letters match in either case, in each kind of pattern, as in Lucene.
func TestFoldOfPatterns(t *testing.T) {
	for _, c := range []struct {
		kind       query.PatternKind
		text, term string
		want       bool
	}{
		{query.Exact, "Über", "Über", true},
		{query.Exact, "Über", "ÜBER", true},
		{query.Exact, "Über", "über", false},
		{query.Exact, "K", "\u212a", false}, // the Kelvin sign
		{query.Exact, "a.c", "ABC", false},
		{query.Beginning, "sHA", "ShArk", true},
		{query.Wildcard, "s?A*\\*", "sHaRk*", true},
		{query.Wildcard, "é*", "Éclair", false},
		{query.Regexp, "(sha|WHA).?k", "wHaLK", true},
		{query.Regexp, "[a-c]x+", "bXx", true},
	} {
		accept, _, err := Accepting(query.Pattern{Kind: c.kind, Text: c.text, Fold: true})
		if err != nil || accept(c.term) != c.want {
			t.Errorf("%v of %q and %q: got %v, %v, want %v", c.kind, c.text, c.term, !c.want, err, c.want)
		}
	}
}
