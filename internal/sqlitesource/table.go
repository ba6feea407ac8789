package sqlitesource

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"indexerd/internal/doc"
)

// Numbers assigns the numbers of fetches. Begin calls open, which takes the
// snapshot, under a lock, so that numbers are in the order of snapshots. End
// reports that the caller has handled all batches of a fetch.
type Numbers interface {
	Begin(open func() error) (doc.FetchSeq, error)
	End(doc.FetchSeq)
}

// A TableConfig is the configuration of a table.
type TableConfig struct {
	Name     string
	SQL      string
	Key      []string
	Updated  string
	Unit     string         // of an Updated that is a number; "": found from its rows
	Zone     *time.Location // of an Updated that is text without an offset; nil: UTC
	Batch    int            // rows of a page; 0: 2000
	Limits   doc.Limits     // a row with more text is a reject
	Numbers  Numbers        // nil: fetches have number 0, for callers that store nothing
	Children []ChildConfig  // in the order of doc.Row.Children
	Deleted  DeletedConfig  // zero: no row is marked deleted
	Changes  string         // SQL of key and updateTime without the filter of SQL; "": none
	ACL      doc.ACL        // the groups to read for rejects; zero: none

	// Keep stores a unit that was found, by the path of its SQL (sql, changes,
	// children.actors), before the unit is used; nil: units are not stored. Units
	// are the stored units.
	Units map[string]string
	Keep  func(path, unit string) error
}

// noNumbers is the Numbers of a table that has none.
type noNumbers struct{}

func (noNumbers) Begin(open func() error) (doc.FetchSeq, error) { return 0, open() }
func (noNumbers) End(doc.FetchSeq)                              {}

// A Table is the result of one user's SQL, with its children.
type Table struct {
	*view
	source   *Source
	name     string
	batch    int // rows of a page
	limits   doc.Limits
	stamps   int // stamps of a page
	numbers  Numbers
	epoch    uint32
	children []*child
	deletion deletion
	changes  *view // nil: none
	groups   groups
}

// Table describes a table's SQL: its columns, the type of its key, the format of
// its updateTime. An error in the configuration is a *ConfigError. While the
// database is unavailable, or no row shows the type of the key, the error is
// doc.ErrUnavailable.
func (s *Source) Table(ctx context.Context, c TableConfig) (*Table, error) {
	c.Zone = cmp.Or(c.Zone, time.UTC)
	t := &Table{
		source:  s,
		name:    c.Name,
		batch:   cmp.Or(c.Batch, 2000),
		limits:  c.Limits,
		stamps:  stampPage,
		numbers: c.Numbers,
	}
	if t.numbers == nil {
		t.numbers = noNumbers{}
	}
	if err := t.describe(ctx, c); err != nil {
		return nil, s.fault("table "+c.Name, err)
	}
	t.epoch = t.epochOf(c)
	return t, nil
}

func (t *Table) describe(ctx context.Context, c TableConfig) (err error) {
	if t.view, err = t.source.newView(ctx, paths{"sql", "key", "updated"}, c.SQL, c.Key, c.updated("sql", c.Updated, c.Unit)); err != nil {
		return err
	}
	if c.Updated == "" {
		_, err := t.column("updated", "")
		return err
	}
	for _, config := range c.Children {
		child, err := t.source.newChild(ctx, config, c.updated(config.Path, config.Updated, config.Unit))
		if err != nil {
			return err
		}
		t.children = append(t.children, child)
	}
	if t.groups, err = newGroups(c, t); err != nil {
		return err
	}
	if t.deletion, err = t.source.newDeletion(ctx, c, t.view); err != nil {
		return err
	}
	if c.Changes != "" {
		if t.changes, err = t.source.newView(ctx, paths{"changes", "changes", "changes"}, c.Changes, c.Key, c.updated("changes", c.Updated, c.Unit)); err != nil {
			return err
		}
	}
	return t.read(ctx, func(tx *sql.Tx) error { return t.describeRows(ctx, tx) })
}

