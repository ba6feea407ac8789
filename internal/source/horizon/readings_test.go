package horizon

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
)

// One reading serves all watches of a server that wait for it, and no watch gets
// the same one twice.
func TestReadingsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{identity: "a", takes: 10 * time.Millisecond, state: State{Version: "1", Seen: second(7)}}
		readings := NewReadings(f, nil)
		var watches []*Watch
		for range 30 {
			watches = append(watches, readings.Watch(Options{}))
		}
		for round := 1; round <= 3; round++ {
			var all sync.WaitGroup
			horizons := make([]doc.Horizon, len(watches))
			for i, w := range watches {
				all.Go(func() {
					var err error
					if horizons[i], err = w.Horizon(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			for _, h := range horizons {
				if !h.Exact || !h.At.Equal(horizons[0].At) || h.Server != "a" || h.Version != "1" || !h.Seen.Equal(second(7)) {
					t.Errorf("round %d: got %+v, want it exact, the same for all, at %v, and with the server's state %+v", round, h, horizons[0].At, f.state)
				}
			}
			if f.readings != round {
				t.Errorf("readings: got %d, want %d, one a round", f.readings, round)
			}
		}
	})
}

// A reading serves a watch that asks later while it is younger than Fresh, which
// is at most maxFresh.
func TestFreshReadingIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			fresh, age time.Duration
			readings   int
		}{
			{fresh: 0, age: 0, readings: 2},
			{fresh: 100 * time.Millisecond, age: 100 * time.Millisecond, readings: 2},
			{fresh: 100 * time.Millisecond, age: 99 * time.Millisecond, readings: 1},
			{fresh: time.Hour, age: maxFresh, readings: 2},
			{fresh: time.Hour, age: maxFresh - 1, readings: 1},
		} {
			f := &fakeServer{}
			readings := NewReadings(f, nil)
			a, b := readings.Watch(Options{}), readings.Watch(Options{Fresh: c.fresh})
			first := exact(t, a)
			if want := first.Now.Add(-time.Second); !first.At.Equal(want) {
				t.Errorf("got %v, want %v, less by the slack of 1 second", first.At, want)
			}
			time.Sleep(c.age)
			second := exact(t, b)
			if shared := second.Now.Equal(first.Now); f.readings != c.readings || shared != (c.readings == 1 || c.age == 0) {
				t.Errorf("Fresh %v, %v later: got %d readings, the second of %v after the first of %v, want %d", c.fresh, c.age, f.readings, second.Now, first.Now, c.readings)
			}
		}
	})
}

// A new watch uses no reading that began before it was made.
func TestNewWatchReadsForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{takes: 10 * time.Millisecond}
		readings := NewReadings(f, nil)
		old := readings.Watch(Options{Fresh: time.Second})
		exact(t, old)
		time.Sleep(time.Nanosecond)
		made := time.Now()
		restarted := readings.Watch(Options{Fresh: time.Second})
		if h := exact(t, restarted); h.Now.Before(made) || f.readings != 2 {
			t.Errorf("got a reading of %v, reading %d, want reading 2, from after %v", h.Now, f.readings, made)
		}
		if exact(t, old); f.readings != 2 {
			t.Errorf("got %d readings, want the new watch's shared with the other", f.readings)
		}

		// A reading that began before the watch was made and ended after it asked.
		var all sync.WaitGroup
		all.Go(func() { exact(t, old) })
		time.Sleep(5 * time.Millisecond)
		made = time.Now()
		if h := exact(t, readings.Watch(Options{Fresh: time.Second})); h.Now.Before(made) || f.readings != 4 {
			t.Errorf("got a reading of %v, want one from after %v: a reading that was under way served a watch that was made meanwhile", h.Now, made)
		}
		all.Wait()
	})
}

// A transaction is above every watch's horizon until it has ended, whichever
// watch took the reading.
func TestSharedReadingKnowsOpenTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{}
		readings := NewReadings(f, nil)
		reader, other := readings.Watch(Options{}), readings.Watch(Options{Fresh: time.Second})
		for round := 1; round <= 3; round++ {
			exact(t, reader)
			exact(t, other)
			time.Sleep(time.Minute)
			began := time.Now()
			f.open = []Tx{hidden(1, "1/1"), shown(2, "2/1", 0)}
			f.open[1].Start = began
			time.Sleep(time.Minute)
			for _, w := range []*Watch{reader, other} {
				if h := exact(t, w); h.At.After(began) || h.Pin == nil || h.Pin.PID != 1 {
					t.Errorf("got %+v, want it at most %v and pinned by the hidden transaction", h, began)
				}
			}
			if other.lastReading != reader.lastReading || f.readings != 2*round {
				t.Errorf("round %d: got readings %d and %d, want one for both", round, reader.lastReading, other.lastReading)
			}
			f.open = nil
			time.Sleep(time.Minute)
		}
	})
}

