package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"indexerd/internal/test/pgtest"
)

// shopOf creates a database with a document, a link, a table that no person searches, and a view.
func shopOf(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	execSQLite(t, path, "CREATE TABLE Track (id INTEGER PRIMARY KEY, Title TEXT)", "CREATE TABLE InvoiceLine (id INTEGER PRIMARY KEY, track_id INTEGER REFERENCES Track, n INTEGER)",
		"CREATE TABLE schema_migrations (version TEXT PRIMARY KEY NOT NULL)", "CREATE VIEW short AS SELECT * FROM Track",
		"INSERT INTO Track VALUES (1, 'Black Dog'), (2, 'Four Sticks')", "INSERT INTO InvoiceLine VALUES (7, 1, 2)")
	return path
}

// --tables proposes what it names, and an unknown name has the most similar one. What
// stderr says of the others is in the output.
func TestInitTables(t *testing.T) {
	t.Parallel()
	path := shopOf(t)
	for _, c := range []struct {
		args           []string
		code           int
		tables, others string // which the output has, as entries and as comments
		stderr         string
	}{
		{nil, 0, "track", "invoice_line schema_migrations", "init: 1 of 3 tables of shop.db; the other 2 below them as comments, each a line that can be switched on; --all proposes all tables; the end of the output lists omitted tables and views with the reason\n"},
		{[]string{"--all"}, 0, "invoice_line track", "schema_migrations", "init: 2 of 3 tables of shop.db; the other 1 below them as comments, each a line that can be switched on; the end of"},
		{[]string{"--tables", "invoiceline,Track"}, 0, "invoice_line track", "", "init: 2 of 3 tables of shop.db\n"},
		{[]string{"--tables=schema_migrations"}, 0, "schema_migrations", "", "init: 1 of 3 tables of shop.db\n"},
		{[]string{"--tables", "Track,Trakc"}, exitBad, "", "", "init: table Trakc does not exist: did you mean Track?\n"},
		{[]string{"--tables", "short"}, exitBad, "", "", "init: table short does not exist: it is a view, "},
		{[]string{"--tables", "Track", "--all"}, exitBad, "", "", "--tables and --all can't be used together"},
	} {
		stdout, stderr, code := runHere(t, nil, append(append([]string{"init"}, c.args...), path)...)
		if code != c.code || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%v: exit %d: %s, want %d, %q", c.args, code, stderr, c.code, c.stderr)
		}
		for _, list := range []struct {
			is   *regexp.Regexp
			want string
		}{{regexp.MustCompile(`(?m)^  ([a-z_]+):$`), c.tables}, {regexp.MustCompile(`(?m)^  # ([a-z_]+): \{`), c.others}} {
			var names []string
			for _, m := range list.is.FindAllStringSubmatch(stdout, -1) {
				if m[1] != "shop" {
					names = append(names, m[1])
				}
			}
			if got := strings.Join(names, " "); got != list.want {
				t.Errorf("%v: got %q, want %q in\n%s", c.args, got, list.want, stdout)
			}
		}
	}
}

// Commands take a table's name as the database spells it.
func TestNamesAsTheDatabaseSpellsThem(t *testing.T) {
	t.Parallel()
	yaml, stderr, code := initWith(t, nil, initCommand{DSN: shopOf(t), All: true})
	if code != 0 {
		t.Fatalf("init: exit %d: %s", code, stderr)
	}
	file := ownPlace(t, yaml)
	p := follow(t, file)
	p.has(t, "track", "sticks", 1)
	for _, args := range [][]string{
		{"search", "-c", file, "Track", "sticks"}, {"search", "-c", file, "InvoiceLine", "black"}, {"explain", "-c", file, "TRACK", "1"}, {"versions", "-c", file, "Track", "1"},
		{"history", "-c", file, "Track"}, {"verify", "-c", file, "InvoiceLine"}, {"sweep", "-c", file, "Track"}, {"reindex", "-c", file, "Track"}, {"reload", "-c", file, "Track"},
	} {
		if stdout, stderr, code := ask(t, args...); code != 0 {
			t.Errorf("%v: exit %d: %s%s", args, code, stdout, stderr)
		}
	}
	if _, stderr, code := ask(t, "search", "-c", file, "Tracks", "sticks"); code == 0 || !strings.Contains(stderr, "Tracks") {
		t.Errorf("an unknown table: exit %d, %s", code, stderr)
	}
}

// What README says of Chinook: the proposed documents are found, and with the other lines
// switched on all tables are.
func TestInitOfChinook(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chinook.db")
	execSQLite(t, path, chinook(t, pgtest.Data(t, "chinook/Chinook_Sqlite.sql.gz")))
	yaml, stderr, code := initHere(t, nil, path)
	if code != 0 || !strings.Contains(stderr, "init: 7 of 11 tables of chinook.db; the other 4 below") {
		t.Fatalf("init: exit %d: %s\n%s", code, stderr, yaml)
	}
	file := ownPlace(t, regexp.MustCompile(`(?m)^  # ([a-z_]+: \{source: )`).ReplaceAllString(yaml, "  $1"))
	p := follow(t, file)
	for _, c := range []struct {
		table, q string
		want     uint64
	}{{"artist", "zeppelin", 2}, {"album", "zeppelin", 15}, {"track", "Genre:Jazz", 130}, {"invoice", `lines:"balls to the wall"`, 2}, {"genre", "jazz", 1}, {"playlist_track", "", 8715}} {
		p.has(t, c.table, c.q, c.want)
	}
	if n := len(p.status(t).Tables); n != 11 {
		t.Errorf("got %d tables, want 11", n)
	}
	isEqual(t, file, "--content")
}
