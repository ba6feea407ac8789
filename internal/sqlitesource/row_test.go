package sqlitesource

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
)

func TestValues(t *testing.T) {
	for _, c := range []struct {
		declared, literal string
		want              any
	}{
		{"INTEGER", "-9223372036854775808", int64(math.MinInt64)},
		{"REAL", "1", 1.0},
		{"REAL", "0.1", 0.1},
		{"NUMERIC", "12.50", 12.5},
		{"TEXT", "'Fracht für 貨物'", "Fracht für 貨物"},
		{"TEXT", "''", ""},
		{"TEXT", "char(97, 0, 98)", "a\x00b"},
		{"BLOB", "x'00ff'", `\x00ff`},
		{"BLOB", "x''", `\x`},
		{"TEXT", "NULL", nil},
		{"BOOLEAN", "1", true},
		{"BOOL", "FALSE", false},
		{"BOOLEAN", "2", int64(2)},
		{"INTEGER", "1", int64(1)},
		// Stored text stays as it is, whatever its column calls itself.
		{"DATE", "'2024-05-06'", "2024-05-06"},
		{"DATETIME", "'2024-05-06 12:00:00'", "2024-05-06 12:00:00"},
		{"TIMESTAMP", "'2024-05-06 12:00:00.5+02:00'", "2024-05-06 12:00:00.5+02:00"},
		{"TIMESTAMP", "1714996800", int64(1714996800)},
		{"JSON", `'{"a": 1}'`, `{"a": 1}`},
	} {
		db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v "+c.declared+")", "INSERT INTO t VALUES (1, 1, "+c.literal+")")
		docs, rejects := rangeOf(t, db.table(TableConfig{}), doc.Range{})
		if len(docs) != 1 {
			t.Errorf("%s in %s: rejected: %v", c.literal, c.declared, rejects)
			continue
		}
		if got, _ := docs[0].Row.Get("v"); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s in %s = %#v, want %#v", c.literal, c.declared, got, c.want)
		}
	}
}

// One bad row is set aside by its key, and its batch goes on.
func TestRejectedValues(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v)",
		"INSERT INTO t VALUES (1, 1, 'good'), (2, 1, 9e999), (3, 1, -9e999), (4, 1, CAST(x'61ff' AS TEXT)), (5, 1, 'good')")
	docs, rejects := rangeOf(t, db.table(TableConfig{}), doc.Range{})
	if got := keysOf(docs); got != "1 5" {
		t.Errorf("documents = %s, want 1 5", got)
	}
	want := strings.Join([]string{
		"2: column v: real +Inf is no number that can be indexed",
		"3: column v: real -Inf is no number that can be indexed",
		`4: column v: text "a\xff" is not valid UTF-8`,
	}, "\n")
	if got := reasons(rejects); got != want {
		t.Errorf("rejects:\n%s\nwant:\n%s", got, want)
	}
}

// A page is cut before its text is too much.
func TestPageBytes(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v)",
		fmt.Sprintf("INSERT INTO t VALUES (1, 1, zeroblob(%d)), (2, 1, zeroblob(%d)), (3, 1, 'x'), (4, 1, 'x')", pageBytes/2-1, pageBytes/2))
	var pages []string
	for b, err := range db.table(TableConfig{}).Docs(t.Context(), []doc.OID{oid(t, 1), oid(t, 2), oid(t, 3), oid(t, 4)}) {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, keysOf(b.Docs))
	}
	if got, want := strings.Join(pages, "|"), "1|2|3 4"; got != want {
		t.Errorf("pages = %s, want %s", got, want)
	}
}

func stored(r *rapid.T) any {
	return rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Map(rapid.Int64(), func(v int64) any { return v }),
		rapid.Map(rapid.Float64(), func(v float64) any { return v }),
		rapid.Map(rapid.String(), func(v string) any { return v }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(v []byte) any { return v }),
	).Draw(r, "value")
}

// Equal rows have equal digests, and different ones different: 64 bits do not
// collide in a test.
func TestDigest(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a := []any{stored(r), stored(r)}
		b := []any{stored(r), stored(r)}
		da, err := digest(a)
		if err != nil {
			r.Fatal(err)
		}
		db, err := digest(b)
		if err != nil {
			r.Fatal(err)
		}
		if got, want := da == db, fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b); got != want {
			r.Errorf("digests of %#v and %#v equal: %v, want %v", a, b, got, want)
		}
	})
	seen := map[uint64][]any{}
	for _, row := range [][]any{
		{}, {nil}, {nil, nil}, {""}, {[]byte(nil)}, {"", nil}, {int64(0)}, {0.0}, {"0"}, {[]byte("0")},
		{"a", "bc"}, {"ab", "c"}, {"abc", ""}, {"", "abc"}, {"a\x03\x02bc"}, {int64(1)}, {1.0}, {"1"},
	} {
		d, err := digest(row)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[d]; ok {
			t.Errorf("%#v and %#v have one digest", row, other)
		}
		seen[d] = row
	}
}

// The digest of a fetched row and the one that SQL computes of it are the same.
func TestTokenInSQL(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, d DATE, b BOOLEAN, v)")
	rapid.Check(t, func(r *rapid.T) {
		db.exec("DELETE FROM t")
		db.exec("INSERT INTO t VALUES (1, 1700000000, '2024-05-06', 1, ?)", stored(r))
		table := db.table(TableConfig{})
		docs, rejects := rangeOf(t, table, doc.Range{})
		if len(rejects) == 1 {
			return // no document, so its token is never compared
		}
		stamps := stampsOf(t, table, time.Unix(1700000000, 0), time.Unix(1700000001, 0))
		if len(docs) != 1 || len(stamps) != 1 || !docs[0].Same(stamps[0]) || docs[0].Token.Digest == 0 {
			r.Errorf("docs = %v, stamps = %v, want the same stamp", docs, stamps)
		}
	})
}

// Tokens are compared with ones that earlier versions stored: what they are
// may change only together with tokenVersion.
func TestDigestStays(t *testing.T) {
	got, err := digest([]any{nil, int64(7), 0.5, "text", []byte{0, 1}})
	if want := uint64(0x8bb70d150c5c7ea7); got != want || err != nil {
		t.Errorf("digest = %#x, %v, want %#x", got, err, want)
	}
}

func BenchmarkDigest(b *testing.B) {
	row := []any{int64(7), "2024-05-06 12:00:00", strings.Repeat("x", 400), 0.5, nil}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := digest(row); err != nil {
			b.Fatal(err)
		}
	}
}
