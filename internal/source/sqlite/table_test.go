package sqlite

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
)

// The messages of faults that only SQLite has, or words in its own way.
func TestFaultsOfTheConfiguration(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT, mixed, bytes, word TEXT)", "CREATE TABLE part (id INTEGER, at TEXT, name TEXT)",
		"INSERT INTO t VALUES (1, '2024-05-06 12:00', 1, x'00', 'soon'), (2, '2024-05-06 12:00', 'a', x'01', 'later')", "INSERT INTO part VALUES (1, 'soon', 'Ann')")
	const hint = ": try it in the sqlite3 shell"
	for _, c := range []struct {
		config source.TableConfig
		want   string
	}{
		{source.TableConfig{SQL: "SELECT * FROM x"}, "sql: SQL logic error: no such table: x (1)" + hint},
		{source.TableConfig{SQL: "SELECT * FROM missing WHERE u > '12:00'"}, "sql: SQL logic error: no such table: missing (1)" + hint},
		{source.TableConfig{SQL: "SELECT * FORM t"}, `sql: SQL logic error: near "FORM": syntax error (1)` + hint},
		{source.TableConfig{SQL: "SELECT * FROM t WHERE u > :from"}, "sql: it has a parameter: write the value into the SQL"},
		{source.TableConfig{SQL: "SELECT * FROM t; SELECT 1"}, `sql: SQL logic error: near ";": syntax error (1)`},
		{source.TableConfig{SQL: "DELETE FROM t"}, "sql: it returns no columns: write a SELECT"},
		{source.TableConfig{SQL: "SELECT id, u AS ID FROM t"}, "sql: it returns two columns named ID: rename one of them with AS"},
		{source.TableConfig{SQL: "SELECT id, u" + manyColumns(999) + " FROM t"}, "sql: it returns 1001 columns: select at most 1000"},
		{source.TableConfig{Key: []string{"mixed"}}, "key: column mixed holds both integer and text values: CAST it to TEXT in the SQL"},
		{source.TableConfig{SQL: "SELECT iif(id = 1, 0.5, bytes) AS id, u FROM t"}, "key: column id holds both real and blob values: CAST it to TEXT in the SQL"},
		{source.TableConfig{SQL: "SELECT iif(id = 1, 'a', bytes) AS id, u FROM t"}, "key: column id holds both text and blob values: CAST it to TEXT in the SQL"},
		{source.TableConfig{Updated: "word"}, `updated: column word: text "soon" is not a time: it must hold Unix time, Julian days, or text as 2006-01-02 15:04:05`},
		{source.TableConfig{Children: part("at")}, `children.parts.updated: column at: text "soon" is not a time: it must hold Unix time, Julian days, or text as 2006-01-02 15:04:05`},
	} {
		_, err := describe(t, db.source, c.config)
		if !errors.As(err, new(*source.ConfigError)) || err.Error() != c.want {
			t.Errorf("%+v: got %v, want %s", c.config, err, c.want)
		}
	}
	names, err := db.source.ColumnsOf(t.Context(), "SELECT at, name, id FROM part")
	if got, want := strings.Join(names, " "), "at name id"; got != want || err != nil {
		t.Errorf("ColumnsOf: got %s, %v, want %s", got, err, want)
	}
	if _, err := db.source.ColumnsOf(t.Context(), "SELECT * FROM x"); !errors.As(err, new(*source.ConfigError)) {
		t.Errorf("ColumnsOf: got %v, want a fault of the configuration", err)
	}
}

// manyColumns returns n columns for a list.
func manyColumns(n int) (list string) {
	for i := range n {
		list += fmt.Sprintf(", %d AS c%d", i, i)
	}
	return list
}

// The token's function takes as many columns as a table may select.
func TestTableOfManyColumns(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "INSERT INTO t VALUES (1, 1700000000)")
	table := db.table(source.TableConfig{SQL: "SELECT id, u" + manyColumns(998) + " FROM t"})
	if docs, _ := rangeOf(t, table, doc.Range{}); len(docs) != 1 || len(docs[0].Row.Names) != 1000 || docs[0].Token.Digest == 0 {
		t.Errorf("got %d documents, want one of 1000 columns with a token", len(docs))
	}
}

