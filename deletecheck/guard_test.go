package deletecheck_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/faultfs"
	"indexerd/timetrace"
)

// If a table was emptied by mistake the guard holds all removals of a sweep, until
// an operator allows them.
func TestGuardHoldsTheSweep(t *testing.T) {
	for _, begin := range []func(testing.TB) *world{newWorld, newTextWorld} {
		w := begin(t)
		for n := range 24 {
			w.put(n)
		}
		w.load(t)
		w.limit(t, sink.Limits{Count: 6, Fraction: 0.2})
		for n := range 24 {
			w.Table.Delete(w.key(n))
		}
		for range 2 { // a second sweep does not remove them either
			report := runSweep(t, w.sweep())
			if n := len(w.Index.Titles()); report.Held != 24 || report.Deleted != 0 || n != 24 {
				t.Fatalf("held %d, deleted %d, left %d, want 24, 0 and 24", report.Held, report.Deleted, n)
			}
		}
		if w.Marks().Sweep.IsZero() {
			t.Error("the sweep has ended, and its mark did not move")
		}
		w.Guard.Allow(24)
		if report := runSweep(t, w.sweep()); report.Deleted != 24 || report.Held != 0 {
			t.Errorf("allowed: deleted %d, held %d, want 24 and 0", report.Deleted, report.Held)
		}
		w.wantEqual(t)
	}
}

// Removals within the limits are made, however many batches they need.
func TestGuardAdmitsWithinTheLimits(t *testing.T) {
	w := loaded(t, 24)
	w.limit(t, sink.Limits{Fraction: 0.5})
	for n := range 12 {
		w.Table.Delete(w.key(2 * n))
	}
	if report := runSweep(t, w.sweep()); report.Deleted != 12 || report.Held != 0 {
		t.Errorf("deleted %d, held %d, want 12 and 0", report.Deleted, report.Held)
	}
	w.wantEqual(t)
}

// The guard does not hold the removal of rows that are marked deleted.
func TestGuardDoesNotHoldMarkedRows(t *testing.T) {
	w := loaded(t, 12)
	w.limit(t, sink.Limits{})
	for n := range 12 {
		row := w.Table.Rows()[w.key(n)]
		row.Marked = true
		w.Table.PutRow(w.key(n), row)
	}
	if report := runSweep(t, w.sweep()); report.Deleted != 12 || report.Held != 0 {
		t.Errorf("deleted %d, held %d, want 12 and 0", report.Deleted, report.Held)
	}
	w.wantEqual(t)
}

// Where a row that changes gets another key, the guard limits the removals that
// exceed the additions, however the sweep cuts them into batches.
func TestGuardLimitsTheNetLoss(t *testing.T) {
	for _, c := range []struct {
		rekeys                       bool
		changed, lost, deleted, held int
	}{
		{false, 24, 0, 0, 24},
		{true, 24, 0, 24, 0},
		{true, 10, 6, 16, 0},
		{true, 10, 7, 10, 7},
		{true, 0, 24, 0, 24},
	} {
		w := loaded(t, 24)
		w.limit(t, sink.Limits{Count: 6})
		for n := range c.changed + c.lost {
			w.Table.Delete(w.key(n))
		}
		for n := range c.changed {
			w.put(100 + n)
		}
		s := w.sweep()
		s.Rekeys = c.rekeys
		if report := runSweep(t, s); report.Deleted != c.deleted || report.Held != c.held || report.Added != c.changed {
			t.Errorf("%+v: got %d deleted, %d held and %d added", c, report.Deleted, report.Held, report.Added)
		}
		w.Guard.Allow(24)
		if report := runSweep(t, w.sweep()); report.Deleted != c.held {
			t.Errorf("%+v: then %d deleted, want those that were held", c, report.Deleted)
		}
		w.wantEqual(t)
	}
}

// If any read of the database fails, the sweep removes nothing.
func TestErrorRemovesNothing(t *testing.T) {
	lost := errors.New("connection lost")
	for k := 1; ; k++ {
		w := loaded(t, 12)
		for n := range 6 {
			w.Table.Delete(w.key(n))
		}
		reads, failed := 0, false
		w.Table.Before = func(step string) error {
			if reads++; reads == k {
				failed = true
				return lost
			}
			return nil
		}
		_, err := w.sweep().Run(t.Context())
		if !failed {
			if err != nil || k < 5 {
				t.Fatalf("%d queries, %v, want some, and no error", reads, err)
			}
			w.wantEqual(t)
			return
		}
		if !errors.Is(err, lost) {
			t.Fatalf("query %d: got %v, want the error", k, err)
		}
		if n := len(w.Index.Titles()); n != 12 {
			t.Fatalf("query %d failed: got %d documents, want 12", k, n)
		}
		if !w.Marks().Sweep.IsZero() {
			t.Fatalf("query %d failed: the sweep is marked as ended", k)
		}
	}
}

