package main

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/test/mariatest"
	"indexerd/internal/test/pgtest"
)

// leftOut is a database in which some tables or views can't be read.
type leftOut struct {
	driver, dsn string
	init        []string          // in what init prints
	unreadable  map[string]string // what reads them, and why it fails
}

// A table or view that can't be read is named with the reason, and keeps no other from
// being found: not by init, nor by check, nor by run.
func TestOneTableThatFails(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) leftOut{"PostgreSQL": leftOutOfPostgres, "MariaDB": leftOutOfMariaDB, "SQLite": leftOutOfSQLite} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t)
			yaml, stderr, code := initHere(t, nil, l.dsn)
			if code != 0 {
				t.Fatalf("init: exit %d: %s", code, stderr)
			}
			for _, want := range append(l.init, "  note:\n") {
				if !strings.Contains(yaml, want) {
					t.Errorf("init: got\n%s\nwant %q in it", yaml, want)
				}
			}
			if stdout, stderr, code := runHere(t, nil, "check", "-c", ownPlace(t, yaml)); code != 0 {
				t.Errorf("check of what init wrote: exit %d: %s%s", code, stdout, stderr)
			}

			tables := []string{"  note: {source: db, sql: 'SELECT id, body FROM note', key: id, content: {fields: [body]}}\n"}
			for from := range l.unreadable {
				tables = append(tables, fmt.Sprintf("  %s: {source: db, sql: 'SELECT id, body FROM %[1]s', key: id, content: {fields: [body]}}\n", from))
			}
			file := writeFile(t, configOf(l.driver, l.dsn, t.TempDir(), tables...))
			checked, _, code := runHere(t, nil, "check", "-c", file)
			for table, why := range l.unreadable {
				if code == 0 || !strings.Contains(checked, "tables."+table+".sql: ") || !strings.Contains(checked, why) || strings.Contains(checked, "unreachable") {
					t.Errorf("check: exit %d:\n%s\nwant the table %s, and %q", code, checked, table, why)
				}
			}
			p := start(t, "run", "-c", file)
			p.reaches(t, "note", "first", 1)
			eventually(t, soon, "the status has the reasons", func() error {
				s := p.status(t)
				if db := s.Sources[0]; !db.Connected || db.Error != nil {
					return fmt.Errorf("the source is %+v, want one that is connected", db)
				}
				for _, table := range s.Tables {
					why, fails := l.unreadable[table.Table]
					if fails && (table.State != "failing" || table.LastError == nil || !strings.Contains(table.LastError.What, why)) {
						return fmt.Errorf("%s is %s, %+v, want %q", table.Table, table.State, table.LastError, why)
					}
				}
				return nil
			})
		})
	}
}

func leftOutOfPostgres(t *testing.T) leftOut {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE EXTENSION postgres_fdw; CREATE EXTENSION dblink;
		CREATE SERVER away FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '1', dbname 'd');
		CREATE USER MAPPING FOR PUBLIC SERVER away OPTIONS (user 'u', password_required 'false');
		CREATE FOREIGN TABLE distant (id int NOT NULL, body text) SERVER away;
		CREATE VIEW linked AS SELECT * FROM dblink('host=127.0.0.1 port=1', 'SELECT 1, 2') AS t(id int, body text);
		CREATE TABLE shut (id int PRIMARY KEY, body text); CREATE TABLE partly (id int PRIMARY KEY, body text, salary int);
		CREATE TABLE note (id int PRIMARY KEY, body text); INSERT INTO note VALUES (1, 'first')`)
	at, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	reader := "reader_" + strings.TrimPrefix(at.Path, "/")
	pgtest.Exec(t, dsn, "CREATE ROLE "+reader+" LOGIN; GRANT SELECT ON note, distant, linked TO "+reader+"; GRANT SELECT (id, body) ON partly TO "+reader)
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP OWNED BY "+reader+"; DROP ROLE "+reader) })
	at.User = url.User(reader)
	return leftOut{
		driver: "postgres", dsn: at.String(),
		init:       []string{"omitted: salary (permission denied for table partly (SQLSTATE 42501))", "# shut: the role has no SELECT privilege: GRANT SELECT ON shut to this role", `# distant: foreign server unavailable: could not connect to server "away" (SQLSTATE 08001): start that server`},
		unreadable: map[string]string{"distant": "foreign server unavailable", "linked": "password is required", "shut": "permission denied for table shut", "missing": `relation "missing" does not exist`},
	}
}

func leftOutOfMariaDB(t *testing.T) leftOut {
	server := mariatest.New(t)
	dsn := server.DB(t)
	mariatest.Exec(t, dsn, `CREATE TABLE note (id INT PRIMARY KEY, body TEXT); INSERT INTO note VALUES (1, 'first');
		CREATE TABLE shut (id INT PRIMARY KEY, body TEXT);
		CREATE TABLE base (id INT PRIMARY KEY, body TEXT, more INT); CREATE VIEW cut AS SELECT id, body, more FROM base; ALTER TABLE base DROP COLUMN more;
		CREATE USER owner; GRANT SELECT ON *.* TO owner; CREATE DEFINER = owner VIEW orphan AS SELECT id, body FROM base; DROP USER owner;
		CREATE USER reader`)
	at, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"note", "base", "cut", "orphan"} {
		mariatest.Exec(t, dsn, "GRANT SELECT ON `"+strings.TrimPrefix(at.Path, "/")+"`."+table+" TO reader")
	}
	at.User = url.User("reader")
	return leftOut{
		driver: "mysql", dsn: at.String(), init: []string{"`cut`, `orphan`"},
		unreadable: map[string]string{"cut": "references invalid table(s) or column(s)", "orphan": "definer of a view", "shut": "the account may not read a table"},
	}
}

func leftOutOfSQLite(t *testing.T) leftOut {
	path := filepath.Join(t.TempDir(), "app.db")
	execSQLite(t, path, "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)", "INSERT INTO note VALUES (1, 'first')",
		"CREATE TABLE tag (id TEXT PRIMARY KEY COLLATE NOCASE, body TEXT) WITHOUT ROWID", "INSERT INTO tag VALUES ('b', 'second'), ('A', 'second')",
		"CREATE TABLE gone (id INTEGER PRIMARY KEY, body TEXT)", "CREATE VIEW broken AS SELECT * FROM gone", "DROP TABLE gone",
		"PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'unicase')") // as an application's own
	return leftOut{
		driver: "sqlite", dsn: path, init: []string{"SELECT id COLLATE BINARY AS id, body FROM ", "only the application has the collation unicase"},
		unreadable: map[string]string{"tag": "compares by the collation unicase", "broken": "no such table: main.gone"},
	}
}
