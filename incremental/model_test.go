package incremental_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/internal/test/faultfs"
	_ "indexerd/internal/test/nofailfile"
)

// A history is random transactions, none open for longer than the overlap, with
// windows, faults, crashes and clock steps between them. In the end the index has
// the newest version of each row, and no other document but those of rows that
// were deleted. At any time every row below the mark is in the index.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		row := rapid.IntRange(0, 12)
		writes := 0
		deleted := map[doc.OID]bool{} // by the last write
		change := func(x *fakeworld.Tx, began time.Time) {
			for _, n := range rapid.SliceOfN(row, 1, 8).Draw(rt, "rows") {
				writes++
				oid, title := fakeworld.Key(n), fmt.Sprintf("write %d", writes)
				kind := rapid.SampledFrom([]string{"put", "put", "put", "delete", "mark", "out of the filter"}).Draw(rt, "kind")
				deleted[oid] = kind == "delete"
				switch kind {
				case "put":
					x.Put(oid, title)
				case "delete":
					x.Delete(oid)
				default:
					x.PutRow(oid, fakeworld.Row{Updated: began, Title: title, Marked: kind == "mark", Outside: kind != "mark"})
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
				change(x, w.Table.Clock())
				x.Commit()
				w.Table.Advance(time.Millisecond)
			},
			"commit late": func(rt *rapid.T) {
				x, began := w.Table.Begin(), w.Table.Clock()
				w.Table.Advance(500 * time.Millisecond)
				if err := run(); err != nil {
					rt.Fatal(err)
				}
				change(x, began)
				x.Commit()
			},
			"wait": func(rt *rapid.T) {
				w.Table.Advance(time.Duration(rapid.IntRange(0, 20_000).Draw(rt, "ms")) * time.Millisecond)
			},
			"clock steps back": func(rt *rapid.T) {
				w.Table.Advance(-time.Duration(rapid.IntRange(1, 100_000).Draw(rt, "ms")) * time.Millisecond)
				_ = run() // the pass runs when the clock steps; a fault is drawn below
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
				for _, oid := range w.Missing() {
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
		if got := w.Missing(); len(got) > 0 {
			rt.Fatalf("missing in the index: got %v, want none", got)
		}
		for _, oid := range w.Ghosts() {
			if !deleted[oid] {
				rt.Fatalf("row %v left the SQL's result, and is in the index", oid)
			}
		}
	})
}
