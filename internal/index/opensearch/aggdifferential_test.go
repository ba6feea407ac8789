package opensearch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"indexerd/internal/base/calendar"
	"indexerd/internal/index/query"
)

// Both engines aggregate alike, whatever the number of shards, and their results merge.
func TestAggregationsDifferential(t *testing.T) {
	seed := uint64(number(t, "INDEXERD_SEED", 1))
	d := newDifferential(t, "standard", rand.New(rand.NewPCG(seed, 99)))
	refused, queries := 0, number(t, "INDEXERD_QUERIES", 400)/4
	for range queries {
		req := query.Request{Query: d.node(1), Aggs: d.aggs(0, true), Mergeable: d.IntN(4) == 0}
		if d.IntN(3) == 0 {
			req.Visible = &query.Visible{Hidden: "tags", Filters: []query.Filter{{Field: "tags", Values: tags[:d.IntN(4)]}}}
			req.Query = query.Word{Text: pick(d, vocabulary)}
			req.Aggs = []query.Agg{{Of: query.TermsAgg{Field: "cast", Size: 1 + d.IntN(5), MinCount: 1}, Subs: []query.Agg{{Of: query.StatsAgg{Field: "year"}}}}}
		} else if d.IntN(3) == 0 {
			req.Post = d.node(0)
		}
		want, wantErr := d.embedded.Search(t.Context(), req)
		got, err := d.cluster.Search(t.Context(), req)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%v, aggregations %+v: got error %v, want %v", req.Query, req.Aggs, err, wantErr)
		}
		if wantErr != nil {
			refused++
			continue
		}
		if got.Total != want.Total || !sameResults(req.Mergeable, got.Aggs, want.Aggs) {
			t.Errorf("%v, post %v, visible %v, aggregations %+v, mergeable %t: got %d\n%+v, want %d\n%+v", req.Query, req.Post, req.Visible, req.Aggs, req.Mergeable, got.Total, got.Aggs, want.Total, want.Aggs)
		}
	}
	if t.Logf("%d searches, %d of them refused by both", queries, refused); refused > queries/10 {
		t.Errorf("%d of %d searches were refused", refused, queries)
	}
}

// sameResults compares results. Buckets that are not finished have no order.
func sameResults(unordered bool, a, b []query.AggResult) bool {
	near := func(x, y float64) bool { return x == y || math.Abs(x-y) <= 1e-9*math.Abs(x) }
	return slices.EqualFunc(a, b, func(a, b query.AggResult) bool {
		if len(a.Buckets) != len(b.Buckets) || a.Other != b.Other || a.Total != b.Total || len(a.Values) != len(b.Values) || fmt.Sprint(a.Percentiles, a.Counts) != fmt.Sprint(b.Percentiles, b.Counts) {
			return false
		}
		for v := range a.Values {
			if _, there := b.Values[v]; !there {
				return false
			}
		}
		if a.Stats.Count != b.Stats.Count || a.Stats.Min != b.Stats.Min || a.Stats.Max != b.Stats.Max || !near(a.Stats.Sum, b.Stats.Sum) || !near(a.Stats.Squares, b.Stats.Squares) {
			return false
		}
		if !slices.EqualFunc(a.Hits, b.Hits, func(h, k query.Hit) bool { return h.OID == k.OID && h.V == k.V }) {
			return false
		}
		for i, x := range a.Buckets {
			y := b.Buckets[i]
			if unordered && len(x.Key) > 0 {
				at := slices.IndexFunc(b.Buckets, func(c query.Bucket) bool { return slices.Equal(c.Key, x.Key) })
				if at < 0 {
					return false
				}
				y = b.Buckets[at]
			}
			if !slices.Equal(x.Key, y.Key) || x.Count != y.Count || !sameResults(unordered, x.Subs, y.Subs) {
				return false
			}
		}
		return true
	})
}

func (d *differential) aggs(depth int, first bool) (all []query.Agg) {
	for range 1 + d.IntN(2) {
		a := query.Agg{Of: d.metric()}
		if depth < 2 && (first || d.IntN(2) == 0) {
			a.Subs = d.aggs(depth+1, false)
			a.Of = d.buckets(depth, a.Subs)
		}
		all = append(all, a)
	}
	return all
}

func (d *differential) missing(value string) *string {
	if d.IntN(4) == 0 {
		return &value
	}
	return nil
}