// describeRows finds the types of keys and the formats of updateTimes from rows.
func (t *Table) describeRows(ctx context.Context, tx *sql.Tx) error {
	kinds, err := t.findKinds(ctx, tx)
	if err != nil {
		return err
	}
	t.order(kinds, t.deletion.marked)
	for _, v := range t.views()[1:] {
		if err := v.matchKinds(ctx, tx, kinds); err != nil {
			return err
		}
	}
	for _, v := range t.views() {
		if _, err := v.checkUnit(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// views returns the main view, then those that refer to its key: children first.
func (t *Table) views() []*view {
	views := []*view{t.view}
	for _, c := range t.children {
		views = append(views, c.view)
	}
	for _, v := range []*view{t.deletion.list, t.changes} {
		if v != nil {
			views = append(views, v)
		}
	}
	return views
}

// rowViews returns the main view and its children's.
func (t *Table) rowViews() []*view { return t.views()[:1+len(t.children)] }

// timed returns the views that have an updateTime.
func (t *Table) timed() []*view {
	return slices.DeleteFunc(t.views(), func(v *view) bool { return v.updated < 0 })
}

// Kinds returns the types of the parts of the key.
func (t *Table) Kinds() []doc.Kind { return slices.Clone(t.kinds) }

// Ordered reports whether the database's order of keys, which ranges use, is the
// order of OIDs. Text is in the order of its column's collation.
func (t *Table) Ordered() bool { return !slices.Contains(t.kinds, doc.Text) }

// Columns returns the names of the SQL's columns in its order.
func (t *Table) Columns() []string { return slices.Clone(t.columns) }

// Epoch returns the epoch of the table's tokens.
func (t *Table) Epoch() uint32 { return t.epoch }

// Tick returns the precision of updateTime, the coarsest of the table's and its
// children's. It is a day until a row of the table has an updateTime, so callers
// must call Tick for each window. A child without rows does not count: it might
// stay empty, and each window would read a day again.
func (t *Table) Tick() time.Duration {
	c := t.format.Load()
	if c == nil {
		return 24 * time.Hour
	}
	tick := c.tick
	for _, child := range t.children {
		if c := child.format.Load(); c != nil {
			tick = max(tick, c.tick)
		}
	}
	return tick
}

// Behind returns why a missing row may still exist: never for a file.
func (t *Table) Behind(context.Context) (string, error) { return "", nil }

// Now reads the clock of SQLite's functions, which is this machine's.
func (t *Table) Now(ctx context.Context) (now time.Time, err error) {
	err = t.read(ctx, func(tx *sql.Tx) (err error) {
		now, err = readClock(ctx, tx)
		return err
	})
	return now, t.source.fault("read the clock", err)
}

// Moment reads the clock. A file shows every commit.
func (t *Table) Moment(ctx context.Context) (doc.Moment, error) {
	m := doc.Moment{Asked: time.Now()}
	now, err := t.Now(ctx)
	m.Now, m.Seen, m.Local = now, now, time.Now()
	return m, err
}

// Count counts the rows that are not marked deleted.
func (t *Table) Count(ctx context.Context) (n int64, err error) {
	where := t.unmarked()
	err = t.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT count(*)"+t.statements.from+where.String(), where.args...).Scan(&n)
	})
	return n, t.source.fault("count the rows of "+t.name, err)
}

// unmarked returns the condition that neither a column nor the deleted SQL marks a
// row deleted.
func (t *Table) unmarked() (where condition) {
	t.live(&where)
	if list := t.deletion.list; list != nil {
		where.and("(" + t.statements.inBytes() + " IN (" + list.statements.keys + ")) IS NOT TRUE")
	}
	return where
}

// readClock reads the clock in milliseconds, SQLite's best precision.
func readClock(ctx context.Context, tx *sql.Tx) (time.Time, error) {
	var text string
	if err := tx.QueryRowContext(ctx, `SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')`).Scan(&text); err != nil {
		return time.Time{}, err
	}
	return time.Parse("2006-01-02 15:04:05.000", text)
}
