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
// snapshot, and returns the snapshot's number: of two fetches, the one with the
// higher number has the newer snapshot. End reports that the fetch has
// delivered everything.
type Numbers interface {
	Begin(open func() error) (doc.FetchSeq, error)
	End(doc.FetchSeq)
}

// TableConfig describes a table.
type TableConfig struct {
	Name    string
	SQL     string
	Key     []string
	Updated string
	Unit    string         // of an Updated that is a number; "": found from the rows
	Zone    *time.Location // of an updateTime without time zone; nil: not configured
	Batch   int            // the maximum number of rows in a batch
	Limits  doc.Limits     // a row with more text is a reject
	Numbers Numbers        // nil: every fetch has number 0

	Children []ChildConfig // children and extras, in the order of doc.Row.Children
	Deleted  DeletedConfig // zero: none
	Changes  string        // SQL that returns key and updated without the main SQL's filter; "": none
	ACL      doc.ACL       // the groups to read for rows that can't become documents; zero: none

	// Units has the units found before, by the path of their SQL: sql, changes,
	// children.actors. Keep stores a unit that was found; it is called before
	// the unit is used. A nil Keep stores nothing.
	Units map[string]string
	Keep  func(path, unit string) error
}

// A Table is the main SQL of one table of the daemon and the SQLs that belong
// to it. It is safe for concurrent use.
type Table struct {
	view
	src           *Source
	name          string
	children      []*child
	deleted       deletion
	changes       *view // nil: none
	groups        groups
	batch         int
	limits        doc.Limits
	stampPage     int
	numbers       Numbers
	searchPath    string
	epoch         uint32
	inexactReason string // why no horizon is exact for its rows; "": it may be exact
}

// stampPage is the number of stamps in one page: a few megabytes of memory, and
// a snapshot of a fraction of a second on the server.
const stampPage = 50_000

// Table asks the database what the SQLs return and checks the configuration.
// Its errors are a *ConfigError or wrap doc.ErrUnavailable.
func (s *Source) Table(ctx context.Context, cfg TableConfig) (*Table, error) {
	t := &Table{
		src: s, name: cfg.Name, batch: max(cfg.Batch, 1), limits: cfg.Limits, stampPage: stampPage, numbers: cfg.Numbers,
	}
	err := s.read(ctx, "", func(x *tx, session opened) (err error) {
		t.searchPath = session.searchPath
		if err := t.describe(ctx, x, cfg); err != nil {
			return err
		}
		t.epoch = t.tokenEpoch(cfg, session)
		views, _ := t.views()
		t.inexactReason, err = x.inexactReason(ctx, views)
		return err
	})
	if err != nil {
		return nil, t.wrap(err)
	}
	return t, nil
}

// describe finds the columns, keys and updateTimes of all SQLs.
func (t *Table) describe(ctx context.Context, x *tx, cfg TableConfig) (err error) {
	// Views without updated are allowed, except the main SQL's.
	if cfg.Updated == "" {
		return &ConfigError{Field: "updated", What: "no column is named", Do: "name the column with the time of a row's last change"}
	}
	t.view, err = newView(ctx, x, wrap(cfg.SQL), cfg.Key, cfg.updated("sql", cfg.Updated, cfg.Unit), paths{"sql", "key", "updated"})
	if err != nil {
		return err
	}
	for _, c := range cfg.Children {
		child, err := newChild(ctx, x, c, t.key, cfg.updated(c.Path, c.Updated, c.Unit))
		if err != nil {
			return err
		}
		t.children = append(t.children, child)
	}
	if t.groups, err = newGroups(cfg, t); err != nil {
		return err
	}
	if t.deleted, err = newDeletion(ctx, x, cfg, t.view); err != nil || cfg.Changes == "" {
		return err
	}
	changes, err := newView(ctx, x, wrap(cfg.Changes), cfg.Key, cfg.updated("changes", cfg.Updated, cfg.Unit), paths{"changes", "changes", "changes"})
	if err != nil {
		return err
	}
	t.changes = &changes
	return changes.sameKey(t.key, "changes")
}

