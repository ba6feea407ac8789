package aggs

import (
	"container/heap"
	"encoding/binary"
	"math"
	"slices"

	"indexerd/internal/index/aggregate"
	"indexerd/internal/index/query"
)

// compositeKeys are the keys of a composite aggregation that come next. A first pass
// over the matches keeps the lowest of them in a heap, the last one on top.
type compositeKeys struct {
	a       *Aggregation
	of      query.CompositeAgg
	sources []compositeSource
	kept    []compositeKey
	numbers map[string]uint64 // of the kept ones, once all are known; before, only whether they are kept
	text    []byte            // of the key that is looked at
	key     []query.BucketValue
	current []uint64 // numbers of the keys of the current document
}

// A compositeSource returns the values of a part of the keys of the current document.
type compositeSource struct {
	keys  func() []uint64
	value func(key uint64) query.BucketValue
}

type compositeKey struct {
	text   string
	values []query.BucketValue
}

func (b *buckets) ofComposite(p plannedAgg, of query.CompositeAgg) error {
	c := &compositeKeys{a: b.a, of: of, numbers: map[string]uint64{}, key: make([]query.BucketValue, len(of.Sources))}
	for i, s := range of.Sources {
		in := input{column: b.a.column(p.fields[i])}
		source := compositeSource{in.keys, in.column.value}
		switch {
		case s.Dates != nil:
			source.keys = each(in.keys, starts(*s.Dates))
		case s.Interval > 0:
			source.keys = each(in.keys, func(n float64) float64 { return aggregate.NumberKey(n, s.Interval, 0) })
		}
		c.sources = append(c.sources, source)
	}
	b.a.composite = append(b.a.composite, c)
	b.keys = c.ofDocument
	b.values = func(key uint64) []query.BucketValue { return c.kept[key].values }
	return nil
}

// find finds the keys of all composite aggregations in all matches.
func (a *Aggregation) find(all []*Matches) error {
	if len(a.composite) == 0 {
		return nil
	}
	for _, f := range all {
		err := a.each(f, func() {
			for _, c := range a.composite {
				c.combine(0, c.keep)
			}
		})
		if err != nil {
			return err
		}
	}
	for _, c := range a.composite {
		slices.SortFunc(c.kept, func(k, l compositeKey) int { return c.of.Compare(k.values, l.values) })
		for i, k := range c.kept {
			c.numbers[k.text] = uint64(i)
		}
	}
	return nil
}

// combine calls use with each combination of the values of the current document.
func (c *compositeKeys) combine(i int, use func()) {
	if !c.a.goOn() {
		return
	}
	if i == len(c.sources) {
		use()
		return
	}
	length := len(c.text)
	keys := c.sources[i].keys()
	for _, key := range keys {
		c.key[i] = c.sources[i].value(key)
		c.text = binary.BigEndian.AppendUint64(append(c.text[:length], 0), key)
		c.combine(i+1, use)
	}
	if len(keys) == 0 && c.of.Sources[i].Missing {
		c.key[i] = query.BucketValue{None: true}
		c.text = binary.BigEndian.AppendUint64(append(c.text[:length], 1), 0)
		c.combine(i+1, use)
	}
	c.text = c.text[:length]
}

// keep keeps a key if it is among the first ones.
func (c *compositeKeys) keep() {
	if _, known := c.numbers[string(c.text)]; known || c.of.After != nil && c.of.Compare(c.key, c.of.After) <= 0 {
		return
	}
	full := len(c.kept) == c.of.Size
	if full && c.of.Compare(c.key, c.kept[0].values) >= 0 {
		return
	}
	one := compositeKey{string(c.text), slices.Clone(c.key)}
	c.numbers[one.text] = math.MaxUint64
	if !full {
		c.a.spend(len(one.text) + len(one.values)*bucketBytes)
		heap.Push(c, one)
		return
	}
	delete(c.numbers, c.kept[0].text)
	c.kept[0] = one
	heap.Fix(c, 0)
}

// ofDocument returns the numbers of the kept keys that the current document has.
func (c *compositeKeys) ofDocument() []uint64 {
	c.current = c.current[:0]
	c.combine(0, func() {
		if number, kept := c.numbers[string(c.text)]; kept {
			c.current = append(c.current, number)
		}
	})
	return c.current
}

// Len implements heap.Interface.
func (c *compositeKeys) Len() int { return len(c.kept) }

// Less implements heap.Interface: the last in order is on top.
func (c *compositeKeys) Less(i, j int) bool {
	return c.of.Compare(c.kept[i].values, c.kept[j].values) > 0
}

// Swap implements heap.Interface.
func (c *compositeKeys) Swap(i, j int) { c.kept[i], c.kept[j] = c.kept[j], c.kept[i] }

// Push implements heap.Interface.
func (c *compositeKeys) Push(x any) { c.kept = append(c.kept, x.(compositeKey)) }

// Pop implements heap.Interface.
func (c *compositeKeys) Pop() any { panic("keys are only replaced") }
