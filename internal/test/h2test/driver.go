package h2test

import (
	"bufio"
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// A connector opens connections to one database.
type connector struct {
	db      *DB
	session []string // statements that begin each connection
	vendor  Vendor
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	socket, err := new(net.Dialer).DialContext(ctx, "tcp", c.db.server.address)
	if err != nil {
		return nil, err
	}
	conn := &conn{Conn: socket, in: bufio.NewReader(socket), vendor: c.vendor}
	conn.put([]byte(c.db.url))
	for _, s := range c.session {
		if _, err := conn.run(ctx, s, nil); err != nil {
			_ = conn.Close()
			return nil, err
		}
	}
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	if c.session != nil {
		c.db.conns = append(c.db.conns, conn)
	}
	return conn, nil
}

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return nil }

// A conn is a socket of H2.java. A message of the client is SQL, the number of
// parameters, and each as a type and bytes. The answer is 'E', a number and a text;
// 'U'; or 'R', the columns, each row after 'V', and '.'. Texts and bytes have their
// length before them, which is -1 for NULL.
type conn struct {
	net.Conn
	in     *bufio.Reader
	out    []byte
	vendor Vendor
	broken bool
}

func (c *conn) put(b []byte) {
	c.out = append(binary.BigEndian.AppendUint32(c.out, uint32(len(b))), b...)
}

// run sends a statement and returns its rows; nil: it returns none. A context that ends
// meanwhile closes the connection, perhaps only after the answer was read.
func (c *conn) run(ctx context.Context, sql string, args []driver.NamedValue) (rows *rows, err error) {
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer func() {
		if stop() {
			return
		}
		if c.broken = true; err != nil {
			err = context.Cause(ctx)
		}
	}()
	c.put([]byte(sql))
	c.out = binary.BigEndian.AppendUint32(c.out, uint32(len(args)))
	for _, a := range args {
		kind, text := argument(a.Value)
		c.out = append(c.out, kind)
		c.put(text)
	}
	_, err = c.Write(c.out)
	if c.out = c.out[:0]; err == nil {
		rows, err = c.answer()
	}
	if err != nil && !errors.As(err, new(refused)) {
		c.broken = true
		return nil, err
	}
	var no refused
	if errors.As(err, &no) {
		return nil, c.vendor.Fault(no.code, no.text)
	}
	return rows, err
}

// refused is an error of H2.
type refused struct {
	code int
	text string
}

func (e refused) Error() string { return fmt.Sprintf("%s (H2 %d)", e.text, e.code) }

func argument(v any) (kind byte, text []byte) {
	switch v := v.(type) {
	case int64:
		return 'i', strconv.AppendInt(nil, v, 10)
	case float64:
		return 'f', strconv.AppendFloat(nil, v, 'g', -1, 64)
	case string:
		return 's', []byte(v)
	case []byte:
		return 'b', v
	case time.Time:
		return 't', []byte(v.Format(time.RFC3339Nano))
	}
	return 'n', nil
}

// answer reads an answer with all its rows.
func (c *conn) answer() (*rows, error) {
	switch kind, err := c.in.ReadByte(); {
	case err != nil:
		return nil, err
	case kind == 'U':
		return nil, nil
	case kind == 'E':
		return nil, c.refusal()
	}
	n, err := c.number()
	r := &rows{vendor: c.vendor}
	for range n {
		if err == nil {
			err = r.readColumn(c)
		}
	}
	for err == nil {
		var more byte
		switch more, err = c.in.ReadByte(); {
		case more == '.':
			return r, err
		case more == 'E':
			return nil, c.refusal()
		case err == nil:
			err = r.readRow(c)
		}
	}
	return nil, err
}

func (c *conn) refusal() error {
	code, err := c.number()
	if err != nil {
		return err
	}
	text, err := c.bytes()
	if err != nil {
		return err
	}
	return refused{code, string(text)}
}

func (c *conn) number() (int, error) {
	var b [4]byte
	_, err := io.ReadFull(c.in, b[:])
	return int(int32(binary.BigEndian.Uint32(b[:]))), err
}

func (c *conn) bytes() ([]byte, error) {
	n, err := c.number()
	if n < 0 || err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(c.in, b)
	return b, err
}

