package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/test/pgtest"
)

// The column of groups is dropped: only admins find documents until it is back
// and everything has been compared, whatever restarts in between.
func TestGroupsDisappear(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE doc (id int PRIMARY KEY, u timestamptz DEFAULT now(), body text DEFAULT 'text', grp int DEFAULT 9); INSERT INTO doc SELECT i FROM generate_series(1, 20) i`)
	for _, sql := range []string{"SELECT * FROM doc", "SELECT id, u, body, grp FROM doc"} {
		t.Run(sql, func(t *testing.T) {
			file := writeFile(t, schemaConfig(schemaTokens, "postgres", dsn, filepath.Join(t.TempDir(), "data"), schemaTable("doc", sql, ", metadata: {grp: keyword}, acl: grp")))
			p := follow(t, file)
			ops, nine := p.as("ops-of-schema-test"), p.as("nine-of-schema-test")
			nine.found(t, "doc", "text", 20)
			pgtest.Exec(t, dsn, "ALTER TABLE doc DROP COLUMN grp")
			nine.found(t, "doc", "", 0)
			ops.found(t, "doc", "text", 20)
			if a := nine.finds(t, "doc", "text"); len(a.Hits)+len(a.Facets) > 0 {
				t.Errorf("got %+v, want nothing", a)
			}
			ops.fails(t, "doc", "only admins find documents")
			pgtest.Exec(t, dsn, "ALTER TABLE doc ADD COLUMN grp int DEFAULT 9; UPDATE doc SET grp = 7 WHERE id = 1") // moves no updateTime
			nine.found(t, "doc", "text", 19)
			p.as("seven-of-schema-test").found(t, "doc", "text", 1)
			p.stop(t)
			pgtest.Exec(t, dsn, "UPDATE doc SET grp = 9")
		})
	}
}

// The same in SQLite, where the groups come from a separate table, with a
// restart while the database can't be reached.
func TestGroupsDisappearOverARestart(t *testing.T) {
	t.Parallel()
	file, _ := writeGuarded(t, "  listen: 127.0.0.1:0\n"+guardedTokens)
	p := startGuarded(t, file)
	p.ready(t)
	sales := p.as(salesToken)
	sales.found(t, "doc", "zebra", 21)
	path := dsnOf(t, file)
	execSQLite(t, path, "ALTER TABLE grp RENAME TO away")
	sales.found(t, "doc", "", 0)
	p.as(opsToken).found(t, "doc", "zebra", 21)
	p.as(salesToken).found(t, "page", "public", 1)
	p.stop(t)

	execSQLite(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	p = startGuarded(t, file)
	sales = p.as(salesToken)
	if got := sales.finds(t, "doc", "").Total; got != 0 {
		t.Errorf("after a restart: sales finds %d documents, want none", got)
	}
	p.as(opsToken).found(t, "doc", "zebra", 21)
	if s := p.as(opsToken).table(t, "doc"); s.LastError == nil || !strings.Contains(s.LastError.What, "only admins find documents") {
		t.Errorf("after a restart: got %+v, want why only admins find documents", s.LastError)
	}
	execSQLite(t, path+".away", "ALTER TABLE away RENAME TO grp")
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	sales.found(t, "doc", "zebra", 21)
}

// dsnOf reads the path of the database out of a configuration of writeGuarded.
func dsnOf(t *testing.T, file string) string {
	t.Helper()
	_, after, _ := strings.Cut(readFile(t, file), "driver: sqlite, dsn: ")
	path, _, ok := strings.Cut(after, "}")
	if !ok {
		t.Fatalf("%s names no SQLite file", file)
	}
	return path
}
