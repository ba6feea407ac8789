package words

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"indexerd/internal/base/nearest"
	"indexerd/internal/index/query"
)

// Accepting returns whether a term matches a pattern, and how each term that does begins.
func Accepting(n query.Pattern) (accept func(string) bool, begin string, err error) {
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

// A Similar describes the terms within an edit distance of a term.
type Similar struct {
	Term         string
	EditDistance int
	Same         string // how the term must begin
	NoSwaps      bool   // two letters exchanged are two edits
}

// NewSimilar describes the terms that are similar to a term of a query.
func NewSimilar(term string, n query.Similar) Similar {
	edits := min(n.Edits.Of(utf8.RuneCountInString(term)), query.MaxEdits)
	return Similar{term, edits, firstRunes(term, n.Prefix), n.NoSwaps}
}

// accepts reports whether a term is similar.
func (p Similar) accepts(term string) bool {
	_, similar := p.Weight(term)
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

// Weight returns what a term counts: 1 minus the share of letters that differ. A
// negative one counts nothing, and is chosen last.
func (p Similar) Weight(term string) (weight float64, similar bool) {
	if !strings.HasPrefix(term, p.Same) {
		return 0, false
	}
	a, b := utf8.RuneCountInString(p.Term), utf8.RuneCountInString(term)
	if a-b > p.EditDistance || b-a > p.EditDistance {
		return 0, false
	}
	distance := nearest.Distance(p.Term, term)
	if p.NoSwaps && distance <= p.EditDistance {
		distance = nearest.WithoutSwaps(p.Term, term)
	}
	return 1 - float64(distance)/float64(max(1, min(a, b))), distance <= p.EditDistance
}
