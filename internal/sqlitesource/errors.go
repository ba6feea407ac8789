package sqlitesource

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"indexerd/internal/doc"
)

// A ConfigError is an error in a table's configuration: the field, what is wrong,
// what to do.
type ConfigError struct {
	Field string // such as "sql", "key" or "children.actors.updated"
	What  string
	Do    string
}

// Error returns the parts on one line.
func (e *ConfigError) Error() string { return e.Field + ": " + e.What + ": " + e.Do }

// fault adds the source and the operation to an error, on one line, and wraps
// doc.ErrUnavailable if a retry may succeed. A ConfigError stays as it is.
func (s *Source) fault(doing string, err error) error {
	var kept *keepError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kept): // not an error of the database
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, doc.ErrUnavailable), errors.Is(err, doc.ErrChangedResult):
		return fmt.Errorf("%s: %s: %w", s.Address(), doing, err)
	case unavailable(err):
		return fmt.Errorf("%s: %s: %w: %s", s.Address(), doing, doc.ErrUnavailable, message(err))
	}
	var config *ConfigError
	if errors.As(err, &config) {
		return err
	}
	return fmt.Errorf("%s: %s: %w", s.Address(), doing, oneLine{err})
}

// oneLine is an error with its message.
type oneLine struct{ error }

func (e oneLine) Error() string { return message(e.error) }
func (e oneLine) Unwrap() error { return e.error }

// unavailable reports whether a later retry may succeed. A damaged file, or one
// that is not a database, needs a manual step.
func unavailable(err error) bool {
	var path *fs.PathError
	if errors.As(err, &path) || errors.Is(err, driver.ErrBadConn) {
		return true
	}
	switch primaryCode(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL,
		sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM,
		sqlite3.SQLITE_FULL,     // of temporary space, for a sort
		sqlite3.SQLITE_READONLY, // a WAL that only a writer can recover
		sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT:
		return true
	}
	return false
}

// primaryCode returns SQLite's result code without its extension; 0 for any other
// error.
func primaryCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// message returns the text of an error on one line, without paths of this machine:
// the source's address names the file.
func message(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}
