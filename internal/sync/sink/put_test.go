package sink

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

func TestPutCounts(t *testing.T) {
	w := newWorld()
	s := w.start()
	tests := []struct {
		name   string
		titles map[doc.OID]string
		want   fakeworld.Counts
	}{
		{"nothing", nil, fakeworld.Counts{}},
		{"new rows", map[doc.OID]string{one: "a", two: "b"}, fakeworld.Counts{Read: 2, Added: 2}},
		{"the same again", map[doc.OID]string{one: "a", two: "b"}, fakeworld.Counts{Read: 2, Skipped: 2}},
		{"one of each", map[doc.OID]string{one: "a", two: "B", three: "c"}, fakeworld.Counts{Read: 3, Added: 1, Updated: 1, Skipped: 1}},
		{"one does not fit", map[doc.OID]string{one: fakeworld.Unfit, two: "b"}, fakeworld.Counts{Read: 2, Updated: 1, Quarantined: 1}},
	}
	for _, test := range tests {
		if got := fetch(t, s, test.titles); got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
		w.wantWhole(t)
	}
	w.wantIndex(t, map[doc.OID]string{one: "a", two: "b", three: "c"})
}

// The page of a skipped row gets the new stamp.
func TestSkippedRowsKeepTheirStampNew(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a"})
	seq := begin(t, s)
	b := batchOf(seq, map[doc.OID]string{one: "a"})
	b.Docs[0].Token.Digest++ // as another column would do, which is not indexed
	if report, err := s.Put(context.Background(), b); err != nil || report.Skipped != 1 {
		t.Fatalf("got %+v, %v, want it skipped", report, err)
	}
	page, _ := w.pages.Page(one)
	if !page.Same(b.Docs[0].Stamp) || page.Fetch != seq {
		t.Errorf("got page %+v, want stamp %+v of fetch %d", page.Meta, b.Docs[0].Stamp, seq)
	}
	w.wantWhole(t)
}

// An updateTime of 1970 or of the year 9999 does not count as lateness.
func TestImplausibleTimesAreNotLate(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		updated time.Time
		late    int64
	}{
		{time.Time{}, 0},
		{time.Unix(0, 0), 0},
		{time.Unix(253402300799, 0), 0},
		{now.Add(-time.Minute), 1},
	} {
		s := newWorld().start()
		b := batchOf(begin(t, s), map[doc.OID]string{one: "a"})
		b.Docs[0].Updated, b.Docs[0].Fetched = c.updated, now
		report, err := s.Put(context.Background(), b)
		if got := report.Late.Count(); err != nil || got != c.late {
			t.Errorf("updateTime %v: got %d late rows, %v, want %d", c.updated, got, err, c.late)
		}
	}
}

var errFault = fmt.Errorf("write: %w", syscall.ENOSPC)

// failAt fails one step.
func failAt(name string) func(string) error {
	return func(step string) error {
		if step == name {
			return errFault
		}
		return nil
	}
}

// divergences end with an index that does not have the write of row one's page,
// although the page has the hash of "a".
var divergences = []struct {
	name    string
	diverge func(*testing.T, *world)
	want    fakeworld.Counts // of putting "a"
}{
	{"a crash between index and page", func(t *testing.T, w *world) {
		fetch(t, w.start(), map[doc.OID]string{one: "a"})
		putFails(t, w, "put pages", map[doc.OID]string{one: "b"})
	}, fakeworld.Counts{Read: 1, Updated: 1}},
	{"half an index batch", func(t *testing.T, w *world) {
		fetch(t, w.start(), map[doc.OID]string{one: "a", two: "a"})
		putFails(t, w, "apply", map[doc.OID]string{one: "b", two: "b"})
	}, fakeworld.Counts{Read: 1, Updated: 1}},
	{"a crash half-way through a removal", func(t *testing.T, w *world) {
		s := w.start()
		fetch(t, s, map[doc.OID]string{one: "a"})
		w.before(failAt("delete pages"))
		defer w.before(nil)
		if _, err := s.Delete(context.Background(), []doc.Stamp{stampOf(one, "a")}, begin(t, s), 1); !errors.Is(err, errFault) {
			t.Fatalf("got %v, want %v", err, errFault)
		}
	}, fakeworld.Counts{Read: 1, Added: 1}},
	{"a new index over old pages", func(t *testing.T, w *world) {
		fetch(t, w.start(), map[doc.OID]string{one: "a"})
		w.index = fakeworld.NewIndex(2)
	}, fakeworld.Counts{Read: 1, Added: 1}},
	{"another index that happens to have the same version", func(t *testing.T, w *world) {
		fetch(t, w.start(), map[doc.OID]string{one: "a"})
		old, _ := w.index.Doc(one)
		w.index = fakeworld.NewIndex(2)
		d := fakeworld.Row{Title: "b"}.Doc(one, 0, old.Fetched)
		d.V = old.V
		if err := w.index.Apply([]doc.Doc{d}, nil); err != nil {
			t.Fatal(err)
		}
	}, fakeworld.Counts{Read: 1, Added: 1}},
}

