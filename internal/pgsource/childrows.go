package pgsource

import (
	"bytes"
	"slices"
	"time"

	"indexerd/internal/doc"
)

// A brood is the rows of one child that belong to one document.
type childRows struct {
	stamp childStamp
	rows  []doc.Row
	fault error // why one of them can't be stored

	tooLarge bool // no further row is kept
}

// add adds the row that the decoder has in hand.
func (b *childRows) add(d *rowDecoder) {
	if b.tooLarge {
		return
	}
	digest, err := d.digest()
	if err == nil {
		b.stamp.rows++
		b.stamp.sum += digest
		var at time.Time
		at, err = d.time()
		b.stamp.updated = later(b.stamp.updated, at)
	}
	var values []any
	if err == nil {
		values, err = d.values()
	}
	if err != nil {
		if b.fault == nil {
			b.fault = err
		}
		return
	}
	b.rows = append(b.rows, doc.Row{Names: d.view.names, Values: values})
}

// refuse drops the rows, and any that follow, for a reason.
func (b *childRows) reject(reason error) {
	b.rows, b.tooLarge = nil, true
	if b.fault == nil {
		b.fault = reason
	}
}

// sorted returns the rows in the order of their canonical JSON. SQL promises
// none, and the document's hash must not depend on it.
func (b *childRows) sorted() ([]doc.Row, error) {
	if b.fault != nil || len(b.rows) < 2 {
		return b.rows, b.fault
	}
	type keyed struct {
		row  doc.Row
		json []byte
	}
	all := make([]keyed, len(b.rows))
	for i, row := range b.rows {
		json, err := row.AppendJSON(nil)
		if err != nil {
			return nil, err
		}
		all[i] = keyed{row, json}
	}
	slices.SortFunc(all, func(a, b keyed) int { return bytes.Compare(a.json, b.json) })
	rows := make([]doc.Row, len(all))
	for i, k := range all {
		rows[i] = k.row
	}
	return rows, nil
}
