package simtest

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
)

var errStopped = errors.New("the run has ended")

// judge holds what is promised against what is so, after a pass.
func (w *world) judge(pass string) {
	marks := w.marks()
	w.loaded = marks.Loaded
	if marks.Settled.After(w.settled) {
		w.result.Settles++
	}
	if marks.Settled.Before(w.settled) && marks.Rewinds == w.rewinds {
		w.fault("after %s: S fell from %v to %v without a rewind", pass, w.settled, marks.Settled)
	}
	w.settled, w.rewinds = marks.Settled, marks.Rewinds
	if len(w.unseen) == 0 {
		w.judgePromise(pass)
	}
}

// judgePromise is P1.
func (w *world) judgePromise(pass string) {
	rows := w.Table.Rows()
	for _, oid := range slices.Sorted(maps.Keys(rows)) {
		row := rows[oid]
		if !w.db.promised[oid] || !row.Updated.Before(w.settled) {
			continue
		}
		if verdict := w.verdict(oid, row); verdict != "" {
			w.fault("after %s: S is %v, and row %v of %v is %s", pass, w.settled.Format(precise), oid, row.Updated.Format(precise), verdict)
		}
	}
}

const precise = "15:04:05.000000"

// verdict is how the index differs from a row, and counts it; empty: it does
// not.
func (w *world) verdict(oid doc.OID, row fakeworld.Row) string {
	if strings.HasPrefix(row.Title, fakeworld.Unfit) {
		if w.Quarantine.Has(oid) {
			return ""
		}
		w.result.Lost++
		return "unfit and not in quarantine"
	}
	title, ok, whole := w.document(oid)
	switch page, _ := w.Pages.Page(oid); {
	case !ok:
		w.result.Lost++
		return "lost"
	case title != row.Text():
		w.result.Stale++
		return "stale: the index has " + title + ", the database " + row.Text()
	case !whole:
		w.result.Stale++
		return "torn: page and document are not of one write"
	case !page.Same(row.Stamp(oid)):
		w.result.Stale++
		return "stale: its page has another stamp"
	}
	return ""
}

// sweepOnce is the sweep at the end, by a person who lets all removals through.
func (w *world) sweepOnce() {
	w.log.say("the last sweep")
	w.Guard.Allow(math.MaxInt32)
	if _, err := w.process.sweep(true, nil).Run(context.Background()); err != nil {
		w.fault("the last sweep: %v", err)
	}
	w.catchUp()
	if marks := w.marks(); marks.Unverified != "" {
		w.fault("after the last sweep: still unverified: %s", marks.Unverified)
	}
}

// judgeAll compares everything.
func (w *world) judgeAll() {
	rows := w.Table.Rows()
	for _, oid := range slices.Sorted(maps.Keys(rows)) {
		if verdict := w.verdict(oid, rows[oid]); verdict != "" {
			w.fault("at the end: row %v is %s", oid, verdict)
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
	slices.Sort(left)
	for _, oid := range slices.Compact(left) {
		if _, there := rows[oid]; !there {
			w.result.Ghost++
			w.fault("at the end: row %v is gone, and something of it is stored", oid)
		}
	}
}
