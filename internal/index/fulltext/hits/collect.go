package fulltext

import (
	"cmp"
	"container/heap"
	"slices"

	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// A collector counts the matches and their facets, and keeps the first ones in
// order. It keeps them in a heap, with the last of them on top, unless they are
// ordered by score only: see best.
type collector struct {
	order     *order
	after     *candidate // nil: from the beginning
	size      int        // hits to keep
	explained bool       // the parts of the scores are needed
	facets    []*facet
	aggs      *aggregation         // nil: none
	post      plan                 // nil: none
	collapse  *collapse            // nil: every match may be a hit
	minScore  float64              // 0: none
	values    index.DocValueReader // nil if no values are needed

	bytes  int // of the values that facets and kept candidates hold
	limits limits

	total   uint64 // matches
	best    float64
	more    bool // matches come after those that are kept
	kept    []*candidate
	current candidate // the match being read
	err     error     // of comparing or counting in callbacks, which can't return it
}

// A facet counts the values of one field.
type facet struct {
	query.Facet
	field  string
	counts map[string]*int
}

// collect reads the matches of all parts.
func (c *collector) collect(s *session, m matcher) error {
	words := c.boundable(s, m)
	all, err := c.match(s, m)
	if err != nil {
		return err
	}
	if err := c.aggregate(s, all); err != nil {
		return err
	}
	if err := c.restrict(s, all); err != nil {
		return err
	}
	for _, f := range all {
		c.total += uint64(f.count)
	}
	if c.size == 0 {
		return nil
	}
	if err := c.compute(s, m, words, all); err != nil {
		return err
	}
	if c.order.byScore() && c.collapse == nil {
		return c.keepBest(s, m, all)
	}
	return c.addAll(s, all)
}

// match returns the matches of all parts, with their scores if aggregations or the
// least score need them.
func (c *collector) match(s *session, m matcher) ([]*found, error) {
	all := make([]*found, len(s.views))
	for i, p := range s.views {
		docs, err := m.match(p, p.live)
		if err = cmp.Or(err, s.check()); err != nil {
			return nil, err
		}
		all[i] = &found{matches: matches{part: p, docs: docs, count: docs.Count()}}
	}
	if c.minScore == 0 && (c.aggs == nil || !c.aggs.scored()) {
		return all, nil
	}
	for _, f := range all {
		if err := f.compute(s, m); err != nil {
			return nil, err
		}
		f.dropBelow(float32(c.minScore))
	}
	return all, nil
}

// aggregate counts facets and computes aggregations.
func (c *collector) aggregate(s *session, all []*found) error {
	for _, in := range all {
		for _, f := range c.facets {
			if err := c.countFacet(s, f, in); err != nil {
				return err
			}
		}
	}
	if c.aggs == nil {
		return nil
	}
	found := make([]*matches, len(all))
	for i, f := range all {
		found[i] = &f.matches
	}
	return c.aggs.collect(found)
}

// restrict leaves out the matches that the post filter does not match.
func (c *collector) restrict(s *session, all []*found) error {
	if c.post == nil {
		return nil
	}
	m, err := filterOf(c.post).open(s)
	if err != nil {
		return err
	}
	for _, f := range all {
		docs, err := m.match(f.part, f.docs)
		if err = cmp.Or(err, s.check()); err != nil {
			return err
		}
		f.keepOnly(docs)
	}
	return nil
}

// add keeps one match if it is among the first.
func (c *collector) add(f *found, doc uint32, score float32) error {
	c.current.reset(f.part.base+uint64(doc), float64(score))
	if c.collapse != nil {
		c.collapse.begin()
	}
	if c.values != nil {
		if err := cmp.Or(c.values.VisitDocValues(f.part.id(doc), c.addValue), c.err); err != nil {
			return err
		}
	}
	if c.after != nil {
		at, err := c.order.compare(&c.current, c.after)
		if err != nil || at <= 0 {
			return err
		}
	}
	if c.collapse != nil {
		return c.keepFirst()
	}
	return c.keep()
}

func (c *collector) addValue(field string, term []byte) {
	c.order.addValue(&c.current, field, term)
	if c.collapse != nil {
		c.err = cmp.Or(c.err, c.collapse.addValue(field, term))
	}
}

// countFacet counts the values that the matches of a part have: by the documents of
// each value, or, if that reads more, by the values of each match.
func (c *collector) countFacet(s *session, f *facet, in *found) error {
	terms, err := in.part.Terms(f.field)
	if err != nil || terms == 0 || in.count == 0 {
		return err
	}
	if terms+in.part.Docs()/64 > in.count {
		values, err := s.reader.DocValueReader([]string{f.field})
		if err != nil {
			return err
		}
		for doc := range in.docs.All {
			err := values.VisitDocValues(in.part.id(doc), func(_ string, term []byte) { c.countValue(f, term, 1) })
			if err = cmp.Or(err, c.err, s.step()); err != nil {
				return err
			}
		}
		return nil
	}
	return in.part.Each(f.field, "", "", func(term []byte, docs segment.Postings) (bool, error) {
		n, err := docs.CountIn(in.docs)
		if n > 0 {
			c.countValue(f, term, n)
		}
		return true, cmp.Or(err, c.err, s.step())
	})
}

// countValue counts a value that n more matches have.
func (c *collector) countValue(f *facet, term []byte, n int) {
	if count := f.counts[string(term)]; count != nil {
		*count += n
		return
	}
	if c.bytes += len(term) + valueOverhead; c.bytes > c.limits.bytes {
		c.err = cmp.Or(c.err, error(query.Errorf("narrow the search, or count a field with fewer values", "facet %s: the matches have too many different values to count", f.Facet.Field)))
		return
	}
	f.counts[string(term)] = &n
}

// keep adds the current match to the heap, if it precedes the last one there.
func (c *collector) keep() error {
	switch {
	case c.size == 0:
	case len(c.kept) < c.size:
		c.addBytes(c.current.size())
		heap.Push(c, c.current.clone())
	default:
		at, err := c.order.compare(&c.current, c.kept[0])
		if err != nil {
			return err
		}
		c.more = true
		if at < 0 {
			c.addBytes(c.current.size() - c.kept[0].size())
			c.kept[0] = c.current.clone()
			heap.Fix(c, 0)
		}
	}
	return c.err
}

// addBytes counts the bytes of kept candidates.
func (c *collector) addBytes(n int) {
	if c.bytes += n; c.bytes > c.limits.bytes {
		c.err = cmp.Or(c.err, error(query.Errorf("ask for fewer hits at a time, or sort by fewer fields", "the values to sort by are too long for so many hits")))
	}
}

// Len implements heap.Interface.
func (c *collector) Len() int { return len(c.kept) }

// Less implements heap.Interface: the last in order is on top.
func (c *collector) Less(i, j int) bool { return c.compare(c.kept[i], c.kept[j]) > 0 }

// Swap implements heap.Interface.
func (c *collector) Swap(i, j int) { c.kept[i], c.kept[j] = c.kept[j], c.kept[i] }

// Push implements heap.Interface.
func (c *collector) Push(x any) { c.kept = append(c.kept, x.(*candidate)) }

// Pop implements heap.Interface.
func (c *collector) Pop() any {
	last := c.kept[len(c.kept)-1]
	c.kept = c.kept[:len(c.kept)-1]
	return last
}

func (c *collector) compare(a, b *candidate) int {
	at, err := c.order.compare(a, b)
	c.err = cmp.Or(c.err, err)
	return at
}

// sorted returns the kept candidates in order, with their keys.
func (c *collector) sorted() ([]*candidate, error) {
	slices.SortFunc(c.kept, c.compare)
	for _, k := range c.kept {
		if err := c.order.readID(k); err != nil {
			return nil, err
		}
	}
	return c.kept, c.err
}

// top returns the most frequent values, and equally frequent ones by value; or all
// values. It makes one pass over all values, which may be millions, and sorts only
// Size.
func (f *facet) top(step func() error) ([]query.Count, error) {
	top := make([]query.Count, 0, min(f.Size, len(f.counts)))
	for v, n := range f.counts {
		if err := step(); err != nil {
			return nil, err
		}
		c := query.Count{Value: v, Count: *n}
		if f.All {
			top = append(top, c)
			continue
		}
		at, _ := slices.BinarySearchFunc(top, c, query.Count.Compare)
		if at == f.Size {
			continue
		}
		if len(top) == f.Size {
			top = top[:f.Size-1]
		}
		top = slices.Insert(top, at, c)
	}
	return top, nil
}
