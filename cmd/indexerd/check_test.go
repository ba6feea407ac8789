package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/films"
	"indexerd/internal/tool/inspect"
)

// asRole makes a role that may read, and returns the DSN with it. It is dropped
// at the end.
func asRole(t *testing.T, dsn, grants string) (role, own string) {
	t.Helper()
	role = "r" + strings.ToLower(filepath.Base(dsn)[:20])
	pgtest.Exec(t, dsn, fmt.Sprintf("CREATE ROLE %s LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO %[1]s", role)+strings.ReplaceAll(grants, "ROLE", role))
	t.Cleanup(func() { pgtest.Exec(t, dsn, fmt.Sprintf("DROP OWNED BY %s; DROP ROLE %[1]s", role)) })
	return role, strings.Replace(dsn, "postgres@", role+"@", 1)
}

// checks runs check and returns what it found, with its exit code.
func checks(t *testing.T, file string) (inspect.Findings, int) {
	t.Helper()
	stdout, stderr, code := runHere(t, nil, "check", "-c", file, "--json")
	var f inspect.Findings
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	for _, one := range f.Findings {
		if one.What == "" || one.Do == "" || !strings.Contains(one.Where, ".yaml:") || strings.Contains(one.What+one.Do, "\n") {
			t.Errorf("got %+v, want what and where it is on one line each, and what to do", one)
		}
	}
	return f, code
}

func findings(f inspect.Findings, code string) (all []inspect.Finding) {
	for _, one := range f.Findings {
		if one.Code == code {
			all = append(all, one)
		}
	}
	return all
}

// filmFile writes a configuration of one table, with more lines for it.
func filmFile(t *testing.T, driver, dsn, sql, more string) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	if !strings.HasPrefix(more, "key:") {
		more = "key: id\n" + more
	}
	more = "updated: u\n" + more
	return writeFile(t, fmt.Sprintf("data: %s\nsources:\n  db: {driver: %s, dsn: %q}\ntables:\n  film:\n    source: db\n    sql: %s\n    content: {fields: [title]}\n    %s\n",
		data, driver, dsn, sql, strings.ReplaceAll(strings.TrimSpace(more), "\n", "\n    ")))
}

func TestCheckFilms(t *testing.T) { checkShipped(t, films.DB(t)) }

// With the shipped configuration and a role that may only read, check has nothing
// to warn of, and prints a line for each note.
func checkShipped(t *testing.T, dsn string) {
	t.Helper()
	_, own := asRole(t, dsn, "")
	file := shippedConfig(t, own, "")
	f, code := checks(t, file)
	if code != 0 || f.Errors != 0 || f.Warnings != 0 {
		t.Errorf("got exit %d and %+v, want no warning", code, f)
	}
	for _, want := range []string{"server", "clock", "stats_hidden", "changes", "child", "joined_tables", "window_cost", "table", "horizon"} {
		if len(findings(f, want)) == 0 {
			t.Errorf("got %+v, want %s among it", f, want)
		}
	}
	stdout, stderr, code := runHere(t, nil, "check", "-c", file)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	summary := fmt.Sprintf("no errors, 0 warnings, %d notes: `indexerd run -c %s` starts it", len(f.Findings), file)
	if code != 0 || stderr != "" || len(lines) != len(f.Findings)+1 || lines[len(lines)-1] != summary {
		t.Errorf("got exit %d, %q and\n%s\nwant a line for each of %d findings, and %q", code, stderr, stdout, len(f.Findings), summary)
	}
	column := strings.Index(lines[0], file)
	for _, line := range lines[:len(lines)-1] {
		if strings.Index(line, file) != column {
			t.Errorf("got %q, want the file in column %d", line, column)
		}
	}
}

// found is what a case has to say, and nothing worse.
type found struct {
	name, setup, sql, more string
	code, path             string
	words                  string // in the message or the hint
	exit                   int
}