func TestKindsOfDeclaredTypesAndValues(t *testing.T) {
	for _, c := range []struct {
		declared, values string
		want             doc.Kind
	}{
		{"INTEGER PRIMARY KEY", "", doc.Integer},
		{"BIGINT", "", doc.Integer},
		{"VARCHAR(20)", "", doc.Text},
		{"uuid", "", doc.Text},
		{"", "(1, 1), (-5, 1), (NULL, 1)", doc.Integer},
		{"", "('a', 1), ('b', 1)", doc.Text},
		{"NUMERIC", "(1, 1)", doc.Decimal}, // it may have fractions, and more than 64 bits
	} {
		db := newDB(t, "CREATE TABLE t (id "+c.declared+", u INTEGER)")
		if c.values != "" {
			db.exec("INSERT INTO t VALUES " + c.values)
		}
		if got, want := db.table(source.TableConfig{}).Kinds(), []doc.Kind{c.want}; !slices.Equal(got, want) {
			t.Errorf("%q with %q: got kinds %v, want %v", c.declared, c.values, got, want)
		}
	}
}

// A later retry succeeds once there is a row.
func TestUndeclaredKeyOfAnEmptyTableIsUnavailable(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id, u INTEGER)")
	_, err := describe(t, db.source, source.TableConfig{})
	if want := "table t: describe the SQLs: key id has no declared type, and no row shows it yet: database unavailable"; !errors.Is(err, doc.ErrUnavailable) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	db.exec("INSERT INTO t VALUES ('a', 1700000000)")
	if docs, _ := rangeOf(t, db.table(source.TableConfig{}), doc.Range{}); keysOf(docs) != "a" {
		t.Errorf("got %q, want a", keysOf(docs))
	}
}

// A column converts what it stores: '0002' is a key of an INTEGER column, and 2.0
// one of a TEXT column.
func TestKeyless(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER, u INTEGER DEFAULT 10)", "INSERT INTO t (id) VALUES (1), (NULL), (NULL), ('x'), ('x'), (2.5), (x'41'), ('0003')",
		"CREATE TABLE words (id TEXT, u INTEGER DEFAULT 10)", "INSERT INTO words (id) VALUES (2.0), (x'41')",
		"CREATE TABLE bad (id INTEGER, u INTEGER)", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO bad SELECT 'k' || i, 10 FROM n")
	for _, c := range []struct{ table, docs, keyless string }{
		{"t", "1 3", "key column id is NULL\n" + `key column id: text "x" is no integer, as the table's key is` + "\n" +
			"key column id: real 2.5 is no integer, as the table's key is\nkey column id: a blob of 1 bytes is no integer, as the table's key is"},
		{"words", "2.0", "key column id: a blob of 1 bytes is no text, as the table's key is"},
	} {
		table := db.table(source.TableConfig{SQL: "SELECT * FROM " + c.table})
		b, err := table.Keyless(t.Context())
		if got := reasons(b.Rejects); got != c.keyless || err != nil {
			t.Errorf("%s: got %s, %v, want each reason once: %s", c.table, got, err, c.keyless)
		}
		if docs, _ := rangeOf(t, table, doc.Range{}); keysOf(docs) != c.docs {
			t.Errorf("%s: got %s, want %s", c.table, keysOf(docs), c.docs)
		}
	}
	if b, err := db.table(source.TableConfig{SQL: "SELECT * FROM bad"}).Keyless(t.Context()); len(b.Rejects) != 100 || err != nil {
		t.Errorf("got %d rejects, %v, want at most 100 of 300", len(b.Rejects), err)
	}
}

// Keys of several columns are bound as JSON.
func TestKeysOfSeveralColumnsWithAnyCharacter(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (a INTEGER, id TEXT, u INTEGER)")
	var all []doc.OID
	for i, text := range []string{"", "\x00", "a\x00", "a\x00b", `"],[`, `\u0000`, "\x01\x1f\u007f", "\u2028", "\ufeff", "\U0010ffff", "0", "1e3", "null"} {
		for _, a := range []int64{int64(i), math.MinInt64, math.MaxInt64} {
			if _, err := db.writer.Exec("INSERT INTO t VALUES (?, ?, 1700000000)", a, text); err != nil {
				t.Fatal(err)
			}
			all = append(all, oid(t, a, text))
		}
	}
	table := db.table(source.TableConfig{Key: []string{"a", "id"}})
	docs, rejects := docsOf(t, table, all...)
	stamps, err := table.StampsOf(t.Context(), all)
	if len(docs) != len(all) || len(rejects) != 0 || len(stamps) != len(all) || err != nil {
		t.Errorf("got %d documents, rejects %q and %d stamps, %v, want %d", len(docs), reasons(rejects), len(stamps), err, len(all))
	}
	for _, o := range all {
		if docs, _ := docsOf(t, table, o); keysOf(docs) != o.String() {
			t.Errorf("got %q alone, want %q", keysOf(docs), o.String())
		}
	}
}

