package postgres

import (
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/test/pgtest"
)

// openDB opens a database that is closed at the end of the test. If it leads
// through a pooler, that has only one server, so that its horizons are exact.
func openDB(t testing.TB, dsn string) *DB {
	t.Helper()
	db := openAsIs(t, pgtest.SourceDSN(t, dsn))
	db.oneServer = true
	return db
}

// openAsIs is openDB as a user opens the database.
func openAsIs(t testing.TB, dsn string) *DB {
	t.Helper()
	db, err := Open(t.Context(), dsn, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// acquired returns a session that ends with the test.
func acquired(t testing.TB, db *DB) *session {
	t.Helper()
	x, err := db.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.End)
	return x
}

// begun returns a session with a transaction that ends with the test.
func begun(t testing.TB, db *DB) *session {
	t.Helper()
	x := acquired(t, db)
	if _, err := x.Begin(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	return x
}

// inside runs a setup and returns a session in the database.
func inside(t testing.TB, dsn, setup string) *session {
	t.Helper()
	pgtest.Exec(t, dsn, setup)
	return begun(t, openDB(t, dsn))
}

// within runs do in a transaction that ends with do.
func within(t testing.TB, db *DB, do func(*session)) {
	t.Helper()
	x, err := db.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer x.End()
	if _, err := x.Begin(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	do(x)
}

func wrapped(sql string) dialect.Wrapped { return dialect.Wrapped{SQL: sql, Alias: "x"} }

// describe returns the columns of an SQL.
func describe(t testing.TB, x *session, sql string) *dialect.Described {
	t.Helper()
	d := &dialect.Described{Wrapped: wrapped(sql), Path: "sql"}
	var err error
	if d.Columns, err = x.Describe(t.Context(), d.Wrapped); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return d
}

// ask returns the rows of a statement; NULL is nil.
func ask(t testing.TB, x *session, s dialect.Statement) ([][]any, error) {
	t.Helper()
	var rows [][]any
	all, err := x.Query(t.Context(), s, func(raw []any) bool {
		row := make([]any, len(raw))
		for i, v := range raw {
			if v != nil {
				row[i] = *v.(*string)
			}
		}
		rows = append(rows, row)
		return true
	})
	if err == nil && !all {
		t.Errorf("%s: got not all rows, want all", s.SQL)
	}
	return rows, err
}

// asked is ask for a statement that succeeds.
func asked(t testing.TB, x *session, s dialect.Statement) [][]any {
	t.Helper()
	rows, err := ask(t, x, s)
	if err != nil {
		t.Fatalf("%s: %v", s.SQL, err)
	}
	return rows
}

func sql(text string, args ...dialect.Arg) dialect.Statement {
	return dialect.Statement{SQL: text, Args: args}
}

// catalogIn runs a setup and returns the catalog.
func catalogIn(t *testing.T, dsn, setup string) (c doc.Catalog) {
	t.Helper()
	pgtest.Exec(t, dsn, setup)
	within(t, openDB(t, dsn), func(x *session) {
		var err error
		if c, err = x.db.Catalog(t.Context(), x); err != nil {
			t.Fatal(err)
		}
	})
	return c
}
