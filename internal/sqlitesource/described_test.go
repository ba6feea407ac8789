package sqlitesource

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"indexerd/internal/doc"
)

// drain returns the number of pages before the first error.
func drain[T any](pages iter.Seq2[T, error]) (n int, _ error) {
	for _, err := range pages {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// After a statement changed the columns of an SQL, every method returns an error and
// no row. The table described again has another epoch.
func TestDescriptionIsCompared(t *testing.T) {
	for _, c := range []struct {
		name, sql, child string
		alter            []string
		want             string
		sameEpoch        bool
	}{
		{"a column is dropped", "", "", []string{"DROP VIEW seen", "ALTER TABLE doc DROP COLUMN gone"}, "sql: column 2 is ok, not gone", false},
		{"a named column is dropped", "SELECT id, gone, u FROM doc", "", []string{"DROP VIEW seen", "ALTER TABLE doc DROP COLUMN gone"}, "no such column: gone", false},
		{"a column is added", "", "", []string{"ALTER TABLE doc ADD COLUMN size INTEGER DEFAULT 1"}, "sql: it has 5 columns, not 4", false},
		{"two columns change names", "", "", []string{"ALTER TABLE doc RENAME COLUMN gone TO x", "ALTER TABLE doc RENAME COLUMN ok TO gone", "ALTER TABLE doc RENAME COLUMN x TO ok"},
			"sql: column 2 is ok, not gone", false},
		{"another type", "", "", []string{"ALTER TABLE doc RENAME TO old", "CREATE TABLE doc (id INTEGER PRIMARY KEY, gone TEXT, ok TEXT, u TEXT)", "INSERT INTO doc SELECT * FROM old", "DROP TABLE old"},
			"sql: column ok is declared TEXT, not BOOLEAN", false},
		{"another view of the same name", "SELECT * FROM seen", "", []string{"DROP VIEW seen", "CREATE VIEW seen AS SELECT id, u, ok AS gone FROM doc"}, "sql: column gone is declared BOOLEAN, not TEXT", false},
		{"a column of a child is dropped", "", "SELECT * FROM part", []string{"ALTER TABLE part DROP COLUMN note"}, "children.parts.sql: column 2 is grp, not note", false},
		{"a table is dropped", "", "", []string{"DROP TABLE doc"}, "no such table: doc", false},
		{"another table is dropped", "", "", []string{"DROP TABLE part"}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := newDB(t, "CREATE TABLE doc (id INTEGER PRIMARY KEY, gone TEXT, ok BOOLEAN, u TEXT)", "CREATE TABLE part (id INTEGER, note TEXT, grp INTEGER)",
				"CREATE VIEW seen AS SELECT id, u, gone FROM doc",
				"INSERT INTO doc VALUES (1, 'a', 1, '2026-01-01 00:00:00'), (2, 'b', 0, '2026-01-01 00:00:00')", "INSERT INTO part VALUES (1, 'note', 9)")
			cfg := withDefaults(TableConfig{SQL: c.sql, Key: []string{"id"}, Updated: "u"})
			if c.sql == "" {
				cfg.SQL = "SELECT * FROM doc"
			}
			if c.child != "" {
				cfg.Children = []ChildConfig{{Name: "parts", Path: "children.parts", SQL: c.child, Key: []string{"id"}}}
			}
			table, err := db.source().Table(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			for _, statement := range c.alter {
				db.exec(statement)
			}
			some := []doc.OID{oid(t, int64(1)), oid(t, int64(2))}
			day := doc.Window{From: instant(t, "2025-12-31T00:00:00Z"), To: instant(t, "2026-01-02T00:00:00Z")}
			for name, read := range map[string]func() (int, error){
				"Range":         func() (int, error) { return drain(table.Range(t.Context(), doc.Range{})) },
				"Docs":          func() (int, error) { return drain(table.Docs(t.Context(), some)) },
				"Stamps":        func() (int, error) { return drain(table.Stamps(t.Context(), day)) },
				"StampsInRange": func() (int, error) { return drain(table.StampsInRange(t.Context(), doc.Range{})) },
				"StampsOf": func() (int, error) {
					stamps, err := table.StampsOf(t.Context(), some)
					return len(stamps), err
				},
				"Breakpoints": func() (int, error) {
					points, err := table.Breakpoints(t.Context(), 1)
					return len(points), err
				},
				"Keyless": func() (int, error) {
					_, err := table.Keyless(t.Context())
					return 0, err
				},
			} {
				n, err := read()
				switch {
				case c.want == "":
					if err != nil {
						t.Errorf("%s: got %v, want none", name, err)
					}
				case !errors.Is(err, doc.ErrChangedResult) || !strings.Contains(err.Error(), c.want) || n > 0:
					t.Errorf("%s: got %d, %v, want nothing and %q", name, n, err, c.want)
				}
			}
			again, err := table.source.Table(t.Context(), cfg)
			if err == nil && (again.Epoch() == table.Epoch()) != c.sameEpoch {
				t.Errorf("got epochs %d and %d, want the same: %t", table.Epoch(), again.Epoch(), c.sameEpoch)
			}
			if refused := strings.HasPrefix(c.want, "no such"); (err != nil) != refused {
				t.Errorf("got %v when it is described again, want an error: %t", err, refused)
			}
		})
	}
}
