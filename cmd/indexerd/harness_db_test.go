package main

import (
	"cmp"
	"context"
	"database/sql"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/address"
	"indexerd/internal/test/mariatest"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/films"
)

// harnessDB creates an empty database for TestKill9 and TestJudged: of PostgreSQL, or
// of a MariaDB server of its own if DRIVER is mysql.
func harnessDB(t *testing.T) (dsn string) {
	t.Helper()
	if harnessDriver(t) == "mysql" {
		return mariatest.New(t).DB(t)
	}
	return pgtest.DB(t)
}

func harnessDriver(t *testing.T) string {
	t.Helper()
	driver := cmp.Or(os.Getenv("DRIVER"), "postgres")
	if driver != "postgres" && driver != "mysql" {
		t.Fatalf("DRIVER: got %q, want postgres or mysql", driver)
	}
	return driver
}

// A writeDB runs the statements of harnesses, which are PostgreSQL's, in either
// database.
type writeDB struct {
	*sql.DB
	maria bool
}

// driverOf returns the driver of a test's database.
func driverOf(dsn string) string {
	a, _ := address.Read("", dsn)
	return a.Driver
}

func openWriter(t testing.TB, dsn string) writeDB {
	t.Helper()
	if driverOf(dsn) == "mysql" {
		return writeDB{mariatest.Open(t, dsn), true}
	}
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return writeDB{db, false}
}

var (
	forMariaDB = strings.NewReplacer("timestamptz", "timestamp(6)", "now()", "now(6)", "ANALYZE ", "ANALYZE TABLE ", "ON CONFLICT (id) DO UPDATE SET", "ON DUPLICATE KEY UPDATE")
	excluded   = regexp.MustCompile(`excluded\.(\w+)`)
)

// in writes a statement for the database.
func (w writeDB) in(statement string) string {
	if !w.maria {
		return statement
	}
	if insert, ok := strings.CutSuffix(statement, " ON CONFLICT DO NOTHING"); ok {
		statement = strings.Replace(insert, "INSERT", "INSERT IGNORE", 1)
	}
	return excluded.ReplaceAllString(forMariaDB.Replace(statement), "VALUES($1)")
}

func (w writeDB) exec(t testing.TB, statement string) {
	t.Helper()
	if _, err := w.ExecContext(t.Context(), w.in(statement)); err != nil {
		t.Fatalf("%.200s: %v", statement, err)
	}
}

// transaction runs change a number of times, or until it fails, and then end, which
// reports whether to commit.
func (w writeDB) transaction(ctx context.Context, conn *sql.Conn, n int, change func() string, end func() bool) (committed bool, err error) {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	for range n {
		if _, err = tx.ExecContext(ctx, w.in(change())); err != nil {
			break // such as a deadlock with another writer: what it did is undone
		}
	}
	if commit := end(); err != nil || !commit {
		return false, tx.Rollback()
	}
	return true, tx.Commit()
}

// clockOf reads the clock of a database.
func clockOf(t testing.TB, dsn string) time.Time {
	t.Helper()
	w := openWriter(t, dsn)
	defer w.Close()
	seconds := "EXTRACT(EPOCH FROM clock_timestamp())"
	if w.maria {
		seconds = "UNIX_TIMESTAMP(SYSDATE(6))"
	}
	var micros int64
	if err := w.QueryRowContext(t.Context(), "SELECT CAST("+seconds+" * 1000000 AS "+map[bool]string{true: "SIGNED", false: "bigint"}[w.maria]+")").Scan(&micros); err != nil {
		t.Fatal(err)
	}
	return time.UnixMicro(micros)
}

// stormDB creates the films, and the daemon's configuration for them.
func stormDB(t *testing.T) (dsn, file string) {
	t.Helper()
	if harnessDriver(t) == "postgres" {
		dsn = films.DB(t)
		return dsn, shippedConfig(t, dsn, "")
	}
	dsn = mariatest.New(t).DB(t)
	openWriter(t, dsn).exec(t, readFile(t, "testdata/films_mysql.sql"))
	file = shippedConfig(t, dsn, "")
	rewrite(t, file, "driver: postgres", "driver: mysql")
	rewrite(t, file, "a.first_name || ' ' || a.last_name", "concat(a.first_name, ' ', a.last_name)")
	return dsn, file
}
