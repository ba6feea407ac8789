package sqlitesource

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"indexerd/internal/doc"
	"indexerd/internal/nearest"
)

// Numbers gives every fetch its number. Begin calls open, which takes the
// snapshot, under one lock, so that numbers are in the order of snapshots.
type Numbers interface {
	Begin(open func() error) (doc.FetchSeq, error)
	End(doc.FetchSeq)
}

// A TableConfig is a table as configured. Zone is where the clocks hang that
// an updateTime of text without an offset was read from; nil means UTC, as
// SQLite's own functions have it.
type TableConfig struct {
	Name    string
	SQL     string
	Key     []string
	Updated string
	Zone    *time.Location
	Batch   int     // rows of a page; 0 means 2000
	Numbers Numbers // nil: fetches only look, and carry number 0
}

// unnumbered is for those who only look.
type unnumbered struct{}

func (unnumbered) Begin(open func() error) (doc.FetchSeq, error) { return 0, open() }
func (unnumbered) End(doc.FetchSeq)                              {}

// A Table is the result of one user's SQL.
type Table struct {
	source  *Source
	name    string
	zone    *time.Location
	batch   int
	numbers Numbers
	epoch   uint32

	columns    []string
	booleans   []bool // by column: declared BOOLEAN
	key        []int  // columns of the key
	updated    int    // column of updateTime
	kinds      []doc.Kind
	statements statements
	clock      atomic.Pointer[clock] // nil until a row has an updateTime
}

// Table looks at a table's SQL: its columns, the type of its key, the way its
// updateTime is written. What is wrong with the configuration is a
// *ConfigError; while the database can't be asked, or no row tells the type of
// the key, the error is doc.ErrUnavailable.
func (s *Source) Table(ctx context.Context, c TableConfig) (*Table, error) {
	t := &Table{
		source:  s,
		name:    c.Name,
		zone:    cmp.Or(c.Zone, time.UTC),
		batch:   cmp.Or(c.Batch, 2000),
		numbers: c.Numbers,
		epoch:   epochOf(c.SQL, c.Key),
	}
	if t.numbers == nil {
		t.numbers = unnumbered{}
	}
	if err := t.look(ctx, c); err != nil {
		return nil, s.fault("table "+c.Name, err)
	}
	return t, nil
}

func (t *Table) look(ctx context.Context, c TableConfig) error {
	info, err := t.source.columnsOf(ctx, c.SQL)
	if err != nil {
		return err
	}
	if err := t.findColumns(info, c); err != nil {
		return err
	}
	// Kinds decide how keys are ordered, and finding them needs no order.
	t.statements = newStatements(c.SQL, t.columns, c.Key, nil, c.Updated)
	return t.read(ctx, func(tx *sql.Tx) error {
		if err := t.findKinds(ctx, tx, info); err != nil {
			return err
		}
		t.statements = newStatements(c.SQL, t.columns, c.Key, t.kinds, c.Updated)
		_, err := t.findClock(ctx, tx)
		return err
	})
}

// columnsOf prepares the SQL, without the wrapping that would rename columns of
// one name, and does not run it.
func (s *Source) columnsOf(ctx context.Context, query string) (info []sqlite.ColumnInfo, err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	err = conn.Raw(func(driverConn any) error {
		describer, ok := driverConn.(interface {
			ColumnInfo(query string) ([]sqlite.ColumnInfo, error)
		})
		if !ok {
			return fmt.Errorf("the driver's %T can't describe a query", driverConn)
		}
		info, err = describer.ColumnInfo(query)
		return err
	})
	if err != nil && !unavailable(err) {
		return nil, &ConfigError{"sql", message(err), "try it in the sqlite3 shell"}
	}
	return info, err
}

// findColumns places the key and updateTime among the SQL's columns.
func (t *Table) findColumns(info []sqlite.ColumnInfo, c TableConfig) error {
	if len(info) == 0 {
		return &ConfigError{"sql", "it returns no columns", "write a SELECT"}
	}
	seen := map[string]bool{}
	for _, column := range info {
		// SQLite does not tell names apart by case.
		if folded := strings.ToLower(column.Name); seen[folded] {
			return &ConfigError{"sql", "two columns are named " + column.Name, "give one of them another name with AS"}
		} else {
			seen[folded] = true
		}
		t.columns = append(t.columns, column.Name)
		t.booleans = append(t.booleans, isBoolean(column.DeclType))
	}
	for i, name := range c.Key {
		column, err := t.column("key", name)
		if err != nil {
			return err
		}
		if slices.Contains(c.Key[:i], name) {
			return &ConfigError{"key", "column " + name + " is named twice", "name it once"}
		}
		t.key = append(t.key, column)
	}
	if len(t.key) == 0 || len(t.key) > maxKeyParts {
		return &ConfigError{"key", fmt.Sprintf("%d columns", len(t.key)), fmt.Sprintf("name 1 to %d columns that tell rows apart", maxKeyParts)}
	}
	var err error
	t.updated, err = t.column("updated", c.Updated)
	return err
}

