package plan

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/words"
	"indexerd/internal/index/query"
)

// A compiler turns queries into plans, for the fields and boosts of a table.
type compiler struct {
	*schema.Schema
	analyzer words.Analyzer
	boosts   map[string]float64
	shared   map[words.Slot]*columnsPlan // the words without a field; nil: their scores are not tuned

	sets map[string]*words.Set // of words, by what they are written as; nil: equal words need no equal sets
}

// compile turns a query into a plan. The plan is nil if nothing in the query is
// searched, for example if it has only stop words. The enclosing query ignores
// such a part; alone it matches nothing.
func (c compiler) compile(n query.Node) (Plan, error) {
	switch n := n.(type) {
	case nil, query.All:
		return matchAll{}, nil
	case query.And:
		return c.and(n.Nodes)
	case query.Or:
		return c.or(n.Nodes)
	case query.Some:
		return c.some(n.Nodes)
	case query.Not:
		return c.and([]query.Node{n})
	case query.Word:
		return c.words(n)
	case query.Synonym:
		return c.synonym(n)
	case query.Phrase:
		return c.phrase(n)
	case query.Prefix:
		return c.prefix(n)
	case query.Fuzzy:
		return c.fuzzy(n)
	case query.Range:
		return c.inRange(n)
	case query.Keys:
		return keysPlan(n.OIDs), nil
	}
	if p, ok, err := c.scored(n); ok {
		return p, err
	}
	if p, ok, err := c.terms(n); ok {
		return p, err
	}
	return nil, fmt.Errorf("query has an unknown part of type %T", n)
}

func (c compiler) and(nodes []query.Node) (Plan, error) {
	var b boolPlan
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
	if len(b.must)+len(b.not) < len(nodes) {
		b.must = needed(b.must)
	}
	return b, nil
}

// needed returns the parts that must match after others were left out, since they have
// nothing to search: if only optional ones are left, they are not optional.
func needed(must []Plan) []Plan {
	for _, p := range must {
		if _, ok := p.(optionalPlan); !ok {
			return must
		}
	}
	found := make([]Plan, len(must))
	for i, p := range must {
		found[i] = orPlan(p.(optionalPlan))
	}
	return found
}

func (c compiler) or(nodes []query.Node) (Plan, error) {
	var o orPlan
	for _, n := range nodes {
		p, err := c.compile(n)
		if err != nil {
			return nil, err
		}
		if p != nil {
			o = append(o, p)
		}
	}
	if len(o) == 0 {
		return nil, nil
	}
	return o, nil
}

// some matches most of the nodes that are searched at all.
func (c compiler) some(nodes []query.Node) (Plan, error) {
	any, err := c.or(nodes)
	if err != nil || any == nil {
		return nil, err
	}
	plans := any.(orPlan)
	return somePlan{plans, query.Most(len(plans))}, nil
}

// columns returns the content columns and children to search for a field of a
// query: all of them for "", and none for a metadata field.
func (c compiler) columns(field string) []string {
	if field == "" {
		return c.Texts
	}
	if i := slices.Index(c.Texts, field); i >= 0 {
		return c.Texts[i : i+1]
	}
	return nil
}

// words matches a word or a metadata value. A word that is tokenized into
// several terms matches as their phrase, or, in an index without positions,
// where all terms occur.
func (c compiler) words(n query.Word) (Plan, error) {
	columns := c.columns(n.Field)
	if columns == nil {
		return c.equal(n.Field, n.Text)
	}
	return c.anyWay(columns, c.analyzer.Word(n.Text)), nil
}

// anyWay matches any of the words and phrases of a set, which is nil for an empty one.
func (c compiler) anyWay(columns []string, set words.Set) Plan {
	sl, one := c.slot(set)
	switch {
	case one:
		return c.word(columns, sl)
	case len(set.Phrases) == 0:
		return nil
	case !c.Positions:
		return c.allSlots(set.Phrases[0], columns)
	}
	return c.phraseIn(columns, set.Phrases[0], 0)
}

// slot returns the slot of a set that counts as one word. It reports false for an empty one,
// and for one phrase alone.
func (c compiler) slot(set words.Set) (words.Slot, bool) {
	switch {
	case len(set.Words) == 0 && len(set.Phrases) < 2:
		return words.Slot{}, false
	case len(set.Words) == 1 && len(set.Phrases) == 0:
		return set.Words[0], true
	}
	set.Loose = !c.Positions
	key := set.Key()
	if known := c.sets[key]; known != nil {
		return words.Slot{One: known}, true
	}
	if c.sets != nil {
		c.sets[key] = &set
	}
	return words.Slot{One: &set}, true
}

// phrase matches a phrase or a metadata value.
func (c compiler) phrase(n query.Phrase) (Plan, error) {
	columns := c.columns(n.Field)
	if columns == nil && n.Slop > 0 {
		return nil, c.notText(n.Field, n.String())
	}
	if columns == nil {
		return c.equal(n.Field, n.Text)
	}
	if set := c.analyzer.Quoted(n.Text); n.Slop == 0 && len(set.Words)+len(set.Phrases) > 1 && c.Positions {
		return c.anyWay(columns, set), nil
	}
	p := c.analyzer.Phrase(n.Text)
	switch {
	case len(p) > 1 && !c.Positions:
		return nil, query.Errorf("search for its words without quotes, or set positions: true for this table", "the phrase %s can't be found in an index without positions", query.Shorten(n.Text))
	case len(p) > query.MaxSlots && n.Slop > 0:
		return nil, query.Errorf("shorten it, or leave the ~ out", "a phrase with ~ has %d words, more than %d", len(p), query.MaxSlots)
	}
	return c.phraseIn(columns, p, n.Slop), nil
}