// provokes checks that a case gives its finding, in its place.
func (c found) provoked(t *testing.T, f inspect.Findings, exit int) {
	t.Helper()
	all := slices.DeleteFunc(findings(f, c.code), func(one inspect.Finding) bool { return one.Path != c.path })
	if len(all) != 1 || exit != c.exit {
		t.Fatalf("got exit %d and %+v, want exit %d and one %s of %s", exit, f, c.exit, c.code, c.path)
	}
	if got := all[0]; !strings.Contains(got.What+": "+got.Do, c.words) {
		t.Errorf("got %+v, want %q in it", got, c.words)
	}
	want := inspect.Findings{Errors: len(ofLevel(f, inspect.Error)), Warnings: len(ofLevel(f, inspect.Warning))}
	if f.Errors != want.Errors || f.Warnings != want.Warnings {
		t.Errorf("got %d errors and %d warnings in %+v", f.Errors, f.Warnings, f)
	}
}

func ofLevel(f inspect.Findings, level string) (all []inspect.Finding) {
	for _, one := range f.Findings {
		if one.Level == level {
			all = append(all, one)
		}
	}
	return all
}

const aFilm = "CREATE TABLE film (id int PRIMARY KEY, u timestamptz DEFAULT now(), title text); CREATE INDEX ON film (u); INSERT INTO film VALUES (1, now() - interval '1 d', 'a'), (2, now() - interval '2 d', 'b');"

// bigFilm has a film each second of the last days. indexedFilm has an index on u.
const bigFilm = "CREATE TABLE film (id int PRIMARY KEY, u timestamptz, title text, lang int); INSERT INTO film SELECT n, now() - n * interval '1 s', 'film ' || n, n FROM generate_series(1, 20000) n; ANALYZE film;"
const indexedFilm = bigFilm + "CREATE INDEX ON film (u);"

