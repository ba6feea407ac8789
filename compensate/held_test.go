package compensate_test

import (
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
	"indexerd/timetrace"
)

// guarded is a world of some rows, with few removals admitted.
func guarded(t *testing.T, rows int, l sink.Limits) *world {
	t.Helper()
	w := newWorld(t)
	w.Limits = l
	w.Start(t)
	w.follow = w.newFollow()
	for n := range rows {
		w.Table.Put(fakeworld.Key(n), "row")
	}
	w.Table.Advance(time.Second)
	run(t, w.follow)
	return w
}

// A table was emptied by mistake. A comparison removes no more than the guard's
// limit, whatever its batches. The pass does not fail, S moves, and late rows
// are found.
func TestEmptiedTableIsHeld(t *testing.T) {
	const rows, most = 20 * batch, 2 * batch
	w := guarded(t, rows, sink.Limits{Count: most})
	x := w.Table.Begin()
	for n := range rows {
		x.Delete(fakeworld.Key(n))
	}
	x.Commit()
	w.late(t, rows, "late")
	report := runExact(t, w.exact())
	if report.Deleted > most || report.Held < rows-most || report.Added != 1 {
		t.Errorf("got %+v, want at most %d deleted, the others held, 1 added", report, most)
	}
	if got, want := w.Guard.Held().Removals, rows-report.Deleted; got != want {
		t.Errorf("held: got %d, want %d", got, want)
	}
	if got := w.Marks().Settled; !got.Equal(w.Table.Clock()) {
		t.Errorf("S: got %v, want %v", got, w.Table.Clock())
	}
	w.wantHonest(t)
	documents := len(w.Index.Titles())
	for range 5 { // nor by one after the other
		w.Update(t, func(m *timetrace.Table) { m.Settled = w.begin })
		runExact(t, w.exact())
	}
	if got := len(w.Index.Titles()); got != documents || got < rows-most {
		t.Errorf("documents: got %d after further passes, want %d as before", got, documents)
	}
}

// After the guard held a batch it holds the last one too, although that alone is
// within the limit.
func TestGuardCountsAllBatchesOfAComparison(t *testing.T) {
	const rows, most = 3*batch + 1, batch - 1
	w := guarded(t, rows, sink.Limits{Count: most})
	x := w.Table.Begin()
	for n := range rows {
		x.Delete(fakeworld.Key(n))
	}
	x.Commit()
	report, err := w.comparison().Run(t.Context(), doc.Window{From: w.begin, To: w.Table.Clock().Add(hour)})
	if err != nil || report.Deleted != 0 || report.Held != rows {
		t.Errorf("got %+v, %v, want all %d held", report, err, rows)
	}
}

// The document of a row that is marked deleted is removed without the guard.
func TestGuardDoesNotLimitMarkedRows(t *testing.T) {
	w := guarded(t, 1, sink.Limits{})
	w.Table.PutRow(fakeworld.Key(0), fakeworld.Row{Updated: w.Table.Clock().Add(-hour), Marked: true})
	report := runExact(t, w.exact())
	if got, want := fakeworld.CountsOf(report), (fakeworld.Counts{Deleted: 1}); got != want || report.Held != 0 {
		t.Errorf("got %+v, %d held, want %+v", got, report.Held, want)
	}
	if got := fakeworld.Different(w.Table, w.Index); len(got) > 0 {
		t.Errorf("different in index and table: got %v, want none", got)
	}
}
