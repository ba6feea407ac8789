package source

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Numbers hands out the numbers of fetches. Begin calls open, which takes the
// snapshot, under a lock and returns the snapshot's number: of two fetches, the
// one with the higher number has the newer snapshot. End reports that the caller
// has handled the fetch.
type Numbers interface {
	Begin(open func() error) (doc.FetchSeq, error)
	End(doc.FetchSeq)
}

// noNumbers is the Numbers of a table that has none.
type noNumbers struct{}

func (noNumbers) Begin(open func() error) (doc.FetchSeq, error) { return 0, open() }
func (noNumbers) End(doc.FetchSeq)                              {}

// A TableConfig describes a table.
type TableConfig struct {
	Name     string
	SQL      string
	Key      []string
	Updated  string         // "": no stamp has an updateTime, and windows are empty; then no child has one either
	Unit     string         // of an Updated without a time type; "": found from the rows
	Zone     *time.Location // of an updateTime without time zone; nil: not configured
	Batch    int            // the greatest number of rows in a batch; 0: 2000
	Kinds    []doc.Kind     // of the parts of the key, as the documents have them; nil: there are none
	Limits   doc.Limits     // a row with more text is a reject
	Numbers  Numbers        // nil: every fetch has number 0, for callers that store nothing
	Children []ChildConfig  // children and extras, in the order of doc.Row.Children
	Deleted  DeletedConfig  // zero: no row is marked deleted
	JSON     []string       // columns of SQL whose texts are JSON
	Values   []string       // those of JSON that are filtered by value: a text that is no JSON is a doc.BadValue
	Paths    []PathConfig   // further columns of documents
	Changes  string         // SQL of key and updateTime without the filter of SQL; "": none
	ACL      doc.ACL        // the groups to read for rejects; zero: none

	// Units has the units found before, by the path of their SQL: sql, changes,
	// children.actors. Keep stores a unit that was found; it is called before the
	// unit is used. A nil Keep stores nothing.
	Units map[string]string
	Keep  func(path, unit string) error

	RowKey  bool // the key is a digest of the whole row: see RowKeyer. Key is empty
	MaxRows int  // of a table with RowKey

	StampPage int // stamps of a page; 0: as many as the dialect's MaxKeys
}

// A ChildConfig is an SQL whose rows belong to rows of the main SQL: a child row
// belongs to the row with the same key. Text keys must have the same bytes,
// whatever the database takes for equal.
type ChildConfig struct {
	Name    string
	Path    string // in the configuration, such as children.actors
	SQL     string
	Key     []string // the columns that hold the parent's key
	Updated string   // "": none
	Unit    string   // of an Updated without a time type; "": found from the rows
	JSON    []string // columns whose texts are JSON
	Values  []string // those of JSON that are filtered by value
	Columns []string // of the content; they must exist
	Value   bool     // the SQL returns one column beside key and updated, as an extra does
}

// A DeletedConfig selects the rows that are marked deleted: those with one of
// Values (string, int64, float64 or bool) in Column, or those whose key SQL lists,
// in columns with the names of the key.
type DeletedConfig struct {
	Column string
	Values []any
	SQL    string
}

// A Table is the main SQL of one table of the daemon and the SQLs that belong to
// it. It is safe for concurrent use.
type Table struct {
	*view
	source    *Source
	name      string
	batch     int
	room      *room
	stampPage int
	limits    doc.Limits
	numbers   Numbers
	settings  string // of the sessions
	epoch     uint32
	children  []*child
	deletion  deletion
	changes   *view // nil: none
	groups    groups
	rowLimit  *rowLimit // nil: the table has a key
	fromJSON  []jsonPart
	rowNames  []string // the columns of documents: of the SQL, then the parts
}

// Table asks the database what the SQLs return and checks the configuration. An
// error is a *ConfigError, or wraps doc.ErrUnavailable if a retry may succeed: so
// too while no row shows the type of an untyped key.
func (s *Source) Table(ctx context.Context, cfg TableConfig) (*Table, error) {
	t := &Table{
		source: s, name: cfg.Name, batch: cmp.Or(cfg.Batch, 2000), stampPage: cfg.StampPage, limits: cfg.Limits,
		numbers: cmp.Or[Numbers](cfg.Numbers, noNumbers{}),
	}
	t.room = newRoom(t.batch)
	described, err := snapshotOf(ctx, s, "", func(x *tx, snapshot dialect.Snapshot) (*Table, error) {
		t.settings = snapshot.Settings
		if err := t.describe(ctx, x, cfg); err != nil {
			return nil, err
		}
		t.epoch = t.tokenEpoch(cfg, snapshot)
		// The children of a page are read by one statement for each child.
		t.stampPage = cmp.Or(t.stampPage, t.maxKeys())
		return t, nil
	})
	return described, t.wrap("describe the SQLs", err)
}