// On a standby that is behind, a sweep removes nothing.
func TestBehindRemovesNothing(t *testing.T) {
	w := loaded(t, 12)
	w.Table.Delete(w.key(3))
	w.removeDocument(t, w.key(5))
	w.Table.Standby = "its replay is paused"
	if _, err := w.sweep().Run(t.Context()); err == nil || !strings.Contains(err.Error(), "its replay is paused") {
		t.Errorf("got %v, want the reason", err)
	}
	if n := len(w.Index.Titles()); n != 12 {
		t.Errorf("got %d documents, want 12", n)
	}
	if !w.Marks().Sweep.IsZero() {
		t.Error("the sweep is marked as ended")
	}
	w.Table.Standby = ""
	runSweep(t, w.sweep())
	w.wantEqual(t)
}

// The document of a row that comes back during the sweep stays.
func TestRemovalsAreConfirmed(t *testing.T) {
	w := loaded(t, 12)
	w.Table.Delete(w.key(3))
	w.Table.Delete(w.key(4))
	s := w.sweep()
	rests := 0
	s.Rest = func(context.Context, time.Duration) error {
		if rests++; rests == 3 {
			w.put(3)
		}
		return nil
	}
	if report := runSweep(t, s); report.Deleted != 1 {
		t.Errorf("deleted: got %d, want 1", report.Deleted)
	}
	w.wantEqual(t)
}

// After a rewind during a sweep the table stays unverified: rows that were compared
// before the rewind may differ again.
func TestRewindDuringTheSweep(t *testing.T) {
	w := loaded(t, 12)
	w.Update(t, func(m *timetrace.Table) { m.Rewind(m.Settled, "failed over") })
	s := w.sweep()
	s.Rest = func(context.Context, time.Duration) error {
		if w.Marks().Rewinds == 1 {
			w.Update(t, func(m *timetrace.Table) { m.Rewind(m.Settled, "failed over again") })
		}
		return nil
	}
	runSweep(t, s)
	if got := w.Marks().Unverified; got != "failed over again" {
		t.Errorf("unverified: got %q, want the second rewind", got)
	}
	runSweep(t, w.sweep())
	if got := w.Marks().Unverified; got != "" {
		t.Errorf("unverified: got %q, want it verified", got)
	}
}

// After a crash at any step, neither the sweep nor its continuation has lost a
// candidate or removed a live row. The position is durable at each rest.
func TestCrashAnywhere(t *testing.T) {
	for _, begin := range []func(testing.TB) *world{newWorld, newTextWorld} {
		for _, pick := range []func(int) int{faultfs.Worst, faultfs.Best} {
			for k := 0; ; k++ {
				more := false
				synctest.Test(t, func(t *testing.T) {
					w := begin(t)
					for n := range 16 {
						w.put(n)
					}
					w.load(t)
					for _, n := range []int{0, 1, 6, 7, 14} {
						w.Table.Delete(w.key(n))
					}
					w.removeDocument(t, w.key(3))
					w.removePage(t, w.key(9))
					w.removeDocument(t, w.key(14))
					w.put(17, 18)
					crash := fakeworld.NewCountdown(k)
					w.Before(crash.Before)
					s := w.sweep()
					s.Rest = func(ctx context.Context, _ time.Duration) error { time.Sleep(6 * time.Second); return nil }
					_, err := s.Run(t.Context())
					more = crash.Crashed()
					if ended := !w.Marks().Sweep.IsZero(); ended != (err == nil) && !ended {
						t.Fatalf("crash at step %d: got error %v, ended: %t", k, err, ended)
					}
					w.Crash(t, pick)
					for oid := range w.Table.Rows() {
						_, ok := w.Index.Title(oid)
						if !ok && oid != w.key(3) && oid != w.key(17) && oid != w.key(18) {
							t.Errorf("the document of %v was removed", oid)
						}
					}
					runSweep(t, w.sweep())
					w.wantEqual(t)
					if t.Failed() {
						t.Fatalf("after a crash at step %d", k)
					}
				})
				if t.Failed() {
					return
				}
				if !more {
					break
				}
			}
		}
	}
}

// A page with neither document nor row is found also if there are as many pages as
// documents, because another document has no page.
func TestOrphanBesideADocumentWithoutPage(t *testing.T) {
	w := loaded(t, 12)
	for _, n := range []int{3, 8} {
		w.Table.Delete(w.key(n))
	}
	w.removePage(t, w.key(3))
	w.removeDocument(t, w.key(8))
	if got := runVerify(t, w.verify()); got.Different() != 0 || got.Pending != 2 {
		t.Errorf("got %+v, want rows 3 and 8 pending", got)
	}
	runSweep(t, w.sweep())
	w.wantEqual(t)
}
