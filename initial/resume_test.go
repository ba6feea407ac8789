package initial_test

import (
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/internal/test/faultfs"
)

const ranges = 6

// Whichever step fails, of database, sink or files, the load returns the error,
// moves no mark, and continues when it is run again.
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

// After a crash at any step, with any part of the unsynced data lost, the next
// load continues.
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

// wantHonest checks that the index has all rows if the marks have Loaded.
func (w *world) wantHonest(t *testing.T) {
	t.Helper()
	if got := fakeworld.Different(w.Table, w.Index); w.Marks().Loaded && len(got) > 0 {
		t.Errorf("the table is marked as loaded, and %v are different", got)
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

// A table of one range is loaded without a file, and again after a crash. The plan that
// another generation of the index has left is removed.
func TestOneRangeHasNoFile(t *testing.T) {
	for k := 0; ; k++ {
		w := newWorld(t, batch)
		if err := atomicfile.Write(w.Files, planFile, []byte(`{"generation":7}`+"\n")); err != nil {
			t.Fatal(err)
		}
		crash := fakeworld.NewCountdown(k)
		w.Before(func(step string) error {
			if step == "range" {
				if _, err := w.Files.OpenFile(planFile, 0, 0); err == nil {
					t.Error("there is a plan")
				}
			}
			return crash.Before(step)
		})
		_, err := w.load().Run(t.Context())
		w.Crash(t, faultfs.Worst)
		w.wantHonest(t)
		w.Table.Before = nil
		if !w.Marks().Loaded {
			w.Table.Advance(time.Hour)
			at := w.Table.Clock()
			w.mustLoad(t)
			if got := w.Marks().Load; !got.Equal(at) {
				t.Errorf("after a crash at step %d: got a load of %v, want %v, when it was begun again", k, got, at)
			}
			w.wantLoaded(t)
		}
		if t.Failed() {
			t.Fatalf("after a crash at step %d", k)
		}
		if err == nil {
			return
		}
	}
}

// The plan of another generation of the index is not resumed.
func TestAnotherIndexIsLoadedFromScratch(t *testing.T) {
	w := newWorld(t, ranges*batch)
	w.Before(machine.FailAt(40, syscall.EIO))
	if _, err := w.load().Run(t.Context()); err == nil {
		t.Fatal("the load did not fail half-way")
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

// A resumed load keeps its time and its ranges. Otherwise rows that were written
// before the interruption could be in neither the load nor incremental.
func TestResumeKeepsTheTime(t *testing.T) {
	w := newWorld(t, ranges*batch)
	at := w.Table.Clock()
	w.Before(machine.FailAt(40, syscall.EIO))
	if _, err := w.load().Run(t.Context()); err == nil {
		t.Fatal("the load did not fail half-way")
	}
	w.Before(nil)
	w.Table.Advance(time.Hour)
	w.Start(t)
	w.mustLoad(t)
	if m := w.Marks(); !m.Incremental.Equal(at) || !m.Settled.Equal(at.Add(-timeout)) {
		t.Errorf("got incremental %v, settled %v, want them of the first run, %v", m.Incremental, m.Settled, at)
	}
}
