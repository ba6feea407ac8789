package pgtest_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/test/pgtest"
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
	dump := filepath.Join(t.TempDir(), "doc.sql")
	if err := os.WriteFile(dump, []byte("CREATE TABLE doc (id int);\nCOPY doc FROM stdin;\n1\n2\n\\.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dsn := pgtest.DB(t)
	pgtest.Load(t, dsn, dump)
	if got, want := pgtest.Value[int](t, dsn, "SELECT count(*) FROM doc"), 2; got != want {
		t.Errorf("got %d rows, want %d", got, want)
	}
}

// A test that was renamed or removed is not listed as skipped.
func TestExtrasNameTests(t *testing.T) {
	extras, err := os.ReadFile("extras.txt")
	if err != nil {
		t.Fatal(err)
	}
	var tests bytes.Buffer // the source of all tests
	root := filepath.Join("..", "..", "..")
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		tests.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(extras)) {
		for _, test := range strings.Fields(line)[1:] {
			name, _, _ := strings.Cut(test, "/")
			if !strings.Contains(tests.String(), "\nfunc "+name+"(") {
				t.Errorf("extras.txt lists %s, which is no test", name)
			}
		}
	}
}

// What a test has prepared is rolled back when it ends: the database would stay otherwise.
func TestPreparedTransactionsAreRolledBack(t *testing.T) {
	name := ""
	t.Run("leaves one", func(t *testing.T) {
		dsn := pgtest.DB(t)
		name = pgtest.Value[string](t, dsn, "SELECT current_database()")
		pgtest.Exec(t, dsn, "BEGIN; CREATE TABLE t (i int); PREPARE TRANSACTION 'left in "+name+"'")
	})
	if n := pgtest.Value[int](t, pgtest.DB(t), "SELECT (SELECT count(*) FROM pg_prepared_xacts WHERE database = $1) + (SELECT count(*) FROM pg_database WHERE datname = $1)", name); n != 0 {
		t.Errorf("got %d prepared transactions and databases, want none", n)
	}
}
