package sqlite

import (
	"database/sql/driver"
	"errors"
	"io/fs"
	"strconv"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// fault converts an error of the driver. A damaged file, or one that is not a
// database, needs a manual step.
func fault(err error) error {
	return stdsql.Fault(err, func(err error) error { return vendor{}.Refusal(err) })
}

// Refusal implements stdsql.Vendor.
func (vendor) Refusal(err error) *dialect.Fault {
	f := &dialect.Fault{Subject: dialect.AboutStatement, Code: strconv.Itoa(code(err)), Text: message(err)}
	if unavailable(err) {
		f.Subject = dialect.AboutServer
	}
	return f
}

// unavailable reports whether a later retry may succeed.
func unavailable(err error) bool {
	if errors.As(err, new(*fs.PathError)) || errors.Is(err, driver.ErrBadConn) {
		return true
	}
	switch code(err) & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL,
		sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM,
		sqlite3.SQLITE_FULL,     // of temporary space, for a sort
		sqlite3.SQLITE_READONLY, // a WAL that only a writer can recover
		sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT:
		return true
	}
	return false
}

// aboutRow reports whether a result code may concern one row. All others concern
// the file, the connection or the call.
func aboutRow(err error) bool {
	switch code(err) & 0xff {
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

// code returns SQLite's result code; 0 for any other error.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

// message returns the text of an error on one line, without paths of this machine:
// the database's address names the file.
func message(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return dialect.OneLine(err.Error())
}
