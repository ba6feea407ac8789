package pgsource

import (
	"errors"

	"indexerd/internal/doc"
)

// A subject is what an error of the server may be about.
type subject int

const (
	aboutRow       subject = iota // one row: its data, or what the SQL does with it
	aboutStatement                // the statement, the session or the transaction
	aboutServer                   // the server's condition: the same statement may succeed later
)

// subjects lists the SQLSTATEs of PostgreSQL's appendix that are not about a row,
// by class or by code. A code goes before its class. Every other code may be
// one row's: functions raise what they like, and a code that is about the whole
// statement fails again where the statement is started without a row.
var subjects = map[string]subject{
	"03":    aboutStatement, // SQL statement not yet complete
	"08":    aboutServer,    // connection exception, a foreign server's too
	"08P01": aboutStatement, // protocol violation: a parameter too many in the SQL
	"0B":    aboutStatement, // invalid transaction initiation
	"25":    aboutStatement, // invalid transaction state
	"25006": aboutRow,       // a function writes, as one that logs what it meets
	"25P03": aboutServer,    // the transaction was idle for too long
	"25P04": aboutServer,    // the transaction took too long
	"26":    aboutStatement, // invalid SQL statement name: a pooler lost a statement
	"28":    aboutStatement, // invalid authorization
	"3B":    aboutStatement, // savepoint exception
	"40":    aboutServer,    // serialization failure, deadlock, conflict with recovery
	"53":    aboutServer,    // out of memory, disk or connections
	"55P03": aboutServer,    // lock not available
	"57":    aboutServer,    // cancelled, timed out, shutting down, starting up
	"58":    aboutServer,    // system error, as I/O
	"58P01": aboutRow,       // undefined file: what a function was to read, or a damaged row
	"58P02": aboutRow,       // duplicate file
	"72":    aboutServer,    // snapshot too old
	"F0":    aboutStatement, // configuration file error
	"HV00N": aboutServer,    // a foreign server can't be reached
}

// subjectOf returns what an SQLSTATE is about.
func subjectOf(code string) subject {
	if s, ok := subjects[code]; ok || len(code) != 5 {
		return s
	}
	return subjects[code[:2]]
}

// raisedBy is the routine of the server that runs RAISE in PL/pgSQL.
const raisedBy = "exec_stmt_raise"

// subject returns what the error is about. An error that a function has raised is
// about a row, whatever its SQLSTATE: taken for the server's condition, one row
// would be waited for without end.
func (e *serverError) subject() subject {
	if e.raised {
		return aboutRow
	}
	return subjectOf(e.code)
}

// A wholeError is an error that is no row's fault, whatever the server says: no
// row was read yet, or its key can't be read either, or all rows have it.
type notRowFaultError struct{ error }

func (e *notRowFaultError) Unwrap() error { return e.error }

func notRowFault(err error) error {
	if err == nil {
		return nil
	}
	return &notRowFaultError{err}
}

// poisoned reports whether an error may be one row's fault.
func isRowFault(err error) bool {
	var server *serverError
	var all *notRowFaultError
	return errors.As(err, &server) && !errors.As(err, &all) && !errors.Is(err, doc.ErrUnavailable) && server.subject() == aboutRow
}

// codeOf is the SQLSTATE of an error; "" where it has none.
func codeOf(err error) string {
	var server *serverError
	if errors.As(err, &server) {
		return server.code
	}
	return ""
}
