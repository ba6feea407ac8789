package aggregate

import (
	"cmp"
	"math"
	"slices"

	"indexerd/internal/index/query"
)

// sortBuckets sorts buckets. Equal ones are in the order of their keys.
func sortBuckets(a query.Agg, order []query.BucketOrder, buckets []query.Bucket) {
	for _, by := range order {
		if _, ok := query.PercentileOf(by.By); ok {
			for _, b := range buckets {
				pickPercentiles(a.Subs, by.Path, b.Subs)
			}
		}
	}
	slices.SortFunc(buckets, func(b, c query.Bucket) int {
		for _, by := range order {
			if at := compare(a.Subs, by, b, c); at != 0 {
				return at
			}
		}
		return b.Key[0].Compare(c.Key[0])
	})
}

func compare(subs []query.Agg, by query.BucketOrder, b, c query.Bucket) int {
	at := 0
	switch by.By {
	case query.ByCount:
		at = cmp.Compare(b.Count, c.Count)
	case query.ByKey:
		at = b.Key[0].Compare(c.Key[0])
	default:
		v, w := metric(by.Path, by.By, b.Subs), metric(by.Path, by.By, c.Subs)
		if math.IsNaN(v) || math.IsNaN(w) { // last in both directions
			return cmp.Compare(truth(math.IsNaN(v)), truth(math.IsNaN(w)))
		}
		at = cmp.Compare(v, w)
	}
	if by.Descending {
		return -at
	}
	return at
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// metric returns the number at the end of a path.
func metric(path []int, name string, subs []query.AggResult) float64 {
	r := subs[path[0]]
	switch {
	case len(path) > 1:
		return metric(path[1:], name, r.Buckets[0].Subs)
	case name == query.MetricDocs:
		return float64(r.Buckets[0].Count)
	}
	if i, ok := query.PercentileOf(name); ok {
		return r.Percentiles[i]
	}
	return r.Stats.Metric(name)
}

// pickPercentiles computes the percentiles at the end of a path.
func pickPercentiles(aggs []query.Agg, path []int, subs []query.AggResult) {
	a, r := aggs[path[0]], &subs[path[0]]
	if len(path) > 1 {
		pickPercentiles(a.Subs, path[1:], r.Buckets[0].Subs)
	} else if of, ok := a.Of.(query.PercentilesAgg); ok {
		finishPercentiles(of, r)
	}
}