// putFails puts rows while a step fails, and returns the error.
func putFails(t *testing.T, w *world, step string, titles map[doc.OID]string) error {
	t.Helper()
	s := w.start()
	w.before(failAt(step))
	defer w.before(nil)
	_, err := s.Put(context.Background(), batchOf(begin(t, s), titles))
	if !errors.Is(err, errFault) {
		t.Fatalf("got %v, want %v", err, errFault)
	}
	return err
}

// A document with the hash of its page is written if the index does not have the
// page's write.
func TestNothingIsSkippedThatTheIndexDoesNotHave(t *testing.T) {
	for _, test := range divergences {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld()
			test.diverge(t, w)
			s := w.start()
			different, err := s.Different([]doc.Stamp{stampOf(one, "a")})
			if err != nil || !slices.Equal(different, []doc.OID{one}) {
				t.Errorf("different: got %v, %v, want %v", different, err, one)
			}
			if got := fetch(t, s, map[doc.OID]string{one: "a"}); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if got := w.index.Titles()[one]; got != "a" {
				t.Errorf("index: got %q, want %q", got, "a")
			}
			page, _ := w.pages.Page(one)
			if d, _ := w.index.Doc(one); page.V != d.V {
				t.Errorf("page: got version %d, want the index's %d", page.V, d.V)
			}
		})
	}
}

// noHash is an index in which every row hashes to 0.
type noHash struct{ *fakeworld.Index }

func (noHash) Prepare(*doc.Doc) ([]doc.Flaw, error) { return nil, nil }

// A row with the hash 0 and without a page is not skipped.
func TestHashZeroIsIndexed(t *testing.T) {
	w := newWorld()
	s := New(noHash{w.index}, w.pages, w.tree, w.quarantine, w.guard(), w.reserve)
	if got, want := fetch(t, s, map[doc.OID]string{one: "a"}), (fakeworld.Counts{Read: 1, Added: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// After an error of the index, pages and quarantine are unchanged.
func TestFailedIndexBatchTouchesNothingElse(t *testing.T) {
	w := newWorld()
	fetch(t, w.start(), map[doc.OID]string{one: "a", two: fakeworld.Unfit})
	before, _ := w.pages.Page(one)
	putFails(t, w, "apply", map[doc.OID]string{one: "b", two: "b", three: fakeworld.Unfit})
	if page, _ := w.pages.Page(one); page.Meta != before.Meta {
		t.Errorf("page: got %+v, want %+v", page.Meta, before.Meta)
	}
	if _, ok := w.pages.Page(two); ok {
		t.Error("the failed batch has left a page")
	}
	if got := slices.Collect(maps.Keys(w.quarantine.Reasons())); !slices.Equal(got, []doc.OID{two}) {
		t.Errorf("quarantine: got %v, want %v", got, two)
	}
}

// Whichever step fails, Put returns the error with the step, and the rows can be put
// again.
func TestEveryFailureIsReturned(t *testing.T) {
	for step, want := range map[string]string{"meta": "", "versions": "", "apply": "index 2 documents: ", "put pages": "store 2 pages: ", "add": "", "clear": ""} {
		w := newWorld()
		fetch(t, w.start(), map[doc.OID]string{one: "a"})
		titles := map[doc.OID]string{one: "b", two: "b", three: fakeworld.Unfit}
		if err := putFails(t, w, step, titles); !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", step, err, want)
		}
		fetch(t, w.start(), titles)
		w.wantIndex(t, map[doc.OID]string{one: "b", two: "b"})
		w.wantWhole(t)
	}
}
