package bloom

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	_ "indexerd/internal/test/nofailfile"
)

// oids returns n keys. Each set has different keys.
func oids(set, n int) []doc.OID {
	keys := make([]doc.OID, n)
	for i := range keys {
		keys[i] = oid(set, i)
	}
	return keys
}

func oid(set, i int) doc.OID {
	var b [9]byte
	b[0] = byte(doc.Integer)
	binary.BigEndian.PutUint64(b[1:], uint64(set)<<40|uint64(i))
	return doc.OID(b[:])
}

func all(keys []doc.OID) iter.Seq2[[]doc.OID, error] {
	return func(yield func([]doc.OID, error) bool) {
		for ; len(keys) > 0; keys = keys[min(3000, len(keys)):] {
			if !yield(keys[:min(3000, len(keys))], nil) {
				return
			}
		}
	}
}

// A Filter is a set of keys. Maybe returns false for a key only if it was never
// added.
type Filter interface {
	Add(ctx context.Context, keys []doc.OID) error
	Maybe(ctx context.Context, keys []doc.OID) ([]bool, error)
}

func count(t testing.TB, f Filter, keys []doc.OID) (n int) {
	t.Helper()
	maybe, err := f.Maybe(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	if len(maybe) != len(keys) {
		t.Fatalf("got %d answers to %d keys", len(maybe), len(keys))
	}
	for _, m := range maybe {
		if m {
			n++
		}
	}
	return n
}

// testFilter tests what every filter must do. make returns an empty filter.
func testFilter(t *testing.T, make func(*testing.T, Size) Filter) {
	size, err := SizeFor(10_000, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("rate", func(t *testing.T) {
		f := make(t, size)
		if got := count(t, f, oids(1, 1000)); got != 0 {
			t.Errorf("empty: got %d maybes, want 0", got)
		}
		if err := f.Add(t.Context(), oids(1, 10_000)); err != nil {
			t.Fatal(err)
		}
		if got := count(t, f, oids(1, 10_000)); got != 10_000 {
			t.Errorf("added keys: got %d maybes, want all 10000", got)
		}
		if got := count(t, f, oids(2, 10_000)); got < 50 || got > 150 {
			t.Errorf("other keys: got %d maybes of 10000, want about 100", got)
		}
	})
	t.Run("empty batch", func(t *testing.T) {
		f := make(t, size)
		if err := f.Add(t.Context(), nil); err != nil {
			t.Error(err)
		}
		if got := count(t, f, nil); got != 0 {
			t.Errorf("got %d", got)
		}
	})
	t.Run("no false negative", func(t *testing.T) {
		f := make(t, Size{Bits: 300, Hashes: 3})
		added := map[doc.OID]bool{}
		rapid.Check(t, func(rt *rapid.T) {
			batch := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) doc.OID { return doc.OID(rapid.String().Draw(t, "key")) }), 0, 5).Draw(rt, "batch")
			if err := f.Add(t.Context(), batch); err != nil {
				rt.Fatal(err)
			}
			for _, key := range batch {
				added[key] = true
			}
			for key := range added {
				if count(t, f, []doc.OID{key}) != 1 {
					rt.Fatalf("key %q was added: got no", key)
				}
			}
		})
	})
	t.Run("concurrent", func(t *testing.T) {
		f := make(t, size)
		var wg sync.WaitGroup
		for set := range 4 {
			wg.Go(func() {
				for i := range 50 {
					keys := []doc.OID{oid(set, i)}
					if err := f.Add(t.Context(), keys); err != nil {
						t.Error(err)
					}
					if maybe, err := f.Maybe(t.Context(), keys); err != nil || !maybe[0] {
						t.Errorf("key %d of set %d: got %v, %v", i, set, maybe, err)
					}
				}
			})
		}
		wg.Wait()
	})
	t.Run("full of ones", func(t *testing.T) { testFull(t, make(t, Size{Bits: 64, Hashes: 2})) })
}

// testFull expects a filter whose bits are all set to answer every key with maybe.
func testFull(t *testing.T, f Filter) {
	if err := f.Add(t.Context(), oids(1, 2000)); err != nil {
		t.Fatal(err)
	}
	if got := count(t, f, oids(9, 1000)); got != 1000 {
		t.Fatalf("got %d maybes of 1000, want 1000", got)
	}
}

func TestLocal(t *testing.T) {
	testFilter(t, func(_ *testing.T, size Size) Filter { return NewLocal(size) })
}

// TestRatesMatchTheFormula compares rates of false positives with the formula for
// m/n bits per key and k hashes, (1 - e^(-kn/m))^k.
func TestRatesMatchTheFormula(t *testing.T) {
	const n = 100_000
	hits := 3000.0 // expected false positives: their standard deviation is 2 %
	if testing.Short() {
		hits = 700
	}
	known := map[[2]int]float64{{8, 5}: 0.0217, {10, 7}: 0.0082, {16, 8}: 0.00057}
	keys := oids(1, n)
	for _, ratio := range []int{8, 10, 16} {
		for k := 4; k <= 8; k++ {
			t.Run(fmt.Sprintf("m/n=%d,k=%d", ratio, k), func(t *testing.T) {
				t.Parallel()
				f := NewLocal(Size{Bits: uint64(ratio) * n, Hashes: k})
				if err := f.Add(t.Context(), keys); err != nil {
					t.Fatal(err)
				}
				want := math.Pow(1-math.Exp(-float64(k)/float64(ratio)), float64(k))
				probes := int(hits / want)
				found := 0
				for from := 0; from < probes; from += 100_000 {
					probe := make([]doc.OID, min(100_000, probes-from))
					for i := range probe {
						probe[i] = oid(2, from+i)
					}
					found += count(t, f, probe)
				}
				got := float64(found) / float64(probes)
				t.Logf("got %.5f, formula %.5f, of %d keys", got, want, probes)
				if math.Abs(got/want-1) > 0.1 {
					t.Errorf("rate: got %.6f, want %.6f within 10 %%", got, want)
				}
				if table, ok := known[[2]int{ratio, k}]; ok && math.Abs(got/table-1) > 0.1 {
					t.Errorf("rate: got %.6f, want the table's %g within 10 %%", got, table)
				}
			})
		}
	}
}

func TestSizeFor(t *testing.T) {
	size, err := SizeFor(100_000_000, 0.01)
	if err != nil || size.Hashes != 7 || size.Bits < 958_000_000 || size.Bits > 959_000_000 {
		t.Errorf("got %+v, %v, want 7 hashes and 958.5 million bits", size, err)
	}
	for _, bad := range []struct {
		n    uint64
		rate float64
	}{{0, 0.1}, {1, 0}, {1, 1}, {1, -1}, {1, math.NaN()}} {
		if _, err := SizeFor(bad.n, bad.rate); err == nil {
			t.Errorf("SizeFor(%d, %v): got no error", bad.n, bad.rate)
		}
	}
}
