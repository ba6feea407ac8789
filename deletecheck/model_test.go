package deletecheck_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"indexerd/deletecheck"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/internal/test/faultfs"
	_ "indexerd/internal/test/nofailfile"
)

// change changes some rows, among them changes that no updateTime shows:
// back-dated, without a time, in the future, out of the filter, marked.
func (w *world) change(rt *rapid.T, write int) {
	x := w.Table.Begin()
	for _, n := range rapid.SliceOfN(rapid.IntRange(0, 25), 1, 8).Draw(rt, "rows") {
		row := fakeworld.Row{Title: fmt.Sprintf("write %d", write), Updated: w.Table.Clock()}
		switch rapid.IntRange(0, 9).Draw(rt, "kind") {
		case 0:
			row.Updated = time.Time{}
		case 1:
			row.Updated = row.Updated.Add(-time.Hour)
		case 2:
			row.Updated = row.Updated.AddDate(80, 0, 0)
		case 3:
			row.Marked = true
		case 4:
			row.Outside = true
		case 5:
			row.Children = fmt.Sprintf("child %d", write)
		case 6:
			row.Title = fakeworld.Unfit + row.Title
		case 7, 8:
			x.Delete(w.key(n))
			continue
		}
		x.PutRow(w.key(n), row)
	}
	x.Commit()
}

// damage damages index and pages as a crash or an operator may do.
func (w *world) damage(t *testing.T, rt *rapid.T) {
	oid := w.key(rapid.IntRange(0, 25).Draw(rt, "row"))
	switch rapid.IntRange(0, 3).Draw(rt, "damage") {
	case 0:
		w.removeDocument(t, oid)
	case 1:
		w.removePage(t, oid)
	case 2:
		if _, ok := w.Pages.Page(oid); ok {
			w.alterPage(t, oid, func(p *doc.Page) { p.Token.Digest++ })
		}
	case 3:
		if _, ok := w.Index.Doc(oid); ok {
			w.alterDocument(t, oid, func(d *doc.Doc) { d.V = doc.Version(rapid.IntRange(0, 3).Draw(rt, "v")) })
		}
	}
}

// After any commits, damage, faults and crashes, a sweep without concurrent changes
// makes index and table equal, and verify returns equal.
func TestHistories(t *testing.T) {
	worlds := []func(testing.TB) *world{newWorld, newTextWorld}
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(t *testing.T) {
			w := rapid.SampledFrom(worlds).Draw(rt, "world")(t)
			writes := 0
			n := rapid.IntRange(1, 12).Draw(rt, "steps")
			for range n {
				switch rapid.IntRange(0, 5).Draw(rt, "step") {
				case 0, 1:
					writes++
					w.change(rt, writes)
				case 2:
					w.damage(t, rt)
				case 3:
					runSweep(t, w.resting(rt))
				case 4:
					w.Before(machine.FailAt(rapid.IntRange(1, 120).Draw(rt, "fault at"), syscall.EIO))
					_, _ = w.resting(rt).Run(t.Context())
					w.Before(nil)
				case 5:
					w.Before(fakeworld.NewCountdown(rapid.IntRange(0, 120).Draw(rt, "crash at")).Before)
					_, _ = w.resting(rt).Run(t.Context())
					w.Crash(t, rapid.SampledFrom([]func(int) int{faultfs.Worst, faultfs.Best}).Draw(rt, "left"))
				}
			}
			s := w.sweep()
			s.FromScratch = true
			runSweep(t, s)
			w.wantEqual(t)
			if marks := w.Marks(); marks.Sweep.IsZero() {
				t.Error("the sweep is not marked")
			}
			w.settle(t)
			if len(w.Table.Rows()) > 0 {
				if got := runVerify(t, w.verify()); !got.Equal() || got.Unsettled+got.Pending > 0 {
					t.Errorf("verify: got %+v, want it equal", got)
				}
			}
		})
		if t.Failed() {
			rt.Fatal("failed")
		}
	})
}

// resting is a sweep that rests long enough to make its position durable, while
// the table changes.
func (w *world) resting(rt *rapid.T) *deletecheck.Sweep {
	s := w.sweep()
	writes := 1000
	s.Rest = func(ctx context.Context, _ time.Duration) error {
		time.Sleep(6 * time.Second)
		if rapid.IntRange(0, 3).Draw(rt, "change meanwhile") == 0 {
			writes++
			w.change(rt, writes)
		}
		return ctx.Err()
	}
	return s
}
