package fulltext

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"indexerd/internal/base/nearest"
	"indexerd/internal/index/query"
)

// matching returns whether a term matches a pattern, and how each term that does begins.
func matching(n query.Pattern) (accept func(string) bool, begin string, err error) {
	expression := ""
	switch n.Kind {
	case query.Exact:
		expression = literal(n.Text, n.Fold)
	case query.Beginning:
		expression = literal(n.Text, n.Fold) + ".*"
	case query.Wildcard:
		expression = wildcard(n.Text, n.Fold)
	case query.Regexp:
		if expression, err = query.RE2(n.Text, n.Fold); err != nil {
			return nil, "", err
		}
	}
	compiled, err := regexp.Compile("^(?s:" + expression + ")$")
	if err != nil {
		return nil, "", query.Errorf("write a smaller one", "the regular expression %s has too many states", query.Shorten(n.Text))
	}
	if !n.Fold {
		begin, _ = regexp.MustCompile("(?s:" + expression + ")").LiteralPrefix()
	}
	return compiled.MatchString, begin, nil
}

func literal(text string, fold bool) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteString(query.Char(r, fold))
	}
	return b.String()
}

// wildcard returns the regular expression of a text with ? and *.
func wildcard(text string, fold bool) string {
	var b strings.Builder
	plain := false
	for _, r := range text {
		switch {
		case plain:
			b.WriteString(query.Char(r, fold))
			plain = false
		case r == '\\':
			plain = true
		case r == '?':
			b.WriteByte('.')
		case r == '*':
			b.WriteString(".*")
		default:
			b.WriteString(query.Char(r, fold))
		}
	}
	if plain {
		b.WriteString(`\\`)
	}
	return b.String()
}

// A similar describes the terms within an edit distance of a term.
type similar struct {
	term         string
	editDistance int
	same         string // how the term must begin
	noSwaps      bool   // two letters exchanged are two edits
}

func newSimilar(term string, n query.Similar) similar {
	edits := min(n.Edits.Of(utf8.RuneCountInString(term)), query.MaxEdits)
	return similar{term, edits, firstRunes(term, n.Prefix), n.NoSwaps}
}

// accepts reports whether a term is similar.
func (p similar) accepts(term string) bool {
	_, similar := p.weight(term)
	return similar
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// weight returns what a term counts: 1 minus the share of letters that differ. A
// negative one counts nothing, and is chosen last.
func (p similar) weight(term string) (weight float64, similar bool) {
	if !strings.HasPrefix(term, p.same) {
		return 0, false
	}
	a, b := utf8.RuneCountInString(p.term), utf8.RuneCountInString(term)
	if a-b > p.editDistance || b-a > p.editDistance {
		return 0, false
	}
	distance := nearest.Distance(p.term, term)
	if p.noSwaps && distance <= p.editDistance {
		distance = nearest.WithoutSwaps(p.term, term)
	}
	return 1 - float64(distance)/float64(max(1, min(a, b))), distance <= p.editDistance
}