// Prepare implements driver.Conn.
func (c *conn) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("h2test: statements are not prepared")
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Rows, error) {
	r, err := c.run(ctx, c.vendor.Rewrite(sql), args)
	if err == nil && r == nil {
		r = &rows{}
	}
	return r, err
}

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Result, error) {
	_, err := c.run(ctx, c.vendor.Rewrite(sql), args)
	return driver.ResultNoRows, err
}

// CheckNamedValue implements driver.NamedValueChecker: the vendors' drivers take
// types of their own.
func (c *conn) CheckNamedValue(v *driver.NamedValue) (err error) {
	if c.vendor.Argument != nil {
		v.Value = c.vendor.Argument(v.Value)
	}
	v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value)
	return err
}

// Begin implements driver.Conn.
func (c *conn) Begin() (driver.Tx, error) {
	_, err := c.run(context.Background(), "SET AUTOCOMMIT FALSE", nil)
	return c, err
}

// BeginTx implements driver.ConnBeginTx. Drivers refuse what H2 refuses here.
func (c *conn) BeginTx(_ context.Context, o driver.TxOptions) (driver.Tx, error) {
	if o.ReadOnly || o.Isolation != 0 && c.vendor.Isolation == nil {
		return nil, errors.New("h2test: the driver does not support these options of a transaction")
	}
	if c.vendor.Isolation != nil {
		for _, s := range c.vendor.Isolation(o) {
			if _, err := c.run(context.Background(), s, nil); err != nil {
				return nil, err
			}
		}
	}
	return c.Begin()
}

// Commit implements driver.Tx.
func (c *conn) Commit() error { return c.end("COMMIT") }

// Rollback implements driver.Tx.
func (c *conn) Rollback() error { return c.end("ROLLBACK") }

func (c *conn) end(how string) error {
	_, err := c.run(context.Background(), how, nil)
	if err == nil {
		_, err = c.run(context.Background(), "SET AUTOCOMMIT TRUE", nil)
	}
	return err
}

// IsValid implements driver.Validator.
func (c *conn) IsValid() bool { return !c.broken }

// A column is a column of a result.
type column struct {
	name, kind       string
	precision, scale int
}

// rows are the rows of a result.
type rows struct {
	vendor  Vendor
	columns []column
	all     [][]driver.Value
	fault   error // of the row after all, which the driver can't convert
}

func (r *rows) readColumn(c *conn) (err error) {
	var col column
	for _, to := range []*string{&col.name, &col.kind} {
		text, err := c.bytes()
		if err != nil {
			return err
		}
		*to = string(text)
	}
	if col.precision, err = c.number(); err == nil {
		col.scale, err = c.number()
	}
	r.columns = append(r.columns, col)
	return err
}

// readRow reads a row to its end, even after a fault: the next answer follows it.
func (r *rows) readRow(c *conn) error {
	row := make([]driver.Value, len(r.columns))
	for i, col := range r.columns {
		raw, err := c.bytes()
		if err != nil {
			return err
		}
		if raw == nil {
			continue
		}
		if row[i], err = r.vendor.Value(col.kind, raw); err != nil && r.fault == nil {
			r.fault = err
		}
	}
	if r.fault == nil {
		r.all = append(r.all, row)
	}
	return nil
}

// Columns implements driver.Rows.
func (r *rows) Columns() (names []string) {
	for _, c := range r.columns {
		names = append(names, c.name)
	}
	return names
}

// Next implements driver.Rows.
func (r *rows) Next(dest []driver.Value) error {
	if len(r.all) == 0 {
		return cmp.Or(r.fault, io.EOF)
	}
	copy(dest, r.all[0])
	r.all = r.all[1:]
	return nil
}

// Close implements driver.Rows.
func (r *rows) Close() error { return nil }

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	c := r.columns[i]
	name, _ := r.vendor.Type(c.kind, c.precision, c.scale)
	return name
}

// ColumnTypePrecisionScale implements driver.RowsColumnTypePrecisionScale.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	c := r.columns[i]
	_, driversScale := r.vendor.Type(c.kind, c.precision, c.scale)
	return int64(c.precision), int64(driversScale), true
}
