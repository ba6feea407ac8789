package store

import (
	"fmt"
	"testing"
)

// Versions are read as far as their content is no larger than asked for, and
// the newest one in any case.
func TestNewestVersions(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{Versions: 3})
	for i := range 5 {
		put(t, m, testPage(1, fmt.Sprint("version ", i)))
	}
	for bytes, want := range map[int]int{0: 1, 17: 1, 18: 2, 26: 2, 27: 3, 1000: 3} {
		newest, more, err := m.NewestVersions(testOID(1), bytes)
		if err != nil || len(newest) != want || more != (want < 3) || string(newest[0].Body) != "version 4" {
			t.Errorf("the newest of %d bytes: got %d, more: %t, %v, want %d", bytes, len(newest), more, err, want)
		}
	}
}
