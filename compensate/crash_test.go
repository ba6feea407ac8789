package compensate_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/internal/test/faultfs"
)

// passes are the passes that move S. make returns a run of one pass object.
var passes = []struct {
	name string
	make func(*testing.T, *world) func() error
}{
	{"tier 10m", func(t *testing.T, w *world) func() error {
		last := w.last()
		last.Timeout, last.End = time.Second, 0
		return func() error { _, err := last.Run(t.Context()); return err }
	}},
	{"exact", func(t *testing.T, w *world) func() error {
		e := w.exact()
		return func() error { _, _, err := e.Run(t.Context()); return err }
	}},
	{"compared", func(t *testing.T, w *world) func() error {
		c := w.compared()
		return func() error { _, err := c.Run(t.Context()); return err }
	}},
}

// After a crash at any step every row below S is in the index, S is not below the
// durable one, and the next process finds all other rows.
func TestCrashAnywhere(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for _, pass := range passes {
		for _, pick := range []func(int) int{faultfs.Worst, faultfs.Best, draw.IntN} {
			for k := 0; ; k++ {
				w := newWorld(t)
				w.upheaval(t)
				crash := fakeworld.NewCountdown(k)
				w.Before(crash.Before)
				crashErr := pass.make(t, w)()
				if crashed := crash.Crashed(); crashed != (crashErr != nil) {
					t.Fatalf("%s: crash at step %d: got error %v", pass.name, k, crashErr)
				}
				w.crash(t, pick)
				w.wantHonest(t)
				if s := w.Marks().Settled; s.Before(w.begin) {
					t.Errorf("S fell from %v to %v", w.begin, s)
				}
				if err := pass.make(t, w)(); err != nil {
					t.Fatal(err)
				}
				w.WantAll(t)
				w.wantHonest(t)
				if s := w.Marks().Settled; !s.After(w.begin) {
					t.Errorf("S: got %v, want it after %v", s, w.begin)
				}
				if t.Failed() {
					t.Fatalf("%s: after a crash at step %d", pass.name, k)
				}
				if crashErr == nil {
					break
				}
			}
		}
	}
}

// Whichever step fails, S stays, no document of a live row is removed, and the next
// run of the same pass repairs everything.
func TestFaultAnywhere(t *testing.T) {
	for _, pass := range passes {
		for k := 1; ; k++ {
			w := newWorld(t)
			w.upheaval(t)
			rows, before := w.Table.Rows(), w.Index.Titles()
			run := pass.make(t, w)
			w.Before(machine.FailAt(k, syscall.EIO))
			err := run()
			w.Before(nil)
			if err != nil {
				if !errors.Is(err, syscall.EIO) || !strings.HasPrefix(err.Error(), "compensate film, "+pass.name+": ") && !strings.HasPrefix(err.Error(), "compensate film, horizon: ") {
					t.Fatalf("%s, step %d: got error %v, want %v", pass.name, k, err, syscall.EIO)
				}
				if got := w.Marks().Settled; !got.Equal(w.begin) {
					t.Errorf("S: got %v, want it where it was, %v", got, w.begin)
				}
				for oid := range before {
					_, live := rows[oid]
					if _, ok := w.Index.Title(oid); live && !ok {
						t.Errorf("the document of row %v was removed", oid)
					}
				}
				if err := run(); err != nil {
					t.Fatal(err)
				}
			}
			w.checkRepaired(t)
			if t.Failed() {
				t.Fatalf("%s: after a fault at step %d", pass.name, k)
			}
			if err == nil {
				break
			}
		}
	}
}

// A crash between two runs loses the tree and the S of an idle time, and no row.
func TestCrashBetweenRuns(t *testing.T) {
	for _, pass := range passes {
		w := newWorld(t)
		durable := w.Marks().Settled
		for n := range 30 {
			if n%3 == 0 {
				w.late(t, n, "late")
			}
			w.Table.Advance(3 * time.Second)
			if err := pass.make(t, w)(); err != nil {
				t.Fatal(err)
			}
			w.WantAll(t)
			w.crash(t, faultfs.Worst)
			w.wantHonest(t)
			if s := w.Marks().Settled; s.Before(durable) {
				t.Errorf("%s: S fell from %v to %v", pass.name, durable, s)
			}
			durable = w.Marks().Settled
		}
	}
}
