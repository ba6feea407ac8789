package aggs

import (
	"container/heap"
	"math"
	"slices"

	"indexerd/internal/index/fulltext/order"
	"indexerd/internal/index/query"
)

// A topAggregator keeps the first documents of each bucket.
type topAggregator struct {
	a       *Aggregation
	order   *order.Order
	of      query.TopAgg
	current order.Candidate // the document that is read
	buckets []topBucket
}

// A topBucket has the first documents in a heap, the last of them on top.
type topBucket struct {
	*topAggregator
	kept  []*order.Candidate
	total uint64
	best  float64
}

func (a *Aggregation) top(p plannedAgg, of query.TopAgg) (aggregator, error) {
	o := *p.order
	o.Reader = a.s.Reader
	t := &topAggregator{a: a, order: &o, of: of, current: *o.Candidate()}
	a.tops = append(a.tops, t)
	a.sorted = append(a.sorted, o.Fields()...)
	return t, nil
}

// begin forgets the values of the document before.
func (t *topAggregator) begin() {
	d := t.a.doc
	t.current.Reset(d.part.Base+uint64(d.number), float64(d.score))
}

func (t *topAggregator) collect(bucket uint32) {
	for len(t.buckets) <= int(bucket) {
		t.a.spend(bucketBytes)
		t.buckets = append(t.buckets, topBucket{topAggregator: t, best: math.Inf(-1)})
	}
	b := &t.buckets[bucket]
	b.total++
	b.best = max(b.best, t.current.Score)
	switch {
	case t.of.From+t.of.Size == 0:
	case len(b.kept) < t.of.From+t.of.Size:
		t.a.spend(candidateBytes + t.current.Size())
		heap.Push(b, t.current.Clone())
	case b.compare(&t.current, b.kept[0]) < 0:
		t.a.spend(t.current.Size() - b.kept[0].Size())
		b.kept[0] = t.current.Clone()
		heap.Fix(b, 0)
	}
}

// candidateBytes is the memory of a candidate without its keys.
const candidateBytes = 128

func (b *topBucket) compare(x, y *order.Candidate) int {
	at, err := b.order.Compare(x, y)
	if err != nil && b.a.err == nil {
		b.a.err = err
	}
	return at
}

// Len implements heap.Interface.
func (b *topBucket) Len() int { return len(b.kept) }

// Less implements heap.Interface: the last in order is on top.
func (b *topBucket) Less(i, j int) bool { return b.compare(b.kept[i], b.kept[j]) > 0 }

// Swap implements heap.Interface.
func (b *topBucket) Swap(i, j int) { b.kept[i], b.kept[j] = b.kept[j], b.kept[i] }

// Push implements heap.Interface.
func (b *topBucket) Push(x any) { b.kept = append(b.kept, x.(*order.Candidate)) }

// Pop implements heap.Interface.
func (b *topBucket) Pop() any { panic("candidates are only replaced") }

func (t *topAggregator) result(bucket uint32) (r query.AggResult, err error) {
	r.Hits = []query.Hit{}
	if int(bucket) >= len(t.buckets) {
		return r, nil
	}
	b := &t.buckets[bucket]
	r.Total = b.total
	if t.order.ByScore() {
		r.Best = b.best
	}
	slices.SortFunc(b.kept, b.compare)
	kept := b.kept[min(t.of.From, len(b.kept)):]
	if r.Hits, err = t.order.Hits(kept); err != nil {
		return r, err
	}
	for i := range r.Hits {
		if !t.order.Scored() {
			r.Hits[i].Score = 0
		}
	}
	return r, t.a.err
}
