package incremental_test

import (
	"context"
	"iter"
	"slices"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
)

// move commits n rows that are marked deleted, or outside of the SQL's filter.
func (w *world) move(first, n int, r fakeworld.Row) {
	x := w.Table.Begin()
	r.Updated = w.Table.Clock()
	for i := range n {
		x.PutRow(fakeworld.Key(first+i), r)
	}
	x.Commit()
}

var (
	outside = fakeworld.Row{Title: "outside", Outside: true}
	marked  = fakeworld.Row{Title: "marked", Marked: true}
)

func (w *world) wantEqual(t *testing.T) {
	t.Helper()
	if got := fakeworld.Different(w.Table, w.Index); len(got) > 0 {
		t.Errorf("different in index and table: got %v, want none", got)
	}
}

// The document of a row that an UPDATE takes out of the SQL's result is removed
// in the same pass. The row may come back.
func TestDocumentsOfRowsThatLeaveAreRemoved(t *testing.T) {
	w := newWorld(t)
	steps := []struct {
		name   string
		change func()
		want   fakeworld.Counts
	}{
		{"inserted", func() { w.put(0, 4, "a") }, fakeworld.Counts{Read: 4, Compared: 4, Added: 4}},
		{"moved out of the filter", func() { w.move(0, 1, outside) }, fakeworld.Counts{Deleted: 1}},
		{"marked deleted", func() { w.move(1, 1, marked) }, fakeworld.Counts{Deleted: 1}},
		{"both again, and rows that never were there", func() { w.move(0, 1, marked); w.move(1, 1, outside); w.move(7, 3, marked) }, fakeworld.Counts{}},
		{"back again", func() { w.put(0, 2, "b") }, fakeworld.Counts{Read: 2, Compared: 2, Added: 2}},
		{"unfit", func() { w.put(2, 1, fakeworld.Unfit) }, fakeworld.Counts{Read: 1, Compared: 1, Quarantined: 1}},
		{"out of quarantine", func() { w.move(2, 1, outside) }, fakeworld.Counts{Deleted: 1}},
		{"several pages", func() { w.put(20, 40, "c"); w.move(40, 40, outside); w.move(80, 40, marked) }, fakeworld.Counts{Read: 20, Compared: 20, Added: 20}},
		{"all of them", func() { w.move(0, 60, outside) }, fakeworld.Counts{Deleted: 23}},
	}
	for _, step := range steps {
		step.change()
		w.Table.Advance(time.Minute) // so that the overlap does not reach back
		if got := w.run(t); got != step.want {
			t.Errorf("%s: got %+v, want %+v", step.name, got, step.want)
		}
		if got := w.Ghosts(); len(got) > 0 {
			t.Errorf("%s: ghosts: got %v, want none", step.name, got)
		}
	}
	if got := w.Quarantine.Reasons(); len(got) > 0 {
		t.Errorf("quarantine: got %v, want nothing", got)
	}
}

// everything is a source that lists all rows, each twice. Rows that exist cost a
// stamp.
type everything struct{ *fakeworld.Table }

func (e everything) Left(_ context.Context, w doc.Window) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		var all []doc.OID
		for n := range 30 {
			all = append(all, fakeworld.Key(n))
		}
		for range 2 {
			for page := range slices.Chunk(all, 7) {
				if !yield(page, nil) {
					return
				}
			}
		}
	}
}

func TestListedRowsThatExistStay(t *testing.T) {
	w := newWorld(t)
	w.pass.Source = everything{w.Table}
	w.put(0, 20, "a")
	w.run(t)
	w.move(3, 2, outside)
	w.move(11, 2, marked)
	var steps machine.Counter
	w.Table.Before = steps.Before(nil)
	if got, want := w.run(t), (fakeworld.Counts{Compared: 16, Deleted: 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.wantEqual(t)
	if got := steps.Of("docs"); got > 4 {
		t.Errorf("fetches: got %d, want at most one for each that is missing", got)
	}
}

// A row that comes back after its stamp was missing, or after a fetch did not
// find it, stays.
func TestRowsThatComeBackStay(t *testing.T) {
	for _, step := range []string{"stamps of", "docs"} {
		w := newWorld(t)
		w.put(0, 3, "a")
		w.run(t)
		w.move(0, 3, outside)
		w.Table.Advance(time.Minute)
		armed := true
		w.Table.Before = func(s string) error {
			if s == step && armed {
				armed = false
				w.put(1, 1, "back")
			}
			return nil
		}
		w.run(t)
		w.Table.Before = nil
		w.run(t)
		w.wantEqual(t)
	}
}

// limited has the guard admit few removals.
func (w *world) limited(t *testing.T, l sink.Limits) {
	t.Helper()
	w.Limits = l
	w.restart(t)
}

// If a joined table is truncated while every row is touched, all rows leave the
// SQL's result. The guard holds these removals as one, and the mark moves.
func TestTruncatedJoinIsHeld(t *testing.T) {
	w := newWorld(t)
	w.put(0, 100, "a")
	w.run(t)
	w.limited(t, sink.Limits{Count: 10, Fraction: 0.2})
	w.move(0, 100, outside)
	w.Table.Advance(time.Second)
	report, err := w.pass.Run(t.Context())
	if err != nil || report.Held != 100 || report.Deleted != 0 {
		t.Errorf("got %+v, %v, want 100 held", report, err)
	}
	if got := len(w.Index.Titles()); got != 100 {
		t.Errorf("documents: got %d, want all 100", got)
	}
	if got := w.Guard.Held().Removals; got != 100 {
		t.Errorf("held: got %d, want 100", got)
	}
	if got, want := w.Marks().Incremental, w.Table.Clock(); !got.Equal(want) {
		t.Errorf("mark: got %v, want %v", got, want)
	}

	w.put(0, 100, "repaired") // no document was lost
	w.Table.Advance(time.Minute)
	w.run(t)
	w.wantEqual(t)
}

// Removals within the guard's limits are made. Marked rows do not count.
func TestGuardLimitsOnlyAbsentRows(t *testing.T) {
	w := newWorld(t)
	w.put(0, 100, "a")
	w.Table.Advance(time.Minute)
	w.run(t)
	w.limited(t, sink.Limits{Count: 10, Fraction: 0.2})
	w.move(0, 20, outside)
	w.move(20, 60, marked)
	if got, want := w.run(t), (fakeworld.Counts{Deleted: 80}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.wantEqual(t)
}

// changes prepares a window in which rows are inserted, change, leave, and are marked
// deleted, over several pages and batches.
func (w *world) changes(t *testing.T) {
	t.Helper()
	w.put(0, 8*batch, "a")
	w.run(t)
	w.Table.Advance(time.Minute)
	w.put(0, batch, "b")
	w.put(8*batch, 2*batch, "c")
	w.move(batch, 3*batch, outside)
	w.move(4*batch, 3*batch, marked)
	w.Table.Advance(time.Minute)
}
