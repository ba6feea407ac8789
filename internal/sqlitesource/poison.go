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
	if aboutRow(err) {
		// A table that was dropped has the same code as a malformed value. But
		// what can still be prepared has failed at a row.
		if walkRows(ctx, tx, "EXPLAIN "+query, args, explainColumns, func([]any) bool { return false }) == nil {
			return &rowFault{err}
		}
	}
	return err
}

// aboutRow reports whether a result code may be about one row. Those that are
// not listed are about the file, the connection or the call.
func aboutRow(err error) bool {
	switch primaryCode(err) {
	case sqlite3.SQLITE_ERROR, // an SQL error: a function's, or a name that is gone
		sqlite3.SQLITE_TOOBIG,     // a text or blob grows too large
		sqlite3.SQLITE_CONSTRAINT, // a virtual table's, or a function's
		sqlite3.SQLITE_MISMATCH,   // a value of another type than must be
		sqlite3.SQLITE_RANGE,
		sqlite3.SQLITE_CORRUPT: // a damaged page, which may hold one row's overflow
		return true
	}
	return false
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
