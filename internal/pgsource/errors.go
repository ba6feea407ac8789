package pgsource

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"indexerd/internal/doc"
)

// A ConfigError is a fault of a table's configuration that only the database
// can find.
type ConfigError struct {
	Field string // below the table, such as sql, timezone or children.actors.key
	What  string
	Do    string // what to do; may be empty
}

func (e *ConfigError) Error() string {
	if e.Do == "" {
		return e.Field + ": " + e.What
	}
	return e.Field + ": " + e.What + ": " + e.Do
}

// A DeniedError is a ConfigError that a GRANT repairs.
type DeniedError struct {
	*ConfigError
	Grant string // the missing privilege, as GRANT names it
}

func (e *DeniedError) Unwrap() error { return e.ConfigError }

// denied finds what the role may not read in an English message of the server.
var denied = regexp.MustCompile(`^permission denied for (table|view|materialized view|foreign table|schema) (.+)$`)

// missingRight returns the privilege that an error asks for, or "". If the
// server's language is not English, the object is not known.
func (e *serverError) missingRight() string {
	if e.code != "42501" {
		return ""
	}
	switch m := denied.FindStringSubmatch(e.message); {
	case m == nil:
		return "SELECT ON every table that it reads"
	case m[1] == "schema":
		return "USAGE ON SCHEMA " + pgx.Identifier{m[2]}.Sanitize()
	default:
		return "SELECT ON " + pgx.Identifier{m[2]}.Sanitize()
	}
}

var errNoAnswer = errors.New("the server did not answer in time")

// A serverError is an error that the server reported for a statement.
type serverError struct {
	code     string
	message  string
	hint     string
	position int  // in the statement, in characters from 1; 0: unknown
	raised   bool // by RAISE in a function
}

func (e *serverError) Error() string {
	return fmt.Sprintf("%s (SQLSTATE %s)", e.message, e.code)
}

// fault converts an error of the driver: to the caller's cancellation, to
// doc.ErrUnavailable or to a serverError.
func (x *tx) fault(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, doc.ErrChangedResult) {
		return err
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errNoAnswer) {
		return cause
	}
	// The same failure has usually broken the idle connections too.
	if x.pg.IsClosed() {
		x.src.pool.Reset()
	}
	return classify(err)
}

func classify(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return fmt.Errorf("%w: %s", doc.ErrUnavailable, reason(err))
	}
	e := &serverError{code: pg.Code, message: oneLine(pg.Message), hint: oneLine(pg.Hint), position: int(pg.Position), raised: pg.Routine == raisedBy}
	switch {
	case e.subject() != aboutServer:
		return e
	case pg.Code == lockNotAvailable:
		return fmt.Errorf("%w: %w", doc.ErrLocked, e)
	}
	return fmt.Errorf("%w: %w", doc.ErrUnavailable, e)
}

const lockNotAvailable = "55P03"

// connectFault is the error of a failed connect. The texts of driver and server
// contain the user's name, so only known texts are used.
func connectFault(ctx context.Context, s *Source, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("connect to %s: %w: %s", s.address, doc.ErrUnavailable, connectReason(err))
}

func connectReason(err error) string {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return reason(err)
	}
	var what string
	switch {
	case strings.HasPrefix(pg.Code, "28"):
		what = "the login was refused: check user, password and pg_hba.conf"
	case pg.Code == "3D000":
		what = "there is no such database"
	case pg.Code == "53300":
		what = "too many connections"
	case pg.Code == "57P03":
		what = "the server is starting up or shutting down"
	case strings.HasPrefix(pg.Message, "unsupported startup parameter"):
		what = "a connection pooler refused a setting of dsn, such as options or search_path: remove it and ALTER ROLE ... SET it, or name the server itself"
	default:
		what = "the server refused the connection"
	}
	return fmt.Sprintf("%s (SQLSTATE %s)", what, pg.Code)
}

// reason returns the innermost text of a driver's error; the outer ones contain
// host and user.
func reason(err error) string {
	if pgconn.Timeout(err) {
		return errNoAnswer.Error()
	}
	for {
		var inner error
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			inner = e.Unwrap()
		case interface{ Unwrap() []error }:
			if all := e.Unwrap(); len(all) > 0 {
				inner = all[0]
			}
		}
		if inner == nil {
			return oneLine(err.Error())
		}
		err = inner
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// A subject is what an error of the server is about.
type subject int

const (
	aboutRow       subject = iota // one row: its data, or what the SQL does with it
	aboutStatement                // the statement, the session or the transaction
	aboutServer                   // the server's condition: the same statement may succeed later
)

// subjects has the SQLSTATEs of PostgreSQL's appendix that are not about a row,
// by code or class; a code takes precedence. Every other code may be about one
// row: functions raise any code, and a code that is about the whole statement
// fails again when the statement runs without keys.
var subjects = map[string]subject{
	"03":    aboutStatement, // SQL statement not yet complete
	"08":    aboutServer,    // connection exception, a foreign server's too
	"08P01": aboutStatement, // protocol violation, for example a parameter in the SQL
	"0B":    aboutStatement, // invalid transaction initiation
	"25":    aboutStatement, // invalid transaction state
	"25006": aboutRow,       // a function writes, for example a log
	"25P03": aboutServer,    // the transaction was idle for too long
	"25P04": aboutServer,    // the transaction took too long
	"26":    aboutStatement, // invalid SQL statement name: a pooler lost a statement
	"28":    aboutStatement, // invalid authorization
	"3B":    aboutStatement, // savepoint exception
	"40":    aboutServer,    // serialization failure, deadlock, conflict with recovery
	"53":    aboutServer,    // out of memory, disk or connections
	"55P03": aboutServer,    // lock not available
	"57":    aboutServer,    // cancelled, timed out, shutting down, starting up
	"58":    aboutServer,    // system error, for example I/O
	"58P01": aboutRow,       // undefined file: read by a function, or a damaged row
	"58P02": aboutRow,       // duplicate file
	"72":    aboutServer,    // snapshot too old
	"F0":    aboutStatement, // configuration file error
	"HV00N": aboutServer,    // a foreign server can't be reached
}

func subjectOf(code string) subject {
	if s, ok := subjects[code]; ok || len(code) != 5 {
		return s
	}
	return subjects[code[:2]]
}

// raisedBy is the routine of the server that runs RAISE in PL/pgSQL.
const raisedBy = "exec_stmt_raise"

// subject returns what the error is about. An error raised by a function is
// about a row, whatever its SQLSTATE. Treated as the server's condition, it
// would be retried for ever.
func (e *serverError) subject() subject {
	if e.raised {
		return aboutRow
	}
	return subjectOf(e.code)
}

// A notRowFaultError is not caused by one row, whatever its SQLSTATE: no row
// was read yet, its key can't be read either, or all rows fail.
type notRowFaultError struct{ error }

func (e *notRowFaultError) Unwrap() error { return e.error }

func notRowFault(err error) error {
	if err == nil {
		return nil
	}
	return &notRowFaultError{err}
}

// isRowFault reports whether one row may have caused an error.
func isRowFault(err error) bool {
	var server *serverError
	var all *notRowFaultError
	return errors.As(err, &server) && !errors.As(err, &all) && !errors.Is(err, doc.ErrUnavailable) && server.subject() == aboutRow
}

func codeOf(err error) string {
	var server *serverError
	if errors.As(err, &server) {
		return server.code
	}
	return ""
}