// describe finds the columns, keys and updateTimes of all SQLs.
func (t *Table) describe(ctx context.Context, x *tx, cfg TableConfig) (err error) {
	sql, key := cfg.SQL, cfg.Key
	if cfg.RowKey {
		if sql, err = t.withRowKey(ctx, x, cfg); err != nil {
			return err
		}
		key, t.stampPage = []string{rowKey}, cmp.Or(t.stampPage, rowKeyPage)
	}
	t.view, err = newView(ctx, x, sql, key, cfg.updated("sql", cfg.Updated, cfg.Unit), paths{"sql", "key", "updated"})
	if err != nil {
		return err
	}
	if t.rowKey = cfg.RowKey; t.rowKey {
		t.kinds = []doc.Kind{doc.Text} // also while there is no row
	}
	if err := t.describeJSON(cfg); err != nil {
		return err
	}
	if t.updated == nil && t.dialect.Token(&t.Described, t.exprs) == "" {
		return &ConfigError{"updated", "no column is named, and this database computes no digests by which rows could be compared", "name the column with the time of a row's last change"}
	}
	for _, c := range cfg.Children {
		child, err := newChild(ctx, x, c, cfg.updated(c.Path, c.Updated, c.Unit))
		if err != nil {
			return err
		}
		t.children = append(t.children, child)
	}
	if t.groups, err = newGroups(cfg, t); err != nil {
		return err
	}
	if cfg.Changes != "" {
		t.changes, err = newView(ctx, x, cfg.Changes, cfg.Key, cfg.updated("changes", cfg.Updated, cfg.Unit), paths{"changes", "changes", "changes"})
		if err != nil {
			return err
		}
	}
	if t.deletion, err = newDeletion(ctx, x, cfg, t.view); err != nil {
		return err
	}
	return t.describeRows(ctx, x, cfg.Kinds)
}

// describeRows finds from rows what the types of columns do not say. known are the kinds
// of the key that documents have.
func (t *Table) describeRows(ctx context.Context, x *tx, known []doc.Kind) error {
	for i, v := range t.views() {
		if err := v.findKinds(ctx, x); err != nil {
			return err
		}
		if i > 0 {
			if err := v.sameKey(t.view); err != nil {
				return err
			}
			continue
		}
		for part, at := range v.key {
			c := &v.Columns[at]
			v.kinds[part] = cmp.Or(v.kinds[part], c.Kind)
			loaded := part < len(known) && known[part] == doc.Integer // before there were Unscaled columns
			if c.Unscaled && v.kinds[part] == doc.Integer && !loaded {
				v.kinds[part], c.Kind = doc.Decimal, doc.Decimal
			}
		}
		if at := slices.Index(v.kinds, 0); at >= 0 {
			return fmt.Errorf("key %s has no declared type, and no row shows it yet: %w", v.names[v.key[at]], doc.ErrUnavailable)
		}
	}
	return t.checkUnits(ctx, x)
}

// views returns the main view, then those that refer to its key: children first.
func (t *Table) views() []*view {
	views := t.rowViews()
	for _, v := range []*view{t.deletion.list, t.changes} {
		if v != nil {
			views = append(views, v)
		}
	}
	return views
}

// rowViews returns the main view and its children's.
func (t *Table) rowViews() []*view {
	views := []*view{t.view}
	for _, c := range t.children {
		views = append(views, c.view)
	}
	return views
}

// timed returns the views that have an updateTime.
func (t *Table) timed() []*view {
	return slices.DeleteFunc(t.views(), func(v *view) bool { return v.updated == nil })
}

// sqls returns the SQLs of the table as they were described.
func (t *Table) sqls() (all []*dialect.Described) {
	for _, v := range t.views() {
		all = append(all, &v.Described)
	}
	return all
}

// Parts of the epoch: childVersion is that of tables with children, and changes with
// combine.
const (
	tokenVersion = "2"
	childVersion = "child 2"
)

