package fulltext

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/order"
	"indexerd/internal/index/query"
)

func TestFilters(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{
		film(t, "a", 1, map[string]any{"title": "drama", "rating": "PG", "year": int64(2006), "updated": "2006-02-15", "rented": true}),
		film(t, "b", 1, map[string]any{"title": "drama", "rating": "G", "year": int64(2007), "rented": false}),
		film(t, "c", 1, map[string]any{"title": "shark", "rating": "PG"}),
	})
	for want, filters := range map[string][]query.Filter{
		"a c":   {{Field: "rating", Values: []string{"PG"}}},
		"a b c": {{Field: "rating", Values: []string{"PG", "G"}}},
		"a":     {{Field: "rating", Values: []string{"PG", "G"}}, {Field: "year", Values: []string{"2006"}}},
		"b":     {{Field: "rented", Values: []string{"false"}}},
		"a ":    {{Field: "updated", Values: []string{"2006-02"}}},
		"":      {{Field: "rating", Values: []string{""}}},
	} {
		if got := findSorted(t, ix, "", func(r *query.Request) { r.Filters = filters }); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%v: got %v, want %v", filters, got, want)
		}
	}
	// Filters don't change the score.
	plain := ask(t, ix, "drama")
	filtered := ask(t, ix, "drama", func(r *query.Request) { r.Filters = []query.Filter{{Field: "rating", Values: []string{"PG", "G"}}} })
	if !slices.Equal(keys(plain), keys(filtered)) || filtered.Hits[0].Score != filtered.Hits[1].Score {
		t.Errorf("with filters: got %v, want the order of %v", filtered.Hits, plain.Hits)
	}
}

func TestScoreOrdersHits(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{
		film(t, "a", 1, map[string]any{"description": "drama of a very long kind with many more words in it"}),
		film(t, "b", 1, map[string]any{"title": "drama"}),
		film(t, "c", 1, map[string]any{"title": "drama", "description": "drama drama"}),
		film(t, "d", 1, map[string]any{"title": "rare"}),
	})
	if got, want := find(t, ix, "drama"), []string{"c", "b", "a"}; !slices.Equal(got, want) {
		t.Errorf("best first: got %v, want %v", got, want)
	}
	if got := find(t, ix, "title:rare OR title:drama"); slices.Index(got, "d") > slices.Index(got, "b") {
		t.Errorf("the rare word first: got %v, want d before b", got)
	}
	worst := func(r *query.Request) { r.Sort = []query.Sort{{Field: query.ByScore}} }
	if got, want := find(t, ix, "drama", worst), []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("worst first: got %v, want %v", got, want)
	}
	for _, h := range ask(t, ix, "dram*").Hits {
		if h.Score <= 0 {
			t.Errorf("prefix: got score %v of %s, want more than 0", h.Score, h.OID)
		}
	}
}

func TestFacetsCountAllMatches(t *testing.T) {
	ix := newIndex(t, films)
	var docs []doc.Doc
	for i := range int64(10) {
		docs = append(docs, film(t, i, 1, map[string]any{"title": fmt.Sprintf("w%d", i%2), "rating": fmt.Sprintf("r%d", i%3), "tags": []any{"all", fmt.Sprintf("t%d", i)}}))
	}
	apply(t, ix, docs)
	res := ask(t, ix, "", func(r *query.Request) {
		r.Size = 2                             // facets count all matches
		r.Sort = []query.Sort{{Field: "tags"}} // read once for both
		r.Facets = []query.Facet{{Field: "rating", Size: 2}, {Field: "tags", Size: 1}}
	})
	want := map[string][]query.Count{
		"rating": {{Value: "r0", Count: 4}, {Value: "r1", Count: 3}},
		"tags":   {{Value: "all", Count: 10}},
	}
	if !reflect.DeepEqual(res.Facets, want) {
		t.Errorf("got %v, want %v", res.Facets, want)
	}
	res = ask(t, ix, "nothing", func(r *query.Request) { r.Facets = []query.Facet{{Field: "rating", Size: 2}} })
	if counts, ok := res.Facets["rating"]; !ok || counts == nil || len(counts) != 0 {
		t.Errorf("no match: got %v, want an empty list", res.Facets)
	}
}

// A range with more than 1024 terms, which are looked up in any case, matches correctly, alone and with
// other conditions.
func TestWideRange(t *testing.T) {
	ix := newIndex(t, films)
	const n = 3 * 1024
	for _, half := range []int64{0, 1} { // two segments
		var docs []doc.Doc
		for i := half; i < n; i += 2 {
			docs = append(docs, film(t, i, 1, map[string]any{"title": fmt.Sprintf("w%d", i%10), "year": i}))
		}
		apply(t, ix, docs)
	}
	apply(t, ix, nil, oid(t, int64(100)))
	for text, want := range map[string]uint64{
		"year:>=10":                n - 10 - 1,
		"year:>10":                 n - 11 - 1,
		"year:<=3000":              3000,
		"-year:<=3000":             n - 3001,
		"year:[50 TO 3000]":        2950,
		"w3 year:<3000":            300,
		"w0 year:<3000":            299,
		"year:[50 TO 3000] -w3":    2655,
		"year:[99 TO 101]":         2,
		"year:<1000 OR year:>2000": 999 + n - 2001,
		"year:*":                   n - 1,
	} {
		if got := ask(t, ix, text).Total; got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

func TestCursorOfAnotherSortIsRejected(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{film(t, "a", 1, nil), film(t, "b", 1, nil)})
	next := ask(t, ix, "", func(r *query.Request) { r.Size = 1 }).Next
	_, err := ix.Search(t.Context(), query.Request{Size: 1, After: next, Sort: []query.Sort{{Field: "year"}}})
	var bad *query.Error
	if !errors.As(err, &bad) {
		t.Errorf("got %v, want a query.Error", err)
	}
}

// The memory for values of facets and sorts is limited. A search that needs more
// is rejected, and gets no wrong answer.
func TestHeldValuesAreBounded(t *testing.T) {
	ix := newIndex(t, films)
	var docs []doc.Doc
	for i := range int64(100) {
		docs = append(docs, film(t, i, 1, map[string]any{"title": "w", "rating": fmt.Sprintf("%s %03d", strings.Repeat("x", 200), i)}))
	}
	apply(t, ix, docs)
	const limit = 15 * (200 + order.ValueOverhead)
	search := func(req query.Request) (hits int, err error) {
		res, err := ix.search(t.Context(), req, limited(limit))
		return len(res.Hits), err
	}
	facets, long := []query.Facet{{Field: "rating", Size: 1}}, []query.Sort{{Field: "rating", Descending: true}}
	for want, req := range map[string]query.Request{
		"facet rating: the matches have too many different values to count": {Facets: facets},
		"the values to sort by are too long for so many hits":               {Size: 100, Sort: long},
	} {
		_, err := search(req)
		var bad *query.Error
		if !errors.As(err, &bad) || bad.Message != want || bad.Hint == "" {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	few := []query.Filter{{Field: "rating", Values: []string{docs[7].Row.Values[2].(string)}}}
	for _, req := range []query.Request{
		{Size: 1, Filters: few, Facets: facets},
		{Size: 10, Sort: long}, // reads all values, and keeps few
	} {
		if hits, err := search(req); err != nil || hits != req.Size {
			t.Errorf("below the limit: got %d hits, %v, want %d", hits, err, req.Size)
		}
	}
}
