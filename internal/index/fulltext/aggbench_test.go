package fulltext

import (
	"fmt"
	"testing"
	"time"

	"indexerd/internal/base/calendar"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// Aggregations over all documents of an index, beside a facet. The time is for all of
// them.
func BenchmarkAggregations(b *testing.B) {
	const docs = 200_000
	ix, err := Create(b.TempDir()+"/index", shopMapping, 1)
	if err != nil {
		b.Fatal(err)
	}
	defer ix.Close()
	for from := int64(0); from < docs; from += 10_000 {
		var puts []doc.Doc
		for n := from; n < from+10_000; n++ {
			id, err := doc.NewOID(n)
			if err != nil {
				b.Fatal(err)
			}
			at := time.UnixMilli(1e12 + n*7_919_000)
			free := n%3 == 0
			d := shopDoc{oid: id, word: "red", tags: []string{fmt.Sprint("tag", n*7919%10_000)}, prices: []float64{float64(n*104729%100_000) / 100}, seen: &at, free: &free}
			puts = append(puts, d.doc(doc.Version(n+1)))
		}
		if err := ix.Apply(puts, nil); err != nil {
			b.Fatal(err)
		}
	}
	price := query.Agg{Of: query.StatsAgg{Field: "prices"}}
	month := query.Agg{Of: query.DatesAgg{Field: "seen", Interval: calendar.Interval{Unit: calendar.Month}}}
	for _, c := range []struct {
		name string
		req  query.Request
	}{
		{"facet of 10,000 values", query.Request{Facets: []query.Facet{{Field: "tags", Size: 10}}}},
		{"terms of 10,000 values", query.Request{Aggs: []query.Agg{{Of: query.TermsAgg{Field: "tags", Size: 10, MinCount: 1}}}}},
		{"terms of 10,000 values, stats in each", query.Request{Aggs: []query.Agg{{Of: query.TermsAgg{Field: "tags", Size: 10, MinCount: 1}, Subs: []query.Agg{price}}}}},
		{"stats", query.Request{Aggs: []query.Agg{price}}},
		{"terms of 2 values", query.Request{Aggs: []query.Agg{{Of: query.TermsAgg{Field: "free", Size: 10, MinCount: 1}}}}},
		{"terms of 2 values, stats in each", query.Request{Aggs: []query.Agg{{Of: query.TermsAgg{Field: "free", Size: 10, MinCount: 1}, Subs: []query.Agg{price}}}}},
		{"months", query.Request{Aggs: []query.Agg{month}}},
		{"months, stats in each", query.Request{Aggs: []query.Agg{{Of: month.Of, Subs: []query.Agg{price}}}}},
		{"ranges", query.Request{Aggs: []query.Agg{{Of: query.RangesAgg{Field: "prices", Ranges: []query.Span64{{From: 0, To: 100}, {From: 100, To: 500}}}}}}},
		{"different values", query.Request{Aggs: []query.Agg{{Of: query.DistinctAgg{Field: "tags"}}}}},
		{"10 of 2,000,000,000 combinations", query.Request{Aggs: []query.Agg{{Of: query.CompositeAgg{Size: 10, Sources: []query.Source{{Field: "tags"}, {Field: "prices"}}}}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			before := cpuTime(b)
			for b.Loop() {
				if _, err := ix.Search(b.Context(), c.req); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cpuTime(b)-before).Nanoseconds())/float64(b.N)/docs, "ns-cpu/doc")
		})
	}
}
