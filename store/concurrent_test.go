package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// TestReadersNeverWait reads while one writer puts, deletes, fills segments and
// compacts. A reader only ever sees a page that was put for its key, and a page
// that is never deleted is never missing. A page's number only grows.
func TestReadersNeverWait(t *testing.T) {
	eachWay(t, func(t *testing.T, o Options) {
		o.Versions = 2
		m := openTest(t, t.TempDir(), o)
		const keys = 300
		all := func(round int) (pages []doc.Page) {
			for n := range keys {
				pages = append(pages, testPage(n, fmt.Sprintf("%d %d %s", n, round, strings.Repeat("w", n))))
			}
			return pages
		}
		put(t, m, all(0)...)
		var stop atomic.Bool
		var reads atomic.Int64
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				last := make([]int, keys)
				for !stop.Load() {
					reads.Add(1)
					if err := readOne(m, rand.IntN(keys), last); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Go(func() {
			pause := time.NewTicker(20 * time.Millisecond) // compactions wait for lists
			defer pause.Stop()
			for !stop.Load() {
				<-pause.C
				listAtLeast(t, m, keys*9/10)
			}
		})
		rounds := 30
		if testing.Short() {
			rounds = 10
		}
		for round := 1; round <= rounds; round++ {
			put(t, m, all(round)...)
			if err := m.Delete([]doc.OID{testOID(round % keys / 10 * 10)}); err != nil {
				t.Fatal(err)
			}
			if round%5 == 0 {
				if err := m.Compact(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		}
		stop.Store(true)
		wg.Wait()
		t.Logf("%d reads, %+v", reads.Load(), m.Stats())
	})
}

func listAtLeast(t *testing.T, m *FileMap, want int) {
	t.Helper()
	listed := 0
	for _, err := range m.All() {
		if err != nil {
			t.Error(err)
			return
		}
		listed++
	}
	if listed < want {
		t.Errorf("All: got %d pages, want at least %d", listed, want)
	}
}

// readOne gets a page; those whose number ends in 0 may be deleted.
func readOne(m *FileMap, n int, last []int) error {
	p, err := m.Get(testOID(n))
	if errors.Is(err, ErrNotFound) && n%10 == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("Get(%d): %w", n, err)
	}
	var got, round int
	if _, err := fmt.Sscan(string(p.Body), &got, &round); err != nil || got != n || p.Meta != testMeta(p.OID, string(p.Body)) {
		return fmt.Errorf("Get(%d): got %q", n, p.Body)
	}
	if round < last[n] {
		return fmt.Errorf("Get(%d): got round %d after %d", n, round, last[n])
	}
	last[n] = round
	if ok, err := m.Has(testOID(n)); err != nil || !ok && n%10 != 0 {
		return fmt.Errorf("Has(%d): got %t, %w", n, ok, err)
	}
	return nil
}

// TestAllWhileWriting changes pages from within the list: each comes at least
// once, and again with its new stamp when it was put meanwhile.
func TestAllWhileWriting(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{SegmentBytes: 1 << 12})
	for n := range 100 {
		put(t, m, testPage(n, "old"))
	}
	seen := map[doc.OID]doc.Meta{}
	for meta, err := range m.All() {
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) < 100 && seen[meta.OID].OID == "" {
			put(t, m, doc.Page{Meta: testMeta(meta.OID, "new"), Body: []byte("new")})
		}
		seen[meta.OID] = meta
	}
	for n := range 100 {
		if got, want := seen[testOID(n)], testMeta(testOID(n), "new"); got != want {
			t.Fatalf("page %d: last listed as %+v, want %+v", n, got, want)
		}
	}
}

// TestKeeper fills segments with garbage and waits until it is gone without
// being asked for.
func TestKeeper(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{SegmentBytes: 1 << 16, CompactRate: -1})
	for round := range 40 {
		var pages []doc.Page
		for n := range 200 {
			pages = append(pages, testPage(n, fmt.Sprint(round, strings.Repeat("g", 100))))
		}
		put(t, m, pages...)
	}
	deadline := time.After(20 * time.Second)
	for m.Stats().Bytes > 200_000 { // of 1.6 MB written
		select {
		case <-deadline:
			t.Fatalf("garbage is still there: %+v", m.Stats())
		case <-time.After(time.Millisecond):
		}
	}
	for n := range 200 {
		wantBody(t, m, n, "39"+strings.Repeat("g", 100))
	}
}

// TestCompactPace: a rewrite takes the time that its rate asks for, and ends
// when it is told to, without harm.
func TestCompactPace(t *testing.T) {
	dir := t.TempDir()
	m := openTest(t, dir, Options{Compression: None, CompactRate: 1000})
	for range 2 {
		put(t, m, testPage(1, strings.Repeat("slow", 5000)), testPage(2, "x"))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := m.Compact(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Compact: got %v, want it out of time", err)
	}
	wantBody(t, m, 1, strings.Repeat("slow", 5000))
	compacting := make(chan error, 1)
	go func() { compacting <- m.Compact(t.Context()) }()
	for m.compacting.TryLock() {
		m.compacting.Unlock()
		runtime.Gosched()
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	// Close may come before Compact's first step, or between two of its steps.
	if err := <-compacting; !errors.Is(err, context.Canceled) && !errors.Is(err, errClosed) {
		t.Errorf("Compact while the map is closed: got %v, want canceled or closed", err)
	}
	m = openTest(t, dir, Options{CompactRate: -1})
	before := m.Stats()
	if err := m.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := m.Stats(); before.Garbage == 0 || after.Garbage != 0 || after.Bytes >= before.Bytes {
		t.Errorf("garbage: got %+v, then %+v, want it gone", before, after)
	}
	wantBody(t, m, 2, "x")
}
