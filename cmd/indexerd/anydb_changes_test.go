package main

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
)

// The goals of the time from a commit to the moment that a search shows it: where
// the session goes on, and where it idles after it, so that PostgreSQL's statistics
// come late. Asserted is that it shows at all, since others may use this machine.
const (
	judgedBusy = 5 * time.Second
	judgedIdle = 15 * time.Second
	// MariaDB does not say which tables changed: a table is compared as often as its
	// cost allows.
	judgedUncounted = 10 * time.Second
)

// A changer changes random tables of a database and judges when a search shows it.
type changer struct {
	*anyDB
	random  *rand.Rand
	tables  []*changedTable
	written int // the number of the last marker
	kills   int
	held    int
	took    map[bool][]time.Duration // by whether the session idled
	missed  []string
}

// A changedTable is a table whose rows change.
type changedTable struct {
	doc.CatalogTable
	conf   configs.Table
	text   string   // the column of markers, texts or numbers; "": rows are deleted and inserted again
	marked []string // the markers of its rows
	gone   []anyRow // of a table without text: deleted rows
}

// An anyRow is a row by its key.
type anyRow struct {
	where string // in SQL
	query string // of a search, where the key is content
}

// A rowChange is one transaction and what a search must show after it.
type rowChange struct {
	table      *changedTable
	statements []string
	query      string
	want       uint64
	removes    bool // the guard may hold it
}

// changes makes changes for some seconds, with a kill -9 now and then, until a
// search shows each. Then index and database are equal, after a sweep of the tables
// with updated: it finds the deleted rows of children.
func (a *anyDB) changes(t *testing.T, seconds int) {
	t.Helper()
	if seconds == 0 {
		return
	}
	c := &changer{anyDB: a, took: map[bool][]time.Duration{}}
	seed := chaosSeed(t)
	c.random = rand.New(rand.NewPCG(seed, 1))
	c.prepare(t)
	for i, end := 1, time.Now().Add(time.Duration(seconds)*time.Second); time.Now().Before(end) || i < 4; i++ {
		c.judge(t, c.next(t), c.random.IntN(4) == 0)
		if i%20 == 3 {
			c.kill(t)
		}
	}
	for _, table := range a.conf.Tables {
		if table.Updated != "" {
			eventually(t, soon, "a sweep", func() error {
				if stdout, stderr, code := ask(t, "sweep", "-c", a.file, table.Name); code != 0 {
					return fmt.Errorf("exit %d: %s%s", code, stdout, stderr)
				}
				return nil
			})
		}
	}
	eventually(t, soon, "verify finds all equal", func() error {
		if stdout, stderr, code := ask(t, "verify", "-c", a.file, "--content"); code != 0 {
			return fmt.Errorf("exit %d: %s%s", code, stdout, stderr)
		}
		return nil
	})
	c.report(t, seed)
}

