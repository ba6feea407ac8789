package sink

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// A row that Check rejects is quarantined, and the others are written.
func TestCheckedRowsAreQuarantined(t *testing.T) {
	w := newWorld()
	s := w.start()
	s.Check = func(row doc.Row) error { return doc.Limits{Text: 40}.CheckText(row.Size()) }
	got := fetch(t, s, map[doc.OID]string{one: strings.Repeat("x", 100), two: "b"})
	if want := (fakeworld.Counts{Read: 2, Added: 1, Quarantined: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.wantIndex(t, map[doc.OID]string{two: "b"})
	want := map[doc.OID]string{one: "the document has more than 40 bytes of text: select less in the SQL, or raise limits.text of the table"}
	if got := w.quarantine.Reasons(); !maps.Equal(got, want) {
		t.Errorf("quarantine: got %v, want %v", got, want)
	}
}

// Rows that share a key are quarantined, once for each key, and the others are
// written.
func TestDuplicatesAreQuarantined(t *testing.T) {
	row := func(oid doc.OID, title string) doc.Doc {
		return fakeworld.Row{Title: title}.Doc(oid, 1, doc.Batch{}.At)
	}
	tests := []struct {
		name    string
		batch   doc.Batch
		want    fakeworld.Counts
		reasons map[doc.OID]string
	}{
		{
			"two of a key",
			doc.Batch{Fetch: 1, Docs: []doc.Doc{row(one, "a"), row(two, "b"), row(one, "A")}},
			fakeworld.Counts{Read: 3, Added: 1, Quarantined: 1},
			map[doc.OID]string{one: "several rows have this key: the SQL must return one row a key"},
		},
		{
			"equal ones are still two",
			doc.Batch{Fetch: 1, Docs: []doc.Doc{row(one, "a"), row(one, "a"), row(two, "b"), row(one, "a")}},
			fakeworld.Counts{Read: 4, Added: 1, Quarantined: 1},
			map[doc.OID]string{one: "several rows have this key: the SQL must return one row a key"},
		},
		{
			"one of them is rejected for itself",
			doc.Batch{Fetch: 1, Docs: []doc.Doc{row(one, "a"), row(two, "b")}, Rejects: []doc.Reject{{OID: one, Reason: "price: NaN"}}},
			fakeworld.Counts{Read: 3, Added: 1, Quarantined: 2},
			map[doc.OID]string{one: "several rows have this key: the SQL must return one row a key"},
		},
		{
			"rows without a key share none",
			doc.Batch{Fetch: 1, Docs: []doc.Doc{row(two, "b")}, Rejects: []doc.Reject{{Reason: "key id is NULL"}, {Reason: "key id is NULL"}}},
			fakeworld.Counts{Read: 3, Added: 1, Quarantined: 2},
			map[doc.OID]string{"": "key id is NULL"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld()
			report, err := w.start().Put(context.Background(), test.batch)
			if got := fakeworld.CountsOf(report); err != nil || got != test.want {
				t.Errorf("got %+v, %v, want %+v", got, err, test.want)
			}
			w.wantIndex(t, map[doc.OID]string{two: "b"})
			if got := w.quarantine.Reasons(); !maps.Equal(got, test.reasons) {
				t.Errorf("quarantine: got %v, want %v", got, test.reasons)
			}
		})
	}
}

// A row leaves the quarantine when its document is durable.
func TestQuarantine(t *testing.T) {
	w := newWorld()
	s := w.start()
	listed := func(want ...doc.OID) {
		t.Helper()
		if got := slices.Sorted(maps.Keys(w.quarantine.Reasons())); !slices.Equal(got, want) {
			t.Errorf("quarantine: got %v, want %v", got, want)
		}
	}
	fetch(t, s, map[doc.OID]string{one: fakeworld.Unfit + "x", two: "b", three: "\xff"})
	listed(one, three)
	if got, want := w.quarantine.Reasons()[three], "column title: text is not valid UTF-8"; got != want {
		t.Errorf("reason: got %q, want %q", got, want)
	}
	if got := w.quarantine.Reasons()[one]; !strings.Contains(got, "does not fit") {
		t.Errorf("reason: got %q, want the index's", got)
	}
	fetch(t, s, map[doc.OID]string{two: "B"})
	listed(one, three)
	fetch(t, s, map[doc.OID]string{one: "a"})
	listed(three)
	remove(t, s, begin(t, s), stampOf(three, "c")) // a row that is gone is no longer quarantined
	listed()
	w.wantIndex(t, map[doc.OID]string{one: "a", two: "B"})
}

// A row that becomes unusable keeps its last document, and is quarantined.
func TestRejectKeepsTheOldDocument(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a"})
	fetch(t, s, map[doc.OID]string{one: fakeworld.Unfit})
	w.wantIndex(t, map[doc.OID]string{one: "a"})
	// A version that was rejected costs its stamp. Another one is fetched, and each after a
	// restart.
	different := func(title string, want ...doc.OID) {
		t.Helper()
		if got, err := s.Different([]doc.Stamp{stampOf(one, title)}); err != nil || !slices.Equal(got, want) {
			t.Errorf("different: got %v, %v, want %v", got, err, want)
		}
	}
	different(fakeworld.Unfit)
	different(fakeworld.Unfit+"otherwise", one)
	w.quarantine.Reopen()
	different(fakeworld.Unfit, one)
}

// A crash between index and page leaves a document and a page of two writes, and then the
// row can't become a document any more. The next fetch of the row makes them one write
// again, with the text of the page.
func TestPairOfARejectIsMadeWhole(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a", two: "b"})
	crash := errors.New("crash")
	w.pages.Before = func(step string) error {
		if step == "put pages" {
			return crash
		}
		return nil
	}
	seq := begin(t, s)
	if _, err := s.Put(t.Context(), batchOf(seq, map[doc.OID]string{one: "changed"})); !errors.Is(err, crash) {
		t.Fatalf("got %v, want %v", err, crash)
	}
	w.pages.Before = nil
	w.wantIndex(t, map[doc.OID]string{one: "changed", two: "b"})
	s = w.start()
	for range 2 {
		seq = begin(t, s)
		if _, err := s.Put(t.Context(), doc.Batch{Fetch: seq, Rejects: []doc.Reject{{OID: one, Reason: "price: NaN"}}}); err != nil {
			t.Fatal(err)
		}
		s.End(seq)
		d, _ := w.index.Doc(one)
		if page, ok := w.pages.Page(one); !ok || page.V != d.V || page.Hash != d.Hash {
			t.Errorf("got page %+v (%t) of document %+v, want those of one write", page.Meta, ok, d.Meta)
		}
	}
	w.wantIndex(t, map[doc.OID]string{one: "a", two: "b"})
}

// A document of a reject whose page is lost is removed: nothing can make the pair whole.
func TestDocumentOfARejectWithoutAPage(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a", two: "b"})
	if err := w.pages.Delete([]doc.Removal{{OID: one}}); err != nil {
		t.Fatal(err)
	}
	seq := begin(t, s)
	if _, err := s.Put(t.Context(), doc.Batch{Fetch: seq, Rejects: []doc.Reject{{OID: one, Reason: "price: NaN"}, {OID: two, Reason: "price: NaN"}}}); err != nil {
		t.Fatal(err)
	}
	s.End(seq)
	w.wantIndex(t, map[doc.OID]string{two: "b"})
}
