package pgsource

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
)

// maxKeyless limits the rejects of Keyless and Unusable.
const maxKeyless = 100

// Keyless returns rejects for the live rows without a usable key: NULL, a
// numeric that is no 64-bit integer, or text that is not UTF-8. It returns one
// for each reason, at most maxKeyless.
func (t *Table) Keyless(ctx context.Context) (doc.Batch, error) {
	return t.unusable(ctx, nil, t.keyless)
}

// Unusable is Keyless for the rows with updateTime in the window.
func (t *Table) Unusable(ctx context.Context, w doc.Window) (doc.Batch, error) {
	return t.unusable(ctx, &w, t.keyless)
}

func (t *Table) inWindow(w doc.Window, unit time.Duration) condition {
	from, to := t.updated.bounds(w, unit)
	return func(q *query) string { return t.between(q, from, to) }
}

// unusable runs find, which is keyless or nullKey, for the rows with updateTime in
// the window, or for all.
func (t *Table) unusable(ctx context.Context, w *doc.Window, find func(context.Context, *tx, condition) ([]doc.Reject, error)) (b doc.Batch, err error) {
	err = t.read(ctx, func(x *tx) error {
		b.At = x.at
		among := noCondition
		if w != nil {
			unit, err := t.unit(ctx, x)
			if err != nil {
				return err
			}
			among = t.inWindow(*w, unit)
		}
		b.Rejects, err = find(ctx, x, among)
		return err
	})
	if err != nil {
		b.Rejects, err = t.failsAtNull(ctx, err)
	}
	return b, err
}

// keyless returns rejects for the live rows with an unusable key that meet a
// condition.
func (t *Table) keyless(ctx context.Context, x *tx, among condition) ([]doc.Reject, error) {
	rejects, err := t.nullKey(ctx, x, among)
	if err != nil {
		return nil, err
	}
	for _, p := range t.key {
		suspect := p.suspectCondition(t.sql)
		if suspect == "" || len(rejects) >= maxKeyless {
			continue
		}
		more, err := t.readSuspects(ctx, x, p, suspect, among)
		if err != nil {
			return nil, notRowFault(err)
		}
		rejects = append(rejects, more...)
	}
	return rejects[:min(len(rejects), maxKeyless)], nil
}

// nullKey returns one reject for all live rows that have no key and meet a
// condition, since nothing distinguishes them.
func (t *Table) nullKey(ctx context.Context, x *tx, among condition) ([]doc.Reject, error) {
	q := query{reads: []*view{&t.view}}
	q.sql = fmt.Sprintf("SELECT %s WHERE (%s) AND %s AND %s LIMIT 1", t.sql.from(), t.key.null(t.sql), among(&q), t.live(&q))
	rows, err := x.all(ctx, q)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return t.keylessRow(), nil
}

func (t *Table) keylessRow() []doc.Reject {
	return []doc.Reject{{Reason: t.key.nullFault().Error()}}
}

// failsAtNull converts an error of nullKey to a reject if a row without a key
// caused it: such a row exists, then.
func (t *Table) failsAtNull(ctx context.Context, err error) ([]doc.Reject, error) {
	if !isRowFault(err) {
		return nil, err
	}
	if err := t.checkStatements(ctx); err != nil {
		return nil, err
	}
	return t.keylessRow(), nil
}

// suspectCondition is the condition that a value of a key column may be
// unusable; "": none can be. Text has invalid bytes only in a database without
// an encoding, and never if it is ASCII.
func (p keyPart) suspectCondition(sql wrapped) string {
	column := sql.column(p.name)
	switch {
	case p.param == pgtype.NumericOID:
		// NaN is greater than every number.
		return fmt.Sprintf("(%s <> trunc(%s) OR %s NOT BETWEEN -9223372036854775808 AND 9223372036854775807)", column, column, column)
	case p.kind == doc.Text:
		return fmt.Sprintf(`current_setting('server_encoding') = 'SQL_ASCII' AND %s::text COLLATE "C" ~ '[^\x01-\x7f]'`, column)
	}
	return ""
}

// readSuspects reads the suspect values of a key column and returns rejects for
// the unusable ones.
func (t *Table) readSuspects(ctx context.Context, x *tx, p keyPart, suspect string, among condition) ([]doc.Reject, error) {
	q := query{reads: []*view{&t.view}}
	columns := strings.Join(t.key.columns(t.sql), ", ")
	q.sql = fmt.Sprintf("SELECT %s %s WHERE %s AND %s AND %s AND %s", columns, t.sql.from(), t.key.notNull(t.sql), suspect, among(&q), t.live(&q))
	var rejects []doc.Reject
	_, err := x.each(ctx, q, func(raw [][]byte) bool {
		_, err := t.key.rawOID(raw)
		if err != nil && !slices.Contains(rejects, doc.Reject{Reason: err.Error()}) {
			rejects = append(rejects, doc.Reject{Reason: err.Error()})
		}
		return len(rejects) < maxKeyless
	})
	return rejects, err
}
