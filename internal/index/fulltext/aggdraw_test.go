package fulltext

import (
	"os"
	"path/filepath"
	"regexp"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/calendar"
	"indexerd/internal/index/fulltext/hits"
	"indexerd/internal/index/query"
)

// tempDir returns a directory for an index that is removed after a run of a property.
func tempDir(t *rapid.T) string {
	dir, err := os.MkdirTemp("", "indexerd-agg-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "index")
}

func drawMissing(t *rapid.T, value string) *string {
	if rapid.IntRange(0, 3).Draw(t, "missing") == 0 {
		return &value
	}
	return nil
}

// missingOf are values in place of missing ones.
var missingOf = map[string]string{"tags": "none", "prices": "3", "seen": "1970-01-05T00:00:00Z", "free": "true"}

func drawAgg(t *rapid.T, depth int) query.Agg {
	numeric := rapid.SampledFrom([]string{"prices", "seen", "free"})
	anyField := rapid.SampledFrom([]string{"tags", "prices", "seen", "free"})
	kinds := 11
	if depth > 0 {
		kinds = 10
	}
	a := query.Agg{}
	if kind := rapid.IntRange(0, kinds-1).Draw(t, "kind"); kind < 5 || kind == 10 {
		if depth < 3 {
			a.Subs = drawAggs(t, depth+1)
		}
		a.Of = drawBuckets(t, kind, numeric, anyField, len(a.Subs) > 0)
	} else {
		a.Of = drawMetric(t, kind, numeric, anyField)
	}
	return a
}

func drawBuckets(t *rapid.T, kind int, numeric, anyField *rapid.Generator[string], counted bool) query.AggKind {
	least := rapid.IntRange(0, 2).Draw(t, "least")
	switch kind {
	case 0:
		of := query.TermsAgg{Field: anyField.Draw(t, "field"), Size: rapid.IntRange(1, 5).Draw(t, "size"), MinCount: max(1, least), Order: drawOrder(t, counted)}
		of.Missing = drawMissing(t, missingOf[of.Field])
		if of.Field == "tags" && rapid.Bool().Draw(t, "some") {
			of.Include = &query.ValueSet{Values: []string{"a", "ab", "none", "x.y"}}
			of.Exclude = &query.ValueSet{Pattern: regexp.MustCompile(`^(?:a.|x\.y)$`)}
		}
		return of
	case 1:
		of := query.FiltersAgg{Others: rapid.Bool().Draw(t, "others")}
		for range rapid.IntRange(1, 3).Draw(t, "filters") {
			of.Queries = append(of.Queries, drawShopQuery(t))
		}
		return of
	case 2:
		of := query.RangesAgg{Field: numeric.Draw(t, "field")}
		for range rapid.IntRange(1, 3).Draw(t, "ranges") {
			from := rapid.SampledFrom([]float64{-8, 0, 1, 3}).Draw(t, "from")
			of.Ranges = append(of.Ranges, query.Span64{From: from, To: from + rapid.SampledFrom([]float64{0, 1, 4, 1e9}).Draw(t, "length")})
		}
		of.Missing = drawMissing(t, missingOf[of.Field])
		return of
	case 3:
		of := query.HistogramAgg{Field: "prices", Interval: rapid.SampledFrom([]float64{0.5, 2, 5}).Draw(t, "interval"), Offset: rapid.SampledFrom([]float64{0, 0.25, -3}).Draw(t, "offset"), MinCount: least, Order: drawHistogramOrder(t, counted)}
		if rapid.Bool().Draw(t, "bounds") {
			of.Bounds = &[2]float64{-9, 4}
		}
		of.Missing = drawMissing(t, missingOf[of.Field])
		return of
	case 4:
		of := query.DatesAgg{Field: "seen", Interval: rapid.SampledFrom([]calendar.Interval{day, {Unit: calendar.Hour}, {Length: 36 * time.Hour}, {Unit: calendar.Day, Offset: -5 * time.Hour}}).Draw(t, "interval"), MinCount: least, Order: drawHistogramOrder(t, counted)}
		if rapid.Bool().Draw(t, "bounds") {
			of.Bounds = &[2]int64{-86_400_000, 5}
		}
		of.Missing = drawMissing(t, missingOf[of.Field])
		return of
	}
	of := query.CompositeAgg{Size: rapid.IntRange(1, 6).Draw(t, "size")}
	after := []query.BucketValue{{Text: "ab"}, {Number: 0}, {Number: 86_400_000 * 3}, {Number: 1}}
	sources := []query.Source{{Field: "tags"}, {Field: "prices", Interval: 2}, {Field: "seen", Dates: &day}, {Field: "free"}}
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, 3), 1, 3, rapid.ID[int]).Draw(t, "sources") {
		s := sources[i]
		s.Descending, s.Missing = rapid.Bool().Draw(t, "descending"), rapid.Bool().Draw(t, "missing")
		of.Sources, of.After = append(of.Sources, s), append(of.After, after[i])
	}
	if rapid.Bool().Draw(t, "first") {
		of.After = nil
	}
	return of
}

func drawMetric(t *rapid.T, kind int, numeric, anyField *rapid.Generator[string]) query.AggKind {
	field := anyField.Draw(t, "field")
	switch kind {
	case 5:
		field = numeric.Draw(t, "field")
		return query.StatsAgg{Field: field, Missing: drawMissing(t, missingOf[field])}
	case 6:
		return query.CountAgg{Field: field, Missing: drawMissing(t, missingOf[field])}
	case 9:
		field = numeric.Draw(t, "field")
		return query.PercentilesAgg{Field: field, Percents: []float64{0, rapid.Float64Range(0, 100).Draw(t, "percent"), 100}, Missing: drawMissing(t, missingOf[field])}
	case 7:
		return query.DistinctAgg{Field: field, Missing: drawMissing(t, missingOf[field])}
	}
	return query.TopAgg{From: rapid.IntRange(0, 2).Draw(t, "from"), Size: rapid.IntRange(0, 3).Draw(t, "size"), Sort: []query.Sort{{Field: "prices", Descending: true}}}
}

func drawOrder(t *rapid.T, counted bool) []query.BucketOrder {
	orders := [][]query.BucketOrder{nil, {{By: query.ByKey, Descending: true}}, {{By: query.ByCount}}, {{By: query.ByCount, Descending: true}, {By: query.ByKey, Descending: true}}}
	if counted {
		orders = append(orders, []query.BucketOrder{{By: query.MetricCount, Path: []int{0}, Descending: true}, {By: query.ByCount}})
	}
	return rapid.SampledFrom(orders).Draw(t, "order")
}

func drawHistogramOrder(t *rapid.T, counted bool) []query.BucketOrder {
	if rapid.Bool().Draw(t, "ordered") {
		return drawOrder(t, counted)
	}
	return nil
}

// limited are limits with so many bytes for values.
func limited(bytes int) hits.Limits {
	l := searchLimits
	l.Bytes = bytes
	return l
}
