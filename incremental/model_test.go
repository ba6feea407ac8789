package incremental_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/fakeworld"
	"indexerd/internal/fakeworld/machine"
	"indexerd/internal/faultfs"
)

// A history is random transactions, none open for longer than the overlap,
// with windows, faults, crashes and clock steps between them. In the end the
// index has the newest version of each row, and the mark never lied.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		row := rapid.IntRange(0, 12)
		writes := 0
		change := func(x *fakeworld.Tx) {
			for _, n := range rapid.SliceOfN(row, 1, 8).Draw(rt, "rows") {
				writes++
				if rapid.IntRange(0, 5).Draw(rt, "delete") == 0 {
					x.Delete(fakeworld.Key(n))
				} else {
					x.Put(fakeworld.Key(n), fmt.Sprintf("write %d", writes))
				}
			}
		}
		run := func() error {
			_, err := w.pass.Run(t.Context())
			return err
		}
		rt.Repeat(map[string]func(*rapid.T){
			"commit": func(*rapid.T) {
				x := w.Table.Begin()
				change(x)
				x.Commit()
				w.Table.Advance(time.Millisecond)
			},
			"commit late": func(rt *rapid.T) {
				x := w.Table.Begin()
				w.Table.Advance(500 * time.Millisecond)
				if err := run(); err != nil {
					rt.Fatal(err)
				}
				change(x)
				x.Commit()
			},
			"wait": func(rt *rapid.T) {
				w.Table.Advance(time.Duration(rapid.IntRange(0, 20_000).Draw(rt, "ms")) * time.Millisecond)
			},
			"clock steps back": func(rt *rapid.T) {
				w.Table.Advance(-time.Duration(rapid.IntRange(1, 100_000).Draw(rt, "ms")) * time.Millisecond)
				_ = run() // it is running when that happens; a fault is drawn below
			},
			"run": func(rt *rapid.T) {
				if err := run(); err != nil {
					rt.Fatal(err)
				}
			},
			"run with a fault": func(rt *rapid.T) {
				w.Before(machine.FailAt(rapid.IntRange(1, 60).Draw(rt, "step"), syscall.EIO))
				_ = run()
				w.Before(nil)
			},
			"crash": func(rt *rapid.T) {
				w.Before(fakeworld.NewCountdown(rapid.IntRange(0, 60).Draw(rt, "steps")).Before)
				_ = run()
				w.Crash(t, rapid.SampledFrom([]func(int) int{faultfs.Worst, faultfs.Best}).Draw(rt, "left"))
				w.pass = w.newPass()
			},
			"": func(rt *rapid.T) {
				rows := w.Table.Rows()
				for _, oid := range w.missing() {
					if at := rows[oid].Updated; at.Before(w.Marks().Incremental.Add(-time.Second)) {
						rt.Fatalf("row %v of %v is missing, and the mark is at %v", oid, at, w.Marks().Incremental)
					}
				}
			},
		})
		w.Table.Advance(time.Hour)
		if err := run(); err != nil {
			rt.Fatal(err)
		}
		if got := w.missing(); len(got) > 0 {
			rt.Fatalf("missing in the index: got %v, want none", got)
		}
	})
}
