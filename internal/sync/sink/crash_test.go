package sink

import (
	"context"
	"maps"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// repair does what passes and sweep do: it fetches rows that differ and rows in
// quarantine, and deletes documents of gone rows.
func repair(ctx context.Context, w *world, table *fakeworld.Table) error {
	s := w.start()
	table.Numbers = s
	rows := table.Rows()
	var stamps []doc.Stamp
	for oid, row := range rows {
		stamps = append(stamps, row.Stamp(oid))
	}
	fetch, err := s.Different(stamps)
	if err != nil {
		return err
	}
	aside := slices.Collect(maps.Keys(w.quarantine.Reasons()))
	for batch, err := range table.Docs(ctx, append(fetch, aside...)) {
		if err != nil {
			return err
		}
		if _, err := s.Put(ctx, batch); err != nil {
			return err
		}
	}
	return removeGone(ctx, w, s, rows, aside)
}

// removeGone deletes the documents of rows that are gone.
func removeGone(ctx context.Context, w *world, s *Sink, rows map[doc.OID]fakeworld.Row, aside []doc.OID) error {
	seq, err := s.Begin(func() error { return nil })
	if err != nil {
		return err
	}
	defer s.End(seq)
	var gone []doc.Stamp
	for _, oid := range slices.AppendSeq(aside, maps.Keys(w.index.Titles())) {
		if _, there := rows[oid]; !there {
			page, _ := w.pages.Page(oid)
			stamp := page.Stamp
			stamp.OID = oid
			gone = append(gone, stamp)
		}
	}
	_, err = s.Delete(ctx, gone, seq, len(gone))
	return err
}

// life is the states of a table, between which passes run.
var life = []func(*fakeworld.Table){
	func(t *fakeworld.Table) {
		x := t.Begin()
		for n := range 5 {
			x.Put(fakeworld.Key(n), "a")
		}
		x.Put(fakeworld.Key(5), fakeworld.Unfit)
		x.Commit()
	},
	func(t *fakeworld.Table) {
		x := t.Begin()
		x.Put(fakeworld.Key(0), "b")
		x.Put(fakeworld.Key(1), "b")
		x.Put(fakeworld.Key(2), fakeworld.Unfit)
		x.Put(fakeworld.Key(5), "fits")
		x.Delete(fakeworld.Key(3))
		x.Delete(fakeworld.Key(4))
		x.Commit()
	},
	func(t *fakeworld.Table) { // back to where it was
		x := t.Begin()
		for n := range 5 {
			x.Put(fakeworld.Key(n), "a")
		}
		x.Delete(fakeworld.Key(5))
		x.Commit()
	},
	func(t *fakeworld.Table) {
		x := t.Begin()
		x.Delete(fakeworld.Key(2))
		x.Put(fakeworld.Key(1), "c")
		x.Commit()
	},
}

// After a crash at any step, in any state of the table, reading the rows again
// repairs index and pages, also if the table changed meanwhile.
func TestCrashAnywhere(t *testing.T) {
	for at := range life {
		for next := at; next < len(life); next++ {
			for k := 0; crashAndRepair(t, k, at, next); k++ {
			}
		}
	}
}

// crashAndRepair crashes at the k-th step of the work on one state and repairs
// in another. It reports whether there was such a step.
func crashAndRepair(t *testing.T, k, at, next int) bool {
	t.Helper()
	w, table := newWorld(), fakeworld.NewTable(100)
	for _, change := range life[:at] {
		change(table)
		if err := repair(t.Context(), w, table); err != nil {
			t.Fatal(err)
		}
	}
	life[at](table)
	crash := fakeworld.NewCountdown(k)
	w.before(crash.Before)
	err := repair(t.Context(), w, table)
	w.before(nil)
	if crashed := crash.Crashed(); crashed != (err != nil) {
		t.Fatalf("crash at step %d of state %d: got error %v", k, at, err)
	}
	for _, change := range life[at+1 : next+1] {
		change(table)
	}
	if err := repair(t.Context(), w, table); err != nil {
		t.Fatal(err)
	}
	checkRepaired(t, w, table)
	if t.Failed() {
		t.Fatalf("after a crash at step %d of state %d, repaired in state %d", k, at, next)
	}
	return err != nil
}

// checkRepaired compares index and pages with the rows. A row that does not fit is
// in quarantine, and the index may have an earlier version of it.
func checkRepaired(t *testing.T, w *world, table *fakeworld.Table) {
	t.Helper()
	rows, aside := table.Rows(), w.quarantine.Reasons()
	for _, oid := range fakeworld.Different(table, w.index) {
		if row, there := rows[oid]; !there || row.Title != fakeworld.Unfit || aside[oid] == "" {
			t.Errorf("row %v: the table has %+v (%t), the index %q", oid, row, there, w.index.Titles()[oid])
		}
	}
	for oid, reason := range aside {
		if rows[oid].Title != fakeworld.Unfit {
			t.Errorf("row %v is in quarantine (%s), and is %+v", oid, reason, rows[oid])
		}
	}
	w.wantWhole(t)
}
