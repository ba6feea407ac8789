package indextest

import (
	"fmt"
	"reflect"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

var aggBehaviours = []behaviour{
	{"aggregations summarize what Apply has written, and nothing that it replaced or deleted", true, aggregatedAtOnce},
	{"buckets with the fewest documents are exact among many", true, rareBuckets},
}

// aggregate returns the results of aggregations over all documents.
func (r *run) aggregate(aggs ...query.Agg) []query.AggResult {
	r.Helper()
	s, ok := r.ix.(Searcher)
	if !ok {
		r.Fatalf("a %T has no method Search", r.ix)
	}
	result, err := s.Search(r.Context(), query.Request{Aggs: aggs})
	if err != nil {
		r.Fatal(err)
	}
	return result.Aggs
}

// dated returns a film of a year.
func dated(oid doc.OID, v doc.Version, year int64) doc.Doc {
	d := film(oid, v, "film")
	d.Row = row("film", year)
	return d
}

func aggregatedAtOnce(r *run) {
	stats := query.Agg{Of: query.StatsAgg{Field: "year"}}
	decades := query.Agg{Of: query.HistogramAgg{Field: "year", Interval: 10}, Subs: []query.Agg{stats, {Of: query.DistinctAgg{Field: "year"}}}}
	check := func(want ...query.Bucket) {
		r.Helper()
		if got := r.aggregate(decades)[0].Buckets; fmt.Sprint(got) != fmt.Sprint(want) {
			r.Errorf("got %+v, want %+v", got, want)
		}
	}
	decade := func(key float64, s query.Stats, distinct uint64) query.Bucket {
		return query.Bucket{Key: []query.BucketValue{{Number: key}}, Count: s.Count, Subs: []query.AggResult{{Stats: s}, {Stats: query.Stats{Count: distinct}}}}
	}
	check()
	a, b, c := key(int64(1)), key(int64(2)), key(int64(3))
	r.apply(r, []doc.Doc{dated(a, 1, 1991), dated(b, 2, 1999), dated(c, 3, 2010)})
	check(decade(1990, query.Stats{Count: 2, Min: 1991, Max: 1999, Sum: 3990, Squares: 1991*1991 + 1999*1999}, 2), decade(2000, query.Stats{}, 0), decade(2010, query.Stats{Count: 1, Min: 2010, Max: 2010, Sum: 2010, Squares: 2010 * 2010}, 1))
	r.apply(r, []doc.Doc{dated(a, 4, 1999)})
	r.apply(r, nil, removed(c, 5))
	check(decade(1990, query.Stats{Count: 2, Min: 1999, Max: 1999, Sum: 3998, Squares: 2 * 1999 * 1999}, 1))
}

func rareBuckets(r *run) {
	const years = 300
	var puts []doc.Doc
	for year := range int64(years) {
		for n := range 1 + (years-year)%7 {
			puts = append(puts, dated(key(year*10+n), 1, year))
		}
	}
	r.apply(r, puts)
	rare := query.TermsAgg{Field: "year", Size: 2, MinCount: 1, Order: []query.BucketOrder{{By: query.ByCount}, {By: query.ByKey, Descending: true}}}
	got := r.aggregate(query.Agg{Of: rare}, query.Agg{Of: query.DistinctAgg{Field: "year"}})
	want := []query.AggResult{{Other: uint64(len(puts) - 2), Buckets: []query.Bucket{{Key: []query.BucketValue{{Number: 293}}, Count: 1}, {Key: []query.BucketValue{{Number: 286}}, Count: 1}}}, {Stats: query.Stats{Count: years}}}
	if !reflect.DeepEqual(got, want) {
		r.Errorf("got %+v, want %+v", got, want)
	}
}
