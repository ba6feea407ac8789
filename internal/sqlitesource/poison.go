package sqlitesource

import (
	"context"
	"database/sql"
	"errors"

	sqlite3 "modernc.org/sqlite/lib"

	"indexerd/internal/doc"
)

// A rowFault says that a sound statement failed at a row: malformed JSON, an
// integer that overflows, a text that grows too large. It must not keep other
// rows from being read.
type rowFault struct{ err error }

func (f *rowFault) Error() string { return message(f.err) }

func isRowFault(err error) bool {
	var f *rowFault
	return errors.As(err, &f)
}

// each runs a query and hands its rows on, in memory that the next row takes
// over, until f has enough.
func each(ctx context.Context, tx *sql.Tx, query string, args []any, columns int, f func(raw []any) bool) error {
	err := walkRows(ctx, tx, query, args, columns, f)
	switch primaryCode(err) {
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_TOOBIG:
		// A table that was dropped has the same code as a malformed value. But
		// what can still be prepared has failed at a row.
		if walkRows(ctx, tx, "EXPLAIN "+query, args, explainColumns, func([]any) bool { return false }) == nil {
			return &rowFault{err}
		}
	}
	return err
}

// explainColumns is how many columns EXPLAIN has.
const explainColumns = 8

func walkRows(ctx context.Context, tx *sql.Tx, query string, args []any, columns int, f func(raw []any) bool) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	s := newScanner(columns)
	for rows.Next() {
		if err := s.scan(rows); err != nil {
			return err
		}
		if !f(s.raw) {
			return nil
		}
	}
	return rows.Err()
}

// alone asks whether a row that can't be read is there at all, and rejects it.
func (t *Table) alone(ctx context.Context, oid doc.OID, fault *rowFault, yield func(doc.Batch, error) bool) bool {
	more, _ := t.fetch(ctx, "read a row of "+t.name, func(tx *sql.Tx, b *doc.Batch) error {
		there, live, err := t.standing(ctx, tx, oid)
		switch {
		case isRowFault(err): // not even its key can be read, so it is there
			there, live = true, true
		case err != nil:
			return err
		}
		switch {
		case live:
			groups, err := t.groups.read(ctx, tx, oid)
			if err != nil {
				return err
			}
			b.Rejects = append(b.Rejects, doc.Reject{OID: oid, Reason: fault.Error(), Groups: groups})
		case there:
			b.Deleted = append(b.Deleted, oid)
		}
		return nil
	}, yield)
	return more
}

// standing reports whether a row is there, and not marked deleted, and reads
// no more than its key.
func (t *Table) standing(ctx context.Context, tx *sql.Tx, oid doc.OID) (there, live bool, err error) {
	listed, err := t.listed(ctx, tx, []doc.OID{oid})
	if err != nil || listed[oid] {
		return true, false, err
	}
	var where condition
	if err := t.among(&where, []doc.OID{oid}); err != nil {
		return false, false, err
	}
	if there, err = t.any(ctx, tx, where); err != nil || !there {
		return there, false, err
	}
	t.live(&where)
	live, err = t.any(ctx, tx, where)
	return there, live, err
}

// any reports whether a row meets the condition.
func (t *Table) any(ctx context.Context, tx *sql.Tx, where condition) (found bool, err error) {
	err = each(ctx, tx, t.statements.keys+where.String(), where.args, len(t.key), func([]any) bool {
		found = true
		return false
	})
	return found, err
}
