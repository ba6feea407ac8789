package sqlitesource

import (
	"context"
	"database/sql"
	"errors"

	sqlite3 "modernc.org/sqlite/lib"

	"indexerd/internal/doc"
)

// A rowFault is the error of a valid statement that fails for one row: malformed
// JSON, integer overflow, a text that is too large. Other rows must still be read.
type rowFault struct{ err error }

func (f *rowFault) Error() string { return message(f.err) }

func isRowFault(err error) bool {
	var f *rowFault
	return errors.As(err, &f)
}

// eachRow runs a query and calls f for each row until f returns false. Rows share
// memory: f must not keep raw.
func eachRow(ctx context.Context, tx *sql.Tx, query string, args []any, columns int, f func(raw []any) bool) error {
	err := scanRows(ctx, tx, query, args, columns, f)
	if aboutRow(err) {
		// A dropped table has the same code as a malformed value. A statement that
		// can still be prepared has failed for a row.
		if scanRows(ctx, tx, "EXPLAIN "+query, args, explainColumns, func([]any) bool { return false }) == nil {
			return &rowFault{err}
		}
	}
	return err
}

// selectTexts returns the first column of all rows.
func selectTexts(ctx context.Context, tx *sql.Tx, query string, args ...any) (texts []string, err error) {
	err = eachRow(ctx, tx, query, args, 1, func(raw []any) bool {
		text, _ := raw[0].(string)
		texts = append(texts, text)
		return true
	})
	return texts, err
}

// aboutRow reports whether a result code may concern one row. All others concern
// the file, the connection or the call.
func aboutRow(err error) bool {
	switch primaryCode(err) {
	case sqlite3.SQLITE_ERROR, // a function's error, or a missing table or column
		sqlite3.SQLITE_TOOBIG,     // a text or blob is too large
		sqlite3.SQLITE_CONSTRAINT, // a virtual table's error, or a function's
		sqlite3.SQLITE_MISMATCH,   // a value has the wrong type
		sqlite3.SQLITE_RANGE,
		sqlite3.SQLITE_CORRUPT: // a damaged page, which may hold the overflow of one row
		return true
	}
	return false
}

// explainColumns is the number of columns of EXPLAIN.
const explainColumns = 8

func scanRows(ctx context.Context, tx *sql.Tx, query string, args []any, columns int, f func(raw []any) bool) error {
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

// rowState reports whether a row exists and whether it is not marked deleted. It
// reads only its key.
func (t *Table) rowState(ctx context.Context, tx *sql.Tx, oid doc.OID) (exists, live bool, err error) {
	listed, err := t.listed(ctx, tx, []doc.OID{oid})
	if err != nil || listed[oid] {
		return true, false, err
	}
	var where condition
	if err := t.among(&where, []doc.OID{oid}); err != nil {
		return false, false, err
	}
	if exists, err = t.any(ctx, tx, where); err != nil || !exists {
		return exists, false, err
	}
	t.live(&where)
	live, err = t.any(ctx, tx, where)
	return exists, live, err
}

// any reports whether a row meets the condition.
func (t *Table) any(ctx context.Context, tx *sql.Tx, where condition) (found bool, err error) {
	err = eachRow(ctx, tx, t.statements.keys+where.String(), where.args, len(t.key), func([]any) bool {
		found = true
		return false
	})
	return found, err
}
