package simtest

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

var errStopped = errors.New("the run is over")

// check checks, after a pass, what the marks promise.
func (w *world) check(pass string) {
	marks := w.marks()
	w.loaded = marks.Loaded
	if marks.Settled.After(w.settled) {
		w.result.Settles++
	}
	if marks.Settled.Before(w.settled) && marks.Rewinds == w.rewinds {
		w.fault("after %s: S fell from %v to %v without a rewind", pass, w.settled, marks.Settled)
	}
	w.settled, w.rewinds = marks.Settled, marks.Rewinds
	if len(w.unnoticed) == 0 {
		w.checkSettled(pass)
	}
}

// checkSettled checks P1.
func (w *world) checkSettled(pass string) {
	rows := w.Table.Rows()
	for _, oid := range slices.Sorted(maps.Keys(rows)) {
		row := rows[oid]
		if !w.db.promised[oid] || !w.db.time(oid, row).Before(w.settled) {
			continue
		}
		if difference := w.counted(w.difference(oid, row)); difference != "" {
			w.fault("after %s: S is %v, and row %v of %v is %s", pass, w.settled.Format(precise), oid, w.db.time(oid, row).Format(precise), difference)
		}
	}
}

const precise = "15:04:05.000000"

// counted counts a difference.
func (w *world) counted(difference string) string {
	switch {
	case strings.HasPrefix(difference, "stale"), strings.HasPrefix(difference, "torn"):
		w.result.Stale++
	case difference != "":
		w.result.Lost++
	}
	return difference
}

// difference describes how index, page or quarantine differ from a row. It returns an
// empty string if they do not.
func (w *world) difference(oid doc.OID, row fakeworld.Row) string {
	if strings.HasPrefix(row.Title, fakeworld.Unfit) {
		if w.Quarantine.Has(oid) {
			return ""
		}
		return "rejected by the index and not in quarantine"
	}
	title, ok, whole := w.document(oid)
	switch page, _ := w.Pages.Page(oid); {
	case !ok:
		return "lost"
	case title != row.Text():
		return "stale: the index has " + title + ", the database " + row.Text()
	case !whole:
		return "torn: page and document have different versions"
	case !page.Same(row.Stamp(oid)):
		return "stale: its page has a different stamp"
	}
	if _, listed := w.Quarantine.Partial()[oid]; !listed && strings.HasPrefix(row.Title, fakeworld.Flawed) {
		w.result.Lost++
		return "without a value and not listed as partial"
	}
	return ""
}

// sweepAtEnd runs the last sweep, with all removals allowed.
func (w *world) sweepAtEnd() {
	w.log.printf("the last sweep")
	w.Guard.Allow(math.MaxInt32)
	if _, err := w.process.runSweep(context.Background(), true, nil); err != nil {
		w.fault("the last sweep: %v", err)
	}
	w.catchUp()
	if marks := w.marks(); marks.Unverified != "" {
		w.fault("after the last sweep: still unverified: %s", marks.Unverified)
	}
}

// checkAll compares index, pages and quarantine with the rows, both ways.
func (w *world) checkAll() {
	rows := w.Table.Rows()
	for _, oid := range slices.Sorted(maps.Keys(rows)) {
		if difference := w.counted(w.difference(oid, rows[oid])); difference != "" {
			w.fault("at the end: row %v is %s", oid, difference)
		}
	}
	var left []doc.OID
	for oid := range w.Index.Titles() {
		left = append(left, oid)
	}
	for meta := range w.Pages.All() {
		left = append(left, meta.OID)
	}
	left = slices.AppendSeq(left, maps.Keys(w.Quarantine.Reasons()))
	for oid := range w.Quarantine.Partial() {
		left = append(left, oid)
		if row, there := rows[oid]; there && !strings.HasPrefix(row.Title, fakeworld.Flawed) {
			w.fault("at the end: row %v is whole, and is listed as partial", oid)
		}
	}
	slices.Sort(left)
	for _, oid := range slices.Compact(left) {
		if _, there := rows[oid]; !there {
			w.result.Ghost++
			w.fault("at the end: row %v is deleted, and index, pages or quarantine still have it", oid)
		}
	}
}
