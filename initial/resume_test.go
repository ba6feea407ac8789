package initial_test

import (
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/atomicfile"
	"indexerd/internal/fakeworld"
	"indexerd/internal/fakeworld/machine"
	"indexerd/internal/faultfs"
	"indexerd/timetrace"
)

const ranges = 6

// Whichever step fails, of database, sink or files, the load says so, claims
// nothing, and goes on when it is run again.
func TestResumeAfterEveryFailure(t *testing.T) {
	for k := 1; ; k++ {
		w := newWorld(t, ranges*batch)
		var steps machine.Counter
		w.Before(steps.Before(machine.FailAt(k, syscall.EIO)))
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
			var steps machine.Counter
			crash := fakeworld.NewCountdown(k)
			w.Before(steps.Before(crash.Before))
			_, err := w.load().Run(t.Context())
			w.Crash(t, pick)
			w.wantHonest(t)
			w.Table.Before = steps.Before(nil)
			if !w.Marks().Loaded {
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
	if got := fakeworld.Different(w.Table, w.Index); w.Marks().Loaded && len(got) > 0 {
		t.Errorf("the marks say that the table is loaded, and %v are different", got)
	}
}

// wantFewReads checks that one interruption cost no more than the ranges that
// were in flight.
func (w *world) wantFewReads(t *testing.T, steps *machine.Counter) {
	t.Helper()
	if got, most := steps.Of("range"), ranges+workers; got > most {
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
		w.Before(crash.Before)
		err := w.Trace.UpdateTable(machine.Table, func(m *timetrace.Table) { m.Loaded, m.Incremental = true, w.Table.Clock() })
		if err == nil {
			_, err = w.load().Run(t.Context())
		}
		w.Crash(t, faultfs.Worst)
		if w.Marks().Loaded && len(fakeworld.Different(w.Table, w.Index)) > 0 {
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
		w.Before(crash.Before)
		load := w.load()
		load.Sink = forgetful{} // what it takes is gone with the crash
		_, err := load.Run(t.Context())
		w.Crash(t, faultfs.Worst)
		if err != nil && !w.Marks().Loaded {
			w.mustLoad(t)
			if len(fakeworld.Different(w.Table, w.Index)) > 0 {
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
	w.Before(machine.FailAt(40, syscall.EIO))
	if _, err := w.load().Run(t.Context()); err == nil {
		t.Fatal("the load was to fail half-way")
	}
	w.Before(nil)
	if _, err := atomicfile.Read(w.Files, planFile); err != nil {
		t.Fatal(err)
	}
	w.Index = fakeworld.NewIndex(2)
	w.Start(t)
	if report := w.mustLoad(t); report.Read != ranges*batch {
		t.Errorf("got %d rows, want all %d", report.Read, ranges*batch)
	}
	w.wantLoaded(t)
}

// A load goes on with the same time and the same ranges, or what was written
// before it was interrupted would be in neither the load nor incremental.
func TestResumeKeepsTheTime(t *testing.T) {
	w := newWorld(t, ranges*batch)
	at := w.Table.Clock()
	w.Before(machine.FailAt(40, syscall.EIO))
	if _, err := w.load().Run(t.Context()); err == nil {
		t.Fatal("the load was to fail half-way")
	}
	w.Before(nil)
	w.Table.Advance(time.Hour)
	w.Start(t)
	w.mustLoad(t)
	if m := w.Marks(); !m.Incremental.Equal(at) || !m.Settled.Equal(at.Add(-timeout)) {
		t.Errorf("got incremental %v, settled %v, want them of the first run, %v", m.Incremental, m.Settled, at)
	}
}
