package sqlitesource

import (
	"context"
	"database/sql"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// Server says what reads the file. It has no roles, and no network.
func (s *Source) Server(ctx context.Context) (doc.Server, error) {
	var version string
	err := s.read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT sqlite_version() FROM (SELECT count(*) FROM sqlite_schema)").Scan(&version)
	})
	return doc.Server{Version: "SQLite " + version}, s.fault("connect", err)
}

// Writable is empty: the file is opened read-only, whatever rights it has.
func (t *Table) Writable(context.Context) ([]string, error) { return nil, nil }

// A question is one of the daemon's, as it will be asked.
type question struct {
	asks  doc.Question
	view  *view
	query string
	args  []any
}

// Plans has SQLite plan, and not run, what the daemon will ask: the rows of a
// window of updateTime, of a range of keys, and by key. The OIDs are some of the
// rows'; without any nothing is asked by key. It knows no costs.
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

// byTime asks for what changed in a window. Without an updateTime yet there is
// nothing to ask.
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

// byKey asks for a range between two neighbours, and for one row.
func (t *Table) byKey(some []doc.OID) (all []question, err error) {
	if len(some) == 0 {
		return nil, nil
	}
	some = slices.Sorted(slices.Values(some))
	middle := (len(some) - 1) / 2
	s := t.scan("")
	if err := t.limit(s, doc.Range{From: some[middle], To: some[min(middle+1, len(some)-1)]}); err != nil {
		return nil, err
	}
	where := t.rest(s)
	all = append(all, question{doc.AsksRange, t.view, t.statements.stamps + where.String() + t.statements.order, where.args})
	for _, v := range t.views() {
		if v == t.changes {
			continue // it is asked by time alone
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

// scanned finds the tables that a plan reads from end to end, under the names
// that the SQL gives them. What is computed first, and then read, is no table.
var (
	scanned  = regexp.MustCompile(`^SCAN (\S+)( USING .*)?$`)
	computed = regexp.MustCompile(`^(?:CO-ROUTINE|MATERIALIZE) (\S+)$`)
	builds   = regexp.MustCompile(`^SEARCH (\S+) USING AUTOMATIC `)
)

// plan has SQLite plan a question.
func (q question) plan(ctx context.Context, tx *sql.Tx) (p doc.Plan, err error) {
	p = doc.Plan{Path: q.view.paths.sql, Asks: q.asks}
	var names []string
	none := map[string]bool{"CONSTANT": true}
	err = each(ctx, tx, "EXPLAIN QUERY PLAN "+q.query, q.args, 4, func(raw []any) bool {
		detail, _ := raw[3].(string)
		if m := computed.FindStringSubmatch(detail); m != nil {
			none[m[1]] = true
		} else if m := scanned.FindStringSubmatch(detail); m != nil {
			names = append(names, m[1])
		} else if m := builds.FindStringSubmatch(detail); m != nil {
			names = append(names, m[1])
		}
		return true
	})
	if err != nil {
		return p, err
	}
	for _, name := range names {
		if none[name] || strings.HasPrefix(name, "(") {
			continue
		}
		whole, err := q.view.whole(ctx, tx, name)
		if err != nil {
			return p, err
		}
		p.Whole = append(p.Whole, whole)
	}
	p.By = q.selects()
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

// whole says how large the table is that the SQL calls by a name. It counts up
// to a million rows.
func (v *view) whole(ctx context.Context, tx *sql.Tx, name string) (doc.Whole, error) {
	w := doc.Whole{Table: name}
	var tables []string
	err := each(ctx, tx, "SELECT +name FROM sqlite_schema WHERE type = 'table'", nil, 1, func(raw []any) bool {
		table, _ := raw[0].(string)
		tables = append(tables, table)
		return true
	})
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
	from, table := quoteName(w.Table), w.Table
	w.Table = from
	if !slices.Contains(tables, table) {
		from = "(" + v.sql + "\n)" // another's name for it: as many rows as it has had
	}
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+from+" LIMIT 1000000)").Scan(&w.Rows)
	return w, err
}

// selects are the columns that the question selects by, under their own names.
func (q question) selects() []doc.Column {
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

// indexed reports whether an index of the whole table begins with these
// columns.
func indexed(ctx context.Context, tx *sql.Tx, by []doc.Column) (bool, error) {
	var names []string
	for _, c := range by {
		if c.Table == "" || c.Table != by[0].Table {
			return false, nil
		}
		names = append(names, c.Name)
	}
	found := map[int64]int{}
	err := each(ctx, tx, `SELECT +l.seq, +i.name, +i.seqno FROM pragma_index_list(?) l, pragma_index_info(l.name) i WHERE l.partial = 0 AND i.seqno < ?`,
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
