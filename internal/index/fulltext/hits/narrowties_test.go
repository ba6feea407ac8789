package hits

import (
	"slices"
	"testing"
)

// The first terms are kept in order, as many as are wanted, and it is noticed when they take
// more bytes than they may.
func TestFirstTerms(t *testing.T) {
	f := firstTerms{want: 4, most: 12}
	for _, c := range []struct {
		term    string
		matches int
		few     bool
		want    []string
	}{
		{"mm", 2, true, []string{"mm", "mm"}},
		{"zz", 9, true, []string{"mm", "mm", "zz", "zz"}},
		{"a", 1, true, []string{"a", "mm", "mm", "zz"}},
		{"mm", 3, true, []string{"a", "mm", "mm", "mm"}},
		{"aaaaaaaaa", 1, false, []string{"a", "aaaaaaaaa", "mm", "mm"}},
	} {
		if few := f.add(c.term, c.matches); few != c.few || !slices.Equal(f.terms, c.want) {
			t.Errorf("%d times %s: got %v, %v, want %v, %v", c.matches, c.term, f.terms, few, c.want, c.few)
		}
	}
	if !f.full() {
		t.Error("got not full, want full")
	}
}
