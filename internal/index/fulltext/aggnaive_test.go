package fulltext

import (
	"cmp"
	"math"
	"slices"

	"pgregory.net/rapid"

	"indexerd/internal/base/calendar"
	"indexerd/internal/index/query"
)

// naive evaluates aggregations over documents, one bucket after the other.
type naive struct{}

func (n naive) all(aggs []query.Agg, docs []shopDoc) []query.AggResult {
	results := make([]query.AggResult, len(aggs))
	for i, a := range aggs {
		results[i] = n.one(a, docs)
	}
	return results
}

func (n naive) bucket(a query.Agg, key []query.BucketValue, docs []shopDoc) query.Bucket {
	return query.Bucket{Key: key, Count: uint64(len(docs)), Subs: n.all(a.Subs, docs)}
}

// byKey returns a bucket for each key that documents have.
func (n naive) byKey(a query.Agg, docs []shopDoc, keys func(shopDoc) [][]query.BucketValue) (all []query.Bucket) {
	var known [][]query.BucketValue
	for _, d := range docs {
		for _, key := range keys(d) {
			if !slices.ContainsFunc(known, func(k []query.BucketValue) bool { return slices.Equal(k, key) }) {
				known = append(known, key)
			}
		}
	}
	for _, key := range known {
		in := slices.DeleteFunc(slices.Clone(docs), func(d shopDoc) bool {
			return !slices.ContainsFunc(keys(d), func(k []query.BucketValue) bool { return slices.Equal(k, key) })
		})
		all = append(all, n.bucket(a, key, in))
	}
	return all
}

func (n naive) one(a query.Agg, docs []shopDoc) (r query.AggResult) {
	having := func(yes func(shopDoc) bool) []shopDoc {
		return slices.DeleteFunc(slices.Clone(docs), func(d shopDoc) bool { return !yes(d) })
	}
	switch of := a.Of.(type) {
	case query.TermsAgg:
		r.Buckets = n.byKey(a, docs, func(d shopDoc) (keys [][]query.BucketValue) {
			for _, v := range d.values(of.Field, of.Missing) {
				if (of.Include == nil || slices.Contains(of.Include.Values, v.Text)) && (of.Exclude == nil || !of.Exclude.Pattern.MatchString(v.Text)) {
					keys = append(keys, []query.BucketValue{v})
				}
			}
			return keys
		})
		r.Buckets = slices.DeleteFunc(r.Buckets, func(b query.Bucket) bool { return b.Count < uint64(of.MinCount) })
		n.sort(of.Order, r.Buckets)
		for len(r.Buckets) > of.Size {
			last := len(r.Buckets) - 1
			r.Other += r.Buckets[last].Count
			r.Buckets = r.Buckets[:last]
		}
	case query.FiltersAgg:
		for _, q := range of.Queries {
			r.Buckets = append(r.Buckets, n.bucket(a, nil, having(func(d shopDoc) bool { return d.matches(q) })))
		}
		if of.Others {
			r.Buckets = append(r.Buckets, n.bucket(a, nil, having(func(d shopDoc) bool { return !slices.ContainsFunc(of.Queries, d.matches) })))
		}
	case query.RangesAgg:
		for _, s := range of.Ranges {
			r.Buckets = append(r.Buckets, n.bucket(a, nil, having(func(d shopDoc) bool {
				return slices.ContainsFunc(d.values(of.Field, of.Missing), func(v query.BucketValue) bool { return s.From <= v.Number && v.Number < s.To })
			})))
		}
	case query.HistogramAgg:
		r.Buckets = n.histogram(a, docs, of.Field, of.Missing, of.MinCount, of.Bounds, of.Interval, of.Offset)
		n.sort(cmpOrder(of.Order), r.Buckets)
	case query.DatesAgg:
		var bounds *[2]float64
		if of.Bounds != nil {
			bounds = &[2]float64{float64(of.Bounds[0]), float64(of.Bounds[1])}
		}
		// In UTC days and hours are as long as any other.
		interval := float64(of.Interval.Shortest().Milliseconds())
		r.Buckets = n.histogram(a, docs, of.Field, of.Missing, of.MinCount, bounds, interval, float64(of.Interval.Offset.Milliseconds()))
		n.sort(cmpOrder(of.Order), r.Buckets)
	case query.CompositeAgg:
		r.Buckets = n.byKey(a, docs, func(d shopDoc) [][]query.BucketValue { return combinations(of.Sources, d) })
		r.Buckets = slices.DeleteFunc(r.Buckets, func(b query.Bucket) bool { return of.After != nil && of.Compare(b.Key, of.After) <= 0 })
		slices.SortFunc(r.Buckets, func(b, c query.Bucket) int { return of.Compare(b.Key, c.Key) })
		r.Buckets = r.Buckets[:min(of.Size, len(r.Buckets))]
	case query.StatsAgg:
		r.Stats = n.stats(docs, of.Field, of.Missing, true)
	case query.CountAgg:
		r.Stats = n.stats(docs, of.Field, of.Missing, false)
	case query.DistinctAgg:
		known := map[query.BucketValue]bool{}
		for _, d := range docs {
			for _, v := range d.values(of.Field, of.Missing) {
				known[v] = true
			}
		}
		r.Stats.Count = uint64(len(known))
	case query.PercentilesAgg:
		r.Percentiles = percentilesOf(docs, of)
	case query.TopAgg:
		r.Total = uint64(len(docs))
		n.top(&r, of, docs)
	}
	return r
}

