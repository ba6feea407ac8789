package dsl

import (
	"cmp"
	"context"
	"math"
	"slices"
	"unicode/utf8"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/mapping"
)

// A word of a field counts in a more_like_this by how often texts have it and how few
// documents do. Both are known from searches as the caller: documents that it may not see
// are not read and not counted, and of the others only fields that it may search.
const (
	maxWords  = 512 // words that are counted of one more_like_this, once for each field: those that texts have most often
	wordsOnce = 64  // that are counted by one search
)

// A Reader reads the indices of a scope.
type Reader struct {
	Find      func(context.Context, search.Params) (search.Results, error)
	Documents func(ctx context.Context, index string, ids []string, c search.Caller) ([]search.Hit, error) // those that the caller may see; none of an index that is not there
	Analyzer  func(table string) (*analysis.Analyzer, error)
}

// Choose replaces each likeness in a search by a query of words.
func (s *Scope) Choose(ctx context.Context, p *search.Params, r Reader) (err error) {
	if s.alikes == 0 {
		return nil
	}
	one := func(n query.Node) query.Node {
		a, ok := n.(likeness)
		if !ok || err != nil {
			return n
		}
		c := chooser{Scope: s, Reader: r, ctx: ctx, caller: p.Caller, likeness: a}
		n, err = c.query()
		return n
	}
	for _, n := range []*query.Node{&p.Node, &p.Post} {
		if *n != nil {
			*n = query.Map(*n, one)
		}
	}
	p.Aggs = query.MapAggs(p.Aggs, func(field string) string { return field }, one)
	p.Markings = slices.Clone(p.Markings)
	for i, m := range p.Markings {
		if m.Query != nil {
			p.Markings[i].Query = query.Map(m.Query, one)
		}
	}
	return err
}

// A chooser chooses the words of one more_like_this.
type chooser struct {
	*Scope
	Reader
	likeness
	ctx    context.Context
	caller search.Caller
	split  *analysis.Analyzer
	skip   map[fieldTerm]bool
	docs   map[fieldTerm]uint64 // that have a word
	all    uint64               // documents
}

// A fieldTerm is a word of a field, as it is in the index.
type fieldTerm struct{ field, term string }

// A liked is a word and how often texts have it. It is searched in one of its fields.
type liked struct {
	term  string
	freq  int
	in    []mapping.Field
	score float64
	field mapping.Field // of in, with the most documents that have it
}

// query returns the query of the words.
func (c *chooser) query() (query.Node, error) {
	a, err := c.Analyzer(c.Tables[0])
	if err != nil {
		return nil, err
	}
	c.split, c.skip, c.docs = a, map[fieldTerm]bool{}, map[fieldTerm]uint64{}
	rows, err := c.rows(c.like.docs)
	if err != nil {
		return nil, err
	}
	if err := c.skipUnlike(); err != nil {
		return nil, err
	}
	ofDocs := c.wordsOfRows(rows)
	groups := append(slices.Clone(ofDocs), c.wordsOfTexts())
	if err := c.count(c.limit(groups)); err != nil {
		return nil, err
	}
	var chosen []query.Node
	for _, n := range [][]query.Node{c.best(ofDocs), c.best(groups[len(ofDocs):])} {
		if least := max(1, c.least.Of(len(n))); len(n) >= least {
			chosen = append(chosen, query.AtLeast{Nodes: n, Least: query.Exactly(least)})
		}
	}
	n := anyOf(chosen)
	if len(c.like.docs) > 0 && !c.include { // also those of other indices, as in OpenSearch
		ids := make([]string, len(c.like.docs))
		for i, d := range c.like.docs {
			ids[i] = d.id
		}
		n = query.And{Nodes: []query.Node{n, query.Not{Node: c.Keys(ids)}}}
	}
	return n, nil
}

