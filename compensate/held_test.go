package compensate_test

import (
	"context"
	"testing"
	"time"

	"indexerd/compensate"
	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	"indexerd/internal/sink"
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

// Of a table that was emptied by mistake a comparison removes no more than the
// limits, whatever its batches. The pass does not fail of it, S moves, and late
// rows are found.
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
		w.update(t, func(m *timetrace.Table) { m.Settled = w.begin })
		runExact(t, w.exact())
	}
	if got := len(w.Index.Titles()); got != documents || got < rows-most {
		t.Errorf("documents: got %d after further passes, want %d as before", got, documents)
	}
}

// The failing twin: a batch that speaks for itself alone slips through after
// the hour's others were held, if only it is small.
func TestBatchesForThemselvesSlipThrough(t *testing.T) {
	const rows, most = 3*batch + 1, batch - 1
	emptied := func(alone bool) (deleted int) {
		w := guarded(t, rows, sink.Limits{Count: most})
		x := w.Table.Begin()
		for n := range rows {
			x.Delete(fakeworld.Key(n))
		}
		x.Commit()
		c := w.comparison()
		if alone {
			c.Sink = forItself{w.Sink}
		}
		report, err := c.Run(t.Context(), doc.Window{From: w.begin, To: w.Table.Clock().Add(hour)})
		if err != nil {
			t.Fatal(err)
		}
		return report.Deleted
	}
	if got := emptied(false); got != 0 {
		t.Errorf("deleted: got %d, want none", got)
	}
	if got := emptied(true); got != 1 {
		t.Errorf("the twin deleted %d, want the last batch of 1: it proves nothing", got)
	}
}

// forItself is a sink that tells the guard of a batch and no more.
type forItself struct{ compensate.Sink }

func (f forItself) Delete(ctx context.Context, stamps []doc.Stamp, seq doc.FetchSeq, _ int) (doc.Report, error) {
	return f.Sink.Delete(ctx, stamps, seq, len(stamps))
}

// A row that is marked deleted leaves without the guard, and counts once.
func TestMarkedRowIsNoGuess(t *testing.T) {
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
