package deletecheck_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/deletecheck"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

// stopped runs a sweep up to the n-th rest. Each rest is long enough to make the
// position durable.
func stopped(t *testing.T, w *world, n int) {
	t.Helper()
	stop := errors.New("stop")
	s := w.sweep()
	s.Rest = func(context.Context, time.Duration) error {
		if n--; n == 0 {
			return stop
		}
		time.Sleep(6 * time.Second)
		return nil
	}
	if _, err := s.Run(t.Context()); !errors.Is(err, stop) {
		t.Fatalf("got %v, want it stopped", err)
	}
}

// listings runs a sweep and counts its queries by range.
func listings(t *testing.T, w *world, s *deletecheck.Sweep) int {
	t.Helper()
	var steps machine.Counter
	w.Table.Before = steps.Before(nil)
	runSweep(t, s)
	w.Table.Before = nil
	return steps.Of("stamps in range")
}

// A stopped sweep continues at its position. It starts from scratch if the position
// is damaged, or is of another index, SQL or rewind.
func TestSweepContinuesAtItsPosition(t *testing.T) {
	write := func(name, text string) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			if err := atomicfile.Write(w.Files, "data/film/"+name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	marks := func(f func(*timetrace.Table)) func(*testing.T, *world) {
		return func(t *testing.T, w *world) { w.Update(t, f) }
	}
	tests := []struct {
		name   string
		change func(*testing.T, *world)
		whole  bool // the next sweep starts from scratch
	}{
		{"a restart", func(t *testing.T, w *world) { w.Start(t) }, false},
		{"S and the marks have moved", marks(func(m *timetrace.Table) { m.Settled = m.Settled.Add(time.Hour) }), false},
		{"another index", marks(func(m *timetrace.Table) { m.Generation++ }), true},
		{"another SQL", marks(func(m *timetrace.Table) { m.SQL = "another" }), true},
		{"a rewind", marks(func(m *timetrace.Table) { m.Rewind(m.Settled, "restored") }), true},
		{"a sweep has ended since", marks(func(m *timetrace.Table) { m.Sweep = m.Settled.Add(time.Hour) }), true},
		{"the position is damaged", write("sweep", `{"version":1,"pha`), true},
		{"of another version", write("sweep", `{"version":2,"phase":"ranges"}`), true},
		{"an invalid key", write("sweep", `{"version":1,"generation":1,"started":"2036-01-01T00:00:00Z","phase":"ranges","next":"x"}`), true},
		{"an unknown phase", write("sweep", `{"version":1,"generation":1,"started":"2036-01-01T00:00:00Z","phase":"rest"}`), true},
		{"the spool is damaged", write("sweep.gone", "damaged"), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := loaded(t, 24)
				whole := listings(t, w, w.sweep())
				w.Table.Advance(time.Minute)
				w.Table.Delete(w.key(0))
				w.Table.Delete(w.key(23))
				stopped(t, w, 5)
				test.change(t, w)
				s := w.sweep()
				got := listings(t, w, s)
				if (got >= whole) != test.whole {
					t.Errorf("got %d listings of %d, want all: %t", got, whole, test.whole)
				}
				w.wantEqual(t)
			})
		})
	}
}

// Wherever a sweep is stopped, the final report counts each row and each removal
// once, and the mark is the time when the sweep began.
func TestResumedReport(t *testing.T) {
	for _, begin := range []func(testing.TB) *world{newWorld, newTextWorld} {
		for n := 1; n <= 8; n++ {
			synctest.Test(t, func(t *testing.T) {
				w := begin(t)
				for row := range 24 {
					w.put(row)
				}
				w.load(t)
				for _, row := range []int{0, 11, 23} {
					w.Table.Delete(w.key(row))
				}
				w.limit(t, sink.Limits{Count: 3})
				stopped(t, w, n)
				left := len(w.Index.Titles()) - 21
				started := w.Table.Clock()
				w.Table.Advance(time.Hour)
				var done, of int64
				s := w.sweep()
				s.Progress = func(d, o int64) { done, of = d, o }
				if got := runSweep(t, s); got.Compared != 24 || got.Deleted != left || got.Held != 0 {
					t.Errorf("stopped at rest %d: compared %d, deleted %d, held %d, want 24, %d and 0", n, got.Compared, got.Deleted, got.Held, left)
				}
				if n < 5 && (done < 24 || done > of) {
					t.Errorf("progress: got %d of %d, want all", done, of)
				}
				if got := w.Marks().Sweep; !got.Equal(started) && n > 1 {
					t.Errorf("marked at %v, want when it began, %v", got, started)
				}
			})
		}
	}
}

// A sweep that an operator starts does not continue an earlier one.
func TestSweepFromScratch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := loaded(t, 24)
		stopped(t, w, 3)
		w.Table.Advance(time.Hour)
		s := w.sweep()
		s.FromScratch = true
		if got := runSweep(t, s); got.Compared != 24 {
			t.Errorf("compared: got %d, want 24", got.Compared)
		}
		if got := w.Marks().Sweep; !got.Equal(w.Table.Clock()) {
			t.Errorf("marked at %v, want when it began, %v", got, w.Table.Clock())
		}
	})
}

// A position in which a bit was flipped is not continued: it may be of another key.
func TestDamagedPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := loaded(t, 24)
		all := listings(t, w, w.sweep())
		w.Table.Advance(time.Hour)
		stopped(t, w, 3)
		name := machine.Dir + "/sweep"
		whole, err := atomicfile.Read(w.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(whole, []byte(`"next":"`)) + len(`"next":"`) + 16
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1
		if err := atomicfile.Write(w.Files, name, damaged); err != nil {
			t.Fatal(err)
		}
		if n := listings(t, w, w.sweep()); n != all {
			t.Errorf("listings: got %d, want %d: those of a sweep from scratch; the position was %s", n, all, damaged)
		}
	})
}
