package sqlitesource

import (
	"context"
	"database/sql"
	"maps"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// Server returns the version of SQLite. It has no roles and no network.
func (s *Source) Server(ctx context.Context) (doc.Server, error) {
	var version string
	err := s.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT sqlite_version() FROM (SELECT count(*) FROM sqlite_schema)").Scan(&version)
	})
	return doc.Server{Version: "SQLite " + version}, s.fault("connect", err)
}

// Writable returns nothing: the file is opened read-only.
func (t *Table) Writable(context.Context) ([]string, error) { return nil, nil }

// A question is a query that the daemon repeats.
type question struct {
	asks  doc.Question
	view  *view
	query string
	args  []any
}

// Plans returns SQLite's plans for the queries that the daemon repeats: rows by
// window of updateTime, by range of keys, and by key. It does not run them. The
// OIDs are keys of some rows; without any there are no plans by key. SQLite does
// not estimate costs.
func (t *Table) Plans(ctx context.Context, w doc.Window, some []doc.OID) (plans []doc.Plan, err error) {
	err = t.read(ctx, func(tx *sql.Tx) error {
		questions, err := t.byTime(ctx, tx, w)
		if err != nil {
			return err
		}
		byKey, err := t.byKey(some)
		if err != nil {
			return err
		}
		for _, q := range append(questions, byKey...) {
			p, err := q.plan(ctx, tx)
			if err != nil {
				return err
			}
			plans = append(plans, p)
		}
		return nil
	})
	return plans, t.source.fault("look at the plans of "+t.name, err)
}

// byTime returns the queries for a window: none for a view in which no row has an
// updateTime.
func (t *Table) byTime(ctx context.Context, tx *sql.Tx, w doc.Window) (all []question, err error) {
	for i, v := range t.views() {
		if v.updated < 0 {
			continue
		}
		s := &windowScan{view: v, window: w, limit: t.stamps}
		statement := v.statements.times
		if i == 0 {
			statement = v.statements.stamps
			t.live(&s.also)
		}
		l, ok, err := s.page(ctx, tx)
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, question{doc.AsksWindow, v, statement + l.where.String() + l.order, l.where.args})
		}
	}
	return all, nil
}

// byKey returns the queries for a range between two adjacent keys and for one key.
func (t *Table) byKey(some []doc.OID) (all []question, err error) {
	if len(some) == 0 {
		return nil, nil
	}
	some = slices.Sorted(slices.Values(some))
	middle := (len(some) - 1) / 2
	s := t.newScan("")
	if err := t.bound(s, doc.Range{From: some[middle], To: some[min(middle+1, len(some)-1)]}); err != nil {
		return nil, err
	}
	where := t.remaining(s)
	all = append(all, question{doc.AsksRange, t.view, t.statements.stamps + where.String() + t.statements.order, where.args})
	for _, v := range t.views() {
		if v == t.changes {
			continue // it is only queried by window
		}
		var where condition
		if err := v.among(&where, some[middle:middle+1]); err != nil {
			return nil, err
		}
		statement := v.statements.stamps
		if v == t.deletion.list {
			statement = v.statements.keys
		}
		all = append(all, question{doc.AsksKeys, v, statement + where.String(), where.args})
	}
	return all, nil
}

// Steps of a plan. They name a table as the SQL does: with its alias.
var (
	scanned  = regexp.MustCompile(`^SCAN (\S+)( USING .*)?$`)
	computed = regexp.MustCompile(`^(?:CO-ROUTINE|MATERIALIZE) (\S+)$`)
	indexes  = regexp.MustCompile(`^SEARCH (\S+) USING AUTOMATIC `) // builds an index of the whole table
)

// plan returns SQLite's plan for the query.
func (q question) plan(ctx context.Context, tx *sql.Tx) (p doc.Plan, err error) {
	p = doc.Plan{Path: q.view.paths.sql, Asks: q.asks}
	var names []string
	notTables := map[string]bool{"CONSTANT": true}
	err = eachRow(ctx, tx, "EXPLAIN QUERY PLAN "+q.query, q.args, 4, func(raw []any) bool {
		detail, _ := raw[3].(string)
		if m := computed.FindStringSubmatch(detail); m != nil {
			notTables[m[1]] = true
		} else if m := scanned.FindStringSubmatch(detail); m != nil {
			names = append(names, m[1])
		} else if m := indexes.FindStringSubmatch(detail); m != nil {
			names = append(names, m[1])
		}
		return true
	})
	if err != nil {
		return p, err
	}
	for _, name := range names {
		if notTables[name] || strings.HasPrefix(name, "(") {
			continue
		}
		scan, err := q.view.fullScan(ctx, tx, name)
		if err != nil {
			return p, err
		}
		p.FullScans = append(p.FullScans, scan)
	}
	p.By = q.columns()
	if p.Indexed, err = indexed(ctx, tx, p.By); err != nil {
		return p, err
	}
	for i, c := range p.By {
		if c.Table != "" {
			p.By[i].Table, p.By[i].Name = quoteName(c.Table), quoteName(c.Name)
		}
	}
	return p, err
}

