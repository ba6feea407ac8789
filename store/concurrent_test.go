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

	"indexerd/internal/base/doc"
)

// TestReadersDuringWrites reads while one writer puts, deletes, fills segments
// and compacts. A reader sees only pages that were put for their key, a page that
// is never deleted is never missing, and the round of a page never decreases.
func TestReadersDuringWrites(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{SegmentBytes: 1 << 16, CompactRate: -1, Versions: 2})
	const keys = 300
	all := func(round int) (pages []doc.Page) {
		for n := range keys {
			pages = append(pages, testPage(n, fmt.Sprintf("%d %d %s", n, round, strings.Repeat("w", n*n%5000))))
		}
		return pages
	}
	put(t, m, all(0)...)
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			last := make([]int, keys)
			for !stop.Load() {
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
		if err := m.Delete(doc.Removals(0, testOID(round%keys/10*10))); err != nil {
			t.Fatal(err)
		}
		if round%5 == 0 {
			if err := compactAll(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	stop.Store(true)
	wg.Wait()
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

// readOne reads a page with Get and with View. Pages whose number ends in 0 may
// be deleted.
func readOne(m *FileMap, n int, last []int) error {
	for _, read := range []func() (doc.Page, error){
		func() (doc.Page, error) { return m.Get(testOID(n)) },
		func() (doc.Page, error) { return view(m, n) },
	} {
		p, err := read()
		if errors.Is(err, ErrNotFound) && n%10 == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("page %d: %w", n, err)
		}
		var got, round int
		if _, err := fmt.Sscan(string(p.Body), &got, &round); err != nil || got != n || p.Meta != testMeta(p.OID, string(p.Body)) {
			return fmt.Errorf("page %d: got %.40q", n, p.Body)
		}
		if round < last[n] {
			return fmt.Errorf("page %d: got round %d after %d", n, round, last[n])
		}
		last[n] = round
	}
	if _, ok, err := m.Meta(testOID(n)); err != nil || !ok && n%10 != 0 {
		return fmt.Errorf("Meta(%d): got %t, %w", n, ok, err)
	}
	return nil
}

// TestAllDuringWrites changes pages inside the loop over All: each page is listed
// at least once, and again with its new stamp if it was put during the list.
func TestAllDuringWrites(t *testing.T) {
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

// TestPresentDuringWrites puts each page that is listed once more: All would never end.
// Each page that was there is listed once.
func TestPresentDuringWrites(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{SegmentBytes: 1 << 12})
	for n := range 100 {
		put(t, m, testPage(n, "old"))
	}
	listed := 0
	for meta, err := range m.Present() {
		if err != nil {
			t.Fatal(err)
		}
		if want := testMeta(testOID(listed), "old"); meta != want {
			t.Fatalf("page %d: listed as %+v, want %+v", listed, meta, want)
		}
		put(t, m, doc.Page{Meta: testMeta(meta.OID, "new"), Body: []byte("new")}, testPage(1000+listed, "more"))
		listed++
	}
	if listed != 100 {
		t.Errorf("got %d pages, want 100", listed)
	}
}

// TestKeeperRemovesGarbage fills segments with garbage and waits until the keeper
// has removed it.
func TestKeeperRemovesGarbage(t *testing.T) {
	m := openTest(t, t.TempDir(), Options{SegmentBytes: 1 << 16, CompactRate: -1})
	for round := range 40 {
		var pages []doc.Page
		for n := range 200 {
			pages = append(pages, testPage(n, fmt.Sprint(round, strings.Repeat("g", 100))))
		}
		put(t, m, pages...)
	}
	deadline := time.After(2 * time.Minute)
	for m.Stats().Bytes > 200_000 { // 1.6 MB were written
		select {
		case <-deadline:
			t.Fatalf("got %+v after 2 minutes, want less garbage", m.Stats())
		case <-time.After(time.Millisecond):
		}
	}
	if fault := m.Stats().Fault; fault != nil {
		t.Errorf("Stats: got fault %v, want none", fault)
	}
	for n := range 200 {
		wantBody(t, m, n, "39"+strings.Repeat("g", 100))
	}
}

// TestCompactionIsPacedAndStops: a compaction copies at Options.CompactRate, and
// ends with its context, or when the map is closed, without loss.
func TestCompactionIsPacedAndStops(t *testing.T) {
	dir := t.TempDir()
	m, err := openMap(dir, Options{Compression: None, CompactRate: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // two thirds are garbage
		put(t, m, testPage(1, strings.Repeat("slow", 5000)), testPage(2, "x"))
	}
	if err := m.roll(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := m.maintain(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("maintain: got %v, want DeadlineExceeded", err)
	}
	wantBody(t, m, 1, strings.Repeat("slow", 5000))
	compacting := make(chan error, 1)
	go func() { compacting <- m.maintain(m.life) }()
	for m.compacting.TryLock() {
		m.compacting.Unlock()
		runtime.Gosched()
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-compacting; !errors.Is(err, context.Canceled) {
		t.Errorf("maintain during Close: got %v, want Canceled", err)
	}
	m = openTest(t, dir, Options{CompactRate: -1})
	before := m.Stats()
	if err := compactAll(m); err != nil {
		t.Fatal(err)
	}
	if after := m.Stats(); before.Garbage == 0 || after.Garbage != 0 || after.Bytes >= before.Bytes {
		t.Errorf("garbage: got %+v, then %+v, want it gone", before, after)
	}
	wantBody(t, m, 2, "x")
}
