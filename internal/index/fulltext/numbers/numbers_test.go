package numbers

import (
	"math"
	"testing"
)

// The order of terms is that of numbers, and a number has one term.
func TestOf(t *testing.T) {
	last := ""
	for _, n := range []uint64{0, 1, 127, 128, 1<<63 - 1, 1 << 63, math.MaxUint64 - 1, math.MaxUint64} {
		term := string(Append(nil, n))
		if got, ok := Of([]byte(term)); got != n || !ok {
			t.Errorf("%d: got %d, %t", n, got, ok)
		}
		if term <= last {
			t.Errorf("the term of %d is not after that of the number before", n)
		}
		last = term
	}
	for _, term := range []string{"", "12", "true", last + "x", last[1:], "!" + last[1:], " \x02" + last[2:], last[:10] + "\x80"} {
		if n, ok := Of([]byte(term)); ok {
			t.Errorf("%q: got %d, want no number", term, n)
		}
	}
}
