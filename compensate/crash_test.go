package compensate_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"indexerd/internal/fakeworld"
	"indexerd/internal/faultfs"
)

// passes are the passes that move S.
var passes = []struct {
	name string
	run  func(*testing.T, *world) error
}{
	{"tier", func(t *testing.T, w *world) error {
		last := w.last()
		last.Timeout, last.End = time.Second, 0
		_, err := last.Run(t.Context())
		return err
	}},
	{"exact", func(t *testing.T, w *world) error {
		_, _, err := w.exact().Run(t.Context())
		return err
	}},
	{"compared", func(t *testing.T, w *world) error {
		_, err := w.compared().Run(t.Context())
		return err
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
				err := pass.run(t, w)
				if crashed := crash.Crashed(); crashed != (err != nil) {
					t.Fatalf("%s: crash at step %d: got error %v", pass.name, k, err)
				}
				w.crash(t, pick)
				w.wantHonest(t)
				if s := w.Marks().Settled; s.Before(w.begin) {
					t.Errorf("S fell from %v to %v", w.begin, s)
				}
				if err := pass.run(t, w); err != nil {
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
				if err == nil {
					break
				}
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
			if err := pass.run(t, w); err != nil {
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
