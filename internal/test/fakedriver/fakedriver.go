// Package fakedriver is a driver of database/sql that plays answers: the types and
// values that a vendor's driver returns, and its errors. The dialects of databases
// whose servers can't run here are tested with it.
//
// A Server plays answers that a test has written, by what a statement contains, and
// remembers what each connection was sent. A Recording plays what a stand-in has
// answered before to the same statements: see Record.
package fakedriver

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
)

// An Answer is what the server returns for statements that contain a text.
type Answer struct {
	To      string
	Columns []Column
	Rows    [][]driver.Value
	Err     error
	Times   int // how often it is played; 0: always
}

// A Column is a column of a result, as a driver describes it.
type Column struct {
	Name, Type               string `json:",omitempty"`
	Precision, Scale, Length int64  `json:",omitempty"`
}

// Values are columns without types, of as many as the first row has values.
func Values(to string, rows ...[]driver.Value) Answer {
	a := Answer{To: to, Rows: rows}
	for range rows[0] {
		a.Columns = append(a.Columns, Column{Name: "C"})
	}
	return a
}

// A Server plays answers. It fails the test that sends a statement without one.
type Server struct {
	t testing.TB

	mu      sync.Mutex
	answers []Answer
	sent    []string
}

// New returns a server. A statement gets the first answer whose text it contains.
func New(t testing.TB, answers ...Answer) *Server { return &Server{t: t, answers: answers} }

// Play puts answers before those that the server has.
func (s *Server) Play(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(answers, s.answers...)
}

// Sent returns the statements since the last call, and BEGIN, COMMIT, ROLLBACK and
// CONNECT for what a driver does without one.
func (s *Server) Sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = nil
	return sent
}

func (s *Server) answer(sql string) (*rows, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, sql)
	for i, a := range s.answers {
		if !strings.Contains(sql, a.To) {
			continue
		}
		if a.Times == 1 {
			s.answers = slices.Delete(slices.Clone(s.answers), i, i+1)
		} else if a.Times > 1 {
			s.answers[i].Times--
		}
		return &rows{columns: a.Columns, all: slices.Clone(a.Rows)}, a.Err
	}
	s.t.Errorf("the server has no answer to %s", sql)
	return nil, errors.New("fakedriver: no answer")
}

func (s *Server) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, what)
}

// Connector returns the driver's connector.
func (s *Server) Connector() driver.Connector { return connector{s} }

type connector struct{ server *Server }

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) {
	c.server.note("CONNECT")
	return &conn{c.server}, nil
}

// Driver implements driver.Connector.
func (connector) Driver() driver.Driver { return nil }

type conn struct{ server *Server }

// Prepare implements driver.Conn.
func (*conn) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("fakedriver: statements are not prepared")
}

// Close implements driver.Conn.
func (*conn) Close() error { return nil }

// Begin implements driver.Conn.
func (c *conn) Begin() (driver.Tx, error) {
	c.server.note("BEGIN")
	return c, nil
}

// BeginTx implements driver.ConnBeginTx.
func (c *conn) BeginTx(_ context.Context, o driver.TxOptions) (driver.Tx, error) {
	if o.ReadOnly {
		return nil, errors.New("fakedriver: the vendors' drivers refuse read-only transactions")
	}
	return c.Begin()
}

// Commit implements driver.Tx.
func (c *conn) Commit() error {
	c.server.note("COMMIT")
	return nil
}

// Rollback implements driver.Tx.
func (c *conn) Rollback() error {
	c.server.note("ROLLBACK")
	return nil
}

// CheckNamedValue implements driver.NamedValueChecker: any parameter is accepted.
func (*conn) CheckNamedValue(*driver.NamedValue) error { return nil }

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := c.server.answer(sql)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	_, err := c.server.answer(sql)
	return driver.ResultNoRows, err
}

// rows are the rows of an answer. A row with one error in place of values fails.
type rows struct {
	columns []Column
	all     [][]driver.Value
}

// Columns implements driver.Rows.
func (r *rows) Columns() (names []string) {
	for _, c := range r.columns {
		names = append(names, c.Name)
	}
	return names
}

// Next implements driver.Rows.
func (r *rows) Next(dest []driver.Value) error {
	if len(r.all) == 0 {
		return io.EOF
	}
	row := r.all[0]
	r.all = r.all[1:]
	if err, ok := row[0].(error); ok {
		return err
	}
	copy(dest, row)
	return nil
}

// Close implements driver.Rows.
func (*rows) Close() error { return nil }

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string { return r.columns[i].Type }

// ColumnTypePrecisionScale implements driver.RowsColumnTypePrecisionScale.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	return r.columns[i].Precision, r.columns[i].Scale, true
}

// ColumnTypeLength implements driver.RowsColumnTypeLength.
func (r *rows) ColumnTypeLength(i int) (int64, bool) {
	return r.columns[i].Length, r.columns[i].Length > 0
}
