package sqlitesource

import (
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// deletedOf reads rows by key and returns the keys of documents and of deleted rows.
func deletedOf(t testing.TB, table *Table, oids ...doc.OID) (docs, deleted string) {
	t.Helper()
	var live, marked []string
	for b, err := range table.Docs(t.Context(), oids) {
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range b.Docs {
			live = append(live, d.OID.String())
		}
		for _, o := range b.Deleted {
			marked = append(marked, o.String())
		}
		if len(b.Rejects) != 0 {
			t.Errorf("rejects = %v, want none", b.Rejects)
		}
	}
	return strings.Join(live, " "), strings.Join(marked, " ")
}

// Values are compared as SQLite does, so a NULL marks no row.
func TestDeletedByColumn(t *testing.T) {
	for _, c := range []struct {
		declared string
		values   []any
		live     string // of the rows 1 to 9
	}{
		{"active INTEGER", []any{int64(0)}, "2 3 4 5 6 7 9"},
		{"active BOOLEAN", []any{false}, "2 3 4 5 6 7 9"},
		{"active BOOLEAN", []any{true}, "1 3 4 5 6 7 8 9"},
		{"active INTEGER", []any{"0"}, "2 3 4 5 6 7 9"}, // the column's affinity makes a number of it
		{"active INTEGER", []any{0.5}, "1 2 3 4 6 7 8 9"},
		{"active TEXT", []any{int64(0)}, "2 3 4 5 6 7 9"},
		{"active TEXT", []any{"gone", "out"}, "1 2 3 5 6 8 9"},
		{"active TEXT COLLATE NOCASE", []any{"GONE"}, "1 2 3 5 6 7 8 9"},
		{"active INTEGER", []any{int64(7)}, "1 2 3 4 5 6 7 8 9"},
	} {
		db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, "+c.declared+", v)",
			"INSERT INTO t VALUES (1, 10, 0, ''), (2, 10, 1, ''), (3, 10, NULL, ''), (4, 10, 'gone', ''), (5, 10, 0.5, ''), (6, 10, x'00', ''), (7, 10, 'out', ''), (8, 10, '0', ''), (9, 10, '', '')")
		config := TableConfig{SQL: "SELECT * FROM t", Deleted: DeletedConfig{Column: "active", Values: c.values}, Batch: 2}
		table := db.table(config)
		docs, rejects := rangeOf(t, table, doc.Range{})
		if got := keysOf(docs); got != c.live || len(rejects) != 0 {
			t.Errorf("%s in %v: range = %s, %v, want %s", c.declared, c.values, got, rejects, c.live)
		}
		var all []doc.OID
		for id := range 9 {
			all = append(all, oid(t, id+1))
		}
		live, deleted := deletedOf(t, table, all...)
		if live != c.live || len(strings.Fields(live))+len(strings.Fields(deleted)) != 9 {
			t.Errorf("%s in %v: docs = %s, deleted %s, want %s and the others", c.declared, c.values, live, deleted, c.live)
		}
		if got := stampKeys(stampsOf(t, table, time.Unix(10, 0), time.Unix(11, 0))); got != c.live {
			t.Errorf("%s in %v: stamps = %s, want %s", c.declared, c.values, got, c.live)
		}
		if n, err := table.Count(t.Context()); err != nil || int(n) != len(docs) {
			t.Errorf("%s in %v: Count = %d, %v, want %d", c.declared, c.values, n, err, len(docs))
		}
	}
}

func TestDeletedRowsAreNotRejected(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, active, v)",
		"INSERT INTO t VALUES (1, 10, 0, 9e999), (2, 10, 0, '{'), (3, 10, 1, 'x')")
	for _, c := range []TableConfig{
		{Deleted: DeletedConfig{Column: "active", Values: []any{int64(0)}}},
		{Deleted: DeletedConfig{SQL: "SELECT id FROM t WHERE active = 0"}},
	} {
		c.SQL = "SELECT id, u, active, v, CASE v WHEN 'x' THEN 0 ELSE json(v) END AS j FROM t"
		if live, deleted := deletedOf(t, db.table(c), oid(t, 1), oid(t, 2), oid(t, 3)); live != "3" || deleted != "1 2" {
			t.Errorf("docs = %q, deleted = %q, want 3 and 1 2", live, deleted)
		}
	}
}

