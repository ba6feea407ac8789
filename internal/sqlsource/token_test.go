package sqlsource

import "testing"

// Tokens are stored: another result needs another tokenVersion. The wanted values
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
		{"no rows", 7, []childRows{{}}, 13314267038106204535},
		{"one row", 7, []childRows{{count: 1, sum: 2}}, 6301011115745923447},
		{"two rows of digest 1", 7, []childRows{{count: 2, sum: 2}}, 16512205039405824995},
		{"two children", 7, []childRows{{count: 1, sum: 2}, {}}, 12706071772587963383},
		{"the other child", 7, []childRows{{}, {count: 1, sum: 2}}, 6579834393544467285},
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
		if got, err := wrapSum(c.raw); got != c.want || err != nil {
			t.Errorf("wrapSum(%s) = %d, %v, want %d", Show(c.raw), got, err, c.want)
		}
	}
	if got, err := wrapSum(text("1.5")); err == nil {
		t.Errorf("wrapSum(1.5) = %d, want an error", got)
	}
}
