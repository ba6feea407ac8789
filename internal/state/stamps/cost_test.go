package stamps

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// integerStamps returns n stamps with integer keys, in their order.
func integerStamps(t testing.TB, n int) []doc.Stamp {
	t.Helper()
	stamps := make([]doc.Stamp, n)
	for i := range stamps {
		stamps[i] = doc.Stamp{OID: oid(t, int64(i)), Updated: at(int64(i) * 1000), Token: doc.Token{Digest: uint64(i) * 0x9e3779b97f4a7c15, Epoch: 1}}
	}
	return stamps
}

func shuffled(stamps []doc.Stamp) []doc.Stamp {
	stamps = slices.Clone(stamps)
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(stamps), func(i, j int) { stamps[i], stamps[j] = stamps[j], stamps[i] })
	return stamps
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The budget counts entryBytes for each entry. No more may be in use, and not much
// less, which would waste budget.
func TestEntryCost(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	sorted := integerStamps(t, n)
	long := make([]doc.Stamp, n)
	for i, s := range sorted {
		long[i] = s
		long[i].OID = oid(t, fmt.Sprintf("customer-%011d", i))
	}
	tests := []struct {
		name   string
		stamps []doc.Stamp
		least  int64 // bytes an entry
	}{
		{"integer keys in order", sorted, 60},
		{"integer keys at random", shuffled(sorted), 40},
		{"text keys in order", long, 70},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := heap()
			tree := newTree(t, faultfs.New(), maxBudget)
			for batch := range slices.Chunk(tt.stamps, 2000) {
				if err := tree.Put(batch); err != nil {
					t.Fatal(err)
				}
			}
			used := heap() - before
			entries, counted, spilled := tree.Stats()
			if entries != int64(n) || spilled != 0 {
				t.Fatalf("got %d entries and %d bytes spilled, want %d and none", entries, spilled, n)
			}
			t.Logf("%.1f bytes an entry, counted as %.1f", float64(used)/float64(n), float64(counted)/float64(n))
			// The chunk that the arena has begun is counted as far as it is filled.
			if least := tt.least * int64(n); used > counted+chunkBytes || used < least {
				t.Errorf("got %d bytes in use, want at least %d and no more than the %d counted", used, least, counted)
			}
		})
	}
}
