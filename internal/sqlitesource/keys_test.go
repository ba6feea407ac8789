package sqlitesource

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
)

func TestKindsOfDeclaredTypesAndValues(t *testing.T) {
	for _, c := range []struct {
		declared, values string
		want             doc.Kind
	}{
		{"INTEGER PRIMARY KEY", "", doc.Integer},
		{"BIGINT", "", doc.Integer},
		{"VARCHAR(20)", "", doc.Text},
		{"uuid", "", doc.Text},
		{"", "(1, 1), (-5, 1)", doc.Integer},
		{"", "('a', 1), ('b', 1)", doc.Text},
		{"NUMERIC", "(1, 1)", doc.Integer},
	} {
		db := newDB(t, "CREATE TABLE t (id "+c.declared+", u INTEGER)")
		if c.values != "" {
			db.exec("INSERT INTO t VALUES " + c.values)
		}
		if got, want := db.table(TableConfig{}).Kinds(), []doc.Kind{c.want}; !slices.Equal(got, want) {
			t.Errorf("kinds of %q with %q = %v, want %v", c.declared, c.values, got, want)
		}
	}
}

// Extreme keys keep their value, by range and by key.
func TestExtremeKeys(t *testing.T) {
	for _, c := range []struct {
		name, ddl string
		key       []string
		values    [][]any
	}{
		{"integer", "id INTEGER PRIMARY KEY", []string{"id"}, [][]any{{int64(math.MinInt64)}, {int64(-1)}, {int64(0)}, {int64(1)}, {int64(math.MaxInt64)}}},
		{"text", "id TEXT", []string{"id"}, [][]any{{""}, {"\x00"}, {"0"}, {"1e3"}, {"A"}, {"a"}, {"a\x00b"}, {"é"}, {"貨物"}, {"\U0010ffff"}}},
		{"composite", "tenant INTEGER, id TEXT", []string{"tenant", "id"}, [][]any{{int64(0), ""}, {int64(0), "z"}, {int64(1), ""}, {int64(1), `"],[`}, {int64(1), "a\x00"}}},
		{"without rowid", "id TEXT PRIMARY KEY", []string{"id"}, [][]any{{"a"}, {"b"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := newDB(t, "CREATE TABLE t ("+c.ddl+", u INTEGER)")
			var want []doc.OID
			for _, v := range c.values {
				want = append(want, oid(t, v...))
				db.exec("INSERT INTO t VALUES (?"+strings.Repeat(", ?", len(v)-1)+", 1700000000)", v...)
			}
			table := db.table(TableConfig{Key: c.key, Batch: 2})
			docs, rejects := rangeOf(t, table, doc.Range{})
			if len(rejects) != 0 {
				t.Errorf("rejects = %v, want none", rejects)
			}
			checkOIDs(t, "range", docs, want)
			docs, _ = docsOf(t, table, append(slices.Clone(want), missing(t, want[0]))...)
			checkOIDs(t, "docs", docs, want)
			for i := range want {
				docs, _ := rangeOf(t, table, doc.Range{From: want[i]})
				checkOIDs(t, "range from "+want[i].String(), docs, want[i:])
				docs, _ = rangeOf(t, table, doc.Range{To: want[i]})
				checkOIDs(t, "range to "+want[i].String(), docs, want[:i])
				if got := distinct(collect(t, table.StampsInRange(t.Context(), doc.Range{From: want[0], To: want[i]}))); !slices.Equal(got, want[:i]) {
					t.Errorf("stamps to %v: %q, want %q", want[i], got, want[:i])
				}
			}
			var stamps []doc.OID
			for _, s := range stampsOf(t, table, time.Unix(0, 0), time.Unix(1e10, 0)) {
				stamps = append(stamps, s.OID)
			}
			if !slices.Equal(stamps, want) {
				t.Errorf("stamps = %q, want %q", stamps, want)
			}
		})
	}
}

func checkOIDs(t testing.TB, what string, docs []doc.Doc, want []doc.OID) {
	t.Helper()
	var got []doc.OID
	for _, d := range docs {
		got = append(got, d.OID)
	}
	// Docs reads chunks of keys in the order of its arguments.
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s: keys %q, want %q", what, got, want)
	}
}

// missing returns a key of the same kinds that no row has.
func missing(t testing.TB, o doc.OID) doc.OID {
	t.Helper()
	parts, err := o.Parts()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range parts {
		switch p.(type) {
		case int64:
			parts[i] = int64(123456)
		case string:
			parts[i] = "missing"
		}
	}
	return oid(t, parts...)
}

