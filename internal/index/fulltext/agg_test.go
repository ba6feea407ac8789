package fulltext

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/calendar"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/aggregate"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// A shopDoc is a document of the aggregation tests.
type shopDoc struct {
	oid    doc.OID
	word   string
	tags   []string
	prices []float64
	seen   *time.Time
	free   *bool
}

var shopMapping = schema.Mapping{
	Content: []string{"word"}, Analyzer: "standard",
	Metadata: []schema.Field{{Name: "tags", Type: schema.Keyword}, {Name: "prices", Type: schema.Number}, {Name: "seen", Type: schema.Date}, {Name: "free", Type: schema.Boolean}},
}

func drawShopDoc(t *rapid.T, id doc.OID) shopDoc {
	d := shopDoc{oid: id, word: rapid.SampledFrom([]string{"red", "blue", "green"}).Draw(t, "word")}
	d.tags = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "ab", "b", "武", "x.y"}), 0, 3, rapid.ID[string]).Draw(t, "tags")
	d.prices = rapid.SliceOfNDistinct(rapid.SampledFrom([]float64{-7.5, -1, 0, 0.25, 3, 3.5, 10, 12}), 0, 2, rapid.ID[float64]).Draw(t, "prices")
	if rapid.Bool().Draw(t, "seen?") {
		at := time.UnixMicro(rapid.Int64Range(-1, 40).Draw(t, "day")*86_400_000_000 + rapid.Int64Range(0, 1999).Draw(t, "micro"))
		d.seen = &at
	}
	if rapid.Bool().Draw(t, "free?") {
		free := rapid.Bool().Draw(t, "free")
		d.free = &free
	}
	return d
}

func (d shopDoc) doc(v doc.Version) doc.Doc {
	row := doc.Row{Names: []string{"word", "tags", "prices", "seen", "free"}, Values: []any{d.word, nil, nil, nil, nil}}
	var tags, prices []any
	for _, s := range d.tags {
		tags = append(tags, s)
	}
	for _, n := range d.prices {
		prices = append(prices, n)
	}
	row.Values[1], row.Values[2] = tags, prices
	if d.seen != nil {
		row.Values[3] = d.seen.UTC().Format("2006-01-02T15:04:05.000000Z07:00")
	}
	if d.free != nil {
		row.Values[4] = *d.free
	}
	return doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: d.oid}, V: v}, Row: row}
}

// values returns the values of a field, as aggregations have them.
func (d shopDoc) values(field string, missing *string) (all []query.BucketValue) {
	switch field {
	case "tags":
		for _, s := range d.tags {
			all = append(all, query.BucketValue{Text: s})
		}
	case "prices":
		for _, n := range d.prices {
			all = append(all, query.BucketValue{Number: n})
		}
	case "seen":
		if d.seen != nil {
			all = append(all, query.BucketValue{Number: float64(d.seen.UnixMilli())})
		}
	case "free":
		if d.free != nil && *d.free {
			all = append(all, query.BucketValue{Number: 1})
		} else if d.free != nil {
			all = append(all, query.BucketValue{})
		}
	}
	if len(all) == 0 && missing != nil {
		switch field {
		case "prices":
			var n float64
			_, _ = fmt.Sscan(*missing, &n)
			return []query.BucketValue{{Number: n}}
		case "seen":
			at, _ := time.Parse(time.RFC3339, *missing)
			return []query.BucketValue{{Number: float64(at.UnixMilli())}}
		case "free":
			return []query.BucketValue{{Number: 1}}
		}
		return []query.BucketValue{{Text: *missing}}
	}
	return all
}

func (d shopDoc) matches(n query.Node) bool {
	switch n := n.(type) {
	case query.Word:
		return d.word == n.Text
	case query.Not:
		return !d.matches(n.Node)
	case query.Range:
		return len(d.values(n.Field, nil)) > 0
	}
	return true
}

func drawShopQuery(t *rapid.T) query.Node {
	return rapid.SampledFrom([]query.Node{query.All{}, query.None(), query.Word{Text: "red"}, query.Not{Node: query.Word{Text: "blue"}}, query.Range{Field: "prices"}, query.Not{Node: query.Range{Field: "tags"}}}).Draw(t, "query")
}