func TestCheckFindings(t *testing.T) {
	const all = "SELECT * FROM film"
	note := "CREATE TABLE note (film int, u timestamptz, body text); INSERT INTO note SELECT n, now() - n * interval '1 s', 'x' FROM generate_series(1, 20000) n; ANALYZE note;"
	const notes = "children: {notes: {sql: 'SELECT * FROM note', key: film, updated: u, content: [body]}}"
	const numbered = "CREATE TABLE film (id int PRIMARY KEY, u bigint, title text); INSERT INTO film VALUES (1, 1714996800, 'a'), (2, 1714996900, 'b'), (3, 253402300799, 'c'), (4, 0, 'd');"
	for _, c := range []found{
		{"a column that is not there", aFilm, "SELECT id, title FROM film", "", "config", "tables.film.updated", "column u is not", exitBad},
		{"a query that fails", aFilm, "SELECT * FROM film WHERE 1 / (id - 2) < 9", "", "query_failed", "tables.film.sql", "division by zero", exitNo},
		{"random", aFilm, "SELECT id, u, title || random() AS title FROM film", "", "volatile_sql", "tables.film.sql", "column title", exitNo},
		{"keys that come twice", aFilm, "SELECT * FROM film UNION ALL SELECT id, u, 'again' FROM film WHERE id = 2", "", "duplicate_key", "tables.film.key", "key 2", exitNo},
		{"a superuser", aFilm, all, "", "superuser", "sources.db", "CREATE ROLE", 0},

		{"no index on updated", bigFilm, all, "", "no_index_on_updated", "tables.film.updated", "reads all 20,000 rows of film: CREATE INDEX CONCURRENTLY ON film (u)", 0},
		{"updated is computed", indexedFilm, "SELECT id, greatest(u, u) AS u, title FROM film", "", "no_index_on_updated", "tables.film.updated", "updated is not a column of a table", 0},
		{"a view without an index", bigFilm + "CREATE VIEW films AS SELECT * FROM film;", "SELECT * FROM films", "", "no_index_on_updated", "tables.film.updated", "20,000 rows of film: updated is not a column of a table", 0},
		{"no index on a child's key", aFilm + note + "CREATE INDEX ON note (u);", all, notes, "no_index_on_child_key", "tables.film.children.notes.key", "ON note (film)", 0},
		{"a planner that takes no index", indexedFilm +
			"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_indexscan = off', current_database()); EXECUTE format('ALTER DATABASE %I SET enable_bitmapscan = off', current_database()); END $$", all, "", "index_unused", "tables.film.updated", "ANALYZE film", 0},
		{"a join without an index", indexedFilm + note, "SELECT f.id, f.u, f.title, n.body FROM film f JOIN note n ON n.film = f.lang", "", "joined_whole", "tables.film.updated", "that note is joined by", 0},

		{"no updateTime", aFilm + "INSERT INTO film VALUES (3, NULL, 'c'), (4, NULL, 'd');", all, "", "null_updated", "tables.film.updated", "2 rows without u", 0},
		{"an updateTime to come", aFilm + "INSERT INTO film VALUES (3, now() + interval '1 h', 'c');", all, "", "future_updated", "tables.film.updated", "1 row with u after", 0},
		{"one updateTime", aFilm + "UPDATE film SET u = '2024-01-01';", all, "", "constant_updated", "tables.film.updated", "all rows have the same u", 0},
		{"a number of seconds", numbered, all, "", "unit", "tables.film.updated", "u counts seconds in most rows: to declare it: updated: {column: u, unit: s}", 0},
		{"days", "CREATE TABLE film (id int PRIMARY KEY, u date, title text); INSERT INTO film VALUES (1, '2024-01-01', 'a'), (2, '2024-01-02', 'b');", all, "timezone: UTC", "coarse_updated", "tables.film.updated", "24h", 0},
		{"no order", aFilm, "SELECT id, u, (SELECT string_agg(g.title, ',') FROM film g) AS title FROM film", "", "unordered_aggregate", "tables.film.sql", "string_agg(... ORDER BY ...)", 0},
		{"values that don't fit", aFilm, all, "metadata: {title: number}", "partial_rows", "tables.film", "2 of 2 sampled rows have a value that does not fit its field, such as row 1: column title", 0},
		{"a child without updated", aFilm, all, "children: {notes: {sql: 'SELECT id, title AS body FROM film', key: id, content: [body]}}", "child_without_updated", "tables.film.children.notes", "found by comparison only", 0},
		{"transactions without end", aFilm, all, "compensate: {horizon: timeout}", "unbounded_transactions", "tables.film.compensate.tiers", "= '600s'", 0},

		{"no rows", "CREATE TABLE film (id int PRIMARY KEY, u timestamptz, title text);", all, "", "empty_result", "tables.film.sql", "no row", 0},
		{"joined", aFilm + "CREATE TABLE lang (id int, name text);", "SELECT f.*, l.name FROM film f LEFT JOIN lang l USING (id)", "", "joined_tables", "tables.film.sql", "a change of lang alone", 0},
		{"marked", aFilm, all, "deleted: {column: title, values: [b]}", "changes", "tables.film.updated", "deleted rows that title marks at once", 0},
		{"a materialized view", aFilm + "CREATE MATERIALIZED VIEW films AS SELECT * FROM film;", "SELECT * FROM films", "compensate: {horizon: exact}",
			"horizon_not_exact", "tables.film.compensate.horizon", "the SQL reads materialized view films", 0},
		{"exact", aFilm, all, "", "horizon", "tables.film.compensate.horizon", "exact", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.DB(t)
			pgtest.Exec(t, dsn, c.setup)
			f, exit := checks(t, filmFile(t, "postgres", dsn, c.sql, c.more))
			c.provoked(t, f, exit)
		})
	}
}

// What a role may do, and what it may not see.
func TestCheckRoles(t *testing.T) {
	const all = "SELECT * FROM film"
	for _, c := range []struct {
		grants string
		found
	}{
		{"", found{"sees nothing", aFilm, all, "", "stats_hidden", "sources.db", "GRANT pg_read_all_stats TO ", 0}},
		{"; GRANT INSERT ON film TO ROLE", found{"can insert", aFilm, all, "", "can_write", "sources.db", "can also write film", 0}},
		{"; REVOKE ALL ON film FROM ROLE", found{"denied", aFilm, all, "", "select_denied", "tables.film.sql", `GRANT SELECT ON "film" TO r`, exitNo}},
		{"; CREATE SCHEMA other CREATE TABLE film (id int)", found{"denied a schema", aFilm, "SELECT * FROM other.film", "", "select_denied", "tables.film.sql", `GRANT USAGE ON SCHEMA "other" TO r`, exitNo}},
		{"; CREATE FUNCTION f() RETURNS timestamptz LANGUAGE sql AS 'SELECT statement_timestamp()'", found{"no horizon", aFilm, all, "compensate: {horizon: exact}",
			"horizon_not_exact", "tables.film.compensate.horizon", "statement_timestamp()", 0}},
		{"; CREATE FUNCTION f() RETURNS timestamptz LANGUAGE sql AS 'SELECT statement_timestamp()'", found{"assumed", aFilm, all, "",
			"unbounded_transactions", "tables.film.compensate.tiers", "sets no limit", 0}},
		{"; GRANT pg_read_all_stats TO ROLE", found{"nothing is wrong", aFilm, all, "", "horizon", "tables.film.compensate.horizon", "exact", 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.DB(t)
			pgtest.Exec(t, dsn, c.setup)
			_, own := asRole(t, dsn, c.grants)
			f, exit := checks(t, filmFile(t, "postgres", own, c.sql, c.more))
			c.provoked(t, f, exit)
		})
	}
}

