package main

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/mariatest"
	"indexerd/internal/test/pgtest"
)

// strangersWithin is how long a change is waited for.
const strangersWithin = time.Minute

// refused are the schemas that a server refuses by its own rules.
var refused = map[string]string{
	"jabberd2/mysql": "MySQL 8 and later refuse keys of 255 characters of a TINYTEXT",
	"oar/mariadb":    "a column has the reserved name force",
	"oar/mysql":      "a column has the reserved name force",
}

// TestStrangers indexes the schemas of applications that are in the directory STRANGERS,
// such as those of testdata/strangers/fetch.sh, with rows that the test makes up. It
// changes a row with and without a move of updateTime, deletes one, and writes a value
// that does not fit its field. A line for each schema and database says how many seconds
// passed until a search showed each, "-" if no table has such a row, and what verify says.
func TestStrangers(t *testing.T) {
	dir := os.Getenv("STRANGERS")
	if dir == "" {
		dir = filepath.Join("testdata", "strangers")
		t.Parallel() // nothing is measured
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.*sql*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: got %d schemas, %v, want some", dir, len(files), err)
	}
	binary(t) // it is built before anything is timed
	tally := map[string]int{}
	for _, file := range files {
		name, kind, _ := strings.Cut(filepath.Base(file), ".")
		for _, database := range slices.Sorted(maps.Keys(strangersOf[kind])) {
			if why := refused[name+"/"+database]; why != "" {
				fmt.Printf("strangers: %s/%s refused: %s\n", name, database, why)
				tally["refused"]++
				continue
			}
			verdict := "failed"
			t.Run(name+"/"+database, func(t *testing.T) { verdict = stranger(t, strangersOf[kind][database](t, file)) })
			tally[verdict]++
		}
	}
	verdict := map[bool]string{false: "ok", true: "MISS"}[t.Failed()]
	fmt.Printf("strangers: files=%d equal=%d different=%d failed=%d refused=%d %s\n", len(files), tally["equal"], tally["DIFFERENT"], tally["failed"], tally["refused"], verdict)
}

// strangersOf are the databases that run the scripts of a kind.
var strangersOf = map[string]map[string]func(*testing.T, string) *anyDB{
	"pgsql": {"postgres": func(t *testing.T, file string) *anyDB {
		a := newPostgres(t, "")
		pgtest.Load(t, a.dsn, file)
		return a
	}},
	"mysql": {
		"mariadb": func(t *testing.T, file string) *anyDB {
			return mariaStranger(t, mariatest.New(t, oldMode), "PROCESS", file)
		},
		"mysql": func(t *testing.T, file string) *anyDB {
			return mariaStranger(t, mariatest.NewMySQL(t, oldMode), "PROCESS, XA_RECOVER_ADMIN", file)
		},
	},
	"sqlite": {"sqlite": func(t *testing.T, file string) *anyDB { return newSQLite(t, readFile(t, file)) }},
}

// oldMode is what old schemas need of a server.
const oldMode = "--sql-mode=NO_ENGINE_SUBSTITUTION"

// mariaStranger loads a script. The daemon's account has the privileges that
// docs/recipes.md names.
func mariaStranger(t *testing.T, server *mariatest.Server, privileges, file string) *anyDB {
	t.Helper()
	a := newMaria(t, server, "GRANT "+privileges+" ON *.* TO reader@'127.0.0.1'")
	server.Load(t, a.dsn, file)
	return a
}

// stranger indexes a schema, prints what became of it, and returns what verify says.
func stranger(t *testing.T, a *anyDB) (verify string) {
	a.look(t)
	rows := a.fillAny(t)
	began := time.Now()
	yaml, stderr, code := initWith(t, nil, initCommand{DSN: a.dsn, All: true})
	if code != 0 {
		t.Fatalf("init: exit %d: %s\n%s", code, stderr, yaml)
	}
	a.file = ownPlace(t, yaml)
	a.load(t)
	a.p = follow(t, a.file)
	ready := time.Since(began)
	c := &changer{anyDB: a}
	for _, table := range a.catalog.Tables {
		if conf, ok := c.of(table.SQL); ok && len(table.Keys) > 0 && !conf.RowKey && c.number(t, "SELECT count(*) FROM "+table.SQL) > 2 {
			c.tables = append(c.tables, &changedTable{CatalogTable: table, conf: conf, text: shownBy(table, conf)})
		}
	}
	silent := c.foundAfter(t, func(table *changedTable) bool { return table.text != "" && table.conf.Updated != "" }, c.silently)
	update := c.foundAfter(t, func(table *changedTable) bool { return table.text != "" }, c.properly)
	removal := c.foundAfter(t, func(table *changedTable) bool { return len(table.marked) > 0 }, c.remove)
	bad := c.spoil(t)
	if verify = "equal"; !c.verified(t) {
		verify = "DIFFERENT"
	}
	var documents, quarantined, partial int
	for _, s := range a.p.status(t).Tables {
		documents, quarantined, partial = documents+int(s.Documents), quarantined+s.Quarantined, partial+s.Partial
	}
	fmt.Printf("strangers: %s tables=%d indexed=%d rows=%d documents=%d ready_s=%.1f silent_s=%s update_s=%s delete_s=%s bad_s=%s quarantined=%d partial=%d verify=%s\n",
		strings.TrimPrefix(t.Name(), "TestStrangers/"), len(a.catalog.Tables), len(a.conf.Tables), rows, documents, ready.Seconds(), silent, update, removal, bad, quarantined, partial, verify)
	return verify
}

