package pgsource

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"indexerd/internal/doc"
)

// StampsByOID reads the stamps of the rows with updateTime in the window in
// the order of their OIDs, as pages of one snapshot, which is held until the
// last page has been taken. Which rows come is as with Stamps.
func (t *Table) StampsByOID(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		if w.Empty() {
			return
		}
		if err := t.read(ctx, func(x *tx) error { return t.streamByOID(ctx, x, w, yield) }); err != nil {
			yield(nil, err)
		}
	}
}

// streamByOID hands on the stamps as they come, a page at a time.
func (t *Table) streamByOID(ctx context.Context, x *tx, w doc.Window, yield func([]doc.Stamp, error) bool) error {
	unit, err := t.unit(ctx, x)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows := x.rows(ctx, t.byOIDQuery(t.updated.bounds(w, unit)))
	d := t.stampDecoder(unit)
	var page []doc.Stamp
	var last doc.OID
	for rows.NextRow() {
		s, ok := d.loadStamp(rows.Values())
		if !ok {
			continue
		}
		if s.OID < last {
			err = fmt.Errorf("key %v came after %v: the database's encoding orders text otherwise than UTF-8, which can't be compared in order", s.OID, last)
		}
		if err != nil || len(page) == t.stampPage && !yield(page, nil) {
			// Ends the statement on the server, instead of reading it to its end.
			cancel()
			_, _ = rows.Close() // the cancellation
			return err
		}
		if len(page) == t.stampPage {
			page = nil // the consumer may keep it
		}
		page, last = append(page, s), s.OID
	}
	if _, err := rows.Close(); err != nil {
		return x.fault(ctx, err)
	}
	if len(page) > 0 {
		yield(page, nil)
	}
	return nil
}

func (t *Table) byOIDQuery(from, to string) query {
	var q query
	u := t.sql.column(t.updated.name)
	q.sql = fmt.Sprintf("SELECT %s, %s, %s %s WHERE %s >= %s AND %s < %s AND %s ORDER BY %s",
		strings.Join(t.key.columns(t.sql), ", "), u, t.sql.token(), t.sql.from(),
		u, q.bind(t.updated.typ, from), u, q.bind(t.updated.typ, to), t.key.notNull(t.sql),
		strings.Join(t.key.byteOrder(t.sql), ", "))
	return q
}