// The ranges between breakpoints contain every row once, for any collation of the
// key and any size of pages.
func TestRangesCoverTable(t *testing.T) {
	for _, collation := range []string{"BINARY", "NOCASE", "RTRIM"} {
		t.Run(collation, func(t *testing.T) {
			db := newDB(t, "CREATE TABLE t (id TEXT COLLATE "+collation+", u INTEGER)", "CREATE INDEX t_id ON t (id)")
			rapid.Check(t, func(r *rapid.T) {
				// A small alphabet gives keys that are equal under the collation.
				keys := rapid.SliceOfNDistinct(rapid.StringMatching(`[aAbB \x00]{0,3}`), 1, 20, rapid.ID).Draw(r, "keys")
				db.exec("DELETE FROM t")
				var oids []doc.OID
				for _, k := range keys {
					db.exec("INSERT INTO t VALUES (?, 1700000000)", k)
					oids = append(oids, oid(t, k))
				}
				slices.Sort(oids)
				table := db.table(TableConfig{Batch: rapid.IntRange(1, 5).Draw(r, "batch")})
				points, err := table.Breakpoints(t.Context(), rapid.IntRange(1, 7).Draw(r, "every"))
				if err != nil {
					r.Fatal(err)
				}
				var docs []doc.Doc
				var from doc.OID
				for _, to := range append(points, "") {
					part, rejects := rangeOf(t, table, doc.Range{From: from, To: to})
					if len(rejects) != 0 {
						r.Errorf("rejects = %v, want none", rejects)
					}
					docs, from = append(docs, part...), to
				}
				checkOIDs(t, "ranges", docs, oids)
				some := rapid.SliceOfDistinct(rapid.SampledFrom(oids), rapid.ID).Draw(r, "some")
				docs, _ = docsOf(t, table, some...)
				slices.Sort(some)
				checkOIDs(t, "docs", docs, some)
			})
		})
	}
}

func TestBreakpointsAreEveryNthKey(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)")
	table := db.table(TableConfig{})
	for n, want := range map[int]string{0: "[]", 1: "[]", 3: "[]", 4: "[4]", 7: "[4 7]"} {
		db.exec("DELETE FROM t")
		for i := range n {
			db.exec("INSERT INTO t VALUES (?, 1)", i+1)
		}
		points, err := table.Breakpoints(t.Context(), 3)
		if got := fmt.Sprint(points); got != want || err != nil {
			t.Errorf("breakpoints of %d rows = %s, %v, want %s", n, got, err, want)
		}
	}
}

func TestKeysOfAnotherKindAreErrors(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)")
	table := db.table(TableConfig{})
	for _, c := range []struct {
		oid  doc.OID
		want string
	}{
		{oid(t, "x"), `key id is text "x": this table's key is integer`},
		{oid(t, 1, 2), "key 1,2 has 2 parts: this table's key has 1"},
		{"nonsense", "bad or cut kind 0x6e part"},
	} {
		for _, err := range table.Docs(t.Context(), []doc.OID{c.oid}) {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Docs(%v): %v, want an error with %q", c.oid, err, c.want)
			}
		}
		for _, err := range table.Range(t.Context(), doc.Range{From: c.oid}) {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Range from %v: %v, want an error with %q", c.oid, err, c.want)
			}
		}
	}
}

// Rows with one updateTime fill several pages of stamps. None is lost or read
// twice between pages.
func TestEqualUpdated(t *testing.T) {
	const rows = 125
	for _, c := range []struct{ name, id string }{{"integer", "i"}, {"text", "printf('k%06d', i)"}} {
		t.Run(c.name, func(t *testing.T) {
			db := newDB(t, "CREATE TABLE t (id, u TEXT)", "CREATE INDEX t_u ON t (u)")
			db.exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO t SELECT "+c.id+", '2024-05-06 12:00:00' FROM n ORDER BY i % 7", rows)
			table := db.table(TableConfig{})
			table.stamps = 50
			at := instant(t, "2024-05-06T12:00:00Z")
			stamps := stampsOf(t, table, at, at.Add(time.Second))
			if len(stamps) != rows {
				t.Fatalf("%d stamps, want %d", len(stamps), rows)
			}
			if !slices.IsSortedFunc(stamps, func(a, b doc.Stamp) int { return strings.Compare(string(a.OID), string(b.OID)) }) {
				t.Error("stamps of one updateTime are not in the order of keys")
			}
			stamps = slices.CompactFunc(stamps, func(a, b doc.Stamp) bool { return a.OID == b.OID })
			if len(stamps) != rows {
				t.Errorf("%d different stamps, want %d", len(stamps), rows)
			}
		})
	}
}
