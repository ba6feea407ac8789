package plan

import (
	"unicode/utf8"

	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/words"
	"indexerd/internal/index/query"
)

// terms compiles the nodes that search terms as they are in the index. It reports false
// for others.
func (c compiler) terms(n query.Node) (p Plan, ok bool, err error) {
	switch n := n.(type) {
	case query.Pattern:
		p, err = c.pattern(n)
	case query.Similar:
		p, err = c.similar(n)
	case query.AnyTerm:
		p, err = c.anyTerm(n)
	case query.PhrasePrefix:
		p, err = c.phrasePrefix(n)
	case query.Has:
		p, err = c.has(n)
	case query.Between:
		p, err = c.between(n)
	default:
		return nil, false, nil
	}
	return p, true, err
}

// textsOf returns the columns and children with the text of a field, none if its values
// are searched.
func (c compiler) textsOf(field string, value bool) []string {
	if value {
		return nil
	}
	return c.columns(field)
}

// inTerms returns the plan for terms of a field with text or keywords. what is the text
// of the query, for the error of another field.
func (c compiler) inTerms(field string, value bool, what string, in func(field string) Plan) (Plan, error) {
	if columns := c.textsOf(field, value); columns != nil {
		return c.anyColumn(columns, in), nil
	}
	f, err := c.Field(field)
	if err != nil {
		return nil, err
	}
	if f.Type != schema.Keyword {
		return nil, f.Mismatch(what, "only words and keywords are searched so")
	}
	return in(schema.MetadataField(f.Name)), nil
}

func (c compiler) pattern(n query.Pattern) (Plan, error) {
	if n.Kind == query.Exact && c.textsOf(n.Field, n.Value) == nil {
		if f, err := c.Field(n.Field); err != nil || f.Type != schema.Keyword {
			return c.equal(n.Field, n.Text)
		}
	}
	switch {
	case n.Kind == query.Exact && !n.Fold:
		return c.inTerms(n.Field, n.Value, n.Text, func(field string) Plan { return termPlan{field, n.Text} })
	case n.Kind == query.Beginning && !n.Fold:
		return c.inTerms(n.Field, n.Value, n.Text, func(field string) Plan { return prefixPlan{field, n.Text, 0} })
	}
	accept, begin, err := words.Accepting(n)
	if err != nil {
		return nil, err
	}
	return c.inTerms(n.Field, n.Value, n.Text, func(field string) Plan {
		clause := compiled.TermPattern{Field: schema.Exported(field), Kind: n.Kind, Text: n.Text, Fold: n.Fold, Stems: c.analyzer.HasStems() && c.textsOf(n.Field, n.Value) != nil}
		return termsPlan{field: field, text: n.Text, Range: schema.Range{Min: begin, Max: afterPrefix(begin)}, accept: accept, clause: clause}
	})
}

// similar matches words or keywords of similar spelling.
func (c compiler) similar(n query.Similar) (Plan, error) {
	terms := []string{n.Text}
	if n.Words && c.textsOf(n.Field, n.Value) != nil {
		terms = nil
		for _, sl := range c.analyzer.Phrase(n.Text) {
			if sl.Term != "" {
				terms = append(terms, sl.Term)
			}
		}
		if len(terms) == 0 {
			return nil, nil
		}
	}
	var all boolPlan
	for _, term := range terms {
		like := words.NewSimilar(term, n)
		if letters := utf8.RuneCountInString(term); letters > query.MaxLetters && like.EditDistance > 0 {
			return nil, query.Errorf("leave the fuzziness out", "the word %s has %d letters, and one of similar spelling may have %d", query.Shorten(term), letters, query.MaxLetters)
		}
		p, err := c.inTerms(n.Field, n.Value, term, func(field string) Plan {
			if like.EditDistance == 0 {
				return termPlan{field, term}
			}
			return similarPlan{field, like, n.Most}
		})
		if err != nil {
			return nil, err
		}
		all.must = append(all.must, p)
	}
	if len(all.must) == 1 {
		return all.must[0], nil
	}
	return all, nil
}

// phrasePrefix matches a phrase whose last word may continue.
func (c compiler) phrasePrefix(n query.PhrasePrefix) (Plan, error) {
	columns := c.columns(n.Field)
	if columns == nil {
		return nil, c.notText(n.Field, n.Text)
	}
	p := c.analyzer.Phrase(n.Text)
	switch {
	case len(p) == 0:
		return nil, nil
	case len(p) > 1 && !c.Positions:
		return nil, query.Errorf("search for its words, or set positions: true for this table", "the phrase %s can't be found in an index without positions", query.Shorten(n.Text))
	case len(p) > query.MaxSlots && n.Slop > 0:
		return nil, query.Errorf("shorten it, or leave the slop out", "a phrase with slop has %d words, more than %d", len(p), query.MaxSlots)
	}
	last := &p[len(p)-1]
	last.Prefix, last.Most = true, n.Most
	return c.phraseIn(columns, p, n.Slop), nil
}

// A hasPlan matches documents with a word in a column.
type hasPlan struct {
	rangePlan
	field string
}

// has matches documents with a word or a value. The lengths of texts say which have
// words; without them all words are read.
func (c compiler) has(n query.Has) (Plan, error) {
	columns := c.textsOf(n.Field, n.Value)
	if columns == nil {
		return c.inRange(query.Range{Field: n.Field})
	}
	var o orPlan
	for _, name := range columns {
		in := schema.ContentField(name)
		if !c.Unmeasured {
			in = schema.LengthField(in)
		}
		o = append(o, unscored{hasPlan{rangePlan{in, schema.Range{}}, schema.ContentField(name)}})
	}
	return o, nil
}

// between matches words between two bounds.
func (c compiler) between(n query.Between) (Plan, error) {
	columns := c.columns(n.Field)
	if columns == nil {
		return c.inRange(query.Range(n))
	}
	values, err := schema.Field{Name: n.Field, Type: schema.Keyword}.Between(query.Range(n))
	if err != nil {
		return nil, err
	}
	return c.anyColumn(columns, func(field string) Plan {
		return termsPlan{field: field, text: n.String(), Range: values, clause: compiled.TermRange{Field: schema.Exported(field), Min: values.Min, Max: values.Max}}
	}), nil
}