func (d *differential) metric() query.AggKind {
	numeric := pick(d, []string{"year", "seen", "free", ""})
	anyField := pick(d, []string{"tags", "cast", "year", "seen", "free", ""})
	switch d.IntN(5) {
	case 3:
		return query.PercentilesAgg{Field: numeric, Percents: []float64{0, 33, 50, 100}, Missing: map[string]*string{"year": d.missing("7"), "": d.missing("3")}[numeric]}
	case 0:
		return query.StatsAgg{Field: numeric, Missing: map[string]*string{"year": d.missing("7"), "": d.missing("3")}[numeric]}
	case 1:
		return query.CountAgg{Field: anyField}
	case 2:
		return query.DistinctAgg{Field: anyField}
	}
	return query.TopAgg{From: d.IntN(2), Size: d.IntN(4), Sort: []query.Sort{{Field: pick(d, []string{"tags", "year"}), Descending: d.IntN(2) == 0}}}
}

func (d *differential) buckets(depth int, subs []query.Agg) query.AggKind {
	var order []query.BucketOrder
	switch d.IntN(5) {
	case 0:
		order = []query.BucketOrder{{By: query.ByKey, Descending: d.IntN(2) == 0}}
	case 1:
		order = []query.BucketOrder{{By: query.ByCount, Descending: d.IntN(2) == 0}, {By: query.ByKey, Descending: true}}
	case 2:
		for i, a := range subs {
			switch a.Of.(type) {
			case query.CountAgg, query.DistinctAgg:
				order = []query.BucketOrder{{By: query.MetricCount, Path: []int{i}, Descending: d.IntN(2) == 0}}
			case query.PercentilesAgg:
				order = []query.BucketOrder{{By: query.MetricPercentile(d.IntN(4)), Path: []int{i}, Descending: d.IntN(2) == 0}}
			case query.StatsAgg:
				order = []query.BucketOrder{{By: pick(d, []string{query.MetricMin, query.MetricMax, query.MetricAvg}), Path: []int{i}, Descending: d.IntN(2) == 0}}
			}
		}
	}
	kinds := 6
	if depth == 0 {
		kinds++
	}
	switch d.IntN(kinds) {
	case 0:
		return query.TermsAgg{Field: pick(d, []string{"year", "seen", "free", ""}), Size: 1 + d.IntN(4), MinCount: 1 + d.IntN(2), Order: order}
	case 1:
		of := query.TermsAgg{Field: "cast", Size: 1 + d.IntN(20), MinCount: 1, Order: order, Missing: d.missing("none")}
		switch d.IntN(4) {
		case 0:
			of.Include = &query.ValueSet{Pattern: regexp.MustCompile(`(?s)^(?:[a-m].*)$`), Text: "[a-m].*"}
		case 1:
			of.Exclude = &query.ValueSet{Values: []string{"shark", "none", "月"}}
		}
		return of
	case 2:
		return query.FiltersAgg{Queries: []query.Node{d.node(0), d.node(1)}, Others: d.IntN(2) == 0}
	case 3:
		return query.RangesAgg{Field: "year", Ranges: []query.Span64{{From: 0, To: 2000}, {From: math.Inf(-1), To: 1.5}, {From: 1.5, To: math.Inf(1)}, {From: 0, To: 2000}}, Missing: d.missing("1")}
	case 4:
		of := query.HistogramAgg{Field: pick(d, []string{"free", ""}), Interval: pick(d, []float64{0.5, 100}), Offset: pick(d, []float64{0, 0.25}), MinCount: d.IntN(3), Order: order}
		if d.IntN(2) == 0 {
			of.Bounds = &[2]float64{-1, 2}
		}
		return of
	case 5:
		zone, err := time.LoadLocation(pick(d, []string{"UTC", "Europe/Berlin", "Asia/Kathmandu"}))
		if err != nil {
			zone = time.FixedZone("", 3600)
		}
		iv := calendar.Interval{Unit: pick(d, []string{calendar.Year, calendar.Month, calendar.Day}), Zone: zone, Offset: pick(d, []time.Duration{0, time.Hour, -time.Hour})}
		if d.IntN(3) == 0 {
			iv = calendar.Interval{Length: 36 * time.Hour, Zone: time.FixedZone("", -5400)}
		}
		return query.DatesAgg{Field: "seen", Interval: iv, MinCount: 1 + d.IntN(2), Order: order}
	}
	of := query.CompositeAgg{Size: 1 + d.IntN(20), Sources: []query.Source{
		{Field: "tags", Missing: d.IntN(2) == 0, Descending: d.IntN(2) == 0}, {Field: pick(d, []string{"year", "free"}), Missing: d.IntN(2) == 0}, {Field: "seen", Dates: &calendar.Interval{Unit: calendar.Month}, Descending: d.IntN(2) == 0}}}
	if d.IntN(2) == 0 {
		of.After = []query.BucketValue{{Text: "b"}, {Number: 0}, {Number: 9e11}}
	}
	return of
}