// rows returns those of some documents that the caller may see.
func (c *chooser) rows(docs []likeDoc) (rows []search.Hit, err error) {
	ids := map[string][]string{}
	for _, d := range docs {
		index := cmp.Or(d.index, c.Tables[0])
		if !slices.Contains(ids[index], d.id) {
			ids[index] = append(ids[index], d.id)
		}
	}
	for index, some := range ids {
		found, err := c.Documents(c.ctx, index, some, c.caller)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// skipUnlike notes the words of what documents shall not be like. As in OpenSearch those
// of texts are skipped in the first field, and those of documents only beside documents.
func (c *chooser) skipUnlike() error {
	for _, text := range c.unlike.texts {
		for _, term := range c.termsOf(c.first(), text) {
			c.skip[fieldTerm{c.first().Shown(), term}] = true
		}
	}
	if len(c.like.docs) == 0 {
		return nil
	}
	rows, err := c.rows(c.unlike.docs)
	for _, f := range c.fieldsOfRows() {
		for _, row := range rows {
			for _, term := range c.termsOfRow(f, row) {
				c.skip[fieldTerm{f.Shown(), term}] = true
			}
		}
	}
	return err
}

// first returns the field whose analyzer splits texts.
func (c *chooser) first() mapping.Field {
	if len(c.fields) == 0 {
		return mapping.Field{}
	}
	return c.fields[0]
}

// fieldsOfRows returns the fields of documents that have words.
func (c *chooser) fieldsOfRows() []mapping.Field {
	if c.given {
		return c.fields
	}
	var all []mapping.Field
	for _, name := range c.QueryNames() {
		if f := c.Field(name); f.Type == mapping.Text || f.Type == mapping.Keyword {
			all = append(all, f)
		}
	}
	return all
}

// termsOf splits a text as a field does.
func (c *chooser) termsOf(f mapping.Field, text string) (terms []string) {
	if f.Type == mapping.Keyword {
		return []string{text}
	}
	for _, token := range c.split.Tokens(nil, text) {
		if token.Form.Extra() {
			continue
		}
		terms = append(terms, token.Term)
	}
	return terms
}

// termsOfRow returns the words of a field of a document.
func (c *chooser) termsOfRow(f mapping.Field, row search.Hit) (terms []string) {
	v := row.Fields.Get(f.Name)
	list, many := v.([]any)
	if !many && v != nil {
		list = []any{v}
	}
	for _, one := range list {
		if one != nil {
			terms = append(terms, c.termsOf(f, doc.FormatText(one))...)
		}
	}
	return terms
}

// wordsOfRows returns the words of documents, field by field.
func (c *chooser) wordsOfRows(rows []search.Hit) (groups [][]liked) {
	for _, f := range c.fieldsOfRows() {
		if f.Type == "" {
			continue
		}
		freq := map[string]int{}
		for _, row := range rows {
			for _, term := range c.termsOfRow(f, row) {
				freq[term]++
			}
		}
		groups = append(groups, c.likedOf(freq, f, []mapping.Field{f}))
	}
	return groups
}

// wordsOfTexts returns the words of texts, which the first field splits for all.
func (c *chooser) wordsOfTexts() []liked {
	freq := map[string]int{}
	for _, text := range c.like.texts {
		for _, term := range c.termsOf(c.first(), text) {
			freq[term]++
		}
	}
	known := slices.DeleteFunc(slices.Clone(c.fields), func(f mapping.Field) bool { return f.Type == "" })
	return c.likedOf(freq, c.first(), known)
}

// likedOf returns the words that may be chosen. skipped is the field in which words are
// skipped.
func (c *chooser) likedOf(freq map[string]int, skipped mapping.Field, in []mapping.Field) (all []liked) {
	for term, n := range freq {
		letters := utf8.RuneCountInString(term)
		if n < c.minFreq || letters < c.minLetters || c.letters > 0 && letters > c.letters || c.stop[term] || c.skip[fieldTerm{skipped.Shown(), term}] || term == "" {
			continue
		}
		all = append(all, liked{term: term, freq: n, in: in})
	}
	return all
}

// limit keeps the words that texts have most often, and returns them with their fields.
func (c *chooser) limit(groups [][]liked) (terms []fieldTerm) {
	type place struct{ group, at int }
	var all []place
	for i, g := range groups {
		slices.SortFunc(g, func(a, b liked) int { return cmp.Or(cmp.Compare(b.freq, a.freq), cmp.Compare(a.term, b.term)) })
		for at := range g {
			all = append(all, place{i, at})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(groups[b.group][b.at].freq, groups[a.group][a.at].freq) })
	kept := make([]int, len(groups))
	for _, p := range all {
		w := groups[p.group][p.at]
		if len(terms)+len(w.in) > maxWords {
			break
		}
		kept[p.group] = p.at + 1
		for _, f := range w.in {
			terms = append(terms, fieldTerm{f.Shown(), w.term})
		}
	}
	for i := range groups {
		groups[i] = groups[i][:kept[i]]
	}
	return terms
}

// count counts the documents, and those that have each word.
func (c *chooser) count(terms []fieldTerm) error {
	if len(terms) == 0 {
		return nil
	}
	all, err := c.Find(c.ctx, search.Params{Node: query.All{}, Fresh: new(bool), Caller: c.caller})
	if err != nil {
		return err
	}
	c.all = all.Total
	slices.SortFunc(terms, func(a, b fieldTerm) int { return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.term, b.term)) })
	for some := range slices.Chunk(slices.Compact(terms), wordsOnce) {
		nodes := make([]query.Node, len(some))
		for i, ft := range some {
			nodes[i] = pattern(c.Field(ft.field), query.Exact, ft.term, false)
		}
		of := query.FiltersAgg{Queries: nodes}
		results, err := c.Find(c.ctx, search.Params{Node: anyOf(nodes), Aggs: []query.Agg{{Of: of}}, Fresh: new(bool), Caller: c.caller})
		if err != nil {
			return err
		}
		for i, ft := range some {
			c.docs[ft] = results.Aggs[0].Buckets[i].Count
		}
	}
	return nil
}

// best returns queries of the words that count most, those of each group by themselves.
func (c *chooser) best(groups [][]liked) (nodes []query.Node) {
	for _, g := range groups {
		var words []liked
		for _, w := range g {
			if c.rate(&w) {
				words = append(words, w)
			}
		}
		slices.SortFunc(words, func(a, b liked) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.term, b.term)) })
		words = words[:min(len(words), c.terms)]
		for _, w := range words {
			n := query.Node(pattern(w.field, query.Exact, w.term, false))
			if w.field.Type == mapping.Keyword {
				n = Constant(n)
			}
			if c.boost > 0 {
				n = Weighted(n, c.boost*w.score/words[len(words)-1].score)
			}
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// rate sets the field and the score of a word. It reports whether enough documents, and
// not too many, have it.
func (c *chooser) rate(w *liked) bool {
	most := uint64(0)
	for _, f := range w.in {
		if n := c.docs[fieldTerm{f.Shown(), w.term}]; n > most {
			most, w.field = n, f
		}
	}
	if most == 0 || int64(most) < int64(c.minDocs) || int64(most) > int64(c.maxDocs) {
		return false
	}
	w.score = float64(w.freq) * (math.Log(float64(c.all+1)/float64(most+1)) + 1)
	return true
}
