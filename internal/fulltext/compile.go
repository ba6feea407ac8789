package fulltext

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"indexerd/internal/query"
)

// A compiler knows the fields of a table, and how much a match in each counts.
type compiler struct {
	*schema
	boosts map[string]float64
}

// compile turns a query into a plan. It is nil where the query asks only for
// what is not searched, such as stop words: such a part is left out of its
// surroundings, and by itself finds nothing.
func (c compiler) compile(n query.Node) (plan, error) {
	switch n := n.(type) {
	case nil, query.All:
		return everything{}, nil
	case query.And:
		return c.and(n.Nodes)
	case query.Or:
		return c.or(n.Nodes)
	case query.Not:
		return c.and([]query.Node{n})
	case query.Word:
		return c.words(n)
	case query.Phrase:
		return c.phrase(n)
	case query.Prefix:
		return c.prefix(n)
	case query.Fuzzy:
		return c.fuzzy(n)
	case query.Range:
		return c.inRange(n)
	}
	return nil, fmt.Errorf("a query can't have a %T", n)
}

func (c compiler) and(nodes []query.Node) (plan, error) {
	var b both
	for _, n := range nodes {
		to := &b.must
		if not, ok := n.(query.Not); ok {
			n, to = not.Node, &b.not
		}
		p, err := c.compile(n)
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

func (c compiler) or(nodes []query.Node) (plan, error) {
	var e either
	for _, n := range nodes {
		p, err := c.compile(n)
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
func (c compiler) columns(field string) []string {
	if field == "" {
		return c.texts
	}
	if i := slices.Index(c.texts, field); i >= 0 {
		return c.texts[i : i+1]
	}
	return nil
}

// words finds a word or a metadata value. What is written as one word and cut
// into several is their phrase, or all of them where the index has no positions.
func (c compiler) words(n query.Word) (plan, error) {
	columns := c.columns(n.Field)
	if columns == nil {
		return c.equal(n.Field, n.Text)
	}
	p := c.analyzer.phrase(n.Text)
	if len(p) > 1 && !c.Positions {
		return c.eachOf(p, columns), nil
	}
	return c.phraseIn(columns, p, 0), nil
}

// phrase finds a phrase or a metadata value.
func (c compiler) phrase(n query.Phrase) (plan, error) {
	columns := c.columns(n.Field)
	if columns == nil && n.Slop > 0 {
		return nil, c.noWords(n.Field, n.String())
	}
	if columns == nil {
		return c.equal(n.Field, n.Text)
	}
	p := c.analyzer.phrase(n.Text)
	switch {
	case len(p) > 1 && !c.Positions:
		return nil, query.Errorf("search for its words without quotes, or set positions: true for this table", "the phrase %s can't be found in an index without positions", query.Shorten(n.Text))
	case len(p) > query.MaxSlots && n.Slop > 0:
		return nil, query.Errorf("shorten it, or leave the ~ out", "a phrase with ~ has %d words, more than %d", len(p), query.MaxSlots)
	}
	return c.phraseIn(columns, p, n.Slop), nil
}

// phraseIn looks for a phrase in each of the columns. It is nil where nothing of
// the phrase is searched.
func (c compiler) phraseIn(columns []string, p phrase, slop int) plan {
	switch {
	case len(p) == 0:
		return nil
	case len(p) == 1:
		return c.inAny(columns, p[0].in)
	}
	return c.inAny(columns, func(field string) plan { return phrasePlan{field, p, slop} })
}

// in looks for one slot in one field.
func (sl slot) in(field string) plan {
	switch {
	case sl.prefix:
		return prefixPlan{field, sl.term}
	case sl.edits > 0:
		return fuzzyPlan{field, sl.term, sl.edits}
	}
	return termPlan{field, sl.term}
}

// eachOf looks for all words of a phrase, wherever they stand.
func (c compiler) eachOf(p phrase, columns []string) plan {
	var b both
	for _, sl := range p {
		if sl.term != "" {
			b.must = append(b.must, c.inAny(columns, sl.in))
		}
	}
	return b
}

// inAny looks in each of the columns.
func (c compiler) inAny(columns []string, in func(field string) plan) plan {
	var e either
	for _, name := range columns {
		p := in(contentField(name))
		if boost, ok := c.boosts[name]; ok {
			p = boosted{p, boost}
		}
		e = append(e, p)
	}
	return e
}

// equal finds a metadata value.
func (c compiler) equal(field, text string) (plan, error) {
	f, err := c.metadata(field)
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

func (c compiler) prefix(n query.Prefix) (plan, error) {
	columns := c.columns(n.Field)
	if columns == nil {
		f, err := c.metadata(n.Field)
		if err != nil {
			return nil, err
		}
		if f.Type != Keyword {
			return nil, f.mismatch(n.Text+"*", "only words and keywords are searched by their beginning")
		}
		return unscored{prefixPlan{metadataField(f.Name), n.Text}}, nil
	}
	before, last := c.analyzer.prefix(n.Text)
	var b both
	if len(before) > 0 && c.Positions {
		b.must = append(b.must, c.phraseIn(columns, before, 0))
	} else if len(before) > 0 {
		b.must = append(b.must, c.eachOf(before, columns))
	}
	if last.term != "" {
		b.must = append(b.must, c.inAny(columns, last.in))
	}
	if len(b.must) == 0 {
		return nil, nil
	}
	return b, nil
}

// noWords is the error of a ~ where values are found as a whole.
func (c compiler) noWords(field, text string) error {
	f, err := c.metadata(field)
	if err != nil {
		return err
	}
	return query.Errorf("leave the ~ out", "%s can't be found: field %s is a %s, and only the content has words", query.Shorten(text), f.Name, f.Type)
}

// fuzzy finds words of about this spelling. Scripts without spaces have no
// words: there it is no more than the phrase.
func (c compiler) fuzzy(n query.Fuzzy) (plan, error) {
	columns := c.columns(n.Field)
	if columns == nil {
		return nil, c.noWords(n.Field, n.String())
	}
	words, ok := c.analyzer.fuzzy(n.Text, n.Edits)
	if !ok {
		return c.words(query.Word{Field: n.Field, Text: n.Text})
	}
	for _, w := range words {
		if n := utf8.RuneCountInString(w.term); n > query.MaxLetters {
			return nil, query.Errorf("leave the ~ out", "the word %s has more than %d letters, too many to be searched by its spelling", query.Shorten(w.term), query.MaxLetters)
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	return c.eachOf(words, columns), nil
}

func (c compiler) inRange(n query.Range) (plan, error) {
	f, err := c.metadata(n.Field)
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
func (c compiler) filter(f query.Filter) (plan, error) {
	var e either
	for _, v := range f.Values {
		p, err := c.equal(f.Field, v)
		if err != nil {
			return nil, err
		}
		e = append(e, p)
	}
	return unscored{e}, nil
}
