package plan

import (
	"slices"
	"testing"

	"indexerd/internal/index/fulltext/segment"
)

// The cache keeps a filter that is used for the second time, and the last used ones if
// there is no room for all.
func TestFilterCache(t *testing.T) {
	docs := segment.NewBits(64)
	size := (&filterSet{filterKey{filter: "f"}, docs}).bytes()
	c := NewFilterCache(3*size, 0)
	one, other := c.OfIndex(), c.OfIndex()
	key := func(ix *IndexFilters, n int) filterKey { return filterKey{ix, uint64(n), "f"} }
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
	one.Drop()
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
