package deletecheck_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	"indexerd/internal/faultfs"
	"indexerd/internal/sink"
	"indexerd/timetrace"
)

// A table emptied by mistake does not empty the index: the sweep is held as a
// whole and says so, until a person allows it.
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
		for range 2 { // nor does it at another try
			report := runSweep(t, w.sweep())
			if n := len(w.Index.Titles()); report.Held != 24 || report.Deleted != 0 || n != 24 {
				t.Fatalf("held %d, deleted %d, left %d, want 24, 0 and 24", report.Held, report.Deleted, n)
			}
		}
		if w.Marks().Sweep.IsZero() {
			t.Error("a sweep that was held has ended, and is not marked")
		}
		w.Guard.Allow(24)
		if report := runSweep(t, w.sweep()); report.Deleted != 24 || report.Held != 0 {
			t.Errorf("allowed: deleted %d, held %d, want 24 and 0", report.Deleted, report.Held)
		}
		w.wantEqual(t)
	}
}

// Removals within the limits are made, however many batches they take: held
// are all or none of a sweep.
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

// The twin of TestGuardHoldsTheSweep: with each batch judged by itself the
// index is emptied piece by piece.
func TestTwinPieceByPiece(t *testing.T) {
	w := loaded(t, 24)
	w.limit(t, sink.Limits{Count: 6})
	for n := range 12 {
		w.Table.Delete(w.key(n))
	}
	s := w.sweep()
	s.Sink = pieces{w.Sink}
	if report := runSweep(t, s); report.Deleted == 0 {
		t.Error("deleted 0: the count of all removals is not what holds them")
	}
}

// pieces keeps from the guard how many removals there are in all.
type pieces struct{ *sink.Sink }

func (p pieces) Delete(ctx context.Context, stamps []doc.Stamp, found doc.FetchSeq, _ int) (doc.Report, error) {
	return p.Sink.Delete(ctx, stamps, found, len(stamps))
}

// Rows marked deleted say so themselves: they leave without the guard.
func TestMarkedRowsLeave(t *testing.T) {
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

// A listing that ended in an error removes nothing, whichever page it was.
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

// Nothing is concluded from a row's absence on a standby that is behind; what
// differs is repaired.
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

// A document that was written since it was listed stays, and so does one whose
// row has come back.
func TestRemovalsAreAskedAgain(t *testing.T) {
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

// A rewind while the sweep runs keeps the table unverified: what was compared
// before it says nothing any more.
func TestRewindDuringTheSweep(t *testing.T) {
	w := loaded(t, 12)
	w.update(t, func(m *timetrace.Table) { m.Rewind(m.Settled, "failed over") })
	s := w.sweep()
	s.Rest = func(context.Context, time.Duration) error {
		if w.Marks().Rewinds == 1 {
			w.update(t, func(m *timetrace.Table) { m.Rewind(m.Settled, "failed over again") })
		}
		return nil
	}
	runSweep(t, s)
	if got := w.Marks().Unverified; got != "failed over again" {
		t.Errorf("unverified: got %q, want what the sweep has not seen", got)
	}
	runSweep(t, w.sweep())
	if got := w.Marks().Unverified; got != "" {
		t.Errorf("unverified: got %q, want it verified", got)
	}
}

// A crash at any step of a sweep, whose position is durable at each rest,
// neither loses a candidate nor removes wrongly, nor does the sweep after it,
// which goes on where that one was.
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

// As many pages as documents is no proof where a document lacks its page:
// there may be a page of neither beside it.
func TestAsManyPagesAsDocuments(t *testing.T) {
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
