package fakedriver

import (
	"bufio"
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"sync"
	"time"
)

// A Recording is what a stand-in answered to statements, in order for each text of a
// statement. The parameters are not compared.
type Recording struct {
	// Fault makes the driver's error of a number and a text.
	Fault func(code int, text string) error
	// Code returns the number of the driver's error; 0: it is none of its.
	Code func(error) int

	mu      sync.Mutex
	answers map[uint64][]recorded
	all     []recorded // in order
}

// recorded is a line of the file.
type recorded struct {
	To      uint64    // the hash of the statement
	Code    int       `json:",omitempty"`
	Text    string    `json:",omitempty"`
	Columns []Column  `json:",omitempty"`
	Rows    [][]value `json:",omitempty"`
}

// A value is a driver.Value with its type.
type value struct{ driver.Value }

// MarshalJSON writes a type and a text.
func (v value) MarshalJSON() ([]byte, error) {
	switch x := v.Value.(type) {
	case []byte:
		return json.Marshal(map[string][]byte{"b": x})
	case time.Time:
		return json.Marshal(map[string]time.Time{"t": x})
	case int64:
		return json.Marshal(map[string]int64{"i": x})
	}
	return json.Marshal(v.Value)
}

// UnmarshalJSON reads what MarshalJSON has written.
func (v *value) UnmarshalJSON(text []byte) error {
	if len(text) == 0 || text[0] != '{' {
		return json.Unmarshal(text, &v.Value)
	}
	var typed struct {
		B []byte
		T *time.Time
		I *int64
	}
	err := json.Unmarshal(text, &typed)
	switch {
	case typed.T != nil:
		v.Value = *typed.T
	case typed.I != nil:
		v.Value = *typed.I
	default:
		v.Value = typed.B
	}
	return err
}

func hash(sql string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(sql))
	return h.Sum64()
}

// Load reads a recording that Save has written.
func (r *Recording) Load(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r.answers = map[uint64][]recorded{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var one recorded
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		r.answers[one.To] = append(r.answers[one.To], one)
	}
	return lines.Err()
}

// Save writes what Record has recorded.
func (r *Recording) Save(file string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var text bytes.Buffer
	for _, one := range r.all {
		line, err := json.Marshal(one)
		if err != nil {
			return err
		}
		text.Write(append(line, '\n'))
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}

// Play returns a connector that answers as recorded.
func (r *Recording) Play() driver.Connector { return &recording{r, nil} }

// Record returns a connector that answers as another one and records the answers.
func (r *Recording) Record(of driver.Connector) driver.Connector { return &recording{r, of} }

// A recording is a connector that records or plays.
type recording struct {
	*Recording
	of driver.Connector // nil: play
}

// Connect implements driver.Connector.
func (r *recording) Connect(ctx context.Context) (driver.Conn, error) {
	if r.of == nil {
		return &player{recording: r}, nil
	}
	c, err := r.of.Connect(ctx)
	return &player{r, c}, err
}

// Driver implements driver.Connector.
func (*recording) Driver() driver.Driver { return nil }

// A player is a connection that records or plays.
type player struct {
	*recording
	of driver.Conn
}

// Prepare implements driver.Conn.
func (*player) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("fakedriver: statements are not prepared")
}

// Close implements driver.Conn.
func (p *player) Close() error {
	if p.of == nil {
		return nil
	}
	return p.of.Close()
}

// Begin implements driver.Conn.
func (p *player) Begin() (driver.Tx, error) {
	return p.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements driver.ConnBeginTx. Transactions are not recorded.
func (p *player) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if p.of == nil {
		return p, nil
	}
	return p.of.(driver.ConnBeginTx).BeginTx(ctx, o)
}

// Commit implements driver.Tx.
func (*player) Commit() error { return nil }

// Rollback implements driver.Tx.
func (*player) Rollback() error { return nil }

// CheckNamedValue implements driver.NamedValueChecker.
func (p *player) CheckNamedValue(v *driver.NamedValue) error {
	if p.of == nil {
		return nil
	}
	return p.of.(driver.NamedValueChecker).CheckNamedValue(v)
}

// QueryContext implements driver.QueryerContext.
func (p *player) QueryContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Rows, error) {
	one := recorded{To: hash(sql)}
	if p.of == nil {
		return p.play(sql, one.To)
	}
	got, err := p.of.(driver.QueryerContext).QueryContext(ctx, sql, args)
	if err == nil {
		err = one.read(got)
	}
	if err != nil {
		if one.Code, one.Text = p.Code(err), err.Error(); one.Code == 0 {
			return nil, err
		}
	}
	p.add(one)
	if err != nil {
		return nil, err
	}
	return one.rows(), nil
}

// ExecContext implements driver.ExecerContext.
func (p *player) ExecContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Result, error) {
	if p.of == nil {
		return driver.ResultNoRows, nil
	}
	return p.of.(driver.ExecerContext).ExecContext(ctx, sql, args)
}

func (r *Recording) add(one recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, one)
}

func (r *Recording) play(sql string, to uint64) (driver.Rows, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.answers[to]
	if len(left) == 0 {
		return nil, fmt.Errorf("no answer to this statement is recorded: if the change is meant, run make standins UPDATE=1 and read the difference: %s", sql)
	}
	one := left[0]
	r.answers[to] = left[1:]
	if one.Code != 0 {
		return nil, r.Fault(one.Code, one.Text)
	}
	return one.rows(), nil
}

// read reads all rows of a result.
func (one *recorded) read(from driver.Rows) error {
	defer from.Close()
	for i, name := range from.Columns() {
		c := Column{Name: name}
		if types, ok := from.(driver.RowsColumnTypeDatabaseTypeName); ok {
			c.Type = types.ColumnTypeDatabaseTypeName(i)
		}
		if sizes, ok := from.(driver.RowsColumnTypePrecisionScale); ok {
			c.Precision, c.Scale, _ = sizes.ColumnTypePrecisionScale(i)
		}
		one.Columns = append(one.Columns, c)
	}
	for {
		row := make([]driver.Value, len(one.Columns))
		switch err := from.Next(row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		kept := make([]value, len(row))
		for i, v := range row {
			kept[i] = value{v}
		}
		one.Rows = append(one.Rows, kept)
	}
}

func (one *recorded) rows() *rows {
	r := &rows{columns: one.Columns}
	for _, kept := range one.Rows {
		row := make([]driver.Value, len(kept))
		for i, v := range kept {
			row[i] = v.Value
		}
		r.all = append(r.all, row)
	}
	return r
}
