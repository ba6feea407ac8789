package pgtest_test

import (
	"os"
	"path/filepath"
	"testing"

	"indexerd/internal/pgtest"
)

func TestDatabasesAreSeparate(t *testing.T) {
	a, b := pgtest.DB(t), pgtest.DB(t)
	pgtest.Exec(t, a, "CREATE TABLE doc (id int); INSERT INTO doc VALUES (1), (2)")
	if got, want := pgtest.Value[int](t, a, "SELECT count(*) FROM doc"), 2; got != want {
		t.Errorf("got %d rows, want %d", got, want)
	}
	if pgtest.Value[bool](t, b, "SELECT to_regclass('doc') IS NOT NULL") {
		t.Error("got a table of another test's database, want an empty one")
	}
}

func TestDatabaseIsDroppedAtTheEnd(t *testing.T) {
	var name string
	t.Run("uses one", func(t *testing.T) {
		dsn := pgtest.DB(t)
		pgtest.Connect(t, dsn)
		name = pgtest.Value[string](t, dsn, "SELECT current_database()")
	})
	other := pgtest.DB(t)
	if pgtest.Value[bool](t, other, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name) {
		t.Errorf("got database %s still there, want it dropped", name)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TESTDATA", dir)
	if err := os.WriteFile(filepath.Join(dir, "doc.sql"), []byte("CREATE TABLE doc (id int);\nCOPY doc FROM stdin;\n1\n2\n\\.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dsn := pgtest.DB(t)
	pgtest.Load(t, dsn, "doc.sql")
	if got, want := pgtest.Value[int](t, dsn, "SELECT count(*) FROM doc"), 2; got != want {
		t.Errorf("got %d rows, want %d", got, want)
	}
}
