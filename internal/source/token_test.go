package source

import (
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"testing"
)

// Tokens are stored: another result needs another childVersion. The wanted values
// were computed by another program.
func TestCombine(t *testing.T) {
	for _, c := range []struct {
		name     string
		own      uint64
		children []childRows
		want     uint64
	}{
		{"no children", 7, nil, 7},
		{"unknown", 0, []childRows{{count: 1, sum: 2}}, 0},
		{"a child's digest is unknown", 7, []childRows{{count: 1, unknown: true}}, 0},
		{"no rows", 7, []childRows{{}}, 7},
		{"one row", 7, []childRows{{count: 1, sum: 2}}, 10372713005361028292},
		{"two rows of digest 1", 7, []childRows{{count: 2, sum: 2}}, 7681369315911520515},
		{"two children", 7, []childRows{{count: 1, sum: 2}, {}}, 10372713005361028292},
		{"the other child", 7, []childRows{{}, {count: 1, sum: 2}}, 4990025626462012738},
	} {
		if got := combine(c.own, c.children); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestWrapSum(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		raw  any
		want uint64
	}{
		{int64(-1), 1<<64 - 1},
		{text("9223372036854775807"), 1<<63 - 1},
		{text("18446744073709551616"), 0},
		{text("-18446744073709551617"), 1<<64 - 1},
		{text("-9223372036854775809"), 1<<63 - 1},
		{[]byte("36893488147419103233"), 1},
	} {
		if got, err := dialect.SumOf(c.raw); got != c.want || err != nil {
			t.Errorf("dialect.SumOf(%s) = %d, %v, want %d", dialect.Show(c.raw), got, err, c.want)
		}
	}
	if got, err := dialect.SumOf(text("1.5")); err == nil {
		t.Errorf("dialect.SumOf(1.5) = %d, want an error", got)
	}
}

// Keys of one type are compared in SQL as their bytes are, and so are all integers and
// texts.
func TestJoins(t *testing.T) {
	keyed := func(kind doc.Kind, name, detail string) *view {
		return &view{Described: dialect.Described{Columns: []dialect.Column{{Type: name, Detail: detail}}}, key: []int{0}, kinds: []doc.Kind{kind}}
	}
	for _, c := range []struct {
		kind       doc.Kind
		own, child string
		want       bool
	}{
		{doc.Integer, "bigint", "integer", true},
		{doc.Text, "text", "varchar", true},
		{doc.Real, "real", "real", true},
		{doc.Real, "double", "real", false},
	} {
		table := &Table{view: keyed(c.kind, c.own, "")}
		if got := table.joins(keyed(c.kind, c.child, "")); got != c.want {
			t.Errorf("%s and %s: got %t, want %t", c.own, c.child, got, c.want)
		}
	}
	table := &Table{view: keyed(doc.Decimal, "numeric", "10,2")}
	if table.joins(keyed(doc.Decimal, "numeric", "10,4")) {
		t.Error("numeric(10,2) and numeric(10,4): got true, want false")
	}
}
