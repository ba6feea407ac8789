package plan

import (
	"fmt"

	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// An anyTermPlan matches documents that have any of some terms, which count as one word.
// It costs one set of documents, however many terms there are, and one lookup in each
// segment for each.
type anyTermPlan struct {
	field string
	terms []string
}

// anyTerm matches words, or values of any type.
func (c compiler) anyTerm(n query.AnyTerm) (Plan, error) {
	if columns := c.textsOf(n.Field, n.Value); columns != nil {
		return c.anyColumn(columns, func(field string) Plan { return anyTermPlan{field, n.Texts} }), nil
	}
	f, err := c.Field(n.Field)
	if err != nil {
		return nil, err
	}
	any := anyTermPlan{schema.MetadataField(f.Name), n.Texts}
	if f.Type == schema.Keyword {
		return any, nil
	}
	any.terms = nil
	var all orPlan
	for _, text := range n.Texts {
		values, err := f.Value(text)
		switch {
		case err != nil:
			return nil, err
		case values.One():
			any.terms = append(any.terms, values.Min)
		default:
			all = append(all, rangePlan{any.field, values})
		}
	}
	return unscored{append(all, any)}, nil
}

func (p anyTermPlan) Open(s *Session) (Matcher, error) {
	m := s.newWord(p.field, fmt.Sprintf("any of %d terms", len(p.terms)))
	for _, term := range p.terms {
		if err := m.add(term, 1); err != nil {
			return nil, err
		}
		if err := s.Step(); err != nil {
			return nil, err
		}
	}
	return m, nil
}