// maxKeyParts bounds a composite key.
const maxKeyParts = 8

// column finds a configured column.
func (t *Table) column(field, name string) (int, error) {
	if i := slices.Index(t.columns, name); i >= 0 {
		return i, nil
	}
	do := "name one of " + strings.Join(t.columns, ", ")
	if near := nearest.Name(name, t.columns); near != "" {
		do = "did you mean " + near + "?"
	}
	return 0, &ConfigError{field, "column " + name + " is not in the SQL's result", do}
}

// findKinds finds the type of each part of the key: declared where the column
// is a table's own, else the type of the values that there are.
func (t *Table) findKinds(ctx context.Context, tx *sql.Tx, info []sqlite.ColumnInfo) error {
	for _, column := range t.key {
		kind, ok := declaredKind(info[column].DeclType)
		if !ok {
			var err error
			if kind, err = t.kindOfValues(ctx, tx, t.columns[column]); err != nil {
				return err
			}
		}
		t.kinds = append(t.kinds, kind)
	}
	return nil
}

// declaredKind follows SQLite's rules of affinity as far as they make sure
// what a column holds.
func declaredKind(declared string) (doc.Kind, bool) {
	d := strings.ToUpper(declared)
	switch {
	case strings.Contains(d, "INT"):
		return doc.Integer, true
	case strings.Contains(d, "CHAR"), strings.Contains(d, "CLOB"), strings.Contains(d, "TEXT"), strings.Contains(d, "UUID"):
		return doc.Text, true
	}
	return 0, false
}

func isBoolean(declared string) bool {
	d := strings.ToUpper(declared)
	return d == "BOOLEAN" || d == "BOOL"
}

// kindOfValues looks at the least and the greatest value of a column, which
// are of one type exactly if all are.
func (t *Table) kindOfValues(ctx context.Context, tx *sql.Tx, name string) (doc.Kind, error) {
	column := qualify([]string{name})[0]
	query := "SELECT typeof(min(" + column + ")), typeof(max(" + column + "))" + t.statements.from
	var least, greatest string
	if err := tx.QueryRowContext(ctx, query).Scan(&least, &greatest); err != nil {
		return 0, err
	}
	switch {
	case least == "null":
		return 0, fmt.Errorf("key %s has no declared type, and there is no row yet to tell it: %w", name, doc.ErrUnavailable)
	case least == "integer" && greatest == "integer":
		return doc.Integer, nil
	case least == "text" && greatest == "text":
		return doc.Text, nil
	case least == greatest:
		return 0, &ConfigError{"key", "column " + name + " holds " + least + " values", "a key is integer or text: CAST it in the SQL"}
	}
	return 0, &ConfigError{"key", "column " + name + " holds both " + least + " and " + greatest + " values", "CAST it to TEXT in the SQL"}
}

// Kinds are the types of the parts of the key.
func (t *Table) Kinds() []doc.Kind { return slices.Clone(t.kinds) }

// Columns are the names of the SQL's columns, in its order.
func (t *Table) Columns() []string { return slices.Clone(t.columns) }

// Epoch is the epoch of the table's tokens.
func (t *Table) Epoch() uint32 { return t.epoch }

// Tick is the precision of updateTime. It is a day, the coarsest there is,
// until a row has one, so ask again for each window.
func (t *Table) Tick() time.Duration {
	if c := t.clock.Load(); c != nil {
		return c.tick
	}
	return 24 * time.Hour
}

// Now reads the clock that SQLite's own functions use, this machine's.
func (t *Table) Now(ctx context.Context) (now time.Time, err error) {
	err = t.read(ctx, func(tx *sql.Tx) (err error) {
		now, err = clockOf(ctx, tx)
		return err
	})
	return now, t.source.fault("read the clock", err)
}

// Count counts the rows.
func (t *Table) Count(ctx context.Context) (n int64, err error) {
	err = t.source.db.QueryRowContext(ctx, "SELECT count(*)"+t.statements.from).Scan(&n)
	return n, t.source.fault("count the rows of "+t.name, err)
}

// read runs f in a transaction, which is rolled back: nothing was written.
func (t *Table) read(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := t.source.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return f(tx)
}

// clockOf reads the clock. It is in milliseconds, the best that SQLite has.
func clockOf(ctx context.Context, tx *sql.Tx) (time.Time, error) {
	var text string
	if err := tx.QueryRowContext(ctx, `SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')`).Scan(&text); err != nil {
		return time.Time{}, err
	}
	return time.Parse("2006-01-02 15:04:05.000", text)
}
