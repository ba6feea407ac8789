package pgsource

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

// collect returns the values of a sequence and the error that ends it.
func collect[T any](pages iter.Seq2[T, error]) (came []T, err error) {
	for page, err := range pages {
		if err != nil {
			return came, err
		}
		came = append(came, page)
	}
	return came, nil
}

// allReads returns all ways to read rows, stamps and keys. Each returns how
// many it read.
func allReads(t *testing.T, table *Table) map[string]func() (int, error) {
	some := []doc.OID{oid(t, int64(1)), oid(t, int64(2))}
	day := doc.Window{From: at(t, "2025-12-31T00:00:00Z"), To: at(t, "2026-01-02T12:00:00Z")}
	rows := func(all []doc.Batch, err error) (n int, _ error) {
		for _, b := range all {
			n += len(b.Docs) + len(b.Rejects) + len(b.Deleted)
		}
		return n, err
	}
	stamps := func(all [][]doc.Stamp, err error) (n int, _ error) {
		for _, page := range all {
			n += len(page)
		}
		return n, err
	}
	return map[string]func() (int, error){
		"Range":         func() (int, error) { return rows(collect(table.Range(t.Context(), doc.Range{}))) },
		"Docs":          func() (int, error) { return rows(collect(table.Docs(t.Context(), some))) },
		"Stamps":        func() (int, error) { return stamps(collect(table.Stamps(t.Context(), day))) },
		"StampsInRange": func() (int, error) { return stamps(collect(table.StampsInRange(t.Context(), doc.Range{}))) },
		"StampsOf": func() (int, error) {
			s, err := table.StampsOf(t.Context(), some)
			return len(s), err
		},
		"Breakpoints": func() (int, error) {
			s, err := table.Breakpoints(t.Context(), 1)
			return len(s), err
		},
		"Keyless": func() (int, error) {
			b, err := table.Keyless(t.Context())
			return len(b.Rejects), err
		},
	}
}

// After a statement that changes an SQL's result every read fails and returns
// nothing. The table described again has another epoch.
func TestDescriptionIsCompared(t *testing.T) {
	t.Parallel()
	const setup = `CREATE TABLE doc (id int, gone text, ok boolean, u timestamptz);
		CREATE TABLE part (id int, note text, grp int);
		INSERT INTO doc SELECT i, 'gone', true, '2026-01-01' FROM generate_series(1, 3) i;
		INSERT INTO part SELECT i, 'note', 9 FROM generate_series(1, 3) i`
	dsn := pgtest.DB(t)
	const joined = "SELECT c1.*, c2.grp FROM doc c1 JOIN part c2 USING (id)"
	for _, c := range []struct {
		name, sql, child, alter, want string
		sameEpoch                     bool
	}{
		{"a column is dropped", "", "", "ALTER TABLE doc DROP COLUMN gone", "sql: column 2 is ok, not gone", false},
		{"the last column is dropped", "SELECT u, id, ok, gone FROM doc", "", "ALTER TABLE doc DROP COLUMN gone", "column \"gone\" does not exist", false},
		{"a column comes before another", joined, "", "ALTER TABLE doc ADD COLUMN priority int DEFAULT 7", "sql: column 5 is priority, not grp", false},
		{"a column comes last", "", "", "ALTER TABLE doc ADD COLUMN size bigint DEFAULT 1", "sql: it has 5 columns, not 4", false},
		{"another type", "", "", "ALTER TABLE doc ALTER COLUMN ok TYPE text USING CASE WHEN ok THEN 'yes' ELSE 'no' END", "sql: column ok has another type than boolean", false},
		{"another length", "", "", "ALTER TABLE doc ALTER COLUMN gone TYPE varchar(10)", "sql: column gone has another type than text", false},
		{
			"two columns change names", "", "", "ALTER TABLE doc RENAME COLUMN gone TO x; ALTER TABLE doc RENAME COLUMN ok TO gone; ALTER TABLE doc RENAME COLUMN x TO ok",
			"sql: column 2 is ok, not gone", false,
		},
		{"another table is dropped", "", "", "DROP TABLE part", "", true},
		{"dropped and added again", "SELECT id, ok, u, gone FROM doc", "", "ALTER TABLE doc DROP COLUMN gone, ADD COLUMN gone text", "sql: column gone is another column of the same name", true},
		{"another table of the same name", "", "", "ALTER TABLE doc RENAME TO old; CREATE TABLE doc AS SELECT id, 'new'::text AS gone, ok, u FROM old", "sql: column id is another column of the same name", true},
		{"the key has another type", "", "", "ALTER TABLE doc ALTER COLUMN id TYPE text", "sql: column id has another type than integer|operator does not exist: text = bigint", false},
		{"updateTime has another type", "", "", "ALTER TABLE doc ALTER COLUMN u TYPE date", "sql: column u has another type than timestamp with time zone", false},
		{"a column of a child is dropped", "", "SELECT * FROM part", "ALTER TABLE part DROP COLUMN note", "children.parts.sql: column 2 is grp, not note", false},
		{"a column of a child is added", "", "SELECT * FROM part", "ALTER TABLE part ADD COLUMN size bigint", "children.parts.sql: it has 4 columns, not 3", false},
		{"a table is dropped", "", "", "DROP TABLE doc", "relation \"doc\" does not exist", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := TableConfig{SQL: c.sql}
			if c.child != "" {
				cfg.Children = []ChildConfig{{Name: "parts", Path: "children.parts", SQL: c.child, Key: []string{"id"}}}
			}
			table := tableIn(t, dsn, emptied+setup, cfg)
			for name, read := range allReads(t, table) {
				if n, err := read(); err != nil || n == 0 && name != "Keyless" {
					t.Fatalf("%s: got %d, %v before the change, want rows", name, n, err)
				}
			}
			pgtest.Exec(t, dsn, c.alter)
			checkChangedReads(t, table, c.want, c.child != "")
			if c.alter == "DROP TABLE doc" {
				return
			}
			cfg.Name, cfg.Batch, cfg.Key, cfg.Updated = "doc", 10, []string{"id"}, "u"
			if cfg.SQL == "" {
				cfg.SQL = "SELECT * FROM doc"
			}
			again, err := table.src.Table(t.Context(), cfg)
			if err != nil {
				if !strings.Contains(c.want, "does not exist") && !strings.Contains(c.name, "updateTime") {
					t.Errorf("got %v when it is described again, want none", err)
				}
				return
			}
			if got, want := again.Epoch() == table.Epoch(), c.sameEpoch; got != want {
				t.Errorf("got the same epoch: %t, want %t", got, want)
			}
		})
	}
}

