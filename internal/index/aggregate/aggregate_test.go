package aggregate

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"indexerd/internal/index/query"
)

func bucket(key float64, count uint64, subs ...query.AggResult) query.Bucket {
	return query.Bucket{Key: []query.BucketValue{{Number: key}}, Count: count, Subs: subs}
}

func keysOf(buckets []query.Bucket) (keys []float64) {
	for _, b := range buckets {
		keys = append(keys, b.Key[0].Number)
	}
	return keys
}

func sumOf(n float64) query.AggResult {
	if n == 0 {
		return query.AggResult{}
	}
	return query.AggResult{Stats: query.Stats{Count: 1, Min: n, Max: n, Sum: n}}
}

// Buckets without the metric come last in an order by a mean; by a minimum they have the
// greatest number, as in OpenSearch.
func TestOrder(t *testing.T) {
	stats := []query.Agg{{Of: query.StatsAgg{Field: "n"}}}
	for _, c := range []struct {
		order []query.BucketOrder
		want  []float64
	}{
		{nil, []float64{3, 1, 2, 4}},
		{[]query.BucketOrder{{By: query.ByCount}}, []float64{4, 1, 2, 3}},
		{[]query.BucketOrder{{By: query.ByKey, Descending: true}}, []float64{4, 3, 2, 1}},
		{[]query.BucketOrder{{By: query.MetricAvg, Path: []int{0}}}, []float64{3, 1, 4, 2}},
		{[]query.BucketOrder{{By: query.MetricAvg, Path: []int{0}, Descending: true}}, []float64{4, 1, 3, 2}},
		{[]query.BucketOrder{{By: query.MetricMin, Path: []int{0}, Descending: true}}, []float64{2, 4, 1, 3}},
		{[]query.BucketOrder{{By: query.MetricMax, Path: []int{0}}}, []float64{2, 3, 1, 4}},
	} {
		results := []query.AggResult{{Buckets: []query.Bucket{bucket(1, 2, sumOf(5)), bucket(2, 2, sumOf(0)), bucket(3, 3, sumOf(-5)), bucket(4, 1, sumOf(7))}}}
		if err := Finish([]query.Agg{{Of: query.TermsAgg{Size: 10, MinCount: 1, Order: c.order}, Subs: stats}}, results); err != nil {
			t.Fatal(err)
		}
		if got := keysOf(results[0].Buckets); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: got %v, want %v", c.order, got, c.want)
		}
	}
}

