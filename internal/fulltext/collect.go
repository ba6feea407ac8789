package fulltext

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/query"
)

// A collector goes through all matches once. It counts them and their facets,
// and keeps the first ones of the order in a heap with the last of them on
// top.
type collector struct {
	order  *order
	after  *candidate // nil: from the beginning
	want   int        // hits to keep
	facets []*facet
	held   int                  // bytes of the values that facets and kept candidates hold
	values index.DocValueReader // nil where no field's values matter

	total   uint64
	behind  uint64 // matches that come after after
	kept    []*candidate
	current candidate // the match in hand
	err     error     // of comparing in the heap, or of counting: neither can return one
}

// A facet counts the values of one field.
type facet struct {
	query.Facet
	field  string
	counts map[string]*int
}

// collect takes all matches of a searcher.
func (c *collector) collect(s *session, matches search.Searcher) error {
	c.current.keys = make([]key, len(c.order.sorts))
	sctx := &search.SearchContext{
		DocumentMatchPool: search.NewDocumentMatchPool(matches.DocumentMatchPoolSize()+1, 0),
		IndexReader:       s.reader,
	}
	for {
		if err := s.step(); err != nil {
			return err
		}
		m, err := matches.Next(sctx)
		if err = cmp.Or(err, s.err); err != nil || m == nil {
			return err
		}
		if err := c.take(m); err != nil {
			return err
		}
		sctx.DocumentMatchPool.Put(m)
	}
}

// take counts one match, and keeps it if it is among the first.
func (c *collector) take(m *search.DocumentMatch) error {
	c.total++
	c.current.number, c.current.score, c.current.id = m.IndexInternalID.Value(), rounded(m.Score), ""
	for i, k := range c.current.keys {
		c.current.keys[i] = key{term: k.term[:0]}
	}
	if c.values != nil {
		if err := cmp.Or(c.values.VisitDocValues(m.IndexInternalID, c.see), c.err); err != nil {
			return err
		}
	}
	if c.after != nil {
		at, err := c.order.compare(&c.current, c.after)
		if err != nil || at <= 0 {
			return err
		}
	}
	c.behind++
	return c.keep()
}

// rounded leaves out the last bits of a score. Its parts are added in the order of
// how many documents each has, removed and hidden ones too: the last bits would
// change with a merge, between two pages, and tell of what is hidden.
func rounded(score float64) float64 { return float64(float32(score)) }

// see takes one value of the match in hand.
func (c *collector) see(field string, term []byte) {
	c.order.see(&c.current, field, term)
	for _, f := range c.facets {
		if f.field != field {
			continue
		}
		if n := f.counts[string(term)]; n != nil {
			*n++
			continue
		}
		if c.held += len(term) + heldValue; c.held > query.MaxValueBytes {
			c.err = cmp.Or(c.err, error(query.Errorf("narrow the search, or count a field with fewer values", "facet %s: the documents found have too many different values to count", f.Facet.Field)))
			return
		}
		one := 1
		f.counts[string(term)] = &one
	}
}

// heldValue is what holding a value takes beside its bytes: an entry of a map or
// a slice, the value's header and a number.
const heldValue = 64

// keep puts the match in hand into the heap, if it is better than its worst.
func (c *collector) keep() error {
	switch {
	case c.want == 0:
	case len(c.kept) < c.want:
		c.hold(c.current.size())
		heap.Push(c, c.current.clone())
	default:
		at, err := c.order.compare(&c.current, c.kept[0])
		if err != nil {
			return err
		}
		if at < 0 {
			c.hold(c.current.size() - c.kept[0].size())
			c.kept[0] = c.current.clone()
			heap.Fix(c, 0)
		}
	}
	return c.err
}

// hold counts the bytes that kept candidates hold.
func (c *collector) hold(n int) {
	if c.held += n; c.held > query.MaxValueBytes {
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

// sorted returns what was kept, in order and with keys.
func (c *collector) sorted() ([]*candidate, error) {
	slices.SortFunc(c.kept, c.compare)
	for _, k := range c.kept {
		if err := c.order.identify(k); err != nil {
			return nil, err
		}
	}
	return c.kept, c.err
}

// top returns the most frequent values, equally frequent ones by value. It goes
// once over all values, of which there may be millions, and sorts few.
func (f *facet) top(step func() error) ([]query.Count, error) {
	top := make([]query.Count, 0, min(f.Size, len(f.counts)))
	for v, n := range f.counts {
		if err := step(); err != nil {
			return nil, err
		}
		c := query.Count{Value: v, Count: *n}
		at, _ := slices.BinarySearchFunc(top, c, moreFrequent)
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

func moreFrequent(a, b query.Count) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
}
