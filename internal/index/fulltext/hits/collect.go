package hits

import (
	"cmp"
	"container/heap"
	"slices"
	"sync/atomic"

	"indexerd/internal/index/fulltext/aggs"
	"indexerd/internal/index/fulltext/order"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// A collector counts the matches and their facets, and keeps the first ones in
// order. It keeps them in a heap, with the last of them on top, unless they are
// ordered by score only: see best.
type collector struct {
	order     *order.Order
	after     *order.Candidate // nil: from the beginning
	size      int              // hits to keep
	explained bool             // the parts of the scores are needed
	facets    []*facet
	aggs      *aggs.Aggregation // nil: none
	post      plan.Plan         // nil: none
	collapse  *collapse         // nil: every match may be a hit
	minScore  float64           // 0: none
	values    *plan.Values      // nil if no values are needed

	bytes  int // of the values that facets and kept candidates hold
	limits Limits

	total   uint64 // matches
	best    float64
	more    bool // matches come after those that are kept
	kept    []*order.Candidate
	current order.Candidate // the match being read
	err     error           // of comparing or counting in callbacks, which can't return it
}

// A facet counts the values of one field.
type facet struct {
	query.Facet
	field  string
	counts map[string]*int
}

// collect reads the matches of all parts.
func (c *collector) collect(s *plan.Session, m plan.Matcher) error {
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
		c.total += uint64(f.Count)
	}
	if c.size == 0 {
		return nil
	}
	if err := c.compute(s, m, words, all); err != nil {
		return err
	}
	if c.order.ByScore() && c.collapse == nil {
		return c.keepBest(s, m, all)
	}
	if err := c.narrow(all); err != nil {
		return err
	}
	return c.addAll(s, all)
}

// match returns the matches of all parts, with their scores if aggregations or the
// least score need them.
func (c *collector) match(s *plan.Session, m plan.Matcher) ([]*found, error) {
	all := make([]*found, len(s.Parts))
	others, release := 0, func() {}
	if plan.Concurrent(m) && s.Documents() > c.limits.Alone {
		others, release = c.limits.Processors.take(len(s.Parts))
	}
	defer release()
	var next atomic.Int64
	err := together(s, others, func(_ int, end *plan.Deadline) error {
		for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
			p := s.Parts[i]
			p.Deadline = end
			docs, err := m.Match(p, p.Live)
			if err = cmp.Or(err, end.Check()); err != nil {
				return err
			}
			all[i] = &found{Matches: aggs.Matches{Part: p, Docs: docs, Count: docs.Count()}}
			p.Deadline = &s.Deadline
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if c.minScore == 0 && (c.aggs == nil || !c.aggs.Scored()) {
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
func (c *collector) aggregate(s *plan.Session, all []*found) error {
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
	found := make([]*aggs.Matches, len(all))
	for i, f := range all {
		found[i] = &f.Matches
	}
	return c.aggs.Collect(found)
}

// restrict leaves out the matches that the post filter does not match.
func (c *collector) restrict(s *plan.Session, all []*found) error {
	if c.post == nil {
		return nil
	}
	m, err := plan.Filter(c.post).Open(s)
	if err != nil {
		return err
	}
	for _, f := range all {
		docs, err := m.Match(f.Part, f.Docs)
		if err = cmp.Or(err, s.Check()); err != nil {
			return err
		}
		f.keepOnly(docs)
	}
	return nil
}

// add keeps one match if it is among the first.
func (c *collector) add(f *found, doc uint32, score float32) error {
	c.current.Reset(f.Part.Base+uint64(doc), float64(score))
	if c.collapse != nil {
		c.collapse.begin()
	}
	if c.values != nil {
		if err := cmp.Or(c.values.Visit(f.Part, doc, c.addValue), c.err); err != nil {
			return err
		}
	}
	if c.after != nil {
		at, err := c.order.Compare(&c.current, c.after)
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
	c.order.AddValue(&c.current, field, term)
	if c.collapse != nil {
		c.err = cmp.Or(c.err, c.collapse.addValue(field, term))
	}
}

// countFacet counts the values that the matches of a part have: by the documents of
// each value, or, if that reads more, by the values of each match.
func (c *collector) countFacet(s *plan.Session, f *facet, in *found) error {
	terms, err := in.Part.Terms(f.field)
	if err != nil || terms == 0 || in.Count == 0 {
		return err
	}
	if terms+in.Part.Docs()/64 > in.Count {
		values, err := s.Reader.DocValueReader([]string{f.field})
		if err != nil {
			return err
		}
		for doc := range in.Docs.All {
			err := values.VisitDocValues(in.Part.ID(doc), func(_ string, term []byte) { c.countValue(f, term, 1) })
			if err = cmp.Or(err, c.err, s.Step()); err != nil {
				return err
			}
		}
		return nil
	}
	return in.Part.Each(f.field, "", "", func(term []byte, docs segment.Postings) (bool, error) {
		n, err := docs.CountIn(in.Docs)
		if n > 0 {
			c.countValue(f, term, n)
		}
		return true, cmp.Or(err, c.err, s.Step())
	})
}

// countValue counts a value that n more matches have.
func (c *collector) countValue(f *facet, term []byte, n int) {
	if count := f.counts[string(term)]; count != nil {
		*count += n
		return
	}
	if c.bytes += len(term) + order.ValueOverhead; c.bytes > c.limits.Bytes {
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
		c.addBytes(c.current.Size())
		heap.Push(c, c.current.Clone())
	default:
		at, err := c.order.Compare(&c.current, c.kept[0])
		if err != nil {
			return err
		}
		c.more = true
		if at < 0 {
			c.addBytes(c.current.Size() - c.kept[0].Size())
			c.kept[0] = c.current.Clone()
			heap.Fix(c, 0)
		}
	}
	return c.err
}

// addBytes counts the bytes of kept candidates.
func (c *collector) addBytes(n int) {
	if c.bytes += n; c.bytes > c.limits.Bytes {
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
func (c *collector) Push(x any) { c.kept = append(c.kept, x.(*order.Candidate)) }

// Pop implements heap.Interface.
func (c *collector) Pop() any { panic("candidates are only replaced") }

func (c *collector) compare(a, b *order.Candidate) int {
	at, err := c.order.Compare(a, b)
	c.err = cmp.Or(c.err, err)
	return at
}

// sorted returns the kept candidates in order, with their keys.
func (c *collector) sorted() ([]*order.Candidate, error) {
	slices.SortFunc(c.kept, c.compare)
	for _, k := range c.kept {
		if err := c.order.ReadID(k); err != nil {
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
