package main

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/source/sqlite"
	"indexerd/internal/test/pgtest"
)

// newDatabase creates an empty database of PostgreSQL or SQLite. exec runs statements in it.
func newDatabase(t testing.TB, driver string) (dsn string, exec func(statements ...string)) {
	t.Helper()
	if driver == "postgres" {
		dsn = pgtest.DB(t)
		return dsn, func(statements ...string) { t.Helper(); pgtest.Exec(t, dsn, strings.Join(statements, "; ")) }
	}
	dsn = filepath.Join(t.TempDir(), "db.sqlite")
	db := openSQLite(t, dsn)
	return dsn, func(statements ...string) { t.Helper(); execute(t, db, statements...) }
}

// openSQLite opens a SQLite file for writing until the end of the test.
func openSQLite(t testing.TB, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sqlite.OpenWritable(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	execute(t, db, statements...)
	return db
}

// execSQLite runs statements in a SQLite file, and closes it.
func execSQLite(t testing.TB, path string, statements ...string) {
	t.Helper()
	db := openSQLite(t, path, statements...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func execute(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%.200s: %v", s, err)
		}
	}
}

// configOf returns a configuration of tables of one database, db.
func configOf(driver, dsn, data string, tables ...string) string {
	return fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: %s, dsn: %q}\ntables:\n%s", data, driver, dsn, strings.Join(tables, ""))
}