// A database of writers whose transactions can't outlast the last tier needs no
// warning.
func TestCheckBoundedTransactions(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, aFilm+"ALTER DATABASE "+filepath.Base(strings.Split(dsn, "?")[0])+" SET idle_in_transaction_session_timeout = '5min'")
	for more, want := range map[string]int{
		"compensate: {horizon: timeout}": 0,
		"compensate: {horizon: timeout, tiers: [{every: 1m, timeout: 1m, end: settled}]}": 1,
	} {
		f, _ := checks(t, filmFile(t, "postgres", dsn, "SELECT * FROM film", more))
		if got := findings(f, "unbounded_transactions"); len(got) != want {
			t.Errorf("%s: got %+v, want %d", more, got, want)
		}
	}
}

func TestCheckAddresses(t *testing.T) {
	for _, c := range []found{
		{"no server", "", "postgres://u@127.0.0.1:1/d", "", "unreachable", "sources.db", "127.0.0.1:1", exitBad},
		{"no address", "", "postgres://u@127.0.0.1:port/d", "", "bad_dsn", "sources.db.dsn", "correct the address", exitBad},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filmFile(t, "postgres", c.sql, "SELECT 1", "")
			f, exit := checks(t, file)
			c.provoked(t, f, exit)
			stdout, stderr, _ := runHere(t, nil, "check", "-c", file)
			if want := "\n1 error, 0 warnings, 0 notes: fix the errors and run `indexerd check -c " + file + "` again\n"; !strings.HasPrefix(stdout, "error  ") || !strings.HasSuffix(stdout, want) {
				t.Errorf("got %q, want the error, and %q", stdout, want)
			}
			if got := oneLineOf(t, stderr); got != "check: 1 error, 0 warnings, 0 notes" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// The directory of a daemon that others may look into.
func TestCheckDirectory(t *testing.T) {
	path, exec := newDatabase(t, "sqlite")
	exec("CREATE TABLE film (id INTEGER PRIMARY KEY, u TEXT, title TEXT)")
	file := filmFile(t, "sqlite", path, "SELECT * FROM film", "")
	if f, _ := checks(t, file); f.Warnings != 0 {
		t.Errorf("a directory that is not there yet: got %+v, want no warning", f)
	}
	data := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(data, 0o750); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(readFile(t, file), "\n")
	f, exit := checks(t, writeFile(t, "data: "+data+"\n"+rest))
	found{code: "data_rights", path: "data", words: "chmod 700 " + data}.provoked(t, f, exit)
}

// An acl restricts tokens, so it needs some.
func TestCheckACL(t *testing.T) {
	path, exec := newDatabase(t, "sqlite")
	exec("CREATE TABLE film (id INTEGER PRIMARY KEY, u TEXT, title TEXT, team TEXT)")
	file := filmFile(t, "sqlite", path, "SELECT * FROM film", "metadata: {team: keyword}\nacl: team")
	f, exit := checks(t, file)
	found{code: "acl_open", path: "tables.film.acl", words: "add http.tokens"}.provoked(t, f, exit)
	tokens := "http: {tokens: [{name: desk, token: " + strings.Repeat("secret", 8) + ", admin: true}]}\n"
	if f, _ := checks(t, writeFile(t, tokens+readFile(t, file))); f.Warnings != 0 {
		t.Errorf("with a token: got %+v, want no warning", f)
	}
}
