// Package pgtest gives each test a fresh database on a real PostgreSQL server,
// and helpers to fill and query it. Its directory films has a sample database.
//
// INDEXERD_TEST_PG is the server's URL for a superuser; internal/test/pgtest/withpg
// sets it. Without it a test is skipped with the command that starts a server.
// If CI is set, the test fails instead. A fresh database costs about 50 ms.
// INDEXERD_TEST_POOLER is the address of a connection pooler in front of the
// server, through which sources are tested if it is set.
package pgtest

import (
	"context"
	"crypto/rand"
	_ "embed"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/test/pgtest/cluster"
)

// DB creates an empty database for the test and returns its DSN. The database
// is dropped at the end of the test, even if sessions are connected or a test that failed
// has left prepared transactions, for which all later replication slots would wait.
func DB(t testing.TB) string {
	t.Helper()
	server := os.Getenv("INDEXERD_TEST_PG")
	if server == "" {
		missing(t, "no PostgreSQL to test with: go run ./internal/test/pgtest/withpg go test ./...")
	}
	dsn, err := url.Parse(server)
	if err != nil {
		t.Fatalf("INDEXERD_TEST_PG is not a URL: write postgres://user@host:port/database")
	}
	name := "test_" + strings.ToLower(rand.Text())
	Exec(t, server, "CREATE DATABASE "+name)
	dsn.Path = "/" + name
	t.Cleanup(func() {
		for _, gid := range Value[[]string](t, server, "SELECT coalesce(array_agg(gid), '{}') FROM pg_prepared_xacts WHERE database = $1", name) {
			Exec(t, dsn.String(), "ROLLBACK PREPARED '"+gid+"'")
		}
		Exec(t, server, "DROP DATABASE "+name+" WITH (FORCE)")
	})
	return dsn.String()
}

// SourceDSN returns the DSN by which a source reads a database: through the
// pooler, if there is one and it leads to the DSN's server. PgBouncer refuses
// settings of the session, so a DSN with some stays as it is.
func SourceDSN(t testing.TB, dsn string) string {
	t.Helper()
	pooler := os.Getenv("INDEXERD_TEST_POOLER")
	server, err1 := url.Parse(os.Getenv("INDEXERD_TEST_PG"))
	source, err2 := url.Parse(dsn)
	if pooler == "" || err1 != nil || err2 != nil || source.Host != server.Host || source.RawQuery != server.RawQuery {
		return dsn
	}
	source.Host = pooler
	return source.String()
}

// Pooler starts a connection pooler in front of a database's server, which is
// stopped at the end of the test, and returns the DSN that leads through it.
func Pooler(t testing.TB, dsn string) string {
	t.Helper()
	pooler, err := cluster.StartPooler(dsn)
	if err != nil {
		missing(t, err.Error())
	}
	t.Cleanup(pooler.Stop)
	through, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	through.Host = pooler.Address()
	return through.String()
}

// Connect opens a session that is closed at the end of the test.
func Connect(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// Exec runs a statement, or several without arguments, in a new session.
func Exec(t testing.TB, dsn, sql string, args ...any) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Value runs a query in a new session and returns the only column of its only
// row.
func Value[T any](t testing.TB, dsn, sql string, args ...any) T {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer conn.Close(ctx)
	var v T
	if err := conn.QueryRow(ctx, sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

// Load runs a dump, a file of SQL and psql's commands.
func Load(t testing.TB, dsn, path string) {
	t.Helper()
	psql, err := cluster.Tool("psql")
	if err != nil {
		missing(t, err.Error())
	}
	out, err := exec.Command(psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-o", os.DevNull, "-f", path, dsn).CombinedOutput()
	if err != nil {
		t.Fatalf("load %s: %v: %s", path, err, out)
	}
}

// extras lists the files that are not part of the project, each with the tests
// that use it. make test prints the tests that it skipped.
//
//go:embed extras.txt
var extras string

// Data returns the path of a file of extras.txt: in the directory TESTDATA, or in
// ../shared/data beside the module. Without the file the test is skipped, also if
// CI is set. A test that is not listed fails.
func Data(t testing.TB, name string) string {
	t.Helper()
	if !listed(name, t.Name()) {
		t.Fatalf("add %s to the line %s of internal/test/pgtest/extras.txt", t.Name(), name)
	}
	dir := os.Getenv("TESTDATA")
	if dir == "" {
		dir = filepath.Join(moduleRoot(t), "..", "shared", "data")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s: set TESTDATA to the directory that has it", path)
	}
	return path
}

// listed reports whether extras.txt has the test in the line of the file.
func listed(name, test string) bool {
	for line := range strings.Lines(extras) {
		if fields := strings.Fields(line); fields[0] == name {
			return slices.Contains(fields[1:], test)
		}
	}
	return false
}

// moduleRoot returns the nearest directory above the test's with a go.mod.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test's directory")
		}
		dir = parent
	}
}

// NeedsServers skips a test that starts another server than PostgreSQL, or a browser,
// with -short and without withpg: such a run is for tests that need none.
func NeedsServers(t testing.TB) {
	t.Helper()
	if testing.Short() && os.Getenv("INDEXERD_TEST_PG") == "" {
		t.Skip("no servers and no browser with -short: go run ./internal/test/pgtest/withpg go test -short ./...")
	}
}

// missing skips a test without its requirements, or fails it if CI is set.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}
