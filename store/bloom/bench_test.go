package bloom

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// BenchmarkRate adds BLOOM_KEYS keys to a filter that is made for so many and 1 % of false
// positives, and prints its size, what it answers for a tenth as many other keys, and its
// size for 10^8 and 10^9 keys by calculation.
func BenchmarkRate(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("BLOOM_KEYS"))
	if err != nil {
		n = 1_000_000
	}
	const rate, batch = 0.01, 10_000
	megabytes := func(keys uint64) float64 {
		size, err := SizeFor(keys, rate)
		if err != nil {
			b.Fatal(err)
		}
		return float64(size.Bits) / 8e6
	}
	size, err := SizeFor(uint64(n), rate)
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		f, began := NewLocal(size), time.Now()
		each := func(set, n int, do func([]doc.OID)) {
			for from := 0; from < n; from += batch {
				keys := make([]doc.OID, 0, batch)
				for i := from; i < min(from+batch, n); i++ {
					keys = append(keys, oid(set, i))
				}
				do(keys)
			}
		}
		each(1, n, func(keys []doc.OID) {
			if err := f.Add(b.Context(), keys); err != nil {
				b.Fatal(err)
			}
		})
		took, positives := time.Since(began), 0
		each(2, n/10, func(keys []doc.OID) { positives += count(b, f, keys) })
		fmt.Printf("bloom: keys=%d mb=%.1f ns_per_key=%d false_positives=%.2f%%; by calculation 10^8 keys %.0f MB, 10^9 keys %.0f MB, both 1 %%\n",
			n, megabytes(uint64(n)), took.Nanoseconds()/int64(n), 100*float64(positives)/float64(n/10), megabytes(1e8), megabytes(1e9))
	}
}