// phraseIn matches a phrase in any of the columns. The plan of an empty phrase
// is nil.
func (c compiler) phraseIn(columns []string, p words.Phrase, slop int) Plan {
	switch {
	case len(p) == 0:
		return nil
	case len(p) == 1:
		return c.word(columns, p[0])
	}
	return c.anyColumn(columns, func(field string) Plan { return phrasePlan{field, p, slop} })
}

// slotPlan matches one slot in one field.
func slotPlan(field string, sl words.Slot) Plan {
	switch {
	case sl.One != nil:
		return synonymPlan{field, sl.One}
	case sl.Prefix:
		return prefixPlan{field, sl.Term, sl.Most}
	case sl.EditDistance > 0:
		return fuzzyPlan{field, sl.Term, sl.EditDistance}
	}
	return termPlan{field, sl.Term}
}

// allSlots matches documents that have all terms of a phrase, at any positions.
func (c compiler) allSlots(p words.Phrase, columns []string) Plan {
	var b boolPlan
	for _, sl := range p {
		if sl.Term != "" {
			b.must = append(b.must, c.word(columns, sl))
		}
	}
	return b
}

// anyColumn matches what the plan of any column does, with the column's boost.
func (c compiler) anyColumn(columns []string, in func(field string) Plan) Plan {
	var o orPlan
	for _, name := range columns {
		p := in(schema.ContentField(name))
		if boost, ok := c.boosts[name]; ok {
			p = boosted{p, boost}
		}
		o = append(o, p)
	}
	return o
}

// equal matches a metadata value.
func (c compiler) equal(field, text string) (Plan, error) {
	f, err := c.Field(field)
	if err != nil {
		return nil, err
	}
	values, err := f.Value(text)
	if err != nil {
		return nil, err
	}
	if values.One() {
		return unscored{termPlan{schema.MetadataField(field), values.Min}}, nil
	}
	return unscored{rangePlan{schema.MetadataField(field), values}}, nil
}

func (c compiler) prefix(n query.Prefix) (Plan, error) {
	columns := c.columns(n.Field)
	if columns == nil {
		f, err := c.Field(n.Field)
		if err != nil {
			return nil, err
		}
		if f.Type != schema.Keyword {
			return nil, f.Mismatch(n.Text+"*", "only words and keywords are searched by prefix")
		}
		return unscored{prefixPlan{schema.MetadataField(f.Name), n.Text, 0}}, nil
	}
	if c.analyzer.IsLatest() {
		set, ok := c.analyzer.Typed(n.Text)
		if !ok {
			set = c.analyzer.Word(n.Text)
		}
		return c.anyWay(columns, set), nil
	}
	before, last := c.analyzer.Prefix(n.Text)
	var b boolPlan
	if len(before) > 0 && c.Positions {
		b.must = append(b.must, c.phraseIn(columns, before, 0))
	} else if len(before) > 0 {
		b.must = append(b.must, c.allSlots(before, columns))
	}
	if last.Term != "" {
		b.must = append(b.must, c.word(columns, last))
	}
	if len(b.must) == 0 {
		return nil, nil
	}
	return b, nil
}

// notText returns the error of a ~ on a metadata field.
func (c compiler) notText(field, text string) error {
	f, err := c.Field(field)
	if err != nil {
		return err
	}
	return query.Errorf("leave the ~ out", "%s can't be found: field %s is a %s, and only the content has words", query.Shorten(text), f.Name, f.Type)
}

// fuzzy matches words of similar spelling. In scripts without spaces it matches
// the phrase.
func (c compiler) fuzzy(n query.Fuzzy) (Plan, error) {
	columns := c.columns(n.Field)
	if columns == nil {
		return nil, c.notText(n.Field, n.String())
	}
	words, ok := c.analyzer.Fuzzy(n.Text, n.Edits)
	if !ok {
		return c.words(query.Word{Field: n.Field, Text: n.Text})
	}
	for _, w := range words {
		if n := utf8.RuneCountInString(w.Term); n > query.MaxLetters {
			return nil, query.Errorf("leave the ~ out", "the word %s has %d letters, and a word with ~ may have %d", query.Shorten(w.Term), n, query.MaxLetters)
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	return c.allSlots(words, columns), nil
}

func (c compiler) inRange(n query.Range) (Plan, error) {
	f, err := c.Field(n.Field)
	if err != nil {
		return nil, err
	}
	values, err := f.Between(n)
	if err != nil {
		return nil, err
	}
	return unscored{rangePlan{schema.MetadataField(f.Name), values}}, nil
}

// filterValue matches documents that have a value, or of a number or date a value in a range.
func (c compiler) filterValue(field, text string) (Plan, error) {
	f, err := c.Field(field)
	if err != nil {
		return nil, err
	}
	if f.Type == schema.Number || f.Type == schema.Date {
		if r, ok, err := query.ParseRange(field, text); ok && err != nil {
			return nil, err
		} else if ok {
			return c.inRange(r)
		}
	}
	return c.equal(field, text)
}

// filter matches documents that have one of the values.
func (c compiler) filter(f query.Filter) (Plan, error) {
	var o orPlan
	for _, v := range f.Values {
		p, err := c.filterValue(f.Field, v)
		if err != nil {
			return nil, err
		}
		o = append(o, p)
	}
	return unscored{o}, nil
}