// The list may contain keys of missing rows, invalid keys and NULLs. Keys are
// compared by bytes.
func TestDeletedBySQL(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id TEXT COLLATE NOCASE, u INTEGER)", "CREATE TABLE tomb (key TEXT COLLATE NOCASE)",
		"INSERT INTO t VALUES ('a', 10), ('A', 10), ('b', 10), ('c', 10)",
		"INSERT INTO tomb VALUES (NULL), (x'00'), ('A'), ('b'), ('gone')")
	table := db.table(TableConfig{Deleted: DeletedConfig{SQL: "SELECT key AS id FROM tomb -- all"}})
	if docs, _ := rangeOf(t, table, doc.Range{}); keysOf(docs) != "a c" {
		t.Errorf("range = %s, want a c", keysOf(docs))
	}
	live, deleted := deletedOf(t, table, oid(t, "a"), oid(t, "A"), oid(t, "b"), oid(t, "gone"), oid(t, "unknown"))
	if live != "a" || deleted != "A b gone" {
		t.Errorf("docs = %s, deleted = %s, want a and A b gone", live, deleted)
	}
	if got := stampKeys(stampsOf(t, table, time.Unix(10, 0), time.Unix(11, 0))); got != "a c" {
		t.Errorf("stamps = %s, want a c", got)
	}
	if n, err := table.Count(t.Context()); n != 2 || err != nil {
		t.Errorf("Count = %d, %v, want 2", n, err)
	}
	// The list is read with each page.
	db.exec("DELETE FROM tomb")
	if live, deleted := deletedOf(t, table, oid(t, "A"), oid(t, "b")); live != "A b" || deleted != "" {
		t.Errorf("afterwards: docs = %s, deleted = %s, want A b and none", live, deleted)
	}
}

// leftIn returns the keys that may have left in the seconds [from, to).
func leftIn(t testing.TB, table *Table, from, to int64) string {
	t.Helper()
	var keys []string
	for _, o := range collect(t, table.Left(t.Context(), doc.Window{From: time.Unix(from, 0), To: time.Unix(to, 0)})) {
		keys = append(keys, o.String())
	}
	return strings.Join(keys, " ")
}

func TestLeft(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER, u INTEGER, state TEXT)", "CREATE TABLE log (id INTEGER, u TEXT)",
		"INSERT INTO t VALUES (1, 10, 'open'), (2, 11, 'done'), (3, 12, 'void'), (4, 12, 'done'), (5, 19, 'done'), (NULL, 12, 'done'), ('x', 12, 'done')")
	changes, deleted := "SELECT id, u FROM t", DeletedConfig{Column: "state", Values: []any{"void", "done"}}
	open := "SELECT * FROM t WHERE state = 'open'"
	for _, c := range []struct {
		name   string
		config TableConfig
		want   string
	}{
		{"nothing", TableConfig{}, ""},
		{"changes", TableConfig{SQL: open, Changes: changes}, "1 2 3 4"},
		{"column", TableConfig{Deleted: deleted}, "2 3 4"},
		{"both", TableConfig{Deleted: deleted, Changes: changes}, "1 2 3 4 2 3 4"},
		{"a list has no times", TableConfig{Deleted: DeletedConfig{SQL: "SELECT id FROM t"}}, ""},
	} {
		table := db.table(c.config)
		table.stamps = 2 // so that pages end amid equal updateTimes
		if got := leftIn(t, table, 10, 13); got != c.want {
			t.Errorf("%s: left = %q, want %q", c.name, got, c.want)
		}
	}
	// The changes have their own time format.
	table := db.table(TableConfig{SQL: open, Changes: "SELECT * FROM log"})
	if got := leftIn(t, table, 0, 2e9); got != "" {
		t.Errorf("of no changes: left = %q, want none", got)
	}
	db.exec("INSERT INTO log VALUES (2, '2024-05-06 12:00:00'), (3, '2024-05-07 12:00:00')")
	at := instant(t, "2024-05-06T12:00:00Z").Unix()
	if got := leftIn(t, table, at, at+1); got != "2" {
		t.Errorf("of a column of text: left = %q, want 2", got)
	}
}