// checkChangedReads checks that every read that depends on the changed SQL fails
// with one of the errors in want, or succeeds if want is empty.
func checkChangedReads(t *testing.T, table *Table, want string, childChanged bool) {
	t.Helper()
	for name, read := range allReads(t, table) {
		n, err := read()
		mainOnly := name == "Breakpoints" || name == "Keyless"
		switch {
		case want == "" || childChanged && mainOnly:
			if err != nil {
				t.Errorf("%s: got %v, want none", name, err)
			}
		case !errors.Is(err, doc.ErrChangedResult) || n > 0 || !slices.ContainsFunc(strings.Split(want, "|"), func(want string) bool { return strings.Contains(err.Error(), want) }):
			t.Errorf("%s: got %d, %v, want nothing and %q", name, n, err, want)
		}
	}
}

// An ALTER TABLE waits for the end of a statement that streams, so all rows of
// a result have one description.
func TestDescriptionHoldsForItsTransaction(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id int, gone text, u timestamptz); INSERT INTO doc SELECT i, 'a', '2026-01-01' FROM generate_series(1, 300) i", TableConfig{})
	altered := make(chan struct{})
	n := 0
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			go func() {
				defer close(altered)
				pgtest.Exec(t, dsn, "ALTER TABLE doc DROP COLUMN gone")
			}()
		}
		for _, d := range b.Docs {
			if v, _ := d.Row.Get("gone"); v != "a" {
				t.Fatalf("got %v, want the column that was described", d.Row)
			}
		}
		n += len(b.Docs)
	}
	<-altered
	if n != 300 {
		t.Errorf("got %d rows, want 300", n)
	}
}

// The connection of an unused result can be used again or is replaced.
func TestSourceContinuesAfterAChange(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id int, gone text, u timestamptz); INSERT INTO doc SELECT i, repeat('a', 1000), '2026-01-01' FROM generate_series(1, 20000) i", TableConfig{})
	pgtest.Exec(t, dsn, "ALTER TABLE doc DROP COLUMN gone")
	for range 10 {
		if _, err := collect(table.Range(t.Context(), doc.Range{})); !errors.Is(err, doc.ErrChangedResult) {
			t.Fatalf("got %v, want %v", err, doc.ErrChangedResult)
		}
	}
	again := tableOf(t, table.src, TableConfig{Batch: 1000})
	if docs, _ := readAll(t, again.Range(t.Context(), doc.Range{})); len(docs) != 20000 {
		t.Errorf("got %d rows, want 20000", len(docs))
	}
}
