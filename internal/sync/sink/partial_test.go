package sink

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

const flawed = fakeworld.Flawed

// A bad value costs the value: the row is indexed, listed as partial and not in
// quarantine. It leaves the list when it becomes whole, is gone, or can't be indexed.
func TestPartialRows(t *testing.T) {
	w := newWorld()
	s := w.start()
	listed := func(want ...doc.OID) {
		t.Helper()
		if got := slices.Sorted(maps.Keys(w.quarantine.Partial())); !slices.Equal(got, want) {
			t.Errorf("listed as partial: got %v, want %v", got, want)
		}
		if doubts := w.quarantine.Doubtful("", 9); len(doubts) > 0 {
			t.Errorf("in doubt after the write: %v", doubts)
		}
	}
	got := fetch(t, s, map[doc.OID]string{one: flawed + "a", two: "b"})
	if want := (fakeworld.Counts{Read: 2, Added: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.wantIndex(t, map[doc.OID]string{one: flawed + "a", two: "b"})
	if reasons := w.quarantine.Reasons(); len(reasons) > 0 {
		t.Errorf("quarantine: got %v", reasons)
	}
	listed(one)
	if different, err := s.Different([]doc.Stamp{stampOf(one, flawed+"a")}); err != nil || len(different) > 0 {
		t.Errorf("got %v, %v: a partial row that did not change is fetched again", different, err)
	}
	fetch(t, s, map[doc.OID]string{one: flawed + "a"}) // skipped
	listed(one)
	fetch(t, s, map[doc.OID]string{one: fakeworld.Unfit})
	listed()
	fetch(t, s, map[doc.OID]string{one: flawed + "b"})
	if reasons := w.quarantine.Reasons(); len(reasons) > 0 {
		t.Errorf("quarantine: got %v after the row was indexed", reasons)
	}
	listed(one)
	fetch(t, s, map[doc.OID]string{one: "whole", two: flawed})
	listed(two)
	seq := begin(t, s)
	remove(t, s, seq, stampOf(two, flawed))
	listed()
}

// At whatever step a Put fails, each document that lacks values is listed, and each that
// is listed wrongly is in doubt.
func TestNoPartialDocumentIsUnlisted(t *testing.T) {
	states := []map[doc.OID]string{
		{one: flawed + "a", two: "whole"}, {one: "whole", two: flawed + "b"}, {one: fakeworld.Unfit, two: flawed + "c"}, {one: flawed + "d", two: "whole"},
	}
	failed := errors.New("fault")
	for at := 0; ; at++ {
		w, steps := newWorld(), 0
		w.before(func(string) error {
			if steps++; steps == at+1 {
				return failed
			}
			return nil
		})
		for n, titles := range states {
			s := w.start()
			seq := begin(t, s)
			_, _ = s.Put(context.Background(), batchOf(seq, titles))
			s.End(seq)
			checkPartial(t, w, at, n)
		}
		if steps <= at {
			return
		}
	}
}

func checkPartial(t *testing.T, w *world, at, n int) {
	t.Helper()
	partial, doubtful := w.quarantine.Partial(), map[doc.OID]bool{}
	for _, d := range w.quarantine.Doubtful("", 9) {
		doubtful[d.OID] = true
	}
	for _, oid := range []doc.OID{one, two} {
		page, paged := w.pages.Page(oid)
		d, indexed := w.index.Doc(oid)
		if !paged || !indexed || page.V != d.V {
			continue // it counts as different
		}
		lacks := titleHas(d.Row, flawed)
		entry, listed := partial[oid]
		aside := w.quarantine.Has(oid)
		if lacks && !listed && !aside {
			t.Errorf("step %d, state %d: document %v lacks a value and is not listed", at, n, oid)
		}
		if listed && !doubtful[oid] && entry.Hash != page.Hash {
			t.Errorf("step %d, state %d: document %v is another than the one that is listed", at, n, oid)
		}
	}
}

func titleHas(row doc.Row, prefix string) bool {
	v, _ := row.Get("title")
	title, _ := v.(string)
	return len(title) >= len(prefix) && title[:len(prefix)] == prefix
}

// No right is guessed: a row whose groups have a bad value is in quarantine.
func TestPartialGroupsAreNoGroups(t *testing.T) {
	w := newWorld()
	s := w.startGrouped()
	seq := begin(t, s)
	defer s.End(seq)
	row := func(groups any) doc.Row { return doc.Row{Names: []string{"title", "grp"}, Values: []any{"a", groups}} }
	put := func(groups any) doc.Report {
		t.Helper()
		report, err := s.Put(context.Background(), doc.Batch{Fetch: seq, Docs: []doc.Doc{{Meta: doc.Meta{Stamp: doc.Stamp{OID: one}, Fetch: seq}, Row: row(groups)}}})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	put("staff")
	if report := put(true); report.Quarantined != 1 || report.Updated != 0 {
		t.Errorf("got %+v, want the row in quarantine", report)
	}
	if got := w.quarantine.Document(one); got != doc.Hidden {
		t.Errorf("its last document is %q, want hidden", got)
	}
	if len(w.quarantine.Partial()) > 0 {
		t.Error("it is listed as partial")
	}
}
