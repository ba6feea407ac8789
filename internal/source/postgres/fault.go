package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

var errNoAnswer = errors.New("the server did not answer in time")

// fault converts an error of the driver to the caller's cancellation or to a
// *dialect.Fault.
func (x *session) fault(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, doc.ErrChangedResult) || errors.As(err, new(*dialect.Fault)) {
		return err
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errNoAnswer) {
		return cause
	}
	f := classify(err)
	// The same failure has usually broken the idle connections too.
	if x.pg.IsClosed() {
		x.db.pool.Reset()
		if f.Subject == dialect.AboutForeign {
			f.Subject = dialect.AboutServer // the error was of this connection
		}
	}
	return f
}

func classify(err error) *dialect.Fault {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return &dialect.Fault{Subject: dialect.AboutServer, Text: reason(err)}
	}
	return &dialect.Fault{
		Subject: subjectOf(pg), Code: pg.Code, Hint: dialect.OneLine(pg.Hint), Grant: missingRight(pg),
		Text: fmt.Sprintf("%s (SQLSTATE %s)", dialect.OneLine(pg.Message), pg.Code),
	}
}

// denied finds what the role may not read in an English message of the server.
var denied = regexp.MustCompile(`^permission denied for (table|view|materialized view|foreign table|schema) (.+)$`)

// missingRight returns the privilege that an error asks for, or "". If the
// server's language is not English, the object is not known.
func missingRight(pg *pgconn.PgError) string {
	if pg.Code != "42501" {
		return ""
	}
	switch m := denied.FindStringSubmatch(pg.Message); {
	case m == nil:
		return "SELECT ON every table that it reads"
	case m[1] == "schema":
		return "USAGE ON SCHEMA " + pgx.Identifier{m[2]}.Sanitize()
	default:
		return "SELECT ON " + pgx.Identifier{m[2]}.Sanitize()
	}
}

// connectFault is the error of a failed connect. The texts of driver and server
// contain the user's name, which is not shown.
func (db *DB) connectFault(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("connect to %s: %w", db.address, refused(err))
}

// ofAnyone matches the user that a message names.
var ofAnyone = regexp.MustCompile(`(user|role) "[^"]*"`)

// refused says why a connection failed, and what to do.
func refused(err error) *dialect.Fault {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		what, do := unreachable(err)
		return &dialect.Fault{Subject: dialect.AboutServer, Text: what, Do: do}
	}
	what, do := "the server refused the connection", "see its message"
	switch {
	case pg.Code == "28P01":
		what, do = "the login was refused", "correct user and password"
	case pg.Code == "28000":
		what, do = "the login was refused", "correct the user, or add a line for it, the database and this host to pg_hba.conf"
	case pg.Code == "3D000":
		what, do = "there is no such database", "create it, or correct its name"
	case pg.Code == "42501":
		what, do = "the user may not use the database", "GRANT CONNECT ON DATABASE to it"
	case pg.Code == tooMany:
		what, do = "too many connections", "raise max_connections, or close other connections"
	case pg.Code == "57P03":
		what, do = "the server is starting up or shutting down", "wait"
	case strings.HasPrefix(pg.Message, "unsupported startup parameter"):
		what, do = "a connection pooler refused a setting of dsn, such as options or search_path", "remove it and ALTER ROLE ... SET it, or name the server itself"
	case pg.Code == "42704" || pg.Code == "22023":
		what, do = "the server refused a parameter of the address", "remove it, or correct its value"
	}
	return &dialect.Fault{
		Subject: dialect.AboutServer, Code: pg.Code, Do: do,
		Text: fmt.Sprintf("%s (%s, SQLSTATE %s)", what, dialect.OneLine(ofAnyone.ReplaceAllString(pg.Message, "$1")), pg.Code),
	}
}

// unreachable says why there is no connection, and what to do.
func unreachable(err error) (what, do string) {
	if what, do := dialect.Unreachable(err); what != "" {
		return what, do
	}
	switch text := reason(err); {
	case strings.Contains(text, "server refused TLS"):
		return "the server has no TLS", "write sslmode=disable if the network is safe, or enable ssl in postgresql.conf"
	case pgconn.Timeout(err):
		return text, "see whether a PostgreSQL server is at this port, and how busy it is"
	default:
		return text, ""
	}
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
			return dialect.OneLine(err.Error())
		}
		err = inner
	}
}

// subjects has the SQLSTATEs of PostgreSQL's appendix that are not about a row,
// by code or class; a code takes precedence. Every other code may be about one
// row: functions raise any code, and a code that is about the whole statement
// fails again when the statement runs without keys.
var subjects = map[string]dialect.Subject{
	"03":    dialect.AboutStatement, // SQL statement not yet complete
	"08":    dialect.AboutForeign,   // connection exception: of another server, while this one answers
	"08P01": dialect.AboutStatement, // protocol violation, for example a parameter in the SQL
	"0B":    dialect.AboutStatement, // invalid transaction initiation
	"25":    dialect.AboutStatement, // invalid transaction state
	"25006": dialect.AboutRow,       // a function writes, for example a log
	"25P03": dialect.AboutServer,    // the transaction was idle for too long
	"25P04": dialect.AboutServer,    // the transaction took too long
	"26":    dialect.AboutStatement, // invalid SQL statement name: a pooler lost a statement
	"28":    dialect.AboutStatement, // invalid authorization
	"3B":    dialect.AboutStatement, // savepoint exception
	"40":    dialect.AboutServer,    // serialization failure, deadlock, conflict with recovery
	"53":    dialect.AboutServer,    // out of memory, disk or connections
	"55P03": dialect.AboutLock,      // lock not available
	"57":    dialect.AboutServer,    // cancelled, timed out, shutting down, starting up
	"58":    dialect.AboutServer,    // system error, for example I/O
	"58P01": dialect.AboutRow,       // undefined file: read by a function, or a damaged row
	"58P02": dialect.AboutRow,       // duplicate file
	"72":    dialect.AboutServer,    // snapshot too old
	"F0":    dialect.AboutStatement, // configuration file error
	"HV00N": dialect.AboutForeign,   // it can't be reached
}

// subjectOf returns what an error is about. An error that RAISE of PL/pgSQL reports
// is about a row, whatever its SQLSTATE. Treated as the server's condition, it would
// be retried for ever.
func subjectOf(pg *pgconn.PgError) dialect.Subject {
	if pg.Routine == "exec_stmt_raise" || len(pg.Code) != 5 {
		return dialect.AboutRow
	}
	if isMissing(pg) {
		return dialect.AboutMissing
	}
	if s, ok := subjects[pg.Code]; ok {
		return s
	}
	return subjects[pg.Code[:2]]
}

// isMissing reports whether the text of the statement refers to something that
// does not exist, or that the role may not read (class 42). A function that runs
// for a row may fail with the same codes.
func isMissing(pg *pgconn.PgError) bool {
	return strings.HasPrefix(pg.Code, "42") && pg.Where == "" && (pg.Position > 0 || pg.Routine == "aclcheck_error")
}