// Aggregations are those of a program that looks at every document.
func TestAggregations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkAggregations(t) })
}

func checkAggregations(t *rapid.T) {
	ix, docs := drawShop(t)
	defer func() { _ = ix.Close() }()
	for range 4 {
		req := query.Request{Query: drawShopQuery(t), Size: rapid.IntRange(0, 3).Draw(t, "size"), Aggs: drawAggs(t, 0)}
		if rapid.Bool().Draw(t, "post") {
			req.Post = drawShopQuery(t)
		}
		matching := slices.DeleteFunc(slices.Clone(docs), func(d shopDoc) bool { return !d.matches(req.Query) })
		total := len(matching)
		if req.Post != nil {
			total = len(slices.DeleteFunc(slices.Clone(matching), func(d shopDoc) bool { return !d.matches(req.Post) }))
		}
		res, err := ix.Search(context.Background(), req)
		if err != nil {
			t.Fatalf("%+v: %v", req, err)
		}
		if got, want := res.Aggs, (naive{}).all(req.Aggs, matching); !equalResults(got, want) {
			t.Fatalf("%+v in %d documents: got\n%+v, want\n%+v", req.Aggs, len(matching), got, want)
		}
		if int(res.Total) != total || len(res.Hits) != min(total, req.Size) {
			t.Fatalf("%+v: got %d hits of %d, want %d of %d", req, len(res.Hits), res.Total, min(total, req.Size), total)
		}
	}
}

// The results of several indexes, merged and finished, are those of one index of all their
// documents.
func TestAggregationsMerge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		docs, indexes := []shopDoc{}, []*Index{}
		for i := range 2 {
			ix, some := drawShop(t)
			defer func() { _ = ix.Close() }()
			for k := range some {
				some[k].oid = doc.OID(fmt.Sprint(i)) + some[k].oid
			}
			docs, indexes = append(docs, some...), append(indexes, ix)
		}
		req := query.Request{Query: drawShopQuery(t), Aggs: withoutTop(drawAggs(t, 0)), Mergeable: true}
		var merge aggregate.Merge
		var sum []query.AggResult
		for _, ix := range indexes {
			res, err := ix.Search(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			if sum, err = merge.Add(req.Aggs, sum, res.Aggs); err != nil {
				t.Fatal(err)
			}
		}
		if err := aggregate.Finish(req.Aggs, sum); err != nil {
			t.Fatal(err)
		}
		matching := slices.DeleteFunc(docs, func(d shopDoc) bool { return !d.matches(req.Query) })
		if want := (naive{}).all(req.Aggs, matching); !equalResults(sum, want) {
			t.Fatalf("%+v in %d documents: got\n%+v, want\n%+v", req.Aggs, len(matching), sum, want)
		}
	})
}

// withoutTop leaves out the aggregations whose results do not merge.
func withoutTop(aggs []query.Agg) (all []query.Agg) {
	for _, a := range aggs {
		if _, top := a.Of.(query.TopAgg); !top {
			all = append(all, query.Agg{Of: a.Of, Subs: withoutTop(a.Subs)})
		}
	}
	return all
}

func drawShop(t *rapid.T) (*Index, []shopDoc) {
	ix, err := Create(tempDir(t), shopMapping, 1)
	if err != nil {
		t.Fatal(err)
	}
	byOID, v := map[doc.OID]shopDoc{}, doc.Version(0)
	for range rapid.IntRange(1, 3).Draw(t, "batches") {
		var puts []doc.Doc
		for _, n := range rapid.SliceOfNDistinct(rapid.Int64Range(0, 60), 0, 30, rapid.ID[int64]).Draw(t, "keys") {
			id, err := doc.NewOID(n)
			if err != nil {
				t.Fatal(err)
			}
			v++
			byOID[id] = drawShopDoc(t, id)
			puts = append(puts, byOID[id].doc(v))
		}
		if err := ix.Apply(puts, nil); err != nil {
			t.Fatal(err)
		}
	}
	var docs []shopDoc
	for _, d := range byOID {
		docs = append(docs, d)
	}
	slices.SortFunc(docs, func(a, b shopDoc) int { return strings.Compare(string(a.oid), string(b.oid)) })
	return ix, docs
}

