package sqlite

import (
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
)

// Pages of earlier versions store tokens. A change of digests needs another
// tokenVersion, here or in source.
func TestTokensDoNotChange(t *testing.T) {
	got, err := digest([]any{nil, int64(7), 0.5, "text", []byte{0, 1}})
	if want := uint64(0x8bb70d150c5c7ea7); uint64(got) != want || err != nil {
		t.Errorf("got digest %#x, %v, want %#x", got, err, want)
	}
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE TABLE part (id INTEGER, name TEXT)",
		"INSERT INTO t VALUES (1, 1700000000)", "INSERT INTO part VALUES (1, 'a'), (1, 'b')")
	for _, c := range []struct {
		children []source.ChildConfig
		want     doc.Token
	}{
		{nil, doc.Token{Epoch: 0x9e5251d2, Digest: 0x49b686a57fae255e}},
		{part(""), doc.Token{Epoch: 0x6d0473a, Digest: 0x2cc270ed107d4eac}},
	} {
		stamps, err := db.table(source.TableConfig{Children: c.children}).StampsOf(t.Context(), []doc.OID{oid(t, 1)})
		if err != nil || len(stamps) != 1 || stamps[0].Token != c.want {
			t.Errorf("children %v: got stamps %#v, %v, want %#v", c.children, stamps, err, c.want)
		}
	}
}

// Documents have a digest computed in Go, and stamps one that SQL computes.
func TestDigestIsTheSameInGoAndSQL(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, d DATE, b BOOLEAN, n DECIMAL(9, 2), s TEXT, v)")
	table := db.table(source.TableConfig{})
	stored := rapid.OneOf(
		rapid.SampledFrom([]any{nil, int64(1), "2024-05-06", "2024-05-06 12:00:00"}), // the driver converts some in DATE and BOOLEAN
		rapid.Map(rapid.Int64(), func(v int64) any { return v }),
		rapid.Map(rapid.Float64(), func(v float64) any { return v }),
		rapid.Map(rapid.String(), func(v string) any { return v }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(v []byte) any { return v }),
	)
	rapid.Check(t, func(r *rapid.T) {
		db.exec("DELETE FROM t")
		args := rapid.SliceOfN(stored, 5, 5).Draw(r, "values")
		if _, err := db.writer.Exec("INSERT INTO t VALUES (1, 1700000000, ?, ?, ?, ?, ?)", args...); err != nil {
			r.Fatal(err)
		}
		docs, rejects := rangeOf(t, table, doc.Range{})
		stamps, err := table.StampsOf(t.Context(), []doc.OID{oid(t, 1)})
		if err != nil || len(docs) != 1 || len(stamps) != 1 || !docs[0].Same(stamps[0]) || docs[0].Token.Digest == 0 {
			r.Errorf("got documents %v, rejects %q and stamps %v, %v, want one token", docs, reasons(rejects), stamps, err)
		}
	})
}

func TestDigestDistinguishesTypesAndColumns(t *testing.T) {
	seen := map[int64][]any{}
	for _, row := range [][]any{
		{}, {nil}, {nil, nil}, {""}, {[]byte(nil)}, {"", nil}, {int64(0)}, {0.0}, {"0"}, {[]byte("0")},
		{"a", "bc"}, {"ab", "c"}, {"abc", ""}, {"", "abc"}, {"a\x03\x02bc"}, {int64(1)}, {1.0}, {"1"},
	} {
		d, err := digest(row)
		if other, ok := seen[d]; ok || err != nil {
			t.Errorf("got one digest of %#v and %#v, %v, want two", row, other, err)
		}
		seen[d] = row
	}
	if _, err := digest([]any{true}); err == nil {
		t.Error("got a digest of a bool, want an error")
	}
}
