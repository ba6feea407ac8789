package giveway

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// computing begins long work that has made a step.
func computing() *Work {
	w := Background()
	w.Step()
	return w
}

// A load sleeps after each slice while there are searches, and for a second behind the
// last one.
func TestLoadGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began = time.Now()
		latest.Store(0)
		for range runtime.GOMAXPROCS(0) - 1 {
			defer computing().End()
		}
		load := computing()
		defer load.End()
		// gives reports whether the load sleeps at the end of a slice.
		gives := func() bool {
			time.Sleep(slice)
			at := time.Now()
			load.Step()
			return time.Since(at) > 0
		}
		waiting := Background() // for its first row
		if long.Load() != int64(runtime.GOMAXPROCS(0)) {
			t.Errorf("got %d that compute beside one that waits", long.Load())
		}
		waiting.End()
		if gives() {
			t.Error("a load without searches sleeps")
		}
		search := Search()
		if !gives() {
			t.Error("a load does not sleep beside a search")
		}
		if at := time.Now(); true {
			if load.Step(); time.Since(at) > 0 {
				t.Error("a load sleeps within its slice")
			}
		}
		if got := load.Gave(); got != pause(runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0)) {
			t.Errorf("a load that slept once gave %v", got)
		}
		search.End()
		time.Sleep(after / 2)
		if !gives() {
			t.Error("a load does not sleep soon after a search")
		}
		time.Sleep(after)
		if gives() {
			t.Error("a load sleeps long after the last search")
		}
	})
}

// A slow search is long after a while: it sleeps beside a short one, and is no reason to
// sleep by itself.
func TestSlowSearchGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began = time.Now()
		latest.Store(0)
		slow := Search()
		steps := func() (slept time.Duration) {
			for range 10 {
				time.Sleep(slice)
				at := time.Now()
				slow.Step()
				slept += time.Since(at)
			}
			return slept
		}
		if slept := steps(); slept > 0 {
			t.Errorf("a short search sleeps for %v", slept)
		}
		time.Sleep(shortWithin)
		slow.Step()
		if short.Load() != 0 || long.Load() != 1 {
			t.Errorf("a slow search: got %d short and %d long ones, want 0 and 1", short.Load(), long.Load())
		}
		if slept := steps(); slept > 0 {
			t.Errorf("a slow search alone sleeps for %v", slept)
		}
		for range runtime.GOMAXPROCS(0) - 1 {
			defer computing().End()
		}
		quick := Search()
		if slept := steps(); slept == 0 {
			t.Error("a slow search does not sleep beside a short one")
		}
		quick.End()
		slow.End()
		if loads := int64(runtime.GOMAXPROCS(0) - 1); short.Load() != 0 || long.Load() != loads {
			t.Errorf("at the end: got %d short and %d long ones, want none and %d", short.Load(), long.Load(), loads)
		}
	})
}

// A search begins behind the goroutines that are ready. Go takes one of 61 goroutines out
// of this order.
func TestSearchBeginsLast(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const searches = 100
	first := 0
	for range searches {
		var ran atomic.Bool
		go ran.Store(true)
		search := Search()
		if ran.Load() {
			first++
		}
		search.End()
	}
	if first < searches*9/10 {
		t.Errorf("of %d goroutines that were ready, %d ran before a search that began later", searches, first)
	}
}

// However many goroutines give way, they leave half a processor, and they use the others.
func TestPause(t *testing.T) {
	for _, processors := range []int{1, 2, 8} {
		for goroutines := 1; goroutines < 100; goroutines++ {
			used := float64(goroutines) * float64(slice) / float64(slice+pause(goroutines, processors))
			if want := min(float64(goroutines), float64(processors)-0.5); used < want*0.99 || used > want*1.01 {
				t.Errorf("%d goroutines use %.2f of %d processors, want %.2f", goroutines, used, processors, want)
			}
		}
	}
}