// fullScan returns the table that the SQL calls by a name or alias, and its size. It
// counts up to a million rows.
func (v *view) fullScan(ctx context.Context, tx *sql.Tx, name string) (doc.FullScan, error) {
	w := doc.FullScan{Table: name}
	tables, err := selectTexts(ctx, tx, "SELECT +name FROM sqlite_schema WHERE type = 'table'")
	if err != nil {
		return w, err
	}
	for _, table := range tables {
		alias := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(table) + `\b["\x60\]]?(\s+as)?\s+["\x60\[]?` + regexp.QuoteMeta(name) + `\b`)
		if strings.EqualFold(table, name) || alias.MatchString(v.sql) {
			w.Table = table
			break
		}
	}
	from := quoteName(w.Table)
	if !slices.Contains(tables, w.Table) {
		from = "(" + v.sql + "\n)" // not found: the size of the SQL's result
	}
	w.Table = quoteName(w.Table)
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+from+" LIMIT 1000000)").Scan(&w.Rows)
	return w, err
}

// columns returns the tables' columns that the query selects by.
func (q question) columns() []doc.Column {
	columns := q.view.key
	if q.asks == doc.AsksWindow {
		columns = []int{q.view.updated}
	}
	var by []doc.Column
	for _, at := range columns {
		by = append(by, q.view.origins[at])
	}
	return by
}

// indexed reports whether an index of the whole table begins with these columns.
func indexed(ctx context.Context, tx *sql.Tx, by []doc.Column) (bool, error) {
	var names []string
	for _, c := range by {
		if c.Table == "" || c.Table != by[0].Table {
			return false, nil
		}
		names = append(names, c.Name)
	}
	found := map[int64]int{}
	err := eachRow(ctx, tx, `SELECT +l.seq, +i.name, +i.seqno FROM pragma_index_list(?) l, pragma_index_info(l.name) i WHERE l.partial = 0 AND i.seqno < ?`,
		[]any{by[0].Table, len(by)}, 3, func(raw []any) bool {
			index, _ := raw[0].(int64)
			at, _ := raw[2].(int64)
			if name, _ := raw[1].(string); names[at] == name {
				found[index]++
			}
			return true
		})
	for _, n := range found {
		if n == len(by) {
			return true, err
		}
	}
	return false, err
}

// Relations returns the tables that the main SQL and its children's SQLs read, also
// through views. It does not run the SQLs. It leaves out tables that SQLite
// optimizes away, and virtual tables, which have no b-tree.
func (t *Table) Relations(ctx context.Context) (relations []doc.Relation, err error) {
	err = t.read(ctx, func(tx *sql.Tx) error {
		roots, err := tablesByRoot(ctx, tx)
		if err != nil {
			return err
		}
		for _, v := range t.rowViews() {
			more, err := v.relations(ctx, tx, roots)
			if err != nil {
				return err
			}
			relations = append(relations, more...)
		}
		return nil
	})
	return relations, t.source.fault("look at the tables of "+t.name, err)
}

// tablesByRoot returns the table of each b-tree in the file, also of an index's:
// with a covering index SQLite does not open the table.
func tablesByRoot(ctx context.Context, tx *sql.Tx) (map[int64]string, error) {
	roots := map[int64]string{}
	err := eachRow(ctx, tx, "SELECT +rootpage, +tbl_name FROM sqlite_schema WHERE rootpage > 0", nil, 2, func(raw []any) bool {
		root, _ := raw[0].(int64)
		roots[root], _ = raw[1].(string)
		return true
	})
	return roots, err
}

// relations finds the tables whose b-trees the SQL's program opens.
func (v *view) relations(ctx context.Context, tx *sql.Tx, roots map[int64]string) ([]doc.Relation, error) {
	const opcode, p2 = 1, 3 // columns of EXPLAIN
	names := map[string]bool{}
	err := eachRow(ctx, tx, "EXPLAIN "+v.sql, nil, explainColumns, func(raw []any) bool {
		root, _ := raw[p2].(int64)
		if op, _ := raw[opcode].(string); (op == "OpenRead" || op == "ReopenIdx") && roots[root] != "" {
			names[roots[root]] = true
		}
		return true
	})
	var relations []doc.Relation
	for _, name := range slices.Sorted(maps.Keys(names)) {
		relations = append(relations, doc.Relation{Name: name, Path: v.path(), Origin: v.updated >= 0 && v.origins[v.updated].Table == name})
	}
	return relations, err
}
