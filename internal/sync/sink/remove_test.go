package sink

import (
	"context"
	"errors"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// guarded is a sink whose guard admits few removals.
func (w *world) guarded(most int) *Sink {
	w.start()
	documents := func() (uint64, error) { return uint64(len(w.index.Titles())), nil }
	return New(w.index, w.pages, w.tree, w.quarantine, NewGuard(Limits{Count: most}, documents), w.reserve)
}

// numbered are rows with equal titles.
func numbered(n int, title string) (titles map[doc.OID]string, stamps []doc.Stamp) {
	titles = map[doc.OID]string{}
	for i := range n {
		titles[fakeworld.Key(i)] = title
		stamps = append(stamps, stampOf(fakeworld.Key(i), title))
	}
	return titles, stamps
}

// Documents whose removal the guard holds stay in index, pages and tree, and any
// fetch can put them.
func TestHeldRemovalsStay(t *testing.T) {
	w := newWorld()
	s := w.guarded(4)
	titles, stamps := numbered(10, "a")
	fetch(t, s, titles)
	older, newer := begin(t, s), begin(t, s)
	for batch := range slices.Chunk(stamps, 2) { // the last of them would be within the limits
		report, err := s.Delete(context.Background(), batch, newer, len(stamps))
		if err != nil || report.Held != 2 || report.Deleted != 0 {
			t.Fatalf("got %+v, %v, want 2 held", report, err)
		}
	}
	w.wantIndex(t, titles)
	w.wantWhole(t)
	if got := len(w.tree.Stamps()); got != 10 {
		t.Errorf("tree: got %d stamps, want 10", got)
	}
	if got := put(t, s, older, map[doc.OID]string{fakeworld.Key(0): "b"}); got.Updated != 1 {
		t.Errorf("an older fetch of a held row: got %+v, want it updated", got)
	}
}

// With an Allow for a part of a batch the others stay.
func TestAllowedPartOfABatch(t *testing.T) {
	w := newWorld()
	s := w.guarded(0)
	titles, stamps := numbered(5, "a")
	fetch(t, s, titles)
	s.guard.Allow(3)
	report, err := s.Delete(context.Background(), stamps, begin(t, s), 5)
	if err != nil || report.Deleted != 3 || report.Held != 2 || len(w.index.Titles()) != 2 {
		t.Errorf("got %+v, %v, and %d documents, want 3 deleted, 2 held", report, err, len(w.index.Titles()))
	}
	w.wantWhole(t)
}

// Removals that failed are admitted again.
func TestFailedRemovalsAreNotCounted(t *testing.T) {
	w := newWorld()
	s := w.guarded(2)
	titles, stamps := numbered(2, "a")
	fetch(t, s, titles)
	w.before(failAt("delete pages"))
	for range 3 {
		if _, err := s.Delete(context.Background(), stamps, begin(t, s), 2); !errors.Is(err, errFault) {
			t.Fatalf("got %v, want %v", err, errFault)
		}
	}
	w.before(nil)
	if report, err := s.Delete(context.Background(), stamps, begin(t, s), 2); err != nil || report.Deleted != 2 {
		t.Errorf("got %+v, %v, want 2 deleted", report, err)
	}
}

// marked is what a fetch finds of rows that are marked deleted.
func marked(seq doc.FetchSeq, oids ...doc.OID) doc.Batch { return doc.Batch{Fetch: seq, Deleted: oids} }

func putBatch(t *testing.T, s *Sink, b doc.Batch) fakeworld.Counts {
	t.Helper()
	report, err := s.Put(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return fakeworld.CountsOf(report)
}

// Documents of rows that are marked deleted leave index, pages, tree and quarantine
// without the guard. Those that were stored are counted.
func TestMarkedRowsAreRemoved(t *testing.T) {
	w := newWorld()
	s := w.guarded(0)
	fetch(t, s, map[doc.OID]string{one: "a", two: "b", three: fakeworld.Unfit})
	got := putBatch(t, s, marked(begin(t, s), one, three, fakeworld.Key(4), one))
	if want := (fakeworld.Counts{Deleted: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.wantIndex(t, map[doc.OID]string{two: "b"})
	w.wantWhole(t)
	if _, ok := w.pages.Page(one); ok || len(w.tree.Stamps()) != 1 || len(w.quarantine.Reasons()) != 0 {
		t.Errorf("got a page: %t, %d stamps, quarantine %v, want only row two left", ok, len(w.tree.Stamps()), w.quarantine.Reasons())
	}
	if got := s.guard.Held(); got != (Held{}) {
		t.Errorf("held: got %+v, want nothing", got)
	}
}

// A document or a page that a crash left alone is removed too.
func TestMarkedRowsAreRemovedAfterACrash(t *testing.T) {
	tests := map[string]func(*testing.T, *world){
		"a document without a page": func(t *testing.T, w *world) { putFails(t, w, "put pages", map[doc.OID]string{one: "a", two: "a"}) },
		"a page without a document": func(t *testing.T, w *world) {
			fetch(t, w.start(), map[doc.OID]string{one: "a"})
			if err := w.index.Apply(nil, doc.Removals(1<<62, one)); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, crash := range tests {
		w := newWorld()
		crash(t, w)
		s := w.start()
		putBatch(t, s, marked(begin(t, s), one, two))
		_, paged := w.pages.Page(one)
		if got := w.index.Titles(); len(got) > 0 || paged {
			t.Errorf("%s: got %v, a page: %t, want nothing", name, got, paged)
		}
	}
}

// The newest fetch decides whether a row is marked.
func TestMarksAreInFetchOrder(t *testing.T) {
	before := map[string]map[doc.OID]string{"with a document": {one: "a"}, "without": nil}
	for name, titles := range before {
		w := newWorld()
		s := w.start()
		fetch(t, s, titles)
		first, second, third := begin(t, s), begin(t, s), begin(t, s)
		putBatch(t, s, marked(second, one))
		if put(t, s, first, map[doc.OID]string{one: "older"}); len(w.index.Titles()) > 0 {
			t.Errorf("%s: an older fetch has brought the row back: %v", name, w.index.Titles())
		}
		put(t, s, third, map[doc.OID]string{one: "newer"})
		putBatch(t, s, marked(second, one))
		w.wantIndex(t, map[doc.OID]string{one: "newer"})
		w.wantWhole(t)
	}
}

// If one of two rows with one key is marked deleted, its document is removed.
func TestMarkedAndThere(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a"})
	seq := begin(t, s)
	b := batchOf(seq, map[doc.OID]string{one: "b", two: "b"})
	b.Rejects = []doc.Reject{{OID: three, Reason: "price: NaN"}}
	b.Deleted = []doc.OID{three, one}
	if got, want := putBatch(t, s, b), (fakeworld.Counts{Read: 3, Added: 1, Deleted: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.wantIndex(t, map[doc.OID]string{two: "b"})
	if got := w.quarantine.Reasons(); len(got) > 0 {
		t.Errorf("quarantine: got %v, want nothing", got)
	}
}

// A removal of marked rows that failed is made when they are put again.
func TestMarkedRowsAreRemovedAfterAFault(t *testing.T) {
	for _, step := range []string{"meta", "versions", "apply", "delete pages", "tree delete", "clear"} {
		w := newWorld()
		s := w.start()
		fetch(t, s, map[doc.OID]string{one: "a", two: "b"})
		w.before(failAt(step))
		if _, err := s.Put(context.Background(), marked(begin(t, s), one)); !errors.Is(err, errFault) {
			t.Errorf("%s: got %v, want %v", step, err, errFault)
		}
		w.before(nil)
		s = w.start()
		putBatch(t, s, marked(begin(t, s), one))
		w.wantIndex(t, map[doc.OID]string{two: "b"})
		w.wantWhole(t)
	}
}

// Stored returns rows with a page, a document without a page, or an entry in the
// quarantine. Delete removes them by the returned stamps.
func TestStored(t *testing.T) {
	w := newWorld()
	putFails(t, w, "put pages", map[doc.OID]string{three: "c", fakeworld.Key(4): "d"}) // stores the page of three
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a", two: fakeworld.Unfit})
	got, err := s.Stored([]doc.OID{fakeworld.Key(5), fakeworld.Key(4), two, three, one})
	want := []doc.Stamp{{OID: fakeworld.Key(4)}, {OID: two}, stampOf(three, "c"), stampOf(one, "a")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, stamp := range got {
		remove(t, s, begin(t, s), stamp)
	}
	if got := w.index.Titles(); len(got) > 0 || len(w.quarantine.Reasons()) > 0 {
		t.Errorf("after deleting them: got %v, quarantine %v, want nothing", got, w.quarantine.Reasons())
	}
	for _, step := range []string{"meta", "versions"} {
		w.before(failAt(step))
		if got, err := s.Stored([]doc.OID{one}); !errors.Is(err, errFault) {
			t.Errorf("%s: got %v, %v, want %v", step, got, err, errFault)
		}
	}
}

// Removals of marked rows do not lower the limit of a running pass.
func TestMarkedRowsCountAmongTheDocuments(t *testing.T) {
	w := newWorld()
	s := w.start()
	s.guard = NewGuard(Limits{Fraction: 0.2}, func() (uint64, error) { return uint64(len(w.index.Titles())), nil })
	titles, stamps := numbered(100, "a")
	fetch(t, s, titles)
	seq := begin(t, s)
	for i, n := range []int{10, 10} {
		report, err := s.Delete(context.Background(), stamps[10*i:10*i+n], seq, 20-10*i)
		if err != nil || report.Deleted != n {
			t.Fatalf("batch %d: got %+v, %v, want %d deleted", i, report, err, n)
		}
		var others []doc.OID
		for k := range 20 {
			others = append(others, fakeworld.Key(40+20*i+k))
		}
		if got := putBatch(t, s, marked(seq, others...)).Deleted; got != len(others) {
			t.Fatalf("marked: got %d deleted, want %d", got, len(others))
		}
	}
}
