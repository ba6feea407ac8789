package simtest

import (
	"testing"
	"testing/synctest"
)

// A hole that is listed is open: a seed that falls into it breaks the promise,
// and the same seed does not where holes are kept out. Who closes one removes
// it here, from conditions.go and from docs/mutants.md.
func TestHolesAreOpen(t *testing.T) {
	for _, tt := range []struct {
		hole hole
		seed uint64
	}{{ahead, 28}} {
		for _, known := range []hole{"", tt.hole} {
			t.Setenv("SIM_KNOWN", string(known))
			var r *Result
			synctest.Test(t, func(t *testing.T) { r = Run(t, tt.seed) })
			if r.OK() != (known == "") {
				t.Errorf("SIM_KNOWN=%s SIM_SEED=%d: got faults %q", known, tt.seed, r.Faults)
			}
		}
	}
}
