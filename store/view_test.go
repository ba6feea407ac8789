package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"indexerd/internal/doc"
)

// view returns what View shows, cloned.
func view(m *FileMap, n int) (page doc.Page, err error) {
	err = m.View(testOID(n), func(p doc.Page) error {
		page = doc.Page{Meta: p.Meta, Body: []byte(string(p.Body))}
		return nil
	})
	return page, err
}

// TestView: View shows what Get returns, or fails as it does, however the page
// is stored and however long it is.
func TestView(t *testing.T) {
	for _, c := range []Compression{S2, Zstd, None} {
		t.Run(fmt.Sprintf("compression=%d", c), func(t *testing.T) {
			eachWay(t, func(t *testing.T, o Options) {
				o.Compression = c
				m := openTest(t, t.TempDir(), o)
				for n, size := range []int{0, 1, 100, 5000, 40_000, 200_000} {
					put(t, m, testPage(n, strings.Repeat(fmt.Sprint(n), size)))
				}
				for n := range 7 { // there is no page 6
					want, wantErr := m.Get(testOID(n))
					got, err := view(m, n)
					if !errors.Is(err, wantErr) || got.Meta != want.Meta || string(got.Body) != string(want.Body) {
						t.Errorf("page %d: got %+v, %.20q, %v, want %+v, %.20q, %v", n, got.Meta, got.Body, err, want.Meta, want.Body, wantErr)
					}
				}
				stop := errors.New("stop")
				if err := m.View(testOID(1), func(doc.Page) error { return stop }); err != stop {
					t.Errorf("View: got %v, want what its callback returned", err)
				}
				if err := m.Close(); err != nil {
					t.Fatal(err)
				}
				if _, err := view(m, 1); err != errClosed {
					t.Errorf("View after Close: got %v, want %v", err, errClosed)
				}
			})
		})
	}
}

// TestViewAllocatesNothing: a View of a mapped page makes no work for the
// collector, which would cost as much again.
func TestViewAllocatesNothing(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{Mmap: true, Compression: None})
	put(t, m, testPage(1, strings.Repeat("word ", 200)))
	oid, seen := testOID(1), 0
	see := func(p doc.Page) error {
		seen += len(p.Body)
		return nil
	}
	got := testing.AllocsPerRun(100, func() {
		if err := m.View(oid, see); err != nil {
			t.Error(err)
		}
	})
	if got != 0 || seen == 0 {
		t.Errorf("got %v allocations a View and %d bytes seen, want none and some", got, seen)
	}
}

// TestViewReadsMore: within a View other pages can be read, and their bytes are
// not put where the first one's are.
func TestViewReadsMore(t *testing.T) {
	eachWay(t, func(t *testing.T, o Options) {
		m := openTest(t, t.TempDir(), o)
		body := func(n int) string { return strings.Repeat(fmt.Sprint("page ", n), 100) }
		put(t, m, testPage(1, body(1)), testPage(2, body(2)))
		err := m.View(testOID(1), func(outer doc.Page) error {
			return m.View(testOID(2), func(inner doc.Page) error {
				wantBody(t, m, 2, body(2))
				if string(outer.Body) != body(1) || string(inner.Body) != body(2) {
					t.Errorf("got %.12q and %.12q, want those of pages 1 and 2", outer.Body, inner.Body)
				}
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestViewHolds: while a page is looked at, it is put again and moved by a
// compaction, the map grows, and it is closed. The bytes stay, and a compaction
// and Close end only after the look. Without the pin the mapped case ends in a
// fault of the process.
func TestViewHolds(t *testing.T) {
	for _, end := range []struct {
		what string
		call func(*FileMap) error
	}{
		{"Compact", func(m *FileMap) error { return m.Compact(context.Background()) }},
		{"Close", (*FileMap).Close},
	} {
		t.Run(end.what, func(t *testing.T) {
			eachWay(t, func(t *testing.T, o Options) {
				o.Compression = None
				m := openTest(t, t.TempDir(), o)
				body := strings.Repeat("seen ", 1000)
				put(t, m, testPage(0, body))
				ended := make(chan error, 1)
				err := m.View(testOID(0), func(p doc.Page) error {
					epoch := m.epochs.now.Load()
					grow(t, m)
					go func() { ended <- end.call(m) }()
					for m.epochs.now.Load() == epoch { // until it, or the keeper's compaction before it, waits for this reader
						runtime.Gosched()
					}
					if string(p.Body) != body {
						t.Errorf("got %.20q, want what was there when View began", p.Body)
					}
					select {
					case err := <-ended:
						t.Errorf("%s ended during View: %v", end.what, err)
					default:
					}
					return nil
				})
				if err := errors.Join(err, <-ended); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// grow replaces page 0 and fills segments with pages that are put twice, from a
// writer of its own.
func grow(t *testing.T, m *FileMap) {
	t.Helper()
	written := make(chan error)
	go func() {
		for round := range 2 {
			for n := range 300 {
				if err := m.Put([]doc.Page{testPage(n, fmt.Sprint(round, strings.Repeat("new", 300)))}); err != nil {
					written <- err
					return
				}
			}
		}
		written <- nil
	}()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
}

// TestViewsWhileWriting looks at pages while they are put again and compacted:
// what is seen is whole, to the callback's end.
func TestViewsWhileWriting(t *testing.T) {
	eachWay(t, func(t *testing.T, o Options) {
		m := openTest(t, t.TempDir(), o)
		const keys = 50
		round := func(r int) (pages []doc.Page) {
			for n := range keys {
				pages = append(pages, testPage(n, strings.Repeat(fmt.Sprintf("%d of %d ", n, r), 50+10*n)))
			}
			return pages
		}
		put(t, m, round(0)...)
		var stop atomic.Bool
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for !stop.Load() {
					err := m.View(testOID(rand.IntN(keys)), func(p doc.Page) error {
						if p.Meta != testMeta(p.OID, string(p.Body)) {
							return fmt.Errorf("page %v: got %.40q with a wrong head", p.OID, p.Body)
						}
						return nil
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for r := 1; r <= 20; r++ {
			put(t, m, round(r)...)
			if r%4 == 0 {
				if err := m.Compact(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
		stop.Store(true)
		wg.Wait()
	})
}

// TestViewDamaged: a page whose stored bytes changed, of its head or of its
// value, is not shown, and is absent from then on.
func TestViewDamaged(t *testing.T) {
	body := strings.Repeat("x", 500)
	for what, off := range map[string]int64{"head": segmentHeaderSize + 81, "value": segmentHeaderSize + headerSize + 100} {
		t.Run(what, func(t *testing.T) {
			eachWay(t, func(t *testing.T, o Options) {
				o.Compression = None
				dir := t.TempDir()
				m := openTest(t, dir, o)
				put(t, m, testPage(1, body))
				f, err := os.OpenFile(segmentName(dir, (*m.order.Load())[0].number), os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.WriteAt([]byte{0xff}, off); err != nil {
					t.Fatal(err)
				}
				if err := m.View(testOID(1), func(doc.Page) error {
					t.Error("View showed a damaged page")
					return nil
				}); !errors.Is(err, ErrCorrupt) {
					t.Errorf("View: got %v, want ErrCorrupt", err)
				}
				if ok, err := m.Has(testOID(1)); ok || err != nil {
					t.Errorf("Has: got %t, %v, want it absent", ok, err)
				}
				if err := errors.Join(f.Close(), m.Close()); err != nil { // not to be checked: it is damaged
					t.Error(err)
				}
			})
		})
	}
}