// tokenEpoch hashes all that a digest depends on beside the rows. Tokens of
// different epochs can't be compared.
func (t *Table) tokenEpoch(cfg TableConfig, snapshot dialect.Snapshot) uint32 {
	parts := append([]string{tokenVersion, snapshot.Epoch, snapshot.Settings, t.token(), t.SQL}, cfg.Key...)
	parts = append(append(parts, t.described()...), cfg.jsonEpoch()...)
	for i, c := range cfg.Children {
		child := t.children[i]
		parts = append(parts, childVersion, c.Name, child.token(), child.SQL, c.Updated, strconv.Itoa(len(c.Key)))
		parts = append(parts, c.Key...)
		parts = append(append(parts, child.described()...), jsonEpoch(c.JSON, c.Values)...)
	}
	h := fnv.New32a()
	for _, part := range parts {
		// Lengths keep ("ab", "c") and ("a", "bc") apart.
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return h.Sum32()
}

// Kinds returns the kinds of the key's parts.
func (t *Table) Kinds() []doc.Kind { return slices.Clone(t.kinds) }

// Columns returns the names of the columns of documents: those of the main SQL in its
// order, then the parts of JSON.
func (t *Table) Columns() []string { return slices.Clone(t.rowNames) }

// Epoch returns the epoch of the table's tokens.
func (t *Table) Epoch() uint32 { return t.epoch }

// Ordered reports whether the database orders keys as OIDs are ordered.
func (t *Table) Ordered() bool {
	apart := func(at int) bool { return t.view.Columns[at].Apart }
	return t.rowKey || !slices.Contains(t.kinds, doc.Text) && !slices.ContainsFunc(t.key, apart)
}

// Moment reads the database's clock in a separate statement. Every snapshot taken
// later sees at least what was committed by the moment's Seen.
func (t *Table) Moment(ctx context.Context) (doc.Moment, error) {
	m, err := t.source.moment(ctx)
	return m, t.wrap("read the clock", err)
}

// Now returns the database's time. Every snapshot taken later sees what was
// committed by then.
func (t *Table) Now(ctx context.Context) (time.Time, error) {
	m, err := t.Moment(ctx)
	return m.Seen, err
}

// Behind returns why the absence of a row proves nothing, as on a standby; "" if
// an absent row is gone.
func (t *Table) Behind(ctx context.Context) (reason string, err error) {
	return asking(ctx, t, "look for a delay of the standby", func(d dialect.Replica, x *tx) (string, error) { return d.Behind(ctx, x.session) })
}

// Count returns the number of live rows, or the planner's estimate if the SQL
// fails for a row.
func (t *Table) Count(ctx context.Context) (int64, error) {
	q := t.query("count(*)").Where(t.live(), t.unlisted())
	q.ReadsAll()
	n, err := reading(ctx, t, "count the rows", func(x *tx) (int64, error) { return x.count(ctx, q) })
	if isRowFault(err) {
		return t.Estimate(ctx)
	}
	return n, err
}

// Breakpoints returns every n-th OID in the database's order of keys, without the
// first: the bounds of ranges of n rows. It reads the keys of the whole table in
// one query. Keys that can't be OIDs bound no range: Range rejects their rows.
func (t *Table) Breakpoints(ctx context.Context, every int) ([]doc.OID, error) {
	every = max(every, 1)
	q, n, take := t.breakpoints(every), -1, func() bool { return true }
	if _, ok := t.dialect.(dialect.Embedded); ok {
		q = t.keys().Where(t.notNull(), t.live()).Order(t.keyOrder())
		take = func() bool { n++; return n > 0 && n%every == 0 }
	}
	oids, err := t.readKeys(ctx, "find the ranges", q, take)
	if isRowFault(err) {
		return t.bisectBreakpoints(ctx, every, err)
	}
	return oids, err
}

func (t *Table) breakpoints(every int) *dialect.Query {
	var numbered, outer []string
	for i, expr := range t.selected(t.key...) {
		numbered = append(numbered, fmt.Sprintf("%s AS k%d", expr, i))
		outer = append(outer, fmt.Sprintf("k%d", i))
	}
	q := t.ask("SELECT ", strings.Join(outer, ", "), " FROM (SELECT ", strings.Join(numbered, ", "),
		", row_number() OVER (ORDER BY ", t.keyFields().List(), ") - 1 AS n ", t.From())
	q.Where(t.notNull(), t.live()).Write(") numbered WHERE n > 0 AND ").Remainder("n", int64(every)).Write(" = 0 ORDER BY n")
	q.ReadsAll()
	return q
}

// keysOf returns the usable keys that a query selects, of the rows for which take
// returns true; nil: all.
func (t *Table) keysOf(ctx context.Context, x *tx, q *dialect.Query, take func() bool) (oids []doc.OID, err error) {
	_, err = x.each(ctx, q, func(raw []any) bool {
		if take == nil || take() {
			if oid, err := t.oid(raw); err == nil {
				oids = append(oids, oid)
			}
		}
		return true
	})
	return oids, err
}

// readKeys is keysOf in a transaction.
func (t *Table) readKeys(ctx context.Context, doing string, q *dialect.Query, take func() bool) ([]doc.OID, error) {
	return reading(ctx, t, doing, func(x *tx) ([]doc.OID, error) { return t.keysOf(ctx, x, q, take) })
}

// read runs do in a transaction.
func (t *Table) read(ctx context.Context, doing string, do func(*tx) error) error {
	_, err := reading(ctx, t, doing, func(x *tx) (struct{}, error) { return struct{}{}, do(x) })
	return err
}

// reading returns what do reads in a transaction.
func reading[T any](ctx context.Context, t *Table, doing string, do func(*tx) (T, error)) (T, error) {
	result, err := snapshotOf(ctx, t.source, t.settings, func(x *tx, _ dialect.Snapshot) (T, error) { return do(x) })
	return result, t.wrap(doing, err)
}

// asking is reading by a dialect that has an ability. Without the ability the
// answer is zero.
func asking[Ability, T any](ctx context.Context, t *Table, doing string, do func(Ability, *tx) (T, error)) (answer T, err error) {
	able, ok := t.dialect.(Ability)
	if !ok {
		return answer, nil
	}
	return reading(ctx, t, doing, func(x *tx) (T, error) { return do(able, x) })
}