// A failure serves the watches that waited for it.
func TestFailureIsSharedWithWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{err: doc.ErrUnavailable, takes: time.Second}
		readings := NewReadings(f, nil)
		var all sync.WaitGroup
		for range 5 {
			w := readings.Watch(Options{Fresh: time.Second})
			all.Go(func() {
				if _, err := w.Horizon(t.Context()); !errors.Is(err, doc.ErrUnavailable) {
					t.Errorf("got %v, want %v", err, doc.ErrUnavailable)
				}
			})
		}
		late := readings.Watch(Options{Fresh: time.Second})
		all.Wait()
		if f.readings != 1 {
			t.Errorf("got %d readings, want 1 that failed for all who waited", f.readings)
		}
		f.err = nil
		if exact(t, late); f.readings != 2 {
			t.Errorf("got %d readings, want the failure shared only with those who waited", f.readings)
		}
	})
}

// A reading that its watch has cancelled serves no other watch.
func TestCancelledReadingIsNotShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{takes: time.Second}
		readings := NewReadings(f, nil)
		w, other := readings.Watch(Options{}), readings.Watch(Options{})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := w.Horizon(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want %v", err, context.Canceled)
			}
		})
		synctest.Wait()
		all.Go(func() { exact(t, other) })
		synctest.Wait()
		waits, stop := context.WithCancelCause(t.Context())
		stop(errTooLong)
		if _, err := readings.Watch(Options{}).Horizon(waits); !errors.Is(err, errTooLong) {
			t.Errorf("got %v for a watch that waits no longer, want %v", err, errTooLong)
		}
		time.Sleep(time.Nanosecond)
		cancel()
		all.Wait()
		if f.readings != 2 {
			t.Errorf("got %d readings, want 2", f.readings)
		}
	})
}

// A watch that has nothing to ask by itself uses the reading that another one took, and
// waits for none. Readings are taken for such watches only while there are some.
func TestReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{identity: "a", state: State{Version: "1", Catalog: "c"}}
		readings := NewReadings(f, nil)
		lead := readings.Watch(Options{})
		checks := 0
		w := readings.Watch(Options{Fresh: time.Second, Scope: func(context.Context) (string, error) { checks++; return "", nil }})
		refresh := func() {
			t.Helper()
			if err := readings.Refresh(t.Context(), lead); err != nil {
				t.Fatal(err)
			}
		}
		want := func(when string, ready bool, taken int) {
			t.Helper()
			h, got := w.Ready()
			if got != ready || f.readings != taken {
				t.Errorf("%s: ready is %v after %d readings, want %v after %d", when, got, f.readings, ready, taken)
			}
			if got && (!h.Exact || h.Server != "a" || !h.At.Equal(h.Now.Add(-time.Second))) {
				t.Errorf("%s: got %+v, want it exact, a second before now", when, h)
			}
		}
		refresh() // no watch has asked
		want("without a reading", false, 0)
		refresh()
		want("with a scope that was never checked", false, 1)
		exact(t, w)
		time.Sleep(time.Minute)
		refresh()
		want("after a reading", true, 2)
		want("with a reading that the watch has used", false, 2)
		time.Sleep(time.Minute)
		refresh()
		time.Sleep(2 * time.Second)
		want("with a reading that is old", false, 3)
		f.state = State{Version: "2", Catalog: "d"}
		refresh()
		want("after the catalog has changed", false, 4)
		f.state = State{Version: "3", Catalog: "c"}
		time.Sleep(time.Minute)
		refresh()
		want("after a commit that changed no catalog", true, 5)
		f.err = errors.New("down")
		_ = readings.Refresh(t.Context(), lead)
		want("after a reading that failed", false, 6)
		if checks != 1 {
			t.Errorf("got %d checks of the scope, want 1", checks)
		}
	})
}
