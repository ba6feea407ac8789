package fulltext

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/query"
)

// A collector reads all matches once. It counts them and their facets, and keeps
// the first ones in order in a heap, with the last of these on top.
type collector struct {
	order  *order
	after  *candidate // nil: from the beginning
	size   int        // hits to keep
	facets []*facet
	values index.DocValueReader // nil if no values are needed

	bytes    int // of the values that facets and kept candidates hold
	maxBytes int

	total    uint64 // matches
	best     float64
	eligible uint64 // matches that come after after
	kept     []*candidate
	current  candidate // the match being read
	err      error     // of comparing or counting in callbacks, which can't return it
}

// A facet counts the values of one field.
type facet struct {
	query.Facet
	field  string
	counts map[string]*int
}

// collect reads all matches of a searcher.
func (c *collector) collect(s *session, matches search.Searcher) error {
	c.current.keys = make([]key, len(c.order.sorts))
	sctx := newSearchContext(matches, s.reader)
	for {
		if err := s.step(); err != nil {
			return err
		}
		m, err := matches.Next(sctx)
		if err = cmp.Or(err, s.err); err != nil || m == nil {
			return err
		}
		if err := c.add(m); err != nil {
			return err
		}
		sctx.DocumentMatchPool.Put(m)
	}
}

// add counts one match, and keeps it if it is among the first.
func (c *collector) add(m *search.DocumentMatch) error {
	c.total++
	c.current.number, c.current.score, c.current.id = m.IndexInternalID.Value(), rounded(m.Score), ""
	c.best = max(c.best, c.current.score)
	for i, k := range c.current.keys {
		c.current.keys[i] = key{term: k.term[:0]}
	}
	if c.values != nil {
		if err := cmp.Or(c.values.VisitDocValues(m.IndexInternalID, c.addValue), c.err); err != nil {
			return err
		}
	}
	if c.after != nil {
		at, err := c.order.compare(&c.current, c.after)
		if err != nil || at <= 0 {
			return err
		}
	}
	c.eligible++
	return c.keep()
}

// rounded drops the last bits of a score. The parts of a score are added in the
// order of their document counts, which include deleted and hidden documents. So
// the last bits would change with a merge, between two pages of an answer, and
// would depend on hidden documents.
func rounded(score float64) float64 { return float64(float32(score)) }

// addValue reads one value of the current match.
func (c *collector) addValue(field string, term []byte) {
	c.order.addValue(&c.current, field, term)
	for _, f := range c.facets {
		if f.field != field {
			continue
		}
		if n := f.counts[string(term)]; n != nil {
			*n++
			continue
		}
		if c.bytes += len(term) + valueOverhead; c.bytes > c.maxBytes {
			c.err = cmp.Or(c.err, error(query.Errorf("narrow the search, or count a field with fewer values", "facet %s: the matches have too many different values to count", f.Facet.Field)))
			return
		}
		one := 1
		f.counts[string(term)] = &one
	}
}

// valueOverhead is the memory of a value besides its bytes: an entry of a map or
// slice, a string header and a number.
const valueOverhead = 64

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
	if c.bytes += n; c.bytes > c.maxBytes {
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
