// Package stdsql makes a session of sqlsource from a connection of database/sql.
// It costs one allocation a value beyond the driver's.
package stdsql

import (
	"context"
	"database/sql"

	"indexerd/internal/doc"
	"indexerd/internal/sqlsource"
)

// A Vendor is what database/sql does not know of a database.
type Vendor interface {
	// Begin begins a read-only transaction and takes its snapshot.
	Begin(ctx context.Context, conn *sql.Conn, settings string) (*sql.Tx, sqlsource.Snapshot, error)
	Describe(ctx context.Context, conn *sql.Conn, sql sqlsource.Wrapped) ([]sqlsource.Column, error)
	Moment(ctx context.Context, conn *sql.Conn) (doc.Moment, error)
	// Fault converts an error of a statement, which the session can still run
	// statements after; nil stays nil.
	Fault(ctx context.Context, s *Session, st sqlsource.Statement, err error) error
	// Value returns a parameter as the driver takes it.
	Value(sqlsource.Arg) any
}

// A Session is a connection and its transaction.
type Session struct {
	vendor    Vendor
	conn      *sql.Conn
	tx        *sql.Tx                       // nil until Begin
	unchanged map[*sqlsource.Described]bool // described again in this transaction
}

// Acquire takes a connection of a pool.
func Acquire(ctx context.Context, db *sql.DB, v Vendor) (*Session, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &Session{vendor: v, conn: conn, unchanged: map[*sqlsource.Described]bool{}}, nil
}

// Begin implements sqlsource.Session.
func (s *Session) Begin(ctx context.Context, settings string) (snapshot sqlsource.Snapshot, err error) {
	s.tx, snapshot, err = s.vendor.Begin(ctx, s.conn, settings)
	return snapshot, s.vendor.Fault(ctx, s, sqlsource.Statement{}, err)
}

// Query implements sqlsource.Session.
func (s *Session) Query(ctx context.Context, st sqlsource.Statement, row func(raw []any) bool) (all bool, err error) {
	for _, d := range st.Reads {
		if err := s.check(ctx, d); err != nil {
			return false, err
		}
	}
	all, err = s.run(ctx, st, row)
	return all, s.vendor.Fault(ctx, s, st, err)
}

// check compares what an SQL returns with its description, once in a transaction.
func (s *Session) check(ctx context.Context, d *sqlsource.Described) error {
	if s.unchanged[d] {
		return nil
	}
	now, err := s.Describe(ctx, d.Wrapped)
	if err == nil {
		err = sqlsource.Changed(d, now)
	}
	s.unchanged[d] = err == nil
	return sqlsource.Missing(d, err)
}

// Run runs a statement and returns the driver's error.
func (s *Session) Run(ctx context.Context, st sqlsource.Statement, row func(raw []any) bool) error {
	_, err := s.run(ctx, st, row)
	return err
}

func (s *Session) run(ctx context.Context, st sqlsource.Statement, row func(raw []any) bool) (all bool, err error) {
	args := make([]any, len(st.Args))
	for i, a := range st.Args {
		args[i] = s.vendor.Value(a)
	}
	rows, err := s.tx.QueryContext(ctx, st.SQL, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return false, err
	}
	raw, dest := make([]any, len(columns)), make([]any, len(columns))
	for i := range raw {
		dest[i] = &raw[i]
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

// Describe implements sqlsource.Session.
func (s *Session) Describe(ctx context.Context, sql sqlsource.Wrapped) ([]sqlsource.Column, error) {
	columns, err := s.vendor.Describe(ctx, s.conn, sql)
	return columns, s.vendor.Fault(ctx, s, sqlsource.Statement{}, err)
}

// Moment implements sqlsource.Session.
func (s *Session) Moment(ctx context.Context) (doc.Moment, error) {
	m, err := s.vendor.Moment(ctx, s.conn)
	return m, s.vendor.Fault(ctx, s, sqlsource.Statement{}, err)
}

// End implements sqlsource.Session. It writes nothing, so an error does not matter:
// the pool closes a broken connection.
func (s *Session) End() {
	if s.tx != nil {
		_ = s.tx.Rollback()
	}
	_ = s.conn.Close()
}
