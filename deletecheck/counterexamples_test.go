package deletecheck_test

import (
	"context"
	"iter"
	"slices"
	"testing"
	"time"

	"indexerd/deletecheck"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// The tests of this file are histories that a sweep without one of its rules
// would get wrong. internal/test/simtest/mutants/table.go has the rules.

// A sweep finds changes that no updateTime shows.
func TestChangesWithoutANewerUpdateTime(t *testing.T) {
	for name, change := range map[string]func(*fakeworld.Row){
		"an older updateTime":        func(r *fakeworld.Row) { r.Title, r.Updated = "older", r.Updated.Add(-time.Hour) },
		"a child changed":            func(r *fakeworld.Row) { r.Children = "a child" },
		"the row left the filter":    func(r *fakeworld.Row) { r.Outside = true },
		"the row was marked deleted": func(r *fakeworld.Row) { r.Marked = true },
	} {
		w := loaded(t, 12)
		row := w.Table.Rows()[w.key(5)]
		change(&row)
		w.Table.PutRow(w.key(5), row)
		runSweep(t, w.sweep())
		if got := w.different(); len(got) > 0 {
			t.Errorf("%s: different: got %v, want none", name, got)
		}
	}
}

// After the clock stepped back new rows have times below every mark, so that no
// window has them.
func TestClockStepsBack(t *testing.T) {
	w := loaded(t, 12)
	mark := w.Table.Clock()
	w.Table.Advance(-5 * time.Minute)
	w.put(3, 20)
	w.Table.Advance(time.Minute)
	for page, err := range w.Table.Stamps(t.Context(), doc.Window{From: mark, To: w.Table.Clock()}) {
		t.Errorf("a window from the mark has %v, %v, want none", page, err)
	}
	if got := w.different(); !slices.Equal(got, w.keysOf(3, 20)) {
		t.Errorf("different: got %v, want 3 and 20", got)
	}
	runSweep(t, w.sweep())
	w.wantEqual(t)
}

// blind is a table whose rows no fetch finds.
type blind struct{ *fakeworld.Table }

func (b blind) Docs(ctx context.Context, _ []doc.OID) iter.Seq2[doc.Batch, error] {
	return b.Table.Docs(ctx, []doc.OID{fakeworld.Key(1000)})
}

// A row is inserted and indexed between the listing of the index and that of the
// database. It is no candidate for removal: no fetch would save it here.
func TestRowInsertedBetweenTheListings(t *testing.T) {
	w := loaded(t, 3)
	inserted := false
	w.Table.Before = func(step string) error {
		if step == "stamps in range" && !inserted { // the index has been listed
			inserted = true
			w.put(7)
			w.load(t)
		}
		return nil
	}
	s := w.sweep()
	s.Source = blind{w.Table}
	runSweep(t, s)
	w.wantEqual(t)
}

// reused is a sink whose rows come back, and are indexed, just before they are
// removed.
type reused struct {
	deletecheck.Sink
	back func()
}

func (r reused) Delete(ctx context.Context, stamps []doc.Stamp, found doc.FetchSeq, of int) (doc.Report, error) {
	r.back()
	return r.Sink.Delete(ctx, stamps, found, of)
}

// A key that is used again between the last fetch and the removal stays.
func TestKeyIsReusedBeforeTheRemoval(t *testing.T) {
	w := loaded(t, 12)
	w.Table.Delete(w.key(5))
	s := w.sweep()
	s.Sink = reused{w.Sink, func() {
		w.put(5)
		w.load(t)
	}}
	runSweep(t, s)
	w.wantEqual(t)
}

// rejecting is a table of which no row can become a document.
type rejecting struct{ *fakeworld.Table }

func (r rejecting) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		for b, err := range r.Table.Docs(ctx, oids) {
			for _, d := range b.Docs {
				b.Rejects = append(b.Rejects, doc.Reject{OID: d.OID, Reason: "unreadable"})
			}
			b.Docs = nil
			if !yield(b, err) {
				return
			}
		}
	}
}

// A candidate whose row is there again, and can't become a document, is not
// gone: its document stays as it was, and the row is quarantined.
func TestRejectedRowIsThere(t *testing.T) {
	w := loaded(t, 12)
	w.Table.Delete(w.key(3))
	rests := 0
	s := w.sweep()
	s.Source = rejecting{w.Table}
	s.Rest = func(context.Context, time.Duration) error {
		if rests++; rests == 3 { // all chunks are compared
			w.put(3)
		}
		return nil
	}
	if got := runSweep(t, s); got.Deleted != 0 || got.Quarantined != 1 {
		t.Errorf("deleted %d, quarantined %d, want 0 and 1", got.Deleted, got.Quarantined)
	}
	if _, ok := w.Index.Title(w.key(3)); !ok {
		t.Error("the document is gone")
	}
}
