package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
)

// benchMap returns a map of n pages of about 2 KB.
func benchMap(b *testing.B, n int, o Options) *FileMap {
	b.Helper()
	m, err := Open(b.TempDir(), o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := m.Close(); err != nil {
			b.Error(err)
		}
	})
	for from := 0; from < n; from += 2000 {
		if err := m.Put(benchPages(from, min(from+2000, n))); err != nil {
			b.Fatal(err)
		}
	}
	return m
}

func benchPages(from, to int) []doc.Page {
	pages := make([]doc.Page, 0, to-from)
	for n := from; n < to; n++ {
		pages = append(pages, testPage(n, fmt.Sprintf(`{"row":{"id":%d,"text":"%s"}}`, n, strings.Repeat(fmt.Sprint("word ", n*n%977), 100))))
	}
	return pages
}

func BenchmarkGet(b *testing.B) {
	const n = 100_000
	for _, c := range []Compression{S2, None} {
		b.Run(fmt.Sprintf("compression=%d", c), func(b *testing.B) {
			m := benchMap(b, n, Options{Compression: c})
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := m.Get(testOID(rand.IntN(n))); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkMeta reads the Meta of present and of absent pages, as an index write
// does for each of its pages.
func BenchmarkMeta(b *testing.B) {
	const n = 100_000
	m := benchMap(b, n, Options{})
	for _, hit := range []int{0, 1} {
		b.Run(fmt.Sprintf("hit=%d", hit), func(b *testing.B) {
			for b.Loop() {
				if _, ok, err := m.Meta(testOID(rand.IntN(n) + n*(1-hit))); ok != (hit == 1) || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

// BenchmarkPut puts one durable batch of 2,000 pages.
func BenchmarkPut(b *testing.B) {
	for _, c := range []Compression{S2, Zstd, None} {
		b.Run(fmt.Sprintf("compression=%d", c), func(b *testing.B) {
			m := benchMap(b, 2000, Options{Compression: c})
			batches := [][]doc.Page{benchPages(0, 2000), benchPages(2000, 4000)}
			b.ResetTimer()
			for i := range b.N {
				if err := m.Put(batches[i%2]); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*2000/b.Elapsed().Seconds(), "pages/s")
		})
	}
}
