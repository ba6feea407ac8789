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

// A ConfigError says that a table is configured as the database can't serve
// it: which field, what is wrong, what to do.
type ConfigError struct {
	Field string // such as "sql", "key" or "children.actors.updated"
	What  string
	Do    string
}

// Error joins the parts into one line.
func (e *ConfigError) Error() string { return e.Field + ": " + e.What + ": " + e.Do }

// fault says what was being done, on one line, and marks what may go away by
// itself as doc.ErrUnavailable.
func (s *Source) fault(doing string, err error) error {
	var kept *keepError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kept): // says nothing of the database
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
	return fmt.Errorf("%s: %s: %s", s.Address(), doing, message(err))
}

// unavailable reports whether the file can't be read at the moment. A file
// that is damaged or no database is not: it waits for a hand.
func unavailable(err error) bool {
	var path *fs.PathError
	if errors.As(err, &path) || errors.Is(err, driver.ErrBadConn) {
		return true
	}
	switch primaryCode(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL,
		sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM,
		sqlite3.SQLITE_FULL,     // of temporary space, for a sort
		sqlite3.SQLITE_READONLY, // a WAL that only its writer can recover
		sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT:
		return true
	}
	return false
}

// primaryCode is SQLite's result code without its extension, or 0 for an error
// that is not SQLite's.
func primaryCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// message is the text of an error on one line. A path of this machine is cut
// from it: the source's address says which file.
func message(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}
