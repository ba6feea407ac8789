package sqlitesource

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
)

func TestPagesAreCutByBytes(t *testing.T) {
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

func TestSQLComputesTheDigestOfTheRow(t *testing.T) {
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

// Earlier versions stored tokens. A change of digests needs another tokenVersion.
func TestDigestDoesNotChange(t *testing.T) {
	got, err := digest([]any{nil, int64(7), 0.5, "text", []byte{0, 1}})
	if want := uint64(0x8bb70d150c5c7ea7); got != want || err != nil {
		t.Errorf("digest = %#x, %v, want %#x", got, err, want)
	}
}

func TestDigestDistinguishesTypesAndColumns(t *testing.T) {
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
