package tables

import (
	"math"
	"os"
	"runtime/debug"
	"testing"
)

func TestPercentFor(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		what  string
		live  uint64
		limit int64
		want  int
	}{
		{"nothing was collected yet", 0, math.MaxInt64, mostPercent},
		{"a small heap", 20 * mb, math.MaxInt64, mostPercent},
		{"a heap of half of what is allowed", 64 * mb, math.MaxInt64, 150},
		{"a large heap", 120 * mb, math.MaxInt64, 80},
		{"more garbage than is left", 400 * mb, math.MaxInt64, 24},
		{"a heap of which that is half", 192 * mb, math.MaxInt64, 50},
		{"a very large heap", 1000 * mb, math.MaxInt64, 24},
		{"a memory limit", 20 * mb, 120 * mb, 200},
		{"a low memory limit", 50 * mb, 64 * mb, 100},
		{"no figure", math.MaxInt64, math.MaxInt64, 24},
	} {
		if got := percentFor(c.live, c.limit, 100); got != c.want {
			t.Errorf("%s: got %d, want %d", c.what, got, c.want)
		}
	}
}

// Two loads that overlap leave the percent as it was before both.
func TestCollectorEnds(t *testing.T) {
	if _, set := os.LookupEnv("GOGC"); set {
		t.Setenv("GOGC", "")
		os.Unsetenv("GOGC")
	}
	percent := func() int { p := debug.SetGCPercent(100); debug.SetGCPercent(p); return p }
	usual := percent()
	var c collector
	first, second := c.begin(), c.begin()
	first()
	first() // does nothing
	if got := percent(); got != mostPercent {
		t.Errorf("during the second load: got %d, want %d", got, mostPercent)
	}
	second()
	if got := percent(); got != usual {
		t.Errorf("after both: got %d, want %d", got, usual)
	}
}

func TestSearchPercent(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		what  string
		live  uint64
		limit int64
		want  int
	}{
		{"nothing was collected yet", 0, math.MaxInt64, mostPercent},
		{"a small heap", 16 * mb, math.MaxInt64, 200},
		{"a larger heap", 64 * mb, math.MaxInt64, 100},
		{"a memory limit", 4 * mb, 64 * mb, 200},
		{"a low memory limit", 16 * mb, 64 * mb, 100},
		{"no figure", math.MaxInt64, math.MaxInt64, 100},
	} {
		if got := searchPercent(c.live, c.limit, 100); got != c.want {
			t.Errorf("%s: got %d, want %d", c.what, got, c.want)
		}
	}
}

// A small heap may grow while searches come, and as usual when none has come for a while.
func TestCollectorOfSearches(t *testing.T) {
	if _, set := os.LookupEnv("GOGC"); set {
		t.Setenv("GOGC", "")
		os.Unsetenv("GOGC")
	}
	percent := func() int { p := debug.SetGCPercent(100); debug.SetGCPercent(p); return p }
	usual := percent()
	c := collector{usual: usual, percent: usual}
	c.following.Store(true) // by this test
	c.search()
	if !c.adjust(16<<20, math.MaxInt64) || percent() != 200 {
		t.Errorf("while searches come: got %d, want 200", percent())
	}
	if c.adjust(15<<20, math.MaxInt64); percent() != 200 {
		t.Errorf("with about as much in use: got %d, want 200 as before", percent())
	}
	end := c.begin()
	if !c.adjust(20<<20, math.MaxInt64) || percent() != mostPercent {
		t.Errorf("during a load: got %d, want %d", percent(), mostPercent)
	}
	end()
	c.searched.Add(-int64(searchAfter))
	if c.adjust(16<<20, math.MaxInt64) || percent() != usual {
		t.Errorf("when no search has come for long: got %d, want %d", percent(), usual)
	}
}
