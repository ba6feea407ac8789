package search

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/index/query"
)

// goods returns two tables with numbers, dates and booleans.
func goods(t *testing.T) (shelf, order *realTable) {
	t.Helper()
	shelf = newTable(t, "shelf", "title", "price:number", "sold:boolean", "seen:date", "colour:keyword")
	order = newTable(t, "order", "title", "price:number", "seen:date", "sold:keyword")
	for _, r := range []*realTable{shelf, order} {
		r.searcher.Types = map[string]string{}
		for _, f := range r.mapping.Metadata {
			r.searcher.Types[f.Name] = string(f.Type)
		}
	}
	shelf.put(t,
		[]any{1, "red lamp", 1.5, true, "2024-01-31T10:00:00Z", "red"},
		[]any{2, "red chair", 12.0, false, "2024-02-01T10:00:00Z", "red"},
		[]any{3, "blue lamp", 38.0, true, "2024-05-01T10:00:00Z", "blue"},
		[]any{4, "green lamp", nil, nil, nil, "green"})
	order.put(t, []any{1, "order of a lamp", 95.0, "2022-12-31T23:59:59Z", "yes"})
	return shelf, order
}

// list prints a facet as value:count.
func list(counts []query.Count) string {
	var all []string
	for _, c := range counts {
		all = append(all, fmt.Sprintf("%s: %d", c.Value, c.Count))
	}
	return strings.Join(all, ", ")
}

func TestFacetsOfNumbersAndDates(t *testing.T) {
	shelf, order := goods(t)
	for _, c := range []struct {
		facet query.Facet
		query string
		all   bool
		want  string
	}{
		{query.Facet{Field: "price", Size: 4}, "", false, ">=0 <10: 1, >=10 <20: 1, >=20 <30: 0, >=30 <40: 1"},
		{query.Facet{Field: "price", Size: 1}, "", false, ">=0 <50: 3"},
		{query.Facet{Field: "price", Size: 4}, "chair", false, ">=12 <13: 1"},
		{query.Facet{Field: "price", Size: 4}, "green", false, ""},
		{query.Facet{Field: "price", Size: 2}, "", true, ">=0 <50: 3, >=50 <100: 1"},
		{query.Facet{Field: "seen", Size: 8}, "", false, ">=2024-01 <2024-02: 1, >=2024-02 <2024-03: 1, >=2024-03 <2024-04: 0, >=2024-04 <2024-05: 0, >=2024-05 <2024-06: 1"},
		{query.Facet{Field: "seen", Size: 3}, "", true, ">=2022 <2023: 1, >=2023 <2024: 0, >=2024 <2025: 3"},
		{query.Facet{Field: "seen", Size: 1}, "", true, ">=2020 <2025: 4"},
		{query.Facet{Field: "sold", Size: 8}, "", false, "true: 2, false: 1"},
		{query.Facet{Field: "sold", Size: 8}, "", true, "yes: 1"}, // a keyword in one table
		{query.Facet{Field: "colour", Size: 1}, "", true, "red: 2"},
	} {
		p := Params{Query: c.query, Size: 10, Facets: []query.Facet{c.facet}}
		parts := partsOf(shelf)
		if c.all {
			parts = partsOf(shelf, order)
		}
		a, err := answerAll(t, parts, p)
		if err != nil {
			t.Fatalf("%v: %v", c.facet, err)
		}
		if got := list(a.Facets[c.facet.Field]); got != c.want {
			t.Errorf("%v in %d tables, %q: got %s, want %s", c.facet, len(parts), c.query, got, c.want)
		}
		if c.all {
			continue
		}
		one, err := searchAll(shelf.searcher, p)
		if err != nil {
			t.Fatal(err)
		}
		if got := list(one.Facets[c.facet.Field]); got != c.want {
			t.Errorf("%v in the table, %q: got %s, want %s", c.facet, c.query, got, c.want)
		}
	}
}