func TestTermsAreCut(t *testing.T) {
	results := []query.AggResult{{Buckets: []query.Bucket{bucket(1, 2), bucket(2, 1), bucket(3, 5), bucket(4, 3)}}}
	if err := Finish([]query.Agg{{Of: query.TermsAgg{Size: 1, MinCount: 2}}}, results); err != nil {
		t.Fatal(err)
	}
	if got, want := results[0], (query.AggResult{Buckets: []query.Bucket{bucket(3, 5)}, Other: 5}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Empty buckets have the results of no documents, and their number is bounded.
func TestHistogramIsFilled(t *testing.T) {
	ranges := query.Agg{Of: query.RangesAgg{Ranges: make([]query.Span64, 2)}}
	histogram := query.Agg{Of: query.HistogramAgg{Interval: 0.1, Bounds: &[2]float64{0.05, 0.39}}, Subs: []query.Agg{ranges}}
	results := []query.AggResult{{Buckets: []query.Bucket{bucket(NumberKey(0.2, 0.1, 0), 1, Empty(histogram.Subs)...)}}}
	if err := Finish([]query.Agg{histogram}, results); err != nil {
		t.Fatal(err)
	}
	if got, want := keysOf(results[0].Buckets), []float64{0, 0.1, 0.2, NumberKey(0.39, 0.1, 0)}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, b := range results[0].Buckets {
		if len(b.Subs) != 1 || len(b.Subs[0].Buckets) != 2 {
			t.Errorf("bucket %v has %+v, want a result with 2 buckets", b.Key, b.Subs)
		}
	}
	for _, to := range []float64{query.MaxBuckets * 0.1, 1e300, math.MaxFloat64} {
		wide := query.Agg{Of: query.HistogramAgg{Interval: 0.1, Bounds: &[2]float64{0, to}}}
		if err := Finish([]query.Agg{wide}, make([]query.AggResult, 1)); !isTooMany(err) {
			t.Errorf("to %g: got %v, want too many buckets", to, err)
		}
	}
}

func isTooMany(err error) bool {
	var e *query.Error
	return errors.As(err, &e) && e.Code == query.CodeBuckets
}

func TestMerge(t *testing.T) {
	aggs := []query.Agg{{Of: query.TermsAgg{Size: 2, MinCount: 1}, Subs: []query.Agg{{Of: query.StatsAgg{}}}}, {Of: query.DistinctAgg{}}}
	one := func(n float64) query.AggResult {
		return query.AggResult{Stats: query.Stats{Count: 1, Min: n, Max: n, Sum: n, Squares: n * n}}
	}
	values := func(all ...string) query.AggResult {
		r := query.AggResult{Values: map[query.BucketValue]struct{}{}, Stats: query.Stats{Count: uint64(len(all))}}
		for _, text := range all {
			r.Values[query.BucketValue{Text: text}] = struct{}{}
		}
		return r
	}
	var m Merge
	var sum []query.AggResult
	for _, more := range [][]query.AggResult{
		{{Buckets: []query.Bucket{bucket(1, 1, one(4)), bucket(2, 1, one(1))}}, values("a", "b")},
		{{}, values()},
		{{Buckets: []query.Bucket{bucket(2, 1, one(3)), bucket(3, 1, one(9))}}, values("b", "c")},
	} {
		var err error
		if sum, err = m.Add(aggs, sum, more); err != nil {
			t.Fatal(err)
		}
	}
	if err := Finish(aggs, sum); err != nil {
		t.Fatal(err)
	}
	both := query.AggResult{Stats: query.Stats{Count: 2, Min: 1, Max: 3, Sum: 4, Squares: 10}}
	want := []query.AggResult{{Buckets: []query.Bucket{bucket(2, 2, both), bucket(1, 1, one(4))}, Other: 1}, {Stats: query.Stats{Count: 3}}}
	if !reflect.DeepEqual(sum, want) {
		t.Errorf("got %+v, want %+v", sum, want)
	}
}

func TestMergeIsBounded(t *testing.T) {
	aggs := []query.Agg{{Of: query.TermsAgg{Size: 2, MinCount: 1}}}
	var m Merge
	var sum []query.AggResult
	var err error
	for i := 0; err == nil; i++ {
		if i > 2*query.MaxValueBytes/(1<<20) {
			t.Fatal("a merge holds more than its limit")
		}
		key := []query.BucketValue{{Text: strings.Repeat("x", 1<<20), Number: float64(i)}}
		sum, err = m.Add(aggs, sum, []query.AggResult{{Buckets: []query.Bucket{{Key: key, Count: 1}}}})
	}
	if !isTooMany(err) {
		t.Errorf("got %v, want too much to count", err)
	}
}

func TestLeast(t *testing.T) {
	wide := query.RangesAgg{Ranges: make([]query.Span64, 300)}
	for _, c := range []struct {
		aggs []query.Agg
		want int
	}{
		{nil, 0},
		{[]query.Agg{{Of: query.TermsAgg{}}}, 0},
		{[]query.Agg{{Of: query.FiltersAgg{Queries: make([]query.Node, 2), Others: true}, Subs: []query.Agg{{Of: wide}}}}, 3 + 900},
		{[]query.Agg{{Of: wide, Subs: []query.Agg{{Of: wide}}}}, query.MaxBuckets + 1},
	} {
		if got := Least(c.aggs); got != c.want {
			t.Errorf("%+v: got %d, want %d", c.aggs, got, c.want)
		}
	}
}
