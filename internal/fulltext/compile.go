package fulltext

import (
	"fmt"
	"slices"

	"indexerd/internal/query"
)

// compile turns a query into a plan. It is nil where the query asks only for
// what is not searched, such as stop words: such a part is left out of its
// surroundings, and by itself finds nothing.
func (s *schema) compile(n query.Node) (plan, error) {
	switch n := n.(type) {
	case nil, query.All:
		return everything{}, nil
	case query.And:
		return s.and(n.Nodes)
	case query.Or:
		return s.or(n.Nodes)
	case query.Not:
		return s.and([]query.Node{n})
	case query.Word:
		return s.words(n.Field, n.Text, false)
	case query.Phrase:
		return s.words(n.Field, n.Text, true)
	case query.Prefix:
		return s.prefix(n)
	case query.Range:
		return s.inRange(n)
	}
	return nil, fmt.Errorf("a query can't have a %T", n)
}

func (s *schema) and(nodes []query.Node) (plan, error) {
	var b both
	for _, n := range nodes {
		to := &b.must
		if not, ok := n.(query.Not); ok {
			n, to = not.Node, &b.not
		}
		p, err := s.compile(n)
		if err != nil {
			return nil, err
		}
		if p != nil {
			*to = append(*to, p)
		}
	}
	if len(b.must)+len(b.not) == 0 {
		return nil, nil
	}
	return b, nil
}

func (s *schema) or(nodes []query.Node) (plan, error) {
	var e either
	for _, n := range nodes {
		p, err := s.compile(n)
		if err != nil {
			return nil, err
		}
		if p != nil {
			e = append(e, p)
		}
	}
	if len(e) == 0 {
		return nil, nil
	}
	return e, nil
}

// columns returns the content columns and children that a field of a query
// names: all for none, and none for a metadata field.
func (s *schema) columns(field string) []string {
	if field == "" {
		return s.texts
	}
	if i := slices.Index(s.texts, field); i >= 0 {
		return s.texts[i : i+1]
	}
	return nil
}

// words finds a word, a phrase, or a metadata value. What is written as one
// word and cut into several is their phrase, or all of them where the index
// has no positions.
func (s *schema) words(field, text string, quoted bool) (plan, error) {
	columns := s.columns(field)
	if columns == nil {
		return s.equal(field, text)
	}
	p := s.analyzer.phrase(text)
	switch {
	case len(p) == 0:
		return nil, nil
	case len(p) > 1 && !s.Positions && quoted:
		return nil, query.Errorf("search for its words without quotes, or set positions: true for this table", "the phrase %s can't be found in an index without positions", query.Shorten(text))
	case len(p) > 1 && !s.Positions:
		return s.eachOf(p, columns), nil
	}
	return s.inAny(columns, func(field string) plan { return p.in(field) }), nil
}

// in looks for a phrase in one field.
func (p phrase) in(field string) plan {
	switch {
	case len(p) > 1:
		return phrasePlan{field, p}
	case p[0].prefix:
		return prefixPlan{field, p[0].term}
	}
	return termPlan{field, p[0].term}
}

// eachOf looks for all words of a phrase, wherever they stand.
func (s *schema) eachOf(p phrase, columns []string) plan {
	var b both
	for _, sl := range p {
		if sl.term != "" {
			b.must = append(b.must, s.inAny(columns, func(field string) plan { return phrase{sl}.in(field) }))
		}
	}
	return b
}

// inAny looks in each of the columns.
func (s *schema) inAny(columns []string, in func(field string) plan) plan {
	if len(columns) == 1 {
		return in(contentField(columns[0]))
	}
	var e either
	for _, c := range columns {
		e = append(e, in(contentField(c)))
	}
	return e
}

// equal finds a metadata value.
func (s *schema) equal(field, text string) (plan, error) {
	f, err := s.metadata(field)
	if err != nil {
		return nil, err
	}
	values, err := f.value(text)
	if err != nil {
		return nil, err
	}
	if values.max == successor(values.min) {
		return unscored{termPlan{metadataField(field), values.min}}, nil
	}
	return unscored{spanPlan{metadataField(field), values}}, nil
}

func (s *schema) prefix(n query.Prefix) (plan, error) {
	columns := s.columns(n.Field)
	if columns == nil {
		f, err := s.metadata(n.Field)
		if err != nil {
			return nil, err
		}
		if f.Type != Keyword {
			return nil, f.mismatch(n.Text+"*", "only words and keywords are searched by their beginning")
		}
		return unscored{prefixPlan{metadataField(f.Name), n.Text}}, nil
	}
	before, last := s.analyzer.prefix(n.Text)
	var b both
	if len(before) > 0 && s.Positions {
		b.must = append(b.must, s.inAny(columns, func(field string) plan { return before.in(field) }))
	} else if len(before) > 0 {
		b.must = append(b.must, s.eachOf(before, columns))
	}
	if last.term != "" {
		b.must = append(b.must, s.inAny(columns, func(field string) plan { return phrase{last}.in(field) }))
	}
	if len(b.must) == 0 {
		return nil, nil
	}
	return b, nil
}

func (s *schema) inRange(n query.Range) (plan, error) {
	f, err := s.metadata(n.Field)
	if err != nil {
		return nil, err
	}
	values, err := f.between(n)
	if err != nil {
		return nil, err
	}
	return unscored{spanPlan{metadataField(f.Name), values}}, nil
}

// filter finds documents that have one of the values.
func (s *schema) filter(f query.Filter) (plan, error) {
	var e either
	for _, v := range f.Values {
		p, err := s.equal(f.Field, v)
		if err != nil {
			return nil, err
		}
		e = append(e, p)
	}
	return unscored{e}, nil
}