// A facet has the ends of its intervals, and those of a caller who sees fewer documents
// show nothing of the others.
func TestIntervalsOfACaller(t *testing.T) {
	shelf, _ := goods(t)
	shelf.searcher.ACL = "colour"
	p := Params{Size: 1, Facets: []query.Facet{{Field: "price", Size: 2}, {Field: "seen", Size: 9}}, Caller: Caller{Groups: []string{"red"}}}
	a, err := searchAll(shelf.searcher, p)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"price":[{"value":">=0 <10","from":0,"to":10,"count":1},{"value":">=10 <20","from":10,"to":20,"count":1}],` +
		`"seen":[{"value":">=2024-01-31T09:00:00Z <2024-01-31T12:00:00Z","from":"2024-01-31T09:00:00.000000Z","to":"2024-01-31T12:00:00.000000Z","count":1}`
	if got := jsonOf(t, a.Facets); !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	p.Facets = []query.Facet{{Field: "colour", Size: 2}}
	if _, err := searchAll(shelf.searcher, p); err == nil || !strings.Contains(err.Error(), "no field colour") {
		t.Errorf("a facet of the hidden field: got error %v", err)
	}
}

func TestSizesOfIntervals(t *testing.T) {
	shelf, _ := goods(t)
	for _, size := range []int{0, -1, query.MaxCounts + 1} {
		_, err := searchAll(shelf.searcher, Params{Facets: []query.Facet{{Field: "price", Size: size}}})
		if err == nil || !strings.Contains(err.Error(), "not 1 to") {
			t.Errorf("%d: got error %v", size, err)
		}
	}
	if _, err := searchAll(shelf.searcher, Params{Facets: make([]query.Facet, query.MaxFacets+1)}); err == nil || !strings.Contains(err.Error(), "facets, more than") {
		t.Errorf("many facets: got error %v", err)
	}
}

// The intervals of a facet are at most Size, have no gaps, hold all values, and as a filter
// each finds what it counted.
func TestIntervalsAreFilters(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		table := newTable(t, "shelf", "title", "price:number", "seen:date")
		table.searcher.Types = map[string]string{"price": "number", "seen": "date"}
		n := rapid.IntRange(1, 12).Draw(r, "rows")
		scale := rapid.SampledFrom([]float64{1e-6, 0.01, 1, 10, 1e4, 1e9}).Draw(r, "scale")
		offset := rapid.SampledFrom([]float64{0, 0, 1e9, 1e17, -1e18}).Draw(r, "offset")
		span := rapid.SampledFrom([]time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour, 1000 * time.Hour, 30_000 * time.Hour, 2_000_000 * time.Hour}).Draw(r, "span")
		for i := range n {
			price := float64(rapid.IntRange(-1000, 1000).Draw(r, "price"))*scale + offset
			seen := time.Date(1970+rapid.IntRange(0, 1).Draw(r, "year"), 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.Int64Range(0, int64(span)).Draw(r, "seen")))
			table.put(t, []any{i, "lamp", price, seen.Format(time.RFC3339Nano)})
		}
		size := rapid.IntRange(2, 20).Draw(r, "size")
		a, err := searchAll(table.searcher, Params{Facets: []query.Facet{{Field: "price", Size: size}, {Field: "seen", Size: size}}})
		if err != nil {
			r.Fatal(err)
		}
		for field, counts := range a.Facets {
			if len(counts) > size {
				r.Fatalf("%s: %d intervals, want at most %d: %s", field, len(counts), size, list(counts))
			}
			total := 0
			for i, c := range counts {
				total += c.Count
				if i > 0 && counts[i-1].To != c.From {
					r.Fatalf("%s has a gap: %v", field, counts)
				}
				found, err := searchAll(table.searcher, Params{Filters: []query.Filter{{Field: field, Values: []string{c.Value}}}})
				if err != nil || found.Total != uint64(c.Count) {
					r.Fatalf("%s %s: got %d, %v, want %d", field, c.Value, found.Total, err, c.Count)
				}
			}
			if total != n {
				r.Fatalf("%s: got %d in intervals, want %d: %s", field, total, n, list(counts))
			}
		}
	})
}

// A search in all tables says how many matches each has.
func TestTotalsOfTables(t *testing.T) {
	shelf, order := goods(t)
	r, err := SearchAll(t.Context(), partsOf(shelf, order), nil, Params{Query: "lamp"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := jsonOf(t, r.Tables), `[{"table":"shelf","total":3},{"table":"order","total":1}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDescribe(t *testing.T) {
	shelf, _ := goods(t)
	const title = `{"name":"title","words":true,"type":null},`
	const rest = `{"name":"price","words":false,"type":"number"},{"name":"sold","words":false,"type":"boolean"},{"name":"seen","words":false,"type":"date"}`
	shelf.searcher.ACL = "colour"
	if got, want := jsonOf(t, shelf.searcher.Describe(Caller{Admin: true})), "["+title+rest+`,{"name":"colour","words":false,"type":"keyword"}]`; got != want {
		t.Errorf("an admin: got %s, want %s", got, want)
	}
	if got, want := jsonOf(t, shelf.searcher.Describe(Caller{})), "["+title+rest+"]"; got != want {
		t.Errorf("a caller: got %s, want %s", got, want)
	}
}
