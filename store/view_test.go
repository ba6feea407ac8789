package store

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
)

// view returns what View shows, cloned.
func view(m *FileMap, n int) (page doc.Page, err error) {
	err = m.View(testOID(n), func(p doc.Page) error {
		page = doc.Page{Meta: p.Meta, Body: []byte(string(p.Body))}
		return nil
	})
	return page, err
}

func TestViewShowsWhatGetReturns(t *testing.T) {
	for _, c := range []Compression{S2, Zstd, None} {
		t.Run(fmt.Sprintf("compression=%d", c), func(t *testing.T) {
			m := openTest(t, t.TempDir(), Options{Compression: c})
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
				t.Errorf("View: got %v, want the error of its callback", err)
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := view(m, 1); err != errClosed {
				t.Errorf("View after Close: got %v, want %v", err, errClosed)
			}
		})
	}
}

func TestViewAllocatesNothing(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{})
	put(t, m, testPage(1, strings.Repeat("word ", 200)))
	oid, seen := testOID(1), 0
	see := func(p doc.Page) error {
		seen += len(p.Body)
		return nil
	}
	// The counter is the whole process's, so the least of several rounds counts.
	got := math.Inf(1)
	for range 20 {
		got = min(got, testing.AllocsPerRun(100, func() {
			if err := m.View(oid, see); err != nil {
				t.Error(err)
			}
		}))
	}
	if got > poolDrops || seen == 0 {
		t.Errorf("got %v allocations in a View and %d bytes seen, want at most %d and some", got, seen, poolDrops)
	}
}

func TestViewsInsideAViewUseOtherBuffers(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{})
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
}

// TestViewDelaysCompactionAndClose replaces a page during its View, fills
// segments, and then compacts or closes the map: both end only after View, and
// the body stays.
func TestViewDelaysCompactionAndClose(t *testing.T) {
	for what, end := range map[string]func(*FileMap) error{"compact": compactAll, "Close": (*FileMap).Close} {
		t.Run(what, func(t *testing.T) {
			m := openTest(t, t.TempDir(), Options{SegmentBytes: 1 << 16, CompactRate: -1, Compression: None})
			body := strings.Repeat("seen ", 1000)
			put(t, m, testPage(0, body))
			ended := make(chan error, 1)
			err := m.View(testOID(0), func(p doc.Page) error {
				epoch := m.epochs.now.Load()
				for round := range 12 {
					var pages []doc.Page
					for n := range 50 {
						pages = append(pages, testPage(n, fmt.Sprint(round, strings.Repeat("new", 300))))
					}
					put(t, m, pages...)
				}
				go func() { ended <- end(m) }()
				for m.epochs.now.Load() == epoch { // until the end, or a compaction of the keeper before it, waits for this reader
					runtime.Gosched()
				}
				if string(p.Body) != body {
					t.Errorf("got %.20q, want the body at the beginning of View", p.Body)
				}
				select {
				case err := <-ended:
					t.Errorf("%s ended during View: %v", what, err)
				default:
				}
				return nil
			})
			if err := errors.Join(err, <-ended); err != nil {
				t.Fatal(err)
			}
		})
	}
}
