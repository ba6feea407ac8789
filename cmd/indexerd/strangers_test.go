package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/mariatest"
)

// strangersWithin is how long a change is waited for.
const strangersWithin = time.Minute

// TestStrangers indexes the schemas of applications, which testdata/strangers/fetch.sh
// puts into STRANGERS, with rows that the test makes up. It changes a row with and
// without a move of updateTime, and deletes one. A line for each schema and database says
// how long each took until a search showed it, and what verify says.
func TestStrangers(t *testing.T) {
	dir := os.Getenv("STRANGERS")
	if dir == "" {
		t.Skip("STRANGERS names no directory of schemas")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.*sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: got %d schemas, %v, want some", dir, len(files), err)
	}
	for _, file := range files {
		script := statementsOf(readFile(t, file))
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".pgsql"), ".mysql")
		if strings.HasSuffix(file, ".pgsql") {
			t.Run(name+"/postgres", func(t *testing.T) { stranger(t, newPostgres(t, strings.Join(script, "\n"))) })
			continue
		}
		for server, start := range map[string]func(testing.TB, ...string) *mariatest.Server{"mariadb": mariatest.New, "mysql": mariatest.NewMySQL} {
			t.Run(name+"/"+server, func(t *testing.T) {
				a := newMaria(t, start(t, "--sql-mode=NO_ENGINE_SUBSTITUTION"), "SELECT 1")
				for _, statement := range script {
					a.exec(t, statement)
				}
				stranger(t, a)
			})
		}
	}
}

// statementsOf returns the statements of a script of psql or mysql, without what only these
// programs know. What a DELIMITER ends is one statement.
func statementsOf(script string) (all []string) {
	script = regexp.MustCompile(`(?mi)^(\s*\\.*|DROP DATABASE.*|CREATE DATABASE.*|CREATE (OR REPLACE )?(PROCEDURAL )?LANGUAGE .*|USE .*|source .*)$`).ReplaceAllString(script, "")
	parts := regexp.MustCompile(`(?mi)^\s*DELIMITER\s+(\S+)\s*$`)
	end := ";"
	for {
		at := parts.FindStringSubmatchIndex(script)
		part := script
		if at != nil {
			part = script[:at[0]]
		}
		if end == ";" {
			all = append(all, part)
		} else {
			all = append(all, strings.Split(part, end)...)
		}
		if at == nil {
			return slices.DeleteFunc(all, func(s string) bool { return strings.TrimSpace(s) == "" })
		}
		end, script = script[at[2]:at[3]], script[at[1]:]
	}
}

// stranger indexes a schema, and prints what became of it.
func stranger(t *testing.T, a *anyDB) {
	a.look(t)
	rows := a.fillAny(t)
	began := time.Now()
	yaml, stderr, code := initHere(t, nil, a.dsn)
	if code != 0 {
		t.Fatalf("init: exit %d: %s\n%s", code, stderr, yaml)
	}
	a.file = ownPlace(t, yaml)
	a.load(t)
	a.p = follow(t, a.file)
	ready := time.Since(began)
	c := &changer{anyDB: a}
	for _, table := range a.catalog.Tables {
		if conf, ok := c.of(table.SQL); ok && table.Primary && c.number(t, "SELECT count(*) FROM "+table.SQL) > 2 {
			c.tables = append(c.tables, &changedTable{CatalogTable: table, conf: conf, text: markable(table, conf)})
		}
	}
	silent := c.foundAfter(t, func(table *changedTable) bool { return table.text != "" && table.conf.Updated != "" }, c.silently)
	update := c.foundAfter(t, func(table *changedTable) bool { return table.text != "" }, c.properly)
	removal := c.foundAfter(t, func(table *changedTable) bool { return table.text != "" && len(table.marked) > 0 }, c.remove)
	verify := "equal"
	if err := within(time.Minute, func() error {
		if stdout, stderr, code := ask(t, "verify", "-c", a.file, "--content"); code != 0 {
			return fmt.Errorf("exit %d: %s%s", code, stdout, stderr)
		}
		return nil
	}); err != nil {
		verify = "DIFFERENT"
		t.Error(err)
	}
	quarantined, documents := 0, uint64(0)
	for _, s := range a.p.status(t).Tables {
		quarantined, documents = quarantined+int(s.Quarantined), documents+s.Documents
	}
	fmt.Printf("strangers: %s tables=%d indexed=%d rows=%d documents=%d ready_s=%.1f silent_s=%s update_s=%s delete_s=%s quarantined=%d verify=%s\n",
		strings.TrimPrefix(t.Name(), "TestStrangers/"), len(a.catalog.Tables), len(a.conf.Tables), rows, documents, ready.Seconds(), silent, update, removal, quarantined, verify)
}

// foundAfter makes a change of the first table that is suitable, and returns the seconds until
// it is found; "-" if no table is.
func (c *changer) foundAfter(t *testing.T, suitable func(*changedTable) bool, change func(*testing.T, *changedTable) rowChange) string {
	t.Helper()
	i := slices.IndexFunc(c.tables, suitable)
	if i < 0 {
		return "-"
	}
	made := change(t, c.tables[i])
	for _, statement := range made.statements {
		c.exec(t, statement)
	}
	began := time.Now()
	if err := within(strangersWithin, func() error { return c.shown(t, made) }); err != nil {
		t.Errorf("%s: %v", made.statements[0], err)
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
	if !a.maria {
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
