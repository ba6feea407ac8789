package sink

import (
	"testing"

	"indexerd/internal/base/doc"
)

func TestClaimsMeetInACommonKey(t *testing.T) {
	for _, c := range []struct {
		a, b []doc.OID
		want bool
	}{
		{nil, nil, false},
		{[]doc.OID{"b"}, nil, false},
		{[]doc.OID{"b"}, []doc.OID{"b"}, true},
		{[]doc.OID{"a", "b"}, []doc.OID{"c", "d"}, false},
		{[]doc.OID{"c", "a"}, []doc.OID{"b", "d"}, false},
		{[]doc.OID{"c", "a"}, []doc.OID{"c"}, true},
		{[]doc.OID{"c", "a", "e"}, []doc.OID{"b", "e", "d"}, true},
	} {
		a, b := newClaim(c.a), newClaim(c.b)
		if a.meets(b) != c.want || b.meets(a) != c.want {
			t.Errorf("%q and %q: got %t and %t, want %t", c.a, c.b, a.meets(b), b.meets(a), c.want)
		}
	}
}
