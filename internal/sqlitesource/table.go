package sqlitesource

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"indexerd/internal/doc"
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
	Name     string
	SQL      string
	Key      []string
	Updated  string
	Unit     string // of an Updated that is a number; "": its rows tell it
	Zone     *time.Location
	Batch    int           // rows of a page; 0 means 2000
	Limits   doc.Limits    // a row of more text is a reject
	Numbers  Numbers       // nil: fetches only look, and carry number 0
	Children []ChildConfig // in the order in which documents hold them
	Deleted  DeletedConfig // zero: no row is marked deleted
	Changes  string        // SQL of key and updateTime, without the filter that SQL has; "": none
	ACL      doc.ACL       // the groups to read of rows that can't become documents; zero: none

	// Units are the units that Keep was called with before, by the path of their
	// SQL: sql, changes, children.actors. Keep is called before a unit that was
	// found is used. nil: nothing is kept.
	Units map[string]string
	Keep  func(path, unit string) error
}

// unnumbered is for those who only look.
type unnumbered struct{}

func (unnumbered) Begin(open func() error) (doc.FetchSeq, error) { return 0, open() }
func (unnumbered) End(doc.FetchSeq)                              {}

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

// Table looks at a table's SQL: its columns, the type of its key, the way its
// updateTime is written. What is wrong with the configuration is a
// *ConfigError; while the database can't be asked, or no row tells the type of
// the key, the error is doc.ErrUnavailable.
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
		t.numbers = unnumbered{}
	}
	if err := t.look(ctx, c); err != nil {
		return nil, s.fault("table "+c.Name, err)
	}
	t.epoch = t.epochOf(c)
	return t, nil
}

func (t *Table) look(ctx context.Context, c TableConfig) (err error) {
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
	return t.read(ctx, func(tx *sql.Tx) error { return t.lookAtRows(ctx, tx) })
}

// lookAtRows finds what only rows can tell: types of keys, ways to write times.
func (t *Table) lookAtRows(ctx context.Context, tx *sql.Tx) error {
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

// views are the main view and all that refer to its key.
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

// Kinds are the types of the parts of the key.
func (t *Table) Kinds() []doc.Kind { return slices.Clone(t.kinds) }

// Ordered reports whether the order of keys in the database, that of ranges,
// is the order of OIDs. That of text is its column's collation.
func (t *Table) Ordered() bool { return !slices.Contains(t.kinds, doc.Text) }

// Columns are the names of the SQL's columns, in its order.
func (t *Table) Columns() []string { return slices.Clone(t.columns) }

// Epoch is the epoch of the table's tokens.
func (t *Table) Epoch() uint32 { return t.epoch }

// Tick is the precision of updateTime, the coarsest of the table's and its
// children's. It is a day, the coarsest there is, until a row of the table has
// one, so ask again for each window. A child without rows does not count: it
// might stay empty, and a day would be read again every time.
func (t *Table) Tick() time.Duration {
	c := t.clock.Load()
	if c == nil {
		return 24 * time.Hour
	}
	tick := c.tick
	for _, child := range t.children {
		if c := child.clock.Load(); c != nil {
			tick = max(tick, c.tick)
		}
	}
	return tick
}

// Behind is why nothing may be concluded from the absence of a row. A file is
// what it is: there is no reason.
func (t *Table) Behind(context.Context) (string, error) { return "", nil }

// Now reads the clock that SQLite's own functions use, this machine's.
func (t *Table) Now(ctx context.Context) (now time.Time, err error) {
	err = t.read(ctx, func(tx *sql.Tx) (err error) {
		now, err = clockOf(ctx, tx)
		return err
	})
	return now, t.source.fault("read the clock", err)
}

// Moment reads the clock. A file shows what has been committed to it.
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

// unmarked is the condition that a row is not marked deleted, by any way.
func (t *Table) unmarked() (where condition) {
	t.live(&where)
	if list := t.deletion.list; list != nil {
		where.and("(" + t.statements.inBytes() + " IN (" + list.statements.keys + ")) IS NOT TRUE")
	}
	return where
}

// clockOf reads the clock. It is in milliseconds, the best that SQLite has.
func clockOf(ctx context.Context, tx *sql.Tx) (time.Time, error) {
	var text string
	if err := tx.QueryRowContext(ctx, `SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')`).Scan(&text); err != nil {
		return time.Time{}, err
	}
	return time.Parse("2006-01-02 15:04:05.000", text)
}
