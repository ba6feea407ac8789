package sqlitesource

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/doc"
)

func TestConfigErrors(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, updated_at TEXT, mixed, bytes, ratio REAL, word TEXT)",
		"INSERT INTO t VALUES (1, '2024-05-06 12:00', 1, x'00', 0.5, 'soon'), (2, '2024-05-06 12:00', 'a', x'01', 1.5, 'later')")
	for _, c := range []struct {
		name   string
		config TableConfig
		want   string
	}{
		{"no such table", TableConfig{SQL: "SELECT * FROM x"}, "sql: SQL logic error: no such table: x (1): try it in the sqlite3 shell"},
		{"syntax", TableConfig{SQL: "SELECT * FORM t"}, `sql: SQL logic error: near "FORM": syntax error (1): try it in the sqlite3 shell`},
		{"no columns", TableConfig{SQL: "DELETE FROM t"}, "sql: it returns no columns: write a SELECT"},
		{"columns of one name", TableConfig{SQL: "SELECT id, updated_at AS ID FROM t"}, "sql: two columns are named ID: give one of them another name with AS"},
		{"key", TableConfig{Key: []string{"ide"}}, "key: column ide is not in the SQL's result: did you mean id?"},
		{"key unlike all", TableConfig{Key: []string{"customer"}}, "key: column customer is not in the SQL's result: name one of id, updated_at, mixed, bytes, ratio, word"},
		{"key twice", TableConfig{Key: []string{"id", "id"}}, "key: column id is named twice: name it once"},
		{"no key", TableConfig{Key: []string{}}, "key: 0 columns: name 1 to 8 columns that identify a row"},
		{"key of two types", TableConfig{Key: []string{"mixed"}}, "key: column mixed holds both integer and text values: CAST it to TEXT in the SQL"},
		{"key of blobs", TableConfig{Key: []string{"bytes"}}, "key: column bytes holds blob values: a key is integer or text: CAST it in the SQL"},
		{"updated", TableConfig{Updated: "updated_ta"}, "updated: column updated_ta is not in the SQL's result: did you mean updated_at?"},
		{"updated of words", TableConfig{Updated: "word"}, `updated: column word: text "soon" is not a time: it must hold Unix time, Julian days, or text as 2006-01-02 15:04:05`},
	} {
		if c.config.Updated == "" {
			c.config.Updated = "updated_at"
		}
		wantConfigError(t, db, c.name, c.config, c.want)
	}
}

func wantConfigError(t *testing.T, db *testDB, name string, config TableConfig, want string) {
	t.Helper()
	_, err := db.source().Table(t.Context(), withDefaults(config))
	var fault *ConfigError
	if !errors.As(err, &fault) || err.Error() != want {
		t.Errorf("%s: got %v, want a ConfigError: %s", name, err, want)
	}
}

// A later retry succeeds once there is a row.
func TestUndeclaredKeyOfAnEmptyTableIsUnavailable(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id, u INTEGER)")
	_, err := db.source().Table(t.Context(), withDefaults(TableConfig{}))
	want := "test.db: table t: key id has no declared type, and no row shows it yet: database unavailable"
	if !errors.Is(err, doc.ErrUnavailable) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSQLMayEndInAComment(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, a TEXT)", "INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b')")
	table := db.table(TableConfig{SQL: "SELECT a, u, id FROM t -- all of it"})
	if got, want := table.Columns(), []string{"a", "u", "id"}; !slices.Equal(got, want) {
		t.Errorf("Columns = %v, want %v", got, want)
	}
	if n, err := table.Count(t.Context()); n != 2 || err != nil {
		t.Errorf("Count = %d, %v, want 2, nil", n, err)
	}
}

func TestEpochDependsOnSQLAndKey(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)")
	epoch := func(c TableConfig) uint32 { return db.table(c).Epoch() }
	base := epoch(TableConfig{})
	if got := epoch(TableConfig{Batch: 7}); got != base {
		t.Errorf("epoch with another batch = %d, want %d", got, base)
	}
	if got := epoch(TableConfig{SQL: "SELECT id, u FROM t"}); got == base {
		t.Errorf("epoch of another SQL = %d, want another", got)
	}
	if got := epoch(TableConfig{Key: []string{"u"}}); got == base {
		t.Errorf("epoch of another key = %d, want another", got)
	}
}

// SQLite pushes the conditions around an SQL down to its indexes, for common forms
// of SQL.
func TestStatementsUseIndexes(t *testing.T) {
	db := newDB(t,
		"CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folded TEXT COLLATE NOCASE UNIQUE, u TEXT)",
		"CREATE INDEX t_u ON t (u)",
		"CREATE TABLE child (t_id INTEGER, word TEXT)",
		"CREATE INDEX child_t ON child (t_id)")
	for _, c := range []struct {
		name     string
		config   TableConfig
		unwindow bool // updateTime is computed, so windows have no index
	}{
		{"rowid", TableConfig{}, false},
		{"text", TableConfig{Key: []string{"name"}}, false},
		{"text of another collation", TableConfig{Key: []string{"folded"}}, false},
		{"composite", TableConfig{Key: []string{"name", "id"}}, false},
		{"join", TableConfig{SQL: "SELECT t.*, word FROM t LEFT JOIN child ON t_id = id"}, false},
		{"subquery", TableConfig{SQL: "SELECT t.*, (SELECT group_concat(word) FROM child WHERE t_id = id) FROM t"}, false},
		{"aggregate", TableConfig{SQL: "SELECT id, max(u) AS u, group_concat(word) FROM t LEFT JOIN child ON t_id = id GROUP BY id"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := db.table(c.config)
			s := &table.statements
			key := slices.Repeat([]any{"x"}, len(table.key))
			var between, after, among condition
			between.and(s.key+" >= "+s.marks, key...)
			between.and(s.key+" < "+s.marks, key...)
			s.afterKey(&after, key)
			if err := s.amongKeys(&among, [][]any{key, key}); err != nil {
				t.Fatal(err)
			}
			plans := map[string]string{
				"range": plan(t, table, s.docs+between.String()+s.order, between.args),
				"page":  plan(t, table, s.docs+after.String()+s.order, after.args),
				"keys":  plan(t, table, s.docs+among.String()+s.order, among.args),
			}
			if !c.unwindow {
				window := " WHERE " + s.updated + " >= ? AND " + s.updated + " < ?"
				plans["window"] = plan(t, table, s.stamps+window+s.byStamp, []any{"2024", "2025"})
			}
			for what, plan := range plans {
				if !strings.Contains(plan, "SEARCH t USING") || strings.Contains(plan, "SCAN t") {
					t.Errorf("%s does not use an index:\n%s", what, plan)
				}
			}
		})
	}
}

func plan(t testing.TB, table *Table, query string, args []any) string {
	t.Helper()
	rows, err := table.source.db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
