// Package giveway has work that takes long give way to short searches: loads, merges and
// slow searches leave some of the processors' time unused while others search.
//
// # Why
//
// Go takes a processor away from a goroutine after 10 ms only, and looks for what has come
// over the network when a processor has nothing to do, or every 10 ms. So while as many
// goroutines compute as there are processors, a search of half a millisecond takes 10 or 20.
// A goroutine that sleeps lets Go look, and run what has come, at once.
//
// Each processor has a queue of goroutines, and all have one together: what was interrupted
// or came over the network while none was idle is in the common queue. A processor takes one
// of 61 goroutines from there until its own queue is empty, which is seldom while many
// clients search: a search of half a millisecond waits for 20. So a search goes into the
// common queue when it begins. All searches come in one order then, and the own queues are
// soon empty.
//
// A search is short at first. After a moment it lets other goroutines run now and then, and
// after shortWithin it is long: it gives way as a load does.
//
// # Costs
//
// Where long work would use all processors, it leaves half of one unused while a search has
// run within the last second. Otherwise a step costs the time of day.
package giveway

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// A search has a processor for quickWithin without a break, and then for shortSlice at a
	// time. It is short until it has run for shortWithin.
	quickWithin = 2 * time.Millisecond
	shortSlice  = time.Millisecond
	shortWithin = 10 * time.Millisecond
	// Long work runs for a slice at a time, which is about what a search takes: each time
	// that a search waits it may be behind all long work. A loader of two goroutines takes
	// as long with half a millisecond as with one, and a quarter more with a quarter.
	slice = time.Millisecond / 2
	// Long work gives way until so long after the last short search.
	after = time.Second
)

// began is when the process did: times are counted from it.
var began = time.Now()

// What runs now in this process.
var (
	short  atomic.Int64 // searches
	long   atomic.Int64 // goroutines that give way
	latest atomic.Int64 // when the last short search ended, in ns from began; 0: none has
)

// Work is what one goroutine does. Only that goroutine uses it. A nil Work gives no way.
type Work struct {
	isLong  bool
	counted bool      // in long
	ends    time.Time // when it is no short search any more
	next    time.Time // when others run next
	gave    time.Duration
}

// Search begins a search, behind those that have begun and not run yet.
func Search() *Work {
	short.Add(1)
	runtime.Gosched()
	now := time.Now()
	return &Work{ends: now.Add(shortWithin), next: now.Add(quickWithin)}
}

// Background begins work that gives way from its beginning. It counts from its first step
// on: a reader that waits for a database leaves the processors to the others.
func Background() *Work { return &Work{isLong: true} }

// End ends the work.
func (w *Work) End() {
	if w.counted {
		long.Add(-1)
	}
	if w.isLong {
		return
	}
	latest.Store(int64(time.Since(began)))
	short.Add(-1)
}

// Step gives way if it is time to do so. Loops call it so often that a step takes much less
// than a millisecond.
func (w *Work) Step() {
	if w == nil {
		return
	}
	now := time.Now()
	switch {
	case now.Before(w.next):
		return
	case w.isLong && !w.counted:
		w.counted, w.next = true, now.Add(slice)
		long.Add(1)
		return
	case !w.isLong && now.Before(w.ends):
		runtime.Gosched()
		w.next = time.Now().Add(shortSlice)
		return
	case !w.isLong:
		w.isLong, w.counted = true, true
		short.Add(-1)
		long.Add(1)
	}
	if searching() {
		time.Sleep(pause(int(long.Load()), runtime.GOMAXPROCS(0)))
		runtime.Gosched() // Go runs what has slept before all others
		w.gave += time.Since(now)
	}
	w.next = time.Now().Add(slice)
}

// Gave returns how long long work has given way in all.
func (w *Work) Gave() time.Duration { return w.gave }

// searching reports whether a short search runs, or has run lately.
func searching() bool {
	at := latest.Load()
	return short.Load() > 0 || at > 0 && time.Since(began)-time.Duration(at) < after
}

// pause returns how long each of some goroutines sleeps after a slice, so that together they
// leave half of one processor unused.
func pause(goroutines, processors int) time.Duration {
	share := float64(goroutines) / (float64(processors) - 0.5)
	return max(0, time.Duration(float64(slice)*(share-1)))
}