// equalResults compares results. Sums may differ in the last digits, and no buckets may
// be nil or empty.
func equalResults(a, b []query.AggResult) bool {
	return slices.EqualFunc(a, b, func(a, b query.AggResult) bool {
		near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x)) }
		same := a.Other == b.Other && a.Stats.Count == b.Stats.Count && a.Stats.Min == b.Stats.Min && a.Stats.Max == b.Stats.Max &&
			near(a.Stats.Sum, b.Stats.Sum) && near(a.Stats.Squares, b.Stats.Squares) && a.Total == b.Total && len(a.Values) == 0 && len(b.Values) == 0 && fmt.Sprint(a.Percentiles) == fmt.Sprint(b.Percentiles) &&
			slices.EqualFunc(a.Hits, b.Hits, func(h, k query.Hit) bool { return h.OID == k.OID })
		return same && slices.EqualFunc(a.Buckets, b.Buckets, func(x, y query.Bucket) bool {
			return slices.Equal(x.Key, y.Key) && x.Count == y.Count && equalResults(x.Subs, y.Subs)
		})
	})
}

func TestAggregationErrors(t *testing.T) {
	ix := newIndex(t, shopMapping)
	terms := func(field string) query.TermsAgg { return query.TermsAgg{Field: field, Size: 10, MinCount: 1} }
	missing := "x"
	deep := []query.Agg{{Of: terms("tags")}}
	for range query.MaxAggDepth {
		deep = []query.Agg{{Of: terms("tags"), Subs: deep}}
	}
	composite := query.CompositeAgg{Sources: []query.Source{{Field: "tags"}}, Size: 1}
	for name, c := range map[string]struct {
		aggs []query.Agg
		want string
	}{
		"no field":       {[]query.Agg{{Of: terms("tag")}}, "no field tag: did you mean tags?"},
		"text":           {[]query.Agg{{Of: terms("word")}}, "field word is text"},
		"type":           {[]query.Agg{{Of: query.StatsAgg{Field: "tags"}}}, "field tags is a keyword"},
		"dates":          {[]query.Agg{{Of: query.DatesAgg{Field: "prices", Interval: calendar.Interval{Unit: calendar.Day}}}}, "field prices is a number"},
		"missing":        {[]query.Agg{{Of: query.StatsAgg{Field: "prices", Missing: &missing}}}, "x is not a number"},
		"size":           {[]query.Agg{{Of: query.TermsAgg{Field: "tags", MinCount: 1}}}, "size 0"},
		"count":          {[]query.Agg{{Of: query.TermsAgg{Field: "tags", Size: 1}}}, "count 0 is below 1"},
		"interval":       {[]query.Agg{{Of: query.HistogramAgg{Field: "prices"}}}, "interval 0"},
		"depth":          {deep, "nested deeper than 8"},
		"number":         {slices.Repeat([]query.Agg{{Of: terms("tags")}}, query.MaxAggs+1), "more than 64 aggregations"},
		"composite deep": {[]query.Agg{{Of: terms("tags"), Subs: []query.Agg{{Of: composite}}}}, "a composite aggregation is in another one"},
		"top":            {[]query.Agg{{Of: query.TopAgg{Size: 101}}}, "size 101, more than 100"},
		"order":          {[]query.Agg{{Of: query.TermsAgg{Field: "tags", Size: 1, MinCount: 1, Order: []query.BucketOrder{{By: query.MetricAvg, Path: []int{0}}}}}}, "ordered by something that is no metric"},
		"pattern":        {[]query.Agg{{Of: query.TermsAgg{Field: "prices", Size: 1, MinCount: 1, Include: &query.ValueSet{Values: []string{"many"}}}}}, "many is not a number"},
	} {
		_, err := ix.Search(t.Context(), query.Request{Aggs: c.aggs})
		var bad *query.Error
		if !errors.As(err, &bad) || !strings.Contains(bad.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

// Aggregations stop before they need much memory, whatever needs it.
func TestAggregationsAreBounded(t *testing.T) {
	ix := newIndex(t, shopMapping)
	var puts []doc.Doc
	for i := range int64(300) {
		at := time.UnixMilli(i * 1e10)
		d := shopDoc{oid: oid(t, i), word: "red", tags: []string{strings.Repeat("x", 1<<10) + fmt.Sprint(i)}, prices: []float64{float64(i), float64(i) / 1000}, seen: &at}
		puts = append(puts, d.doc(doc.Version(i+1)))
	}
	apply(t, ix, puts)
	all := func() query.AggKind { return query.TermsAgg{Field: "tags", Size: 500, MinCount: 1} }
	wide := query.RangesAgg{Field: "prices", Ranges: make([]query.Span64, 256)}
	for name, of := range map[string][]query.Agg{
		"fixed buckets":                 {{Of: wide, Subs: []query.Agg{{Of: wide, Subs: []query.Agg{{Of: wide}}}}}},
		"empty buckets with fixed ones": {{Of: query.HistogramAgg{Field: "prices", Interval: 0.1}, Subs: []query.Agg{{Of: wide}}}},
		"fixed buckets in terms":        {{Of: all(), Subs: []query.Agg{{Of: query.RangesAgg{Ranges: make([]query.Span64, 200)}, Subs: []query.Agg{{Of: query.RangesAgg{Ranges: make([]query.Span64, 200)}}}}}}},
		"empty buckets":                 {{Of: query.HistogramAgg{Field: "prices", Interval: 0.001}}},
		"empty dates":                   {{Of: query.DatesAgg{Field: "seen", Interval: calendar.Interval{Length: time.Second}}}},
		"sub-buckets":                   {{Of: all(), Subs: []query.Agg{{Of: query.RangesAgg{Field: "prices", Ranges: make([]query.Span64, 300)}}}}},
	} {
		_, err := ix.Search(t.Context(), query.Request{Aggs: of})
		if bad := (*query.Error)(nil); !errors.As(err, &bad) || bad.Code != query.CodeBuckets {
			t.Errorf("%s: got %v, want too many buckets", name, err)
		}
	}
	for name, of := range map[string]query.AggKind{
		"terms": all(), "terms of few": query.TermsAgg{Field: "tags", Size: 100, MinCount: 1}, "distinct": query.DistinctAgg{Field: "prices"}, "percentiles": query.PercentilesAgg{Field: "prices", Percents: []float64{50}}, "histogram": query.HistogramAgg{Field: "prices", Interval: 0.001, MinCount: 1}, "hits": query.TopAgg{Size: 100, Sort: []query.Sort{{Field: "tags"}}},
		"composite": query.CompositeAgg{Sources: []query.Source{{Field: "tags"}}, Size: 500},
	} {
		_, err := ix.search(t.Context(), query.Request{Aggs: []query.Agg{{Of: of}}}, limited(20_000))
		if bad := (*query.Error)(nil); !errors.As(err, &bad) || bad.Code != query.CodeBuckets {
			t.Errorf("%s: got %v, want too much to count", name, err)
		}
	}
}

// A sum does not depend on the order of documents, and counts of one text are one bucket
// in all segments.
func TestAggregationAcrossSegments(t *testing.T) {
	ix := newIndex(t, shopMapping)
	for i := range int64(3) {
		apply(t, ix, []doc.Doc{shopDoc{oid: oid(t, i), word: "red", tags: []string{"a"}, prices: []float64{0.1}}.doc(doc.Version(i + 1))})
	}
	res, err := ix.Search(t.Context(), query.Request{Aggs: []query.Agg{{Of: query.TermsAgg{Field: "tags", Size: 1, MinCount: 1}, Subs: []query.Agg{{Of: query.StatsAgg{Field: "prices"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	want := []query.AggResult{{Buckets: []query.Bucket{{Key: []query.BucketValue{{Text: "a"}}, Count: 3, Subs: []query.AggResult{{Stats: query.Stats{Count: 3, Min: 0.1, Max: 0.1, Sum: 0.30000000000000004, Squares: 0.030000000000000002}}}}}}}
	if !equalResults(res.Aggs, want) || !reflect.DeepEqual(res.Hits, []query.Hit{}) {
		t.Errorf("got %+v, want %+v", res.Aggs, want)
	}
}
