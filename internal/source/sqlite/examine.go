package sqlite

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"modernc.org/sqlite"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// Server implements dialect.Inspector. SQLite has no roles and no network.
func (d *DB) Server(ctx context.Context, s dialect.Session) (doc.Server, error) {
	rows, err := stdsql.Query(ctx, s, "SELECT sqlite_version()")
	if err != nil {
		return doc.Server{}, err
	}
	return doc.Server{Version: "SQLite " + rows[0].Text(0), Advice: doc.Advice{Index: "CREATE INDEX %s ON %s", Analyze: "ANALYZE %s"}}, nil
}

// Writable implements dialect.Inspector: the file is opened read-only.
func (*DB) Writable(context.Context, dialect.Session, []*dialect.Described) ([]string, error) {
	return nil, nil
}

// Estimate implements dialect.Inspector: SQLite has no estimate.
func (*DB) Estimate(context.Context, dialect.Session, *dialect.Described) (int64, error) {
	return 0, nil
}

// Steps of a plan. They name a table as the SQL does: with its alias. A table is read
// as a whole by a scan, and to build an automatic index.
var (
	scanned  = regexp.MustCompile(`^(?:SCAN (\S+)(?: USING .*)?$|SEARCH (\S+) USING AUTOMATIC )`)
	computed = regexp.MustCompile(`^(?:CO-ROUTINE|MATERIALIZE) (\S+)$`)
)

// Plan implements dialect.Planner. SQLite does not estimate costs.
func (*DB) Plan(ctx context.Context, s dialect.Session, of *dialect.Described, st dialect.Statement, by []int) (p doc.Plan, err error) {
	var names []string
	notTables := map[string]bool{"CONSTANT": true}
	st.SQL, st.Reads = "EXPLAIN QUERY PLAN "+st.SQL, nil
	_, err = s.Query(ctx, st, func(raw []any) bool {
		detail := stdsql.Row(raw).Text(3)
		if m := computed.FindStringSubmatch(detail); m != nil {
			notTables[m[1]] = true
		} else if m := scanned.FindStringSubmatch(detail); m != nil {
			names = append(names, m[1]+m[2])
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
		scan, err := fullScan(ctx, s, of, name)
		if err != nil {
			return p, err
		}
		p.FullScans = append(p.FullScans, scan)
	}
	for _, at := range by {
		p.By = append(p.By, originOf(of, at))
	}
	if p.Indexed, err = indexed(ctx, s, p.By); err != nil {
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
func fullScan(ctx context.Context, s dialect.Session, of *dialect.Described, name string) (doc.FullScan, error) {
	w := doc.FullScan{Table: quoteName(name)}
	from := "(" + of.SQL + "\n)" // unless the table is found, the size of the SQL's result
	tables, err := stdsql.Query(ctx, s, "SELECT +name FROM sqlite_schema WHERE type = 'table'")
	if err != nil {
		return w, err
	}
	for _, r := range tables {
		table := r.Text(0)
		alias := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(table) + `\b["\x60\]]?(\s+as)?\s+["\x60\[]?` + regexp.QuoteMeta(name) + `\b`)
		if strings.EqualFold(table, name) || alias.MatchString(of.SQL) {
			w.Table = quoteName(table)
			from = w.Table
			break
		}
	}
	rows, err := stdsql.Query(ctx, s, "SELECT count(*) FROM (SELECT 1 FROM "+from+" LIMIT 1000000)")
	if err != nil {
		return w, err
	}
	w.Rows = rows[0].Number(0)
	return w, nil
}

// originOf returns the table's column that a column of the result is.
func originOf(of *dialect.Described, at int) doc.Column {
	info := of.Columns[at].Native.(sqlite.ColumnInfo)
	return doc.Column{Table: info.TableName, Name: info.OriginName}
}

// Maintains implements dialect.Maintainer.
func (*DB) Maintains(ctx context.Context, s dialect.Session, of *dialect.Described, column int) (bool, error) {
	c := originOf(of, column)
	t := doc.CatalogTable{Columns: []doc.CatalogColumn{{Name: c.Name}}}
	triggers, err := stdsql.Query(ctx, s, "SELECT +sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE", c.Table)
	for _, r := range triggers {
		addTrigger(&t, r)
	}
	return c.Table != "" && t.Columns[0].Maintained, err
}

// indexed reports whether an index of the whole table begins with these columns.
func indexed(ctx context.Context, s dialect.Session, by []doc.Column) (bool, error) {
	var names []string
	for _, c := range by {
		if c.Table == "" || c.Table != by[0].Table {
			return false, nil
		}
		names = append(names, c.Name)
	}
	found := map[int64]int{}
	rows, err := stdsql.Query(ctx, s, `SELECT +l.seq, +i.name, +i.seqno FROM pragma_index_list(?) l, pragma_index_info(l.name) i WHERE l.partial = 0 AND i.seqno < ?`,
		by[0].Table, len(by))
	for _, r := range rows {
		if r.Text(1) == names[r.Number(2)] {
			found[r.Number(0)]++
		}
	}
	return slices.Contains(slices.Collect(maps.Values(found)), len(by)), err
}

// Relations implements dialect.Planner: the tables whose b-trees the SQL's
// program opens, also through views. It leaves out tables that SQLite optimizes
// away, and virtual tables, which have no b-tree.
func (*DB) Relations(ctx context.Context, s dialect.Session, of *dialect.Described, updated int) (relations []doc.Relation, err error) {
	roots, err := tablesByRoot(ctx, s)
	if err != nil {
		return nil, err
	}
	const opcode, p2 = 1, 3 // columns of EXPLAIN
	names := map[string]bool{}
	program, err := stdsql.Query(ctx, s, "EXPLAIN "+of.SQL)
	for _, r := range program {
		if table, op := roots[r.Number(p2)], r.Text(opcode); table != "" && (op == "OpenRead" || op == "ReopenIdx") {
			names[table] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		relations = append(relations, doc.Relation{Name: name, Origin: updated >= 0 && originOf(of, updated).Table == name})
	}
	return relations, err
}

// tablesByRoot returns the table of each b-tree in the file, also of an index's:
// with a covering index SQLite does not open the table.
func tablesByRoot(ctx context.Context, s dialect.Session) (map[int64]string, error) {
	roots := map[int64]string{}
	rows, err := stdsql.Query(ctx, s, "SELECT +rootpage, +tbl_name FROM sqlite_schema WHERE rootpage > 0")
	for _, r := range rows {
		roots[r.Number(0)] = r.Text(1)
	}
	return roots, err
}