// histogram places are whole numbers, so that a bucket has one key.
func (n naive) histogram(a query.Agg, docs []shopDoc, field string, missing *string, least int, bounds *[2]float64, interval, offset float64) (all []query.Bucket) {
	place := func(v float64) int { return int(math.Floor((v - offset) / interval)) }
	in := map[int][]shopDoc{}
	for _, d := range docs {
		for _, v := range d.values(field, missing) {
			p := place(v.Number)
			if !slices.ContainsFunc(in[p], func(k shopDoc) bool { return k.oid == d.oid }) {
				in[p] = append(in[p], d)
			}
		}
	}
	if least == 0 {
		from, to := math.MaxInt, math.MinInt
		for p := range in {
			from, to = min(from, p), max(to, p)
		}
		if bounds != nil {
			from, to = min(from, place(bounds[0])), max(to, place(bounds[1]))
		}
		for p := from; p <= to; p++ {
			in[p] = append(in[p], []shopDoc{}...)
		}
	}
	for p, docs := range in {
		if len(docs) >= least {
			all = append(all, n.bucket(a, []query.BucketValue{{Number: float64(p)*interval + offset}}, docs))
		}
	}
	return all
}

func (naive) stats(docs []shopDoc, field string, missing *string, numbers bool) (s query.Stats) {
	for _, d := range docs {
		for _, v := range d.values(field, missing) {
			if s.Count++; numbers {
				if s.Count == 1 {
					s.Min, s.Max = v.Number, v.Number
				}
				s.Min, s.Max, s.Sum, s.Squares = min(s.Min, v.Number), max(s.Max, v.Number), s.Sum+v.Number, s.Squares+v.Number*v.Number
			}
		}
	}
	return s
}

// top sorts by the greatest price, as a descending sort does, then by key.
func (naive) top(r *query.AggResult, of query.TopAgg, docs []shopDoc) {
	sorted := slices.Clone(docs)
	slices.SortFunc(sorted, func(d, e shopDoc) int {
		if of.Sort != nil {
			if c := cmp.Compare(min(1, len(e.prices)), min(1, len(d.prices))); c != 0 || len(d.prices) == 0 {
				return cmp.Or(c, cmp.Compare(d.oid, e.oid))
			}
			if c := cmp.Compare(slices.Max(e.prices), slices.Max(d.prices)); c != 0 {
				return c
			}
		}
		return cmp.Compare(d.oid, e.oid)
	})
	for _, d := range sorted[min(of.From, len(sorted)):min(of.From+of.Size, len(sorted))] {
		r.Hits = append(r.Hits, query.Hit{OID: d.oid})
	}
}

func cmpOrder(order []query.BucketOrder) []query.BucketOrder {
	if len(order) == 0 {
		return []query.BucketOrder{{By: query.ByKey}}
	}
	return order
}

func (naive) sort(order []query.BucketOrder, all []query.Bucket) {
	if len(order) == 0 {
		order = []query.BucketOrder{{By: query.ByCount, Descending: true}}
	}
	slices.SortFunc(all, func(b, c query.Bucket) int {
		for _, by := range order {
			at := 0
			switch {
			case by.By == query.ByCount:
				at = cmp.Compare(b.Count, c.Count)
			case by.By == query.ByKey:
				at = b.Key[0].Compare(c.Key[0])
			default:
				at = cmp.Compare(b.Subs[0].Stats.Count, c.Subs[0].Stats.Count)
			}
			if by.Descending {
				at = -at
			}
			if at != 0 {
				return at
			}
		}
		return b.Key[0].Compare(c.Key[0])
	})
}

func combinations(sources []query.Source, d shopDoc) [][]query.BucketValue {
	all := [][]query.BucketValue{{}}
	for _, s := range sources {
		values := d.values(s.Field, nil)
		for i, v := range values {
			if s.Interval > 0 {
				values[i].Number = math.Floor(v.Number/s.Interval) * s.Interval
			}
			if s.Dates != nil {
				day := float64(s.Dates.Shortest().Milliseconds())
				values[i].Number = math.Floor(v.Number/day) * day
			}
		}
		if len(values) == 0 && s.Missing {
			values = []query.BucketValue{{None: true}}
		}
		var longer [][]query.BucketValue
		for _, key := range all {
			for _, v := range values {
				if next := append(slices.Clone(key), v); !slices.ContainsFunc(longer, func(k []query.BucketValue) bool { return slices.Equal(k, next) }) {
					longer = append(longer, next)
				}
			}
		}
		all = longer
	}
	return all
}

// day is used where every day has 24 hours.
var day = calendar.Interval{Unit: calendar.Day}

// drawAggs draws aggregations, the first of which has a count to order by.
func drawAggs(t *rapid.T, depth int) (aggs []query.Agg) {
	if depth > 0 {
		aggs = append(aggs, query.Agg{Of: query.CountAgg{Field: "prices"}})
	}
	for range rapid.IntRange(0, 2-depth/2).Draw(t, "aggs") {
		aggs = append(aggs, drawAgg(t, depth))
	}
	return aggs
}

func percentilesOf(docs []shopDoc, of query.PercentilesAgg) []float64 {
	var all, picked []float64
	for _, d := range docs {
		for _, v := range d.values(of.Field, of.Missing) {
			all = append(all, v.Number)
		}
	}
	slices.Sort(all)
	for _, percent := range of.Percents {
		if len(all) == 0 {
			picked = append(picked, math.NaN())
			continue
		}
		picked = append(picked, all[min(len(all)-1, int(percent/100*float64(len(all))))])
	}
	return picked
}
