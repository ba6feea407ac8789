package fulltext

import (
	"fmt"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/query"
)

// All tests of this package keep the filters of the smallest segments too.
func init() { filters = plan.NewFilterCache(32<<20, 0) }

// A kept filter finds what the index has: after documents change, are deleted or merged,
// and for each caller. Closing the index drops it.
func TestKeptFilters(t *testing.T) {
	cache := plan.NewFilterCache(1<<20, 0)
	ix := newIndex(t, films)
	ix.filters = cache.OfIndex()
	years := map[int64]int64{} // of each document
	put := func(from, to, year int64) {
		var docs []doc.Doc
		for i := from; i < to; i++ {
			docs = append(docs, film(t, i, 1, map[string]any{"title": "film", "rating": []string{"G", "PG", "R"}[i%3], "year": year}))
			years[i] = year
		}
		apply(t, ix, docs)
	}
	put(0, 300, 2000)
	check := func(when string) {
		t.Helper()
		for range 3 {
			for _, visible := range []*query.Visible{nil, {Hidden: "rating", Filters: []query.Filter{{Field: "rating", Values: []string{"G", "R"}}}}} {
				want := uint64(0)
				for i, year := range years {
					if year > 2000 && (visible == nil || i%3 != 1) {
						want++
					}
				}
				res, err := ix.Search(t.Context(), query.Request{Query: parse(t, "year:>2000 film"), Visible: visible, Size: 10})
				if err != nil || res.Total != want {
					t.Fatalf("%s: got %d, %v, want %d", when, res.Total, err, want)
				}
			}
		}
		if cache.Held() == 0 {
			t.Errorf("%s: no filter is kept", when)
		}
	}
	check("at first")
	put(100, 200, 2001)
	check("after changes")
	apply(t, ix, nil, oid(t, int64(150)), oid(t, int64(151)))
	delete(years, 150)
	delete(years, 151)
	check("after removals")
	for i := range int64(30) {
		put(300+i, 301+i, 2002+i%2)
		check(fmt.Sprintf("after write %d", i))
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	if held := cache.Held(); held != 0 {
		t.Errorf("filters of %d bytes are kept after Close", held)
	}
}

// A filter that is kept outlives the memory of the search that read it.
func TestKeptFilterIsACopy(t *testing.T) {
	ix := newIndex(t, films)
	ix.filters = plan.NewFilterCache(1<<20, 0).OfIndex()
	var docs []doc.Doc
	for i := range int64(300) {
		docs = append(docs, film(t, i, 1, map[string]any{"title": "film " + fmt.Sprint(i%2), "rating": []string{"G", "PG", "R"}[i%3], "year": 2000}))
	}
	apply(t, ix, docs)
	for i := range 10 {
		for want, ratings := range map[uint64][]string{100: {"G"}, 200: {"G", "R"}} {
			req := query.Request{Query: parse(t, "film"), Filters: []query.Filter{{Field: "rating", Values: ratings}}, Size: 10}
			if res, err := ix.Search(t.Context(), req); err != nil || res.Total != want {
				t.Fatalf("search %d for %v: got %d, %v, want %d", i, ratings, res.Total, err, want)
			}
			if res, err := ix.Search(t.Context(), query.Request{Query: parse(t, "film film* fil* fi* f*"), Size: 10}); err != nil || res.Total != 300 {
				t.Fatalf("search %d of all: got %d, %v, want 300", i, res.Total, err)
			}
		}
	}
}
