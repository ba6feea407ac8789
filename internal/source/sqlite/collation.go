package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"modernc.org/sqlite"

	"indexerd/internal/source/dialect"
)

// An application may define collations that only it knows, such as Anki's unicase.
// Without them SQLite refuses every statement that opens an index with one, also one
// that compares nothing. So each connection has a stand-in for each collation that the
// schema names and SQLite lacks. It lets a statement read such an index from end to end.
// A statement that compares by it fails, since the application's order is not known: a
// seek in an index of another order would miss rows.

// named matches the name of a collation in the schema.
var named = regexp.MustCompile(`(?i)\bcollate\s+("(?:[^"]|"")+"|'(?:[^']|'')+'|\x60[^\x60]+\x60|\[[^\]]+\]|[\w$]+)`)

// builtIn are the collations of SQLite, in lower case.
var builtIn = []string{"binary", "nocase", "rtrim"}

// collationsOf returns the collations that statements of a schema name and SQLite lacks.
func collationsOf(statements []string) (names []string) {
	for _, sql := range statements {
		for _, m := range named.FindAllStringSubmatch(sql, -1) {
			name := m[1]
			if quote := name[:1]; strings.Contains("\"'`[", quote) {
				name = strings.ReplaceAll(name[1:len(name)-1], quote+quote, quote)
			}
			same := func(other string) bool { return strings.EqualFold(name, other) }
			if !slices.ContainsFunc(builtIn, same) && !slices.ContainsFunc(names, same) {
				names = append(names, name)
			}
		}
	}
	return names
}

// collating selects the statements of the schema that name a collation.
const collating = "SELECT +sql FROM sqlite_schema WHERE sql LIKE '%collate%'"

// A standIns is a driver with its stand-ins. One connection uses it at a time. The library
// keeps each stand-in for the life of the process, so it is used again by later
// connections.
type standIns struct {
	driver   *sqlite.Driver
	names    []string
	compared atomic.Pointer[string] // the collation by which a statement compared
}

// connectWith opens a connection with stand-ins.
func (c *connector) connectWith(names []string) (driver.Conn, error) {
	s, err := c.take()
	if err != nil {
		return nil, err
	}
	if err := s.add(names); err != nil {
		return nil, err
	}
	opened, err := s.driver.Open(fileURI(c.path, readOnly))
	if err != nil {
		c.release(s)
		return nil, err
	}
	all, ok := opened.(driverConn)
	if !ok {
		return nil, fmt.Errorf("the driver's %T lacks a method", opened)
	}
	return &conn{driverConn: all, standIns: s, end: func() { c.release(s) }}, nil
}

// take returns stand-ins that no connection uses.
func (c *connector) take() (*standIns, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.free) - 1; n >= 0 {
		s := c.free[n]
		c.free = c.free[:n]
		return s, nil
	}
	d, err := newDriver()
	return &standIns{driver: d}, err
}

// release takes stand-ins back from a connection that is closed.
func (c *connector) release(s *standIns) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free = append(c.free, s)
}

// add adds stand-ins for the collations that have none.
func (s *standIns) add(names []string) error {
	for _, name := range names {
		if slices.Contains(s.names, name) {
			continue
		}
		compare := func(left, right string) int {
			s.compared.Store(&name)
			return strings.Compare(left, right)
		}
		if err := s.driver.RegisterCollationUtf8(name, compare); err != nil {
			return fmt.Errorf("register a stand-in for the collation %s: %w", name, err)
		}
		s.names = append(s.names, name)
	}
	return nil
}

// fault returns the error of a statement that has compared by a stand-in; nil: none has.
func (s *standIns) fault() error {
	name := s.compared.Load()
	if name == nil {
		return nil
	}
	return &dialect.Fault{
		Subject: dialect.AboutStatement,
		Text:    "the SQL compares by the collation " + *name + ", which only the application has: write COLLATE BINARY after the column, then AS and its name",
	}
}

// A driverConn is what the library's connection implements.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
	ColumnInfo(query string) ([]sqlite.ColumnInfo, error)
}

// A conn is a connection with stand-ins.
type conn struct {
	driverConn
	standIns *standIns
	end      func()
}

// Close implements driver.Conn.
func (c *conn) Close() error {
	defer c.end()
	return c.driverConn.Close()
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.standIns.compared.Store(nil)
	rows, err := c.driverConn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return comparing{rows, c.standIns}, nil
}

// comparing is the rows of a statement, none after it has compared by a stand-in.
type comparing struct {
	driver.Rows
	standIns *standIns
}

// Next implements driver.Rows.
func (r comparing) Next(to []driver.Value) error {
	err := r.Rows.Next(to)
	if fault := r.standIns.fault(); fault != nil {
		return fault
	}
	return err
}

// collations returns the collations that the schema names and SQLite lacks. A file
// that can't be read has none: the first statement shows why.
func collations(ctx context.Context, opened driver.Conn) ([]string, error) {
	querier, ok := opened.(driver.QueryerContext)
	if !ok {
		return nil, fmt.Errorf("the driver's %T can't run a query", opened)
	}
	rows, err := querier.QueryContext(ctx, collating, nil)
	if err != nil {
		return nil, onlyAway(err)
	}
	defer rows.Close()
	var statements []string
	for row := make([]driver.Value, 1); ; {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return collationsOf(statements), nil
		case err != nil:
			return nil, onlyAway(err)
		}
		if sql, ok := row[0].(string); ok {
			statements = append(statements, strings.Clone(sql))
		}
	}
}

// onlyAway returns an error that a retry may remove.
func onlyAway(err error) error {
	if unavailable(err) {
		return err
	}
	return nil
}
