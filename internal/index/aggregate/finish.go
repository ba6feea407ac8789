// Package aggregate merges the results of aggregations over several indexes, and
// finishes them: it orders buckets, leaves out those that are not wanted, and adds
// empty ones.
//
// An index returns buckets that are not finished if Request.Mergeable is set. Merge
// and Finish then make the answer that one index of all documents would give: counts
// and numbers add up, and buckets are cut only when all are known.
//
// Finish returns an error before it makes more than query.MaxBuckets buckets.
package aggregate

import (
	"cmp"
	"math"
	"slices"

	"indexerd/internal/index/query"
)

// Finish returns the answer to aggregations. It changes the results.
func Finish(aggs []query.Agg, results []query.AggResult) error {
	f := finisher{}
	return f.all(aggs, results)
}

// A finisher counts the buckets of an answer.
type finisher struct{ buckets int }

func (f *finisher) count(n int) error {
	if f.buckets += n; f.buckets > query.MaxBuckets {
		return query.TooManyBuckets()
	}
	return nil
}

func (f *finisher) all(aggs []query.Agg, results []query.AggResult) error {
	for i := range aggs {
		if err := f.one(aggs[i], &results[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *finisher) one(a query.Agg, r *query.AggResult) error {
	var err error
	switch of := a.Of.(type) {
	case query.TermsAgg:
		CutTerms(a, of, r)
	case query.HistogramAgg:
		g := grid{of.MinCount, nil, func(key float64) float64 {
			return (math.Floor((key-of.Offset)/of.Interval+0.5)+1)*of.Interval + of.Offset
		}}
		if of.Bounds != nil {
			g.bounds = &[2]float64{NumberKey(of.Bounds[0], of.Interval, of.Offset), NumberKey(of.Bounds[1], of.Interval, of.Offset)}
		}
		err = g.finish(a, of.Order, r)
	case query.DatesAgg:
		g := grid{of.MinCount, nil, func(key float64) float64 { return float64(of.Interval.Next(int64(key))) }}
		if of.Bounds != nil {
			plain, offset := of.Interval, of.Interval.Offset.Milliseconds()
			plain.Offset = 0 // as in OpenSearch, an offset moves the intervals of the bounds, and not which ones they are in
			g.bounds = &[2]float64{float64(plain.Start(of.Bounds[0]) + offset), float64(plain.Start(of.Bounds[1]) + offset)}
		}
		err = g.finish(a, of.Order, r)
	case query.CompositeAgg:
		slices.SortFunc(r.Buckets, func(b, c query.Bucket) int { return of.Compare(b.Key, c.Key) })
		r.Buckets = r.Buckets[:min(of.Size, len(r.Buckets))]
	case query.DistinctAgg:
		r.Values = nil
	case query.PercentilesAgg:
		finishPercentiles(of, r)
	}
	if err = cmp.Or(err, f.count(len(r.Buckets))); err != nil {
		return err
	}
	for i := range r.Buckets {
		if err := f.all(a.Subs, r.Buckets[i].Subs); err != nil {
			return err
		}
	}
	return nil
}

// NumberKey returns the key of the bucket of a number in a histogram.
func NumberKey(n, interval, offset float64) float64 {
	return math.Floor((n-offset)/interval)*interval + offset
}

// CutTerms keeps the first Size buckets, in order. It needs no Subs of the buckets,
// unless they are ordered by a metric.
func CutTerms(a query.Agg, of query.TermsAgg, r *query.AggResult) {
	least := uint64(max(1, of.MinCount))
	r.Buckets = slices.DeleteFunc(r.Buckets, func(b query.Bucket) bool { return b.Count < least })
	order := of.Order
	if len(order) == 0 {
		order = []query.BucketOrder{{By: query.ByCount, Descending: true}}
	}
	sortBuckets(a, order, r.Buckets)
	if len(r.Buckets) > of.Size {
		for _, b := range r.Buckets[of.Size:] {
			r.Other += b.Count
		}
		r.Buckets = slices.Clip(r.Buckets[:of.Size])
	}
}

// A grid is the keys that buckets of a histogram may have.
type grid struct {
	least  int // documents of a bucket
	bounds *[2]float64
	next   func(key float64) float64
}

func (g grid) finish(a query.Agg, order []query.BucketOrder, r *query.AggResult) error {
	r.Buckets = slices.DeleteFunc(r.Buckets, func(b query.Bucket) bool { return b.Count < uint64(max(1, g.least)) })
	slices.SortFunc(r.Buckets, func(b, c query.Bucket) int { return b.Key[0].Compare(c.Key[0]) })
	if g.least == 0 {
		if err := g.fill(a, r); err != nil {
			return err
		}
	}
	if len(order) > 0 {
		sortBuckets(a, order, r.Buckets)
	}
	return nil
}

// fill adds the empty buckets between others and in the bounds.
func (g grid) fill(a query.Agg, r *query.AggResult) error {
	from, to := math.Inf(1), math.Inf(-1)
	if n := len(r.Buckets); n > 0 {
		from, to = r.Buckets[0].Key[0].Number, r.Buckets[n-1].Key[0].Number
	}
	if g.bounds != nil {
		from, to = min(from, g.bounds[0]), max(to, g.bounds[1])
	}
	if from > to {
		return nil
	}
	var all []query.Bucket
	each := 1 + Least(a.Subs)
	for key := from; key <= to; key = g.next(key) {
		if len(r.Buckets) > 0 && r.Buckets[0].Key[0].Number <= key {
			all, r.Buckets = append(all, r.Buckets[0]), r.Buckets[1:]
		} else {
			all = append(all, query.Bucket{Key: []query.BucketValue{{Number: key}}, Subs: Empty(a.Subs)})
		}
		if len(all)*each > query.MaxBuckets {
			return query.TooManyBuckets()
		}
	}
	r.Buckets = append(all, r.Buckets...)
	return nil
}

// Least returns the number of buckets that aggregations have in any case, and a number
// above query.MaxBuckets if there are more.
func Least(aggs []query.Agg) int {
	n := 0
	for _, a := range aggs {
		n += fixed(a) * (1 + Least(a.Subs))
		if n > query.MaxBuckets {
			return query.MaxBuckets + 1
		}
	}
	return n
}

// fixed returns the number of buckets of an aggregation that do not depend on documents.
func fixed(a query.Agg) int {
	switch of := a.Of.(type) {
	case query.FiltersAgg:
		if of.Others {
			return len(of.Queries) + 1
		}
		return len(of.Queries)
	case query.RangesAgg:
		return len(of.Ranges)
	}
	return 0
}

// Empty returns the results of aggregations over no documents, not finished.
func Empty(aggs []query.Agg) []query.AggResult {
	all := make([]query.AggResult, len(aggs))
	for i, a := range aggs {
		for range fixed(a) {
			all[i].Buckets = append(all[i].Buckets, query.Bucket{Subs: Empty(a.Subs)})
		}
	}
	return all
}