// prepare copies each table, so that rows can come back, and drops the foreign
// keys, which would refuse most changes.
func (c *changer) prepare(t *testing.T) {
	t.Helper()
	if !c.lite && !c.maria {
		eventually(t, soon, "no deadlock with the daemon's transactions", func() error {
			_, err := c.db.ExecContext(t.Context(), `DO $$ DECLARE f record; BEGIN FOR f IN SELECT conrelid::regclass AS rel, conname FROM pg_constraint WHERE contype = 'f' AND conparentid = 0
				LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', f.rel, f.conname); END LOOP; END $$`)
			return err
		})
	}
	for _, table := range c.catalog.Tables {
		conf, ok := c.of(table.SQL)
		if !ok || !table.Primary || c.number(t, "SELECT count(*) FROM "+table.SQL) == 0 {
			continue
		}
		c.exec(t, fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM %s", c.saved(table), table.SQL))
		c.tables = append(c.tables, &changedTable{CatalogTable: table, conf: conf, text: markable(table, conf)})
	}
}

func (c *changer) saved(t doc.CatalogTable) string {
	quote := map[bool]string{false: `"`, true: "`"}[c.maria]
	return quote + "saved " + t.Name + quote
}

// markable returns a column that can have any text, or "".
func markable(t doc.CatalogTable, conf configs.Table) string {
	for _, column := range t.Columns {
		keyed := slices.Contains(slices.Concat(t.Keys...), column.Name) || slices.ContainsFunc(t.References, func(r doc.CatalogReference) bool { return slices.Contains(r.Columns, column.Name) })
		if column.Kind == doc.TextColumn && !keyed && (column.Length == 0 || column.Length >= 12) && slices.Contains(conf.Content.Fields, column.Name) {
			return column.Name
		}
	}
	return ""
}

// next returns a random change of a random table.
func (c *changer) next(t *testing.T) rowChange {
	t.Helper()
	table := c.tables[c.random.IntN(len(c.tables))]
	n := c.random.IntN(20)
	switch {
	case n == 0 || c.number(t, "SELECT count(*) FROM "+table.SQL) == 0:
		return c.truncate(table)
	case table.text == "" && len(table.gone) > 0 && n < 10:
		return c.restore(table)
	case table.text == "":
		return c.take(t, table)
	case n < 6 && len(table.marked) > 0:
		return c.remove(t, table)
	case n < 12 && len(table.Keys) == 1 && len(table.Keys[0]) == 1 && table.column(table.Keys[0][0]).Kind == doc.NumberColumn:
		return c.insert(t, table)
	}
	return c.update(t, table, table.touch())
}

// update changes a random row, and sets its updated by touch.
func (c *changer) update(t *testing.T, table *changedTable, touch string) rowChange {
	t.Helper()
	marker := c.marker(table)
	return rowChange{table: table, query: table.text + ":" + marker, want: 1,
		statements: []string{fmt.Sprintf("UPDATE %s SET %s = '%s'%s WHERE %s", table.SQL, table.column(table.text).SQL, marker, touch, c.row(t, table).where)}}
}

// remove deletes the first marked row.
func (c *changer) remove(_ *testing.T, table *changedTable) rowChange {
	marker := table.marked[0]
	table.marked = table.marked[1:]
	return rowChange{table: table, removes: true, query: table.text + ":" + marker,
		statements: []string{fmt.Sprintf("DELETE FROM %s WHERE %s = '%s'", table.SQL, table.column(table.text).SQL, marker)}}
}

func (c *changer) marker(t *changedTable) string {
	c.written++
	marker := fmt.Sprintf("zq%dzq", c.written)
	if t.column(t.text).Kind == doc.NumberColumn {
		marker = fmt.Sprint(7000 + c.written)
	}
	t.marked = append(t.marked, marker)
	return marker
}

func (t *changedTable) column(name string) doc.CatalogColumn {
	return t.Columns[slices.IndexFunc(t.Columns, func(c doc.CatalogColumn) bool { return c.Name == name })]
}

// touch sets updated, as an application does.
func (t *changedTable) touch() string {
	if t.conf.Updated == "" {
		return ""
	}
	return ", " + t.column(t.conf.Updated).SQL + " = CURRENT_TIMESTAMP"
}

// insert inserts a copy of a row with another key and a marker.
func (c *changer) insert(t *testing.T, table *changedTable) rowChange {
	t.Helper()
	key := table.Keys[0][0]
	id := 1 + c.number(t, fmt.Sprintf("SELECT max(%s) FROM (SELECT %[1]s FROM %s UNION ALL SELECT %[1]s FROM %s) k", table.column(key).SQL, table.SQL, c.saved(table.CatalogTable)))
	marker := c.marker(table)
	change := c.copies(table, map[string]string{key: strconv.FormatInt(id, 10), table.text: "'" + marker + "'"}, "LIMIT 1")
	change.query = table.text + ":" + marker
	return change
}

// copies inserts saved rows, some with other values.
func (c *changer) copies(table *changedTable, other map[string]string, which string) rowChange {
	if table.conf.Updated != "" {
		other[table.conf.Updated] = "CURRENT_TIMESTAMP"
	}
	var names, values []string
	for _, column := range table.Columns {
		names, values = append(names, column.SQL), append(values, cmp.Or(other[column.Name], column.SQL))
	}
	return rowChange{table: table, want: 1,
		statements: []string{fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s %s", table.SQL, strings.Join(names, ", "), strings.Join(values, ", "), c.saved(table.CatalogTable), which)}}
}

// take deletes a row of a table without text, which is found by its key.
func (c *changer) take(t *testing.T, table *changedTable) rowChange {
	t.Helper()
	row := c.row(t, table)
	table.gone = append(table.gone, row)
	return rowChange{table: table, removes: true, query: row.query, statements: []string{fmt.Sprintf("DELETE FROM %s WHERE %s", table.SQL, row.where)}}
}

// restore inserts such a row again.
func (c *changer) restore(table *changedTable) rowChange {
	row := table.gone[0]
	table.gone = table.gone[1:]
	change := c.copies(table, map[string]string{}, "WHERE "+row.where)
	change.query = row.query
	return change
}

// row returns a random row.
func (c *changer) row(t *testing.T, table *changedTable) anyRow {
	t.Helper()
	var names []string
	for _, name := range table.Keys[0] {
		names = append(names, "CAST("+table.column(name).SQL+" AS "+map[bool]string{false: "VARCHAR(80)", true: "CHAR(80)"}[c.maria]+")")
	}
	values, into := make([]string, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	if err := c.db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT %s FROM %s ORDER BY %s() LIMIT 1", strings.Join(names, ", "), table.SQL, map[bool]string{false: "random", true: "rand"}[c.maria])).Scan(into...); err != nil {
		t.Fatalf("%s: %v", table.SQL, err)
	}
	var where, query []string
	for i, name := range table.Keys[0] {
		literal := "'" + values[i] + "'"
		if table.column(name).Kind == doc.NumberColumn {
			literal = values[i]
		}
		where = append(where, table.column(name).SQL+" = "+literal)
		if kind := table.column(name).Kind; kind != doc.InstantColumn && kind != doc.WallColumn { // their texts have other forms
			query = append(query, table.conf.Key[i]+`:"`+values[i]+`"`)
		}
	}
	return anyRow{strings.Join(where, " AND "), strings.Join(query, " ")}
}

// truncate empties a table. The guard holds back what is over its limits.
func (c *changer) truncate(table *changedTable) rowChange {
	statement := "TRUNCATE " + table.SQL
	if c.lite {
		statement = "DELETE FROM " + table.SQL
	}
	table.marked, table.gone = nil, nil
	return rowChange{table: table, statements: []string{statement}, removes: true}
}

// judge makes a change and waits until a search shows it. After a truncated table
// its first rows come back.
func (c *changer) judge(t *testing.T, change rowChange, idle bool) {
	t.Helper()
	c.make(t, change, idle)
	if change.query == "" {
		back := c.copies(change.table, map[string]string{}, "")
		back.want = uint64(c.number(t, "SELECT count(*) FROM "+c.saved(change.table.CatalogTable)))
		c.make(t, back, idle)
	}
}

// make runs the statements in one session, which then goes on or idles.
func (c *changer) make(t *testing.T, change rowChange, idle bool) {
	t.Helper()
	session, err := c.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, statement := range change.statements {
		if _, err := session.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	committed := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if !idle {
		go goOn(ctx, session)
	}
	eventually(t, 2*time.Minute, change.statements[0], func() error { return c.shown(t, change) })
	took := time.Since(committed)
	c.took[idle] = append(c.took[idle], took)
	if took > c.limit(idle) {
		c.missed = append(c.missed, fmt.Sprintf("%v: %s", took.Round(time.Millisecond), change.statements[0]))
	}
}

// limit is the longest time that a change may take.
func (c *changer) limit(idle bool) time.Duration {
	switch {
	case idle:
		return judgedIdle
	case c.maria:
		return judgedUncounted
	}
	return judgedBusy
}

// goOn runs statements that change nothing, as the session of an application does.
func goOn(ctx context.Context, session *sql.Conn) {
	for ctx.Err() == nil {
		_, _ = session.ExecContext(ctx, "SELECT 1") // it fails at the end only
		select {
		case <-ctx.Done():
		case <-time.After(300 * time.Millisecond):
		}
	}
}

// shown is an error until a search, or for removals the guard's list, shows the
// change.
func (c *changer) shown(t *testing.T, change rowChange) error {
	total := c.p.search(t, change.table.conf.Name, change.query, "size=0").Total
	if total == change.want {
		return nil
	}
	for _, s := range c.p.status(t).Tables {
		if change.removes && s.Table == change.table.conf.Name && s.Held != nil {
			c.held++
			return nil
		}
	}
	return fmt.Errorf("%s %s: got %d, want %d", change.table.conf.Name, change.query, total, change.want)
}

// kill kills the daemon just after a change, whose time runs from the moment the
// next one answers.
func (c *changer) kill(t *testing.T) {
	t.Helper()
	change := c.next(t)
	for change.query == "" {
		change = c.next(t)
	}
	for _, statement := range change.statements {
		c.exec(t, statement)
	}
	c.p.kill()
	c.p = start(t, "run", "-c", c.file)
	c.kills++
	change.statements = []string{"SELECT 1"}
	c.make(t, change, false)
}

// report prints the figures and the verdict.
func (c *changer) report(t *testing.T, seed uint64) {
	verdict := "ok"
	if len(c.missed) > 0 || t.Failed() {
		verdict = "MISS"
		late := t.Logf
		if n, err := strconv.Atoi(os.Getenv("CHINOOK_SECONDS")); err == nil && n >= 60 {
			late = t.Errorf // such a run is alone on its machine
		}
		late("later than %v, or %v where the session idled:\n%s", c.limit(false), c.limit(true), strings.Join(c.missed, "\n"))
	}
	fmt.Printf("anydb: %s seed=%d changes=%d busy_p50_ms=%d busy_max_ms=%d idle_p50_ms=%d idle_max_ms=%d late=%d held=%d kills=%d %s\n", t.Name(), seed, len(c.took[false])+len(c.took[true]),
		percentile(c.took[false], 50), percentile(c.took[false], 100), percentile(c.took[true], 50), percentile(c.took[true], 100), len(c.missed), c.held, c.kills, verdict)
}

// percentile returns milliseconds.
func percentile(all []time.Duration, p int) int64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[(len(all)-1)*p/100].Milliseconds()
}
