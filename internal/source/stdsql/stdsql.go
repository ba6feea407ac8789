// Package stdsql is what the dialects of source that use database/sql share: pools
// whose sessions have settings, sessions and their transactions, readers of the
// catalog and the clock, and the conversion of values and errors of drivers.
//
// Invariant: an error that leaves a Session is one of dialect.Session: the vendor
// classifies each error of the driver exactly once.
//
// Cost: one allocation a value beyond the driver's.
package stdsql

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// A Vendor is what database/sql does not know of a database.
type Vendor interface {
	// Begin begins a read-only transaction and takes its snapshot.
	Begin(ctx context.Context, conn *sql.Conn, settings string) (Tx, dialect.Snapshot, error)
	Describe(ctx context.Context, conn *sql.Conn, sql dialect.Wrapped) ([]dialect.Column, error)
	Moment(ctx context.Context, conn *sql.Conn) (doc.Moment, error)
	// Fault converts an error of the driver, which Fault has not passed through. The
	// session can still run statements.
	Fault(ctx context.Context, s *Session, st dialect.Statement, err error) error
	// Refusal converts an error of a failed connect.
	Refusal(err error) *dialect.Fault
	// Value returns a parameter as the driver takes it.
	Value(dialect.Arg) any
}

// A Querier is a connection, or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// A Tx is a transaction, such as a *sql.Tx.
type Tx interface {
	Querier
	Rollback() error
}

// A Scanner is a Vendor that converts the values of its driver.
type Scanner interface {
	// Scan returns what stores a column's values in to.
	Scan(column *sql.ColumnType, to *any) sql.Scanner
}

// A Slower is a Vendor that writes a statement that reads the whole table otherwise.
type Slower interface {
	Slow(sql string) string
}

// A Session is a connection and its transaction.
type Session struct {
	vendor    Vendor
	timeout   time.Duration
	conn      *sql.Conn
	tx        Tx                          // nil until Begin
	unchanged map[*dialect.Described]bool // described again in this transaction
}

// Begin implements dialect.Session.
func (s *Session) Begin(ctx context.Context, settings string) (snapshot dialect.Snapshot, err error) {
	s.tx, snapshot, err = s.vendor.Begin(ctx, s.conn, settings)
	return snapshot, s.fault(ctx, dialect.Statement{}, err)
}

// Query implements dialect.Session.
func (s *Session) Query(ctx context.Context, st dialect.Statement, row func(raw []any) bool) (all bool, err error) {
	if v, ok := s.vendor.(Slower); ok && st.Slow {
		st.SQL = v.Slow(st.SQL)
	}
	if st.Slow || s.timeout == 0 {
		return s.query(ctx, st, row)
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	all, err = s.query(limited, st, row)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = &dialect.Fault{Subject: dialect.AboutServer, Text: fmt.Sprintf("a statement took longer than %v", s.timeout)}
	}
	return all, err
}

func (s *Session) query(ctx context.Context, st dialect.Statement, row func(raw []any) bool) (all bool, err error) {
	for _, d := range st.Reads {
		if err := s.check(ctx, d); err != nil {
			return false, err
		}
	}
	all, err = s.run(ctx, st, row)
	return all, s.fault(ctx, st, err)
}

// check compares what an SQL returns with its description, once in a transaction.
func (s *Session) check(ctx context.Context, d *dialect.Described) error {
	if s.unchanged[d] {
		return nil
	}
	now, err := s.Describe(ctx, d.Wrapped)
	if err == nil {
		err = dialect.Changed(d, now)
	}
	s.unchanged[d] = err == nil
	return dialect.Missing(d, err)
}

// Run runs a statement and returns the driver's error.
func (s *Session) Run(ctx context.Context, st dialect.Statement, row func(raw []any) bool) error {
	_, err := s.run(ctx, st, row)
	return err
}

func (s *Session) run(ctx context.Context, st dialect.Statement, row func(raw []any) bool) (all bool, err error) {
	args := make([]any, len(st.Args))
	for i, a := range st.Args {
		args[i] = s.vendor.Value(a)
	}
	rows, err := s.querier().QueryContext(ctx, st.SQL, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	raw, dest, err := s.values(rows)
	if err != nil {
		return false, err
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return false, err
		}
		if !row(raw) {
			return false, nil
		}
	}
	return true, rows.Err()
}

// querier returns the transaction, or the connection before Begin.
func (s *Session) querier() Querier {
	if s.tx != nil {
		return s.tx
	}
	return s.conn
}

// values returns the values of a row, and where they are stored.
func (s *Session) values(rows *sql.Rows) (raw, dest []any, err error) {
	columns, err := rows.Columns()
	raw, dest = make([]any, len(columns)), make([]any, len(columns))
	for i := range raw {
		dest[i] = &raw[i]
	}
	scanner, ok := s.vendor.(Scanner)
	if !ok || err != nil {
		return raw, dest, err
	}
	types, err := rows.ColumnTypes()
	for i, t := range types {
		dest[i] = scanner.Scan(t, &raw[i])
	}
	return raw, dest, err
}

// Describe implements dialect.Session.
func (s *Session) Describe(ctx context.Context, sql dialect.Wrapped) ([]dialect.Column, error) {
	columns, err := s.vendor.Describe(ctx, s.conn, sql)
	return columns, s.fault(ctx, dialect.Statement{}, err)
}

// Moment implements dialect.Session.
func (s *Session) Moment(ctx context.Context) (doc.Moment, error) {
	m, err := s.vendor.Moment(ctx, s.conn)
	return m, s.fault(ctx, dialect.Statement{}, err)
}

func (s *Session) fault(ctx context.Context, st dialect.Statement, err error) error {
	return Fault(err, func(err error) error { return s.vendor.Fault(ctx, s, st, err) })
}

// End implements dialect.Session. It writes nothing, so an error does not matter:
// the pool closes a broken connection.
func (s *Session) End() {
	if s.tx != nil {
		_ = s.tx.Rollback()
	}
	_ = s.conn.Close()
}
