package sqlite

import (
	"database/sql/driver"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/sqlsource"
)

func tokenOf(t *testing.T, row ...driver.Value) int64 {
	t.Helper()
	d, err := token(nil, row)
	if err != nil {
		t.Fatal(err)
	}
	return d.(int64)
}

// Pages of earlier versions store tokens. A change of digests needs another
// tokenVersion, here or in sqlsource.
func TestTokensDoNotChange(t *testing.T) {
	if got, want := uint64(tokenOf(t, nil, int64(7), 0.5, "text", []byte{0, 1})), uint64(0x8bb70d150c5c7ea7); got != want {
		t.Errorf("got digest %#x, want %#x", got, want)
	}
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "CREATE TABLE part (id INTEGER, name TEXT)",
		"INSERT INTO t VALUES (1, 1700000000)", "INSERT INTO part VALUES (1, 'a'), (1, 'b')")
	for _, c := range []struct {
		children []sqlsource.ChildConfig
		want     doc.Token
	}{
		{nil, doc.Token{Epoch: 0x9e5251d2, Digest: uint64(tokenOf(t, int64(1), int64(1700000000)))}},
		{part(""), doc.Token{Epoch: 0x15198722, Digest: 0x19b000bb96bd404a}},
	} {
		stamps, err := db.table(sqlsource.TableConfig{Children: c.children}).StampsOf(t.Context(), []doc.OID{oid(t, 1)})
		if err != nil || len(stamps) != 1 || stamps[0].Token != c.want {
			t.Errorf("children %v: got stamps %v, %v, want %v", c.children, stamps, err, c.want)
		}
	}
}

func TestDigestDistinguishesTypesAndColumns(t *testing.T) {
	seen := map[int64][]driver.Value{}
	for _, row := range [][]driver.Value{
		{}, {nil}, {nil, nil}, {""}, {[]byte(nil)}, {"", nil}, {int64(0)}, {0.0}, {"0"}, {[]byte("0")},
		{"a", "bc"}, {"ab", "c"}, {"abc", ""}, {"", "abc"}, {"a\x03\x02bc"}, {int64(1)}, {1.0}, {"1"},
	} {
		d := tokenOf(t, row...)
		if other, ok := seen[d]; ok {
			t.Errorf("got one digest of %#v and %#v, want two", row, other)
		}
		seen[d] = row
	}
	if _, err := token(nil, []driver.Value{true}); err == nil {
		t.Error("got a digest of a bool, want an error")
	}
}
