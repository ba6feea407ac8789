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
// could tell.
type ConfigError struct {
	Field string // below the table's own, as sql, timezone or children.actors.key
	What  string
	Do    string // what to do about it; may be empty
}

func (e *ConfigError) Error() string {
	if e.Do == "" {
		return e.Field + ": " + e.What
	}
	return e.Field + ": " + e.What + ": " + e.Do
}

// A DeniedError is a ConfigError that a GRANT mends.
type DeniedError struct {
	*ConfigError
	Grant string // the right that is missing, as GRANT says it
}

// Unwrap makes it one.
func (e *DeniedError) Unwrap() error { return e.ConfigError }

// denied finds what a role may not read in the server's words.
var denied = regexp.MustCompile(`^permission denied for (table|view|materialized view|foreign table|schema) (.+)$`)

// missingRight is the right that an error of the server asks for; "" where it
// asks for none. Only where the server speaks English it says on what.
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

var errNoAnswer = errors.New("the server gave no answer in time")

// A serverError is an error that the server reported about a statement. It
// stays in this package, where the SQL it speaks of is known.
type serverError struct {
	code     string
	message  string
	hint     string
	position int  // in the statement, in characters from 1; 0: unknown
	raised   bool // by a RAISE of a function
}

func (e *serverError) Error() string {
	return fmt.Sprintf("%s (SQLSTATE %s)", e.message, e.code)
}

// fault turns an error of the driver into one of this package: the caller's
// own cancellation, an unavailable database, or a serverError.
func (x *tx) fault(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, doc.ErrChangedResult) {
		return err
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errNoAnswer) {
		return cause
	}
	// What broke this connection has mostly broken the idle ones too.
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

// connectFault is the error of a connection that could not be had. The
// driver's text names the user, and so does the server's, so only known texts
// are passed on.
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
	default:
		what = "the server refused the connection"
	}
	return fmt.Sprintf("%s (SQLSTATE %s)", what, pg.Code)
}

// reason is the innermost text of an error of the driver: the outer ones name
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

// oneLine joins the lines of a text.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
