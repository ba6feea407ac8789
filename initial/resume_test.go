package initial_test

import (
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"testing"

	"indexerd/internal/atomicfile"
	"indexerd/internal/fakeworld"
	"indexerd/internal/faultfs"
	"indexerd/timetrace"
)

const ranges = 6

// once fails the k-th step.
func once(k int) func(string) error {
	var n atomic.Int64
	return func(string) error {
		if int(n.Add(1)) == k {
			return syscall.EIO
		}
		return nil
	}
}

// Whichever step fails, of database, sink or files, the load says so, claims
// nothing, and goes on when it is run again.
func TestResumeAfterEveryFailure(t *testing.T) {
	for k := 1; ; k++ {
		w := newWorld(t, ranges*batch)
		var steps counter
		w.before(steps.counting(once(k)))
		_, err := w.load().Run(t.Context())
		if err != nil {
			if !errors.Is(err, syscall.EIO) {
				t.Fatalf("step %d: got error %v, want %v", k, err, syscall.EIO)
			}
			w.wantHonest(t)
			w.mustLoad(t)
		}
		w.wantLoaded(t)
		w.wantFewReads(t, &steps)
		if t.Failed() {
			t.Fatalf("after a fault at step %d", k)
		}
		if err == nil {
			return
		}
	}
}

// A crash at any step, whatever it leaves of what was not synced, is followed
// by a load that goes on from there.
func TestResumeAfterEveryCrash(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for _, pick := range []func(int) int{faultfs.Worst, faultfs.Best, draw.IntN} {
		for k := 0; ; k++ {
			w := newWorld(t, ranges*batch)
			var steps counter
			crash := fakeworld.NewCountdown(k)
			w.before(steps.counting(crash.Before))
			_, err := w.load().Run(t.Context())
			w.crash(t, pick)
			w.wantHonest(t)
			w.table.Before = steps.continued()
			if !w.marks().Loaded {
				w.mustLoad(t)
				w.wantLoaded(t)
			}
			w.wantFewReads(t, &steps)
			if t.Failed() {
				t.Fatalf("after a crash at step %d", k)
			}
			if err == nil {
				break
			}
		}
	}
}

// wantHonest checks that marks which say "loaded" are true.
func (w *world) wantHonest(t *testing.T) {
	t.Helper()
	if got := fakeworld.Different(w.table, w.index); w.marks().Loaded && len(got) > 0 {
		t.Errorf("the marks say that the table is loaded, and %v are different", got)
	}
}

// wantFewReads checks that one interruption cost no more than the ranges that
// were in flight.
func (w *world) wantFewReads(t *testing.T, steps *counter) {
	t.Helper()
	if got, most := steps.of("range"), ranges+workers; got > most {
		t.Errorf("ranges read: got %d, want at most %d", got, most)
	}
}

// The failing twin: a load that moves its marks before the rows are durable
// claims, after a crash, what the index does not have.
func TestMarksFirstLosesRows(t *testing.T) {
	lost := 0
	for k := 0; ; k++ {
		w := newWorld(t, ranges*batch)
		crash := fakeworld.NewCountdown(k)
		w.before(crash.Before)
		err := w.trace.UpdateTable("film", func(m *timetrace.Table) { m.Loaded, m.Incremental = true, w.table.Clock() })
		if err == nil {
			_, err = w.load().Run(t.Context())
		}
		w.crash(t, faultfs.Worst)
		if w.marks().Loaded && len(fakeworld.Different(w.table, w.index)) > 0 {
			lost++
		}
		if err == nil {
			break
		}
	}
	if lost == 0 {
		t.Error("the twin lost nothing: these crashes prove nothing of the right order")
	}
}

// The failing twin: a range that is recorded before its rows are durable is
// never read again.
func TestRecordFirstLosesRows(t *testing.T) {
	lost := 0
	for k := 0; ; k++ {
		w := newWorld(t, ranges*batch)
		crash := fakeworld.NewCountdown(k)
		w.before(crash.Before)
		load := w.load()
		load.Sink = forgetful{} // what it takes is gone with the crash
		_, err := load.Run(t.Context())
		w.crash(t, faultfs.Worst)
		if err != nil && !w.marks().Loaded {
			w.mustLoad(t)
			if len(fakeworld.Different(w.table, w.index)) > 0 {
				lost++
			}
		}
		if err == nil {
			break
		}
	}
	if lost == 0 {
		t.Error("the twin lost nothing: these crashes prove nothing of the right order")
	}
}

// A load that can't be resumed, since its index is another one, begins again.
func TestAnotherIndexIsLoadedFromTheBeginning(t *testing.T) {
	w := newWorld(t, ranges*batch)
	w.before(once(40))
	if _, err := w.load().Run(t.Context()); err == nil {
		t.Fatal("the load was to fail half-way")
	}
	w.before(nil)
	if _, err := atomicfile.Read(w.files, planFile); err != nil {
		t.Fatal(err)
	}
	w.index = fakeworld.NewIndex(2)
	w.start(t)
	if report := w.mustLoad(t); report.Read != ranges*batch {
		t.Errorf("got %d rows, want all %d", report.Read, ranges*batch)
	}
	w.wantLoaded(t)
}

// A load goes on with the same time and the same ranges, or what was written
// before it was interrupted would be in neither the load nor incremental.
func TestResumeKeepsTheTime(t *testing.T) {
	w := newWorld(t, ranges*batch)
	at := w.table.Clock()
	w.before(once(40))
	if _, err := w.load().Run(t.Context()); err == nil {
		t.Fatal("the load was to fail half-way")
	}
	w.before(nil)
	w.table.Advance(3600e9)
	w.start(t)
	w.mustLoad(t)
	if m := w.marks(); !m.Incremental.Equal(at) || !m.Settled.Equal(at.Add(-timeout)) {
		t.Errorf("got incremental %v, settled %v, want them of the first run, %v", m.Incremental, m.Settled, at)
	}
}
