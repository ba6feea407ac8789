package store

import (
	"sync"
	"testing"

	"indexerd/internal/base/doc"
)

// TestSpread fills a small map until its slots are spread over all shards, while readers
// read and versions are replaced, and opens it on both sides of the limit.
func TestSpread(t *testing.T) {
	const pages = 300
	for _, versions := range []int{1, 2} {
		dir, want := t.TempDir(), newModel(versions)
		o := Options{Versions: versions, spreadAt: 100}
		m := openTest(t, dir, o)
		var readers sync.WaitGroup
		for n := range pages {
			for range 1 + n%3 {
				p := testPage(n, "text")
				if err := m.Put([]doc.Page{p}); err != nil {
					t.Fatal(err)
				}
				want.put(p)
			}
			if small := m.index.current().lows != nil; n == 10 && !small || n == pages-1 && small {
				t.Fatalf("%d pages with %d versions: small is %v", n, versions, small)
			}
			readers.Go(func() {
				for old := range n + 1 {
					if p, err := m.Get(testOID(old)); err != nil || p.OID != testOID(old) {
						t.Errorf("page %d of %d: %v", old, n, err)
					}
				}
			})
		}
		readers.Wait()
		compare(t, m, want, want)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{100, 0} {
			o.spreadAt = at
			m := openTest(t, dir, o)
			if small := m.index.current().lows != nil; small != (at == 0) {
				t.Errorf("opened with a limit of %d: small is %v", at, small)
			}
			compare(t, m, want, want)
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
