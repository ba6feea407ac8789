package bitset

import (
	"slices"
	"testing"
)

// The set is made again for other deletions only.
func TestLiveCache(t *testing.T) {
	var c LiveCache
	for _, cache := range []*LiveCache{&c, nil} {
		first, second := new(int), new(int)
		all, n := cache.Of(70, first, slices.Values([]uint32(nil)))
		if n != 70 || !all.Has(69) {
			t.Errorf("got %d documents, want all 70", n)
		}
		if again, n := cache.Of(70, first, none(t, cache == nil)); n != 70 || (&again[0] == &all[0]) != (cache != nil) {
			t.Errorf("the same deletions: got %d documents, want the set of before where there is a cache", n)
		}
		left, n := cache.Of(70, second, slices.Values([]uint32{3, 69, 3, 90}))
		if n != 68 || left.Has(3) || left.Has(69) || !all.Has(3) {
			t.Errorf("other deletions: got %d documents, want 68, and the first set as it was", n)
		}
	}
}

// none lists no deletions, and fails the test if it is called where it may not be.
func none(t *testing.T, may bool) func(func(uint32) bool) {
	return func(func(uint32) bool) {
		if !may {
			t.Error("the deletions are listed again")
		}
	}
}
