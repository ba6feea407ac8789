package pagestest_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/pages/hbase"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/test/bigtabletest"
	"indexerd/internal/test/hbasetest"
	"indexerd/internal/test/pagestest"
	"indexerd/store"
	"indexerd/store/bloom"
)

func TestMain(m *testing.M) { os.Exit(hbasetest.Main(m)) }

// BenchmarkPages loads PAGES pages into each store, looks up all of them and lists them,
// and prints the rates beside FileMap's. Bigtable's emulator is in this process and in
// memory. It reads the rest of the table for each request of a list, so it lists 50,000
// pages at most.
func BenchmarkPages(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("PAGES"))
	if err != nil {
		n = 20_000
	}
	m, err := store.Open(b.TempDir(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	base := measure(b, "FileMap", m, n, n, [3]float64{})
	measure(b, "Bigtable's emulator", remote(b, bigtabletest.Open(b)), n, min(n, 50_000), base)
	b.Run("HBase", func(b *testing.B) { // skipped where it is not installed
		measure(b, "HBase", remote(b, &hbase.Store{Gateways: []string{hbasetest.URL(b)}, Table: "bench" + strconv.FormatInt(time.Now().UnixNano(), 36)}), n, n, base)
	})
	saved(b, n)
	fmt.Printf("bench-pages: pages=%d ok\n", n)
}

// saved prints the look-ups that a filter in memory saves in a load, which looks up
// every page before it writes it, and in a sweep, which looks up what is stored.
func saved(b *testing.B, n int) {
	p := remote(b, bigtabletest.Open(b)).(*pagetable.Pages)
	defer p.Close()
	size, err := bloom.SizeFor(uint64(n), 0.01)
	if err != nil {
		b.Fatal(err)
	}
	if err := p.UseFilter(b.Context(), bloom.NewLocal(size), bloom.ErrLost); err != nil {
		b.Fatal(err)
	}
	lookUp := func(pages []doc.Page) {
		if _, err := p.Metas(doc.OIDs(pages)); err != nil {
			b.Fatal(err)
		}
	}
	for _, pass := range []string{"load", "sweep"} {
		asked, excluded := p.Saved()
		for from := 0; from < n; from += 2000 {
			var pages []doc.Page
			for i := from; i < min(from+2000, n); i++ {
				pages = append(pages, pagestest.Page(i, doc.Version(i+1)))
			}
			if lookUp(pages); pass == "load" {
				if err := p.Put(pages); err != nil {
					b.Fatal(err)
				}
			}
		}
		a, e := p.Saved()
		fmt.Printf("a %s of %d pages: %d look-ups, the filter of %d bits saves %d\n", pass, n, a-asked, size.Bits, e-excluded)
	}
}

func remote(b *testing.B, s pagetable.Store) pagestest.Pages {
	p, err := pagetable.Config{Store: s, Name: "film", Versions: 1, Owner: "bench", Patience: time.Minute}.Open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// measure prints pages a second of a load, of look-ups and of a list, which ends after
// some pages.
func measure(b *testing.B, name string, p pagestest.Pages, n, list int, base [3]float64) (rates [3]float64) {
	defer p.Close()
	const batch = 2000
	each := func(do func(from, to int) error) float64 {
		began := time.Now()
		for from := 0; from < n; from += batch {
			if err := do(from, min(from+batch, n)); err != nil {
				b.Fatal(err)
			}
		}
		return float64(n) / time.Since(began).Seconds()
	}
	rates[0] = each(func(from, to int) error {
		var pages []doc.Page
		for i := from; i < to; i++ {
			pages = append(pages, pagestest.Page(i, doc.Version(i+1)))
		}
		return p.Put(pages)
	})
	rates[1] = each(func(from, to int) error {
		var oids []doc.OID
		for i := from; i < to; i++ {
			oids = append(oids, pagestest.Key(i))
		}
		_, err := p.Metas(oids)
		return err
	})
	began, listed := time.Now(), 0
	for _, err := range p.All() {
		if err != nil {
			b.Fatal(err)
		}
		if listed++; listed == list && list < n {
			break
		}
	}
	if rates[2] = float64(listed) / time.Since(began).Seconds(); listed != list {
		b.Fatalf("%s lists %d pages, want %d", name, listed, list)
	}
	for i, what := range []string{"put", "look up", "list"} {
		beside := ""
		if base[i] > 0 {
			beside = fmt.Sprintf(", FileMap %.0f times as many", base[i]/rates[i])
		}
		fmt.Printf("%-20s %-8s %8.0f pages/s%s\n", name, what, rates[i], beside)
	}
	return rates
}