// verified reports whether index and database are equal within a minute.
func (c *changer) verified(t *testing.T) bool {
	t.Helper()
	err := within(strangersWithin, func() error {
		if stdout, stderr, code := ask(t, "verify", "-c", c.file, "--content"); code != 0 {
			return fmt.Errorf("exit %d: %s%s", code, stdout, stderr)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

// shownBy returns a column without a key whose new value a search finds: a text, or else a
// number; "" if there is none.
func shownBy(table doc.CatalogTable, conf configs.Table) string {
	numbered := ""
	for _, column := range table.Columns {
		free := !slices.Contains(slices.Concat(table.Keys...), column.Name) && column.Name != conf.Updated &&
			!slices.ContainsFunc(table.References, func(r doc.CatalogReference) bool { return slices.Contains(r.Columns, column.Name) })
		word := (column.Kind == doc.TextColumn || column.Kind == doc.WordColumn) && (column.Length == 0 || column.Length >= 8) && !strings.HasPrefix(column.Type, "enum") && !strings.HasPrefix(column.Type, "set")
		switch field := slices.Contains(conf.Content.Fields, column.Name) || filtered(conf, column.Name); {
		case free && field && word:
			return column.Name
		case free && field && column.Kind == doc.NumberColumn && !column.Time && !strings.HasPrefix(column.Type, "tinyint"):
			numbered = cmp.Or(numbered, column.Name)
		}
	}
	return numbered
}

// filtered reports whether a column is metadata.
func filtered(conf configs.Table, column string) bool {
	return slices.ContainsFunc(conf.Metadata, func(m configs.Meta) bool { return m.Name == column })
}

// foundAfter makes a change of the first suitable table that accepts it, and returns the
// seconds until it is found; "-" if no table does.
func (c *changer) foundAfter(t *testing.T, suitable func(*changedTable) bool, change func(*testing.T, *changedTable) rowChange) string {
	t.Helper()
	for _, table := range c.tables {
		if !suitable(table) {
			continue
		}
		made := change(t, table)
		if _, err := c.db.ExecContext(t.Context(), made.statements[0]); err != nil {
			t.Logf("%s: %v", made.statements[0], err)
			table.marked = table.marked[:max(0, len(table.marked)-1)]
			continue
		}
		return c.seconds(t, made.statements[0], func() error { return c.shown(t, made) })
	}
	return "-"
}

// seconds waits until a change is found.
func (c *changer) seconds(t *testing.T, change string, found func() error) string {
	t.Helper()
	began := time.Now()
	if err := within(strangersWithin, found); err != nil {
		t.Errorf("%s: %v", change, err)
		return fmt.Sprintf(">%.0f", strangersWithin.Seconds())
	}
	return fmt.Sprintf("%.1f", time.Since(began).Seconds())
}

// silently changes a row and keeps its updateTime.
func (c *changer) silently(t *testing.T, table *changedTable) rowChange {
	t.Helper()
	updated := table.column(table.conf.Updated).SQL
	return c.update(t, table, fmt.Sprintf(", %s = %[1]s", updated))
}

// properly changes a row as its application would.
func (c *changer) properly(t *testing.T, table *changedTable) rowChange {
	t.Helper()
	touch := table.touch()
	if touch != "" && table.column(table.conf.Updated).Kind == doc.NumberColumn {
		touch = fmt.Sprintf(", %s = %d", table.column(table.conf.Updated).SQL, time.Now().Unix())
	}
	return c.update(t, table, touch)
}

// spoil writes a value that its field can't have into a row of the first table that accepts
// it, and returns the seconds until status counts the row as partial; "-" if no table does.
func (c *changer) spoil(t *testing.T) string {
	t.Helper()
	for _, table := range c.tables {
		for _, column := range table.Columns {
			bad := c.badValue(column)
			if bad == "" || !filtered(table.conf, column.Name) || column.Name == table.conf.Updated || slices.Contains(slices.Concat(table.Keys...), column.Name) {
				continue
			}
			statement := fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s", table.SQL, column.SQL, bad, c.row(t, table).where)
			if _, err := c.db.ExecContext(t.Context(), statement); err != nil {
				continue
			}
			return c.seconds(t, statement, func() error {
				for _, s := range c.p.status(t).Tables {
					if s.Table == table.conf.Name && s.Partial > 0 {
						return nil
					}
				}
				return errors.New("no row is partial")
			})
		}
	}
	return "-"
}

// badValue is a value that a database allows in a column and its field can't have, "" if
// there is none.
func (a *anyDB) badValue(c doc.CatalogColumn) string {
	timed := c.Kind == doc.DateColumn || c.Kind == doc.InstantColumn || c.Kind == doc.WallColumn
	switch {
	case a.lite && (timed || c.Kind == doc.NumberColumn):
		return "'never'"
	case a.maria && timed:
		return "'0000-00-00'"
	case !a.lite && !a.maria && timed:
		return "'infinity'"
	case !a.lite && !a.maria && (strings.HasPrefix(c.Type, "double") || strings.HasPrefix(c.Type, "real") || c.Type == "numeric"):
		return "'NaN'"
	}
	return ""
}

// within polls until f succeeds, and returns its last error.
func within(limit time.Duration, f func() error) (err error) {
	for end := time.Now().Add(limit); ; <-time.After(50 * time.Millisecond) {
		if err = f(); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// fillAny writes rows into all tables of a schema that the test does not know, and returns
// how many there are. What the database refuses is left out: columns that may be NULL,
// or a whole row.
func (a *anyDB) fillAny(t *testing.T) (rows int64) {
	t.Helper()
	if !a.maria && !a.lite {
		a.exec(t, fmt.Sprintf("ALTER DATABASE %s SET session_replication_role = replica", a.catalog.Name))
		a.db.Close()
		a.db, _ = sql.Open("pgx", a.dsn)
	}
	for _, table := range a.catalog.Tables {
		for i := range anyRows {
			err := errors.New("not tried")
			for _, leave := range []func(doc.CatalogColumn) bool{
				func(doc.CatalogColumn) bool { return false },
				func(c doc.CatalogColumn) bool {
					return !c.NotNull && c.Kind != doc.TextColumn && c.Kind != doc.NumberColumn
				},
				func(c doc.CatalogColumn) bool { return !c.NotNull },
			} {
				if err == nil {
					break
				}
				_, err = a.db.ExecContext(t.Context(), a.insertAny(table, i+1, leave))
			}
		}
		rows += a.number(t, "SELECT count(*) FROM "+table.SQL)
	}
	return rows
}

// insertAny is an INSERT of row i without some columns.
func (a *anyDB) insertAny(t doc.CatalogTable, i int, leave func(doc.CatalogColumn) bool) string {
	var names, values []string
	for _, c := range t.Columns {
		if !leave(c) {
			names, values = append(names, c.SQL), append(values, a.valueAny(c, i))
		}
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.SQL, strings.Join(names, ", "), strings.Join(values, ", "))
}

// timely matches the names of columns that have seconds since 1970, if they are numbers.
var timely = regexp.MustCompile(`(?i)time|date|modified|changed|expir|_at$`)

// valueAny makes up the value of a column from its type.
func (a *anyDB) valueAny(c doc.CatalogColumn, i int) string {
	is := func(types ...string) bool {
		return slices.ContainsFunc(types, func(name string) bool { return strings.HasPrefix(c.Type, name) })
	}
	switch {
	case strings.HasPrefix(c.Type, "enum"), strings.HasPrefix(c.Type, "set"):
		first, _, _ := strings.Cut(strings.SplitN(c.Type, "'", 2)[1], "'")
		return "'" + first + "'"
	case is("tinyint(1)", "bool"):
		return []string{"false", "true"}[i%2]
	case is("bit"):
		return map[bool]string{true: "1", false: "B'1'"}[a.maria]
	case is("uuid"):
		return fmt.Sprintf("'00000000-0000-4000-8000-%012d'", i)
	case is("inet", "cidr"):
		return fmt.Sprintf("'10.0.0.%d'", i)
	case is("json"):
		return fmt.Sprintf(`'{"number": %d}'`, i)
	case is("bytea", "binary", "varbinary", "blob", "tinyblob", "mediumblob", "longblob"):
		return fmt.Sprintf("'b%d'", i)
	case c.Kind == doc.NumberColumn && c.Time && timely.MatchString(c.Name):
		return fmt.Sprint(1_700_000_000 + i)
	case c.Kind == doc.NumberColumn:
		return fmt.Sprint(i)
	case c.Kind == doc.DateColumn:
		return fmt.Sprintf("'2024-02-%02d'", 1+i%28)
	case c.Kind == doc.InstantColumn, c.Kind == doc.WallColumn:
		return fmt.Sprintf("'2024-02-%02d 10:00:%02d'", 1+i%28, i)
	case c.Length > 0 && c.Length < 4:
		return fmt.Sprintf("'%d'", i%10)
	case c.Length > 0 && c.Length < 12:
		return fmt.Sprintf("'w%d'", i)
	}
	return fmt.Sprintf("'word%d of %s'", i, strings.ReplaceAll(c.Name, "'", ""))
}
