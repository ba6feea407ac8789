package fulltext

import (
	"fmt"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// All tests of this package keep the filters of the smallest segments too.
func init() { filters = newFilterCache(32<<20, 0) }

// The cache keeps a filter that is used for the second time, and the last used ones if
// there is no room for all.
func TestFilterCache(t *testing.T) {
	docs := segment.NewBits(64)
	size := (&filterSet{filterKey{filter: "f"}, docs}).bytes()
	c := newFilterCache(3*size, 0)
	one, other := c.ofIndex(), c.ofIndex()
	key := func(ix *indexFilters, n int) filterKey { return filterKey{ix, uint64(n), "f"} }
	for n := range 4 {
		if got, wanted := c.get(key(one, n)); got != nil || wanted {
			t.Errorf("%d, first use: got %v, wanted %t", n, got, wanted)
		}
		if got, wanted := c.get(key(one, n)); got != nil || !wanted {
			t.Errorf("%d, second use: got %v, wanted %t", n, got, wanted)
		}
		c.put(key(one, n), docs)
		c.put(key(one, n), docs)
		c.get(key(one, 0))
	}
	has := func() (found []int) {
		for e := c.used.Front(); e != nil; e = e.Next() {
			found = append(found, int(e.Value.(*filterSet).segment))
		}
		return found
	}
	if got := has(); !slices.Equal(got, []int{0, 3, 2}) || len(c.sets) != 3 || c.bytes != 3*size {
		t.Errorf("got %v and %d bytes, want 0, 3 and 2", got, c.bytes)
	}
	c.put(key(one, 9), segment.NewBits(100_000))
	c.put(key(other, 5), docs)
	one.drop()
	if got := has(); !slices.Equal(got, []int{5}) || len(c.sets) != 1 || c.bytes != size || len(c.seen) != 0 {
		t.Errorf("after drop: got %v, %d bytes and %v", got, c.bytes, c.seen)
	}
	for n := range 2*filterSeen + 1 {
		c.get(key(other, n+10))
	}
	if len(c.seen) > filterSeen {
		t.Errorf("%d filters were seen, more than %d", len(c.seen), filterSeen)
	}
}

// A kept filter finds what the index has: after documents change, are deleted or merged,
// and for each caller. Closing the index drops it.
func TestKeptFilters(t *testing.T) {
	cache := newFilterCache(1<<20, 0)
	ix := newIndex(t, films)
	ix.filters = cache.ofIndex()
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
			for _, visible := range []*query.Filter{nil, {Field: "rating", Values: []string{"G", "R"}}} {
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
		if cache.held() == 0 {
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
	if held := cache.held(); held != 0 {
		t.Errorf("filters of %d bytes are kept after Close", held)
	}
}
