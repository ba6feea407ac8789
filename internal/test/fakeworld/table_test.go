package fakeworld

import (
	"slices"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// Stamps returns only stamps of the window, by updateTime and key, and changes
// that commit between two pages.
func TestStampsOfAWindow(t *testing.T) {
	table := NewTable(2)
	begin := table.Clock()
	for n := range 5 {
		table.Put(Key(5-n), "row")
	}
	x := table.Begin()
	x.PutAt(Key(6), "no updateTime", time.Time{})
	x.PutAt(Key(7), "at the end", begin.Add(time.Minute))
	x.PutAt(Key(8), "first", begin.Add(-time.Microsecond))
	x.PutAt(Key(10), "before the beginning", begin.Add(-2*time.Microsecond))
	x.Commit()
	var got []doc.OID
	for page, err := range table.Stamps(t.Context(), doc.Window{From: begin.Add(-time.Microsecond), To: begin.Add(time.Minute)}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range page {
			got = append(got, s.OID)
		}
		table.Put(Key(9), "late")
		table.Delete(Key(5))
	}
	if want := []doc.OID{Key(8), Key(1), Key(2), Key(3), Key(4), Key(9)}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for page, err := range table.Stamps(t.Context(), doc.Window{To: begin.Add(-time.Microsecond)}) {
		if err != nil || len(page) != 1 || page[0].OID != Key(10) {
			t.Errorf("got %v, %v of all times before, want only row 10", page, err)
		}
	}
}

// The horizon is the beginning of the oldest open transaction, also where
// updateTime is less precise.
func TestHorizonIsTheOldestBeginning(t *testing.T) {
	table := NewTable(2)
	table.Precision = time.Hour
	want := func(at time.Time, pinned bool) {
		t.Helper()
		h, err := table.Horizon(t.Context())
		if err != nil || !h.Exact || !h.At.Equal(at) || !h.Now.Equal(table.Clock()) || (h.Pin != nil) != pinned {
			t.Errorf("got %+v, %v, want %v, pinned %t", h, err, at, pinned)
		}
	}
	want(table.Clock(), false)
	first := table.Begin()
	began := table.Clock()
	table.Advance(time.Minute)
	second := table.Begin()
	secondBegan := table.Clock()
	table.Advance(time.Minute)
	want(began, true)
	first.Commit()
	want(secondBegan, true)
	second.Rollback()
	want(table.Clock(), false)
}

func TestVersionChangesWithCommitsOnly(t *testing.T) {
	table := NewTable(2)
	version := func() string {
		t.Helper()
		h, err := table.Hint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return h.Version
	}
	before := version()
	table.Begin().Rollback()
	table.Advance(time.Hour)
	if got := version(); got != before {
		t.Errorf("without a commit: got %s, want %s", got, before)
	}
	table.Put(Key(1), "row")
	if got := version(); got == before {
		t.Errorf("after a commit: got %s, want a new version", got)
	}
}

// Revert undoes an update, an insert and a delete.
func TestRevert(t *testing.T) {
	table := NewTable(2)
	table.Put(Key(1), "old")
	table.Put(Key(2), "there")
	kept := table.Commits()
	table.Put(Key(1), "new")
	table.Delete(Key(2))
	table.Put(Key(3), "born")
	if got, want := table.Revert(kept), []doc.OID{Key(1), Key(2), Key(3)}; !slices.Equal(got, want) {
		t.Errorf("changed rows: got %v, want %v", got, want)
	}
	rows := table.All()
	if len(rows) != 2 || rows[Key(1)].Title != "old" || rows[Key(2)].Title != "there" {
		t.Errorf("rows: got %v, want rows 1 and 2 as before", rows)
	}
}