// tokenEpoch hashes all that a digest depends on beside the rows. Tokens of
// different epochs can't be compared. A row's text does not contain the names
// of its columns, nor always their types, so the epoch covers both.
func (t *Table) tokenEpoch(cfg TableConfig, session opened) uint32 {
	parts := append([]string{
		openSQL, t.sql.token(), t.sql.sql, session.searchPath, strconv.Itoa(session.major),
	}, cfg.Key...)
	parts = append(parts, t.view.described()...)
	for i, c := range cfg.Children {
		child := t.children[i]
		parts = append(parts, "child", c.Name, child.sql.token(), child.sql.sql, c.Updated, strconv.Itoa(len(c.Key)))
		parts = append(parts, c.Key...)
		parts = append(parts, child.described()...)
	}
	h := fnv.New32a()
	for _, part := range parts {
		// Lengths keep ("ab", "c") and ("a", "bc") apart.
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return h.Sum32()
}

// Kinds returns the kinds of the key's parts.
func (t *Table) Kinds() []doc.Kind { return t.key.kinds() }

// Columns returns the column names of the main SQL in its order.
func (t *Table) Columns() []string { return slices.Clone(t.names) }

// Epoch returns the epoch of the table's tokens.
func (t *Table) Epoch() uint32 { return t.epoch }

// Tick returns the precision of updateTime, the coarsest of all SQLs: two
// changes within one tick may have the same updateTime.
func (t *Table) Tick() time.Duration {
	tick := t.updated.tick()
	for _, c := range t.children {
		if c.updated != nil {
			tick = max(tick, c.updated.tick())
		}
	}
	return tick
}

// Count returns the number of live rows, or the planner's estimate if the SQL
// fails for a row.
func (t *Table) Count(ctx context.Context) (n int64, err error) {
	err = t.scan(ctx, func(x *tx) error {
		var q query
		q.sql = "SELECT count(*) " + t.sql.from() + " WHERE " + t.live(&q)
		n, err = x.count(ctx, q)
		return err
	})
	if isRowFault(err) {
		return t.Estimate(ctx)
	}
	return n, err
}

// Breakpoints returns every n-th OID in the database's order of keys, without
// the first: the bounds of ranges of n rows. It reads the whole table in one
// query.
func (t *Table) Breakpoints(ctx context.Context, every int) (oids []doc.OID, err error) {
	every = max(every, 1)
	err = t.scan(ctx, func(x *tx) error {
		oids, err = t.keysOf(ctx, x, t.breakpoints(every)) // Range rejects rows with an unusable key
		return err
	})
	if isRowFault(err) {
		return t.bisectBreakpoints(ctx, every, err)
	}
	return oids, err
}

func (t *Table) breakpoints(every int) query {
	columns := t.key.columns(t.sql)
	q := query{reads: []*view{&t.view}}
	var numbered, outer []string
	for i, c := range columns {
		numbered = append(numbered, fmt.Sprintf("%s AS k%d", c, i))
		outer = append(outer, fmt.Sprintf("k%d", i))
	}
	q.sql = fmt.Sprintf("SELECT %s FROM (SELECT %s, row_number() OVER (ORDER BY %s) - 1 AS n %s WHERE %s AND %s) numbered WHERE n > 0 AND n %% %s = 0 ORDER BY n",
		strings.Join(outer, ", "), strings.Join(numbered, ", "), strings.Join(columns, ", "), t.sql.from(), t.key.notNull(t.sql), t.live(&q),
		q.bind(int8OID, strconv.Itoa(every)))
	return q
}

// read runs do in a transaction with the table's search path.
func (t *Table) read(ctx context.Context, do func(*tx) error) error {
	return t.wrap(t.src.read(ctx, t.searchPath, func(x *tx, _ opened) error { return do(x) }))
}

// scan runs do in a transaction without statement timeout: a load of a very
// large table could not begin otherwise.
func (t *Table) scan(ctx context.Context, do func(*tx) error) error {
	return t.read(ctx, func(x *tx) error {
		if _, err := x.row(ctx, query{sql: "SELECT set_config('statement_timeout', '0', true)"}); err != nil {
			return err
		}
		x.unlimited = true
		return do(x)
	})
}

// wrap adds the table's name to an error. A *ConfigError stays as it is: its
// reporter knows the table and the line of its configuration.
func (t *Table) wrap(err error) error {
	var config *ConfigError
	if err == nil || errors.As(err, &config) {
		return err
	}
	if refersToMissing(err) && !errors.Is(err, doc.ErrChangedResult) {
		err = fmt.Errorf("%w: %w", doc.ErrChangedResult, err)
	}
	return fmt.Errorf("table %s: %w", t.name, err)
}