// Keys of another type in children and changes belong to no row.
func TestOddKeysOfChildrenAndChanges(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE TABLE part (id INTEGER, u INTEGER)", "INSERT INTO t VALUES (1, 1700000000), (2, 1700000000)",
		"INSERT INTO part VALUES (NULL, 1700000005), ('x', 1700000005), (9, 1700000005), (x'31', 1700000005), (1.5, 1700000005)")
	table := db.table(source.TableConfig{Children: part("u"), Changes: "SELECT * FROM part"})
	docs, rejects := rangeOf(t, table, doc.Range{})
	if len(docs) != 2 || len(rejects) != 0 || len(docs[0].Row.Children[0].Rows) != 0 {
		t.Errorf("got %v and rejects %q, want two documents without children", docs, reasons(rejects))
	}
	from, to := instant(t, "2023-11-14T22:13:25Z"), instant(t, "2023-11-14T22:13:26Z")
	if got := windowOf(t, table, from, to); got != "" {
		t.Errorf("got %q in the window of the children, want none", got)
	}
	var left []doc.OID
	for page, err := range table.Left(t.Context(), doc.Window{From: from, To: to}) {
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, page...)
	}
	if len(left) != 1 || left[0] != oid(t, 9) {
		t.Errorf("got %v of the changes, want 9", left)
	}
}

// The ranges between breakpoints have every row once, for any collation of the key
// and any size of pages.
func TestRangesOfEveryCollation(t *testing.T) {
	for _, collation := range []string{"BINARY", "NOCASE", "RTRIM"} {
		t.Run(collation, func(t *testing.T) {
			db := newDB(t, "CREATE TABLE t (id TEXT COLLATE "+collation+", u INTEGER)", "CREATE INDEX t_id ON t (id)")
			rapid.Check(t, func(r *rapid.T) {
				// A small alphabet gives keys that are equal under the collation.
				keys := rapid.SliceOfNDistinct(rapid.StringMatching(`[aAbB \x00]{0,3}`), 1, 20, rapid.ID).Draw(r, "keys")
				db.exec("DELETE FROM t")
				var oids []doc.OID
				for _, k := range keys {
					if _, err := db.writer.Exec("INSERT INTO t VALUES (?, 1700000000)", k); err != nil {
						r.Fatal(err)
					}
					oids = append(oids, oid(t, k))
				}
				table := db.table(source.TableConfig{Batch: rapid.IntRange(1, 5).Draw(r, "batch"), StampPage: rapid.IntRange(1, 5).Draw(r, "page")})
				points, err := table.Breakpoints(t.Context(), rapid.IntRange(1, 7).Draw(r, "every"))
				if err != nil {
					r.Fatal(err)
				}
				var docs []doc.Doc
				var stamps []doc.Stamp
				var from doc.OID
				for _, to := range append(points, "") {
					part, rejects := rangeOf(t, table, doc.Range{From: from, To: to})
					if len(rejects) != 0 {
						r.Errorf("got rejects %q, want none", reasons(rejects))
					}
					for page, err := range table.StampsInRange(t.Context(), doc.Range{From: from, To: to}) {
						if err != nil {
							r.Fatal(err)
						}
						stamps = append(stamps, page...)
					}
					docs, from = append(docs, part...), to
				}
				some := rapid.SliceOfDistinct(rapid.SampledFrom(oids), rapid.ID).Draw(r, "some")
				found, _ := docsOf(t, table, some...)
				for what, c := range map[string]struct{ got, want []doc.OID }{"ranges": {doc.OIDs(docs), oids}, "stamps": {doc.OIDs(stamps), oids}, "by key": {doc.OIDs(found), some}} {
					slices.Sort(c.got)
					if want := slices.Sorted(slices.Values(c.want)); !slices.Equal(c.got, want) {
						r.Errorf("%s: got keys %q, want %q", what, c.got, want)
					}
				}
			})
		})
	}
}
