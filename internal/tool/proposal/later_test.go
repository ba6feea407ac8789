package proposal

import "testing"

// Without a function for the later of two times, the expression compares them.
func TestLater(t *testing.T) {
	t.Parallel()
	var l, r updated
	l.SQL, l.NotNull, r.SQL, r.NotNull = "u", true, "v", true
	for greatest, want := range map[string]string{"max": "max(l.u, r.v)", "": "CASE WHEN l.u > r.v THEN l.u ELSE r.v END"} {
		if got := (&family{greatest: greatest}).later(l, r); got != want {
			t.Errorf("%q: got %s, want %s", greatest, got, want)
		}
	}
}
