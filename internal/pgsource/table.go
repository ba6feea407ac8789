package pgsource

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/doc"
)

// Numbers hands out the numbers of fetches. Begin calls open, which takes the
// snapshot, and returns the number of that snapshot: of two fetches the one
// with the higher number has the newer snapshot. End says that nothing more of
// a fetch will come.
type Numbers interface {
	Begin(open func() error) (doc.FetchSeq, error)
	End(doc.FetchSeq)
}

// TableConfig says what a table is.
type TableConfig struct {
	Name    string
	SQL     string
	Key     []string
	Updated string
	Zone    *time.Location // of an updateTime without time zone; nil: not declared
	Batch   int            // at most so many rows in a batch
	Numbers Numbers        // nil: fetches only look, and carry number 0
}

// A Table is one table of the daemon: a SQL, its key and its updateTime, as
// the database understood them. It is safe for concurrent use.
type Table struct {
	src        *Source
	name       string
	sql        wrapped
	names      []string // of the columns, in the SQL's order
	columns    []column
	key        key
	updated    *updated
	batch      int
	stampPage  int
	numbers    Numbers
	searchPath string
	epoch      uint32
}

// stampPage is the number of stamps of one page: a few megabytes here, and a
// snapshot of a fraction of a second there.
const stampPage = 50_000

// Table asks the database what the SQL returns, and checks the configuration
// against it. Its errors are a *ConfigError, or wrap doc.ErrUnavailable.
func (s *Source) Table(ctx context.Context, cfg TableConfig) (*Table, error) {
	t := &Table{
		src: s, name: cfg.Name, sql: wrap(cfg.SQL), batch: max(cfg.Batch, 1), stampPage: stampPage, numbers: cfg.Numbers,
	}
	x, err := s.acquire(ctx)
	if err != nil {
		return nil, t.wrap(err)
	}
	defer x.end(ctx)
	session, err := x.begin(ctx, "")
	if err != nil {
		return nil, t.wrap(err)
	}
	t.searchPath = session.searchPath
	t.epoch = tokenEpoch(t.sql, cfg.Key, session)
	if err := t.describe(ctx, x, cfg); err != nil {
		return nil, t.wrap(err)
	}
	return t, nil
}

// describe finds out the columns and what key and updateTime are.
func (t *Table) describe(ctx context.Context, x *tx, cfg TableConfig) error {
	fields, err := t.prepare(ctx, x)
	if err != nil {
		return err
	}
	types, err := x.types(ctx, fields)
	if err != nil {
		return err
	}
	if t.columns, err = newColumns(fields, types); err != nil {
		return err
	}
	for _, c := range t.columns {
		t.names = append(t.names, c.name)
	}
	if t.key, err = newKey(t.columns, cfg.Key); err != nil {
		return err
	}
	if t.updated, err = newUpdated(t.columns, cfg.Updated, cfg.Zone); err != nil {
		return err
	}
	_, err = t.unit(ctx, x)
	return err
}

// tokenEpoch hashes all that a digest depends on beside the row: tokens of
// two epochs can't be compared.
func tokenEpoch(sql wrapped, key []string, session opened) uint32 {
	h := fnv.New32a()
	for _, part := range append([]string{
		openSQL, sql.token(), sql.sql, session.searchPath, strconv.Itoa(session.major),
	}, key...) {
		// Lengths keep ("ab", "c") and ("a", "bc") apart.
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return h.Sum32()
}

// Kinds returns the kinds of the key's parts.
func (t *Table) Kinds() []doc.Kind { return t.key.kinds() }

// Columns returns the names of the SQL's columns in its order.
func (t *Table) Columns() []string { return slices.Clone(t.names) }

// Epoch returns the epoch of the tokens.
func (t *Table) Epoch() uint32 { return t.epoch }

// Tick returns the precision of updateTime: two changes within one tick may
// carry the same updateTime.
func (t *Table) Tick() time.Duration { return t.updated.tick() }

// Now returns the database's clock.
func (t *Table) Now(ctx context.Context) (time.Time, error) {
	now, err := t.src.now(ctx)
	return now, t.wrap(err)
}

// Count returns how many rows the SQL returns now.
func (t *Table) Count(ctx context.Context) (int64, error) {
	var n int64
	err := t.read(ctx, func(x *tx) error {
		row, err := x.row(ctx, query{sql: "SELECT count(*) " + t.sql.from()})
		if err != nil {
			return err
		}
		n, err = strconv.ParseInt(string(row[0]), 10, 64)
		return err
	})
	return n, err
}

// Breakpoints returns every every-th OID in the database's own order of keys,
// without the first: the bounds of ranges of so many rows each. It is one
// query over the whole table.
func (t *Table) Breakpoints(ctx context.Context, every int) ([]doc.OID, error) {
	var oids []doc.OID
	err := t.read(ctx, func(x *tx) error {
		r := x.rows(ctx, t.breakpoints(max(every, 1)))
		texts := make([]string, len(t.key))
		for r.NextRow() {
			for i, v := range r.Values() {
				texts[i] = string(v)
			}
			oid, err := t.key.oid(texts)
			if err != nil {
				continue // no OID, so no bound; its range reports the row
			}
			oids = append(oids, oid)
		}
		_, err := r.Close()
		return x.fault(ctx, err)
	})
	return oids, err
}

func (t *Table) breakpoints(every int) query {
	columns := t.key.columns(t.sql)
	var q query
	var numbered, outer []string
	for i, c := range columns {
		numbered = append(numbered, fmt.Sprintf("%s AS k%d", c, i))
		outer = append(outer, fmt.Sprintf("k%d", i))
	}
	q.sql = fmt.Sprintf("SELECT %s FROM (SELECT %s, row_number() OVER (ORDER BY %s) - 1 AS n %s WHERE %s) numbered WHERE n > 0 AND n %% %s = 0 ORDER BY n",
		strings.Join(outer, ", "), strings.Join(numbered, ", "), strings.Join(columns, ", "), t.sql.from(), t.key.notNull(t.sql),
		q.bind(int8OID, strconv.Itoa(every)))
	return q
}

// read runs do in a transaction.
func (t *Table) read(ctx context.Context, do func(*tx) error) error {
	x, err := t.src.acquire(ctx)
	if err != nil {
		return t.wrap(err)
	}
	defer x.end(ctx)
	if _, err := x.begin(ctx, t.searchPath); err != nil {
		return t.wrap(err)
	}
	return t.wrap(do(x))
}

// wrap names the table an error is about. A ConfigError stays as it is: who
// reports it knows the table, and the line of its configuration.
func (t *Table) wrap(err error) error {
	var config *ConfigError
	if err == nil || errors.As(err, &config) {
		return err
	}
	return fmt.Errorf("table %s: %w", t.name, err)
}
