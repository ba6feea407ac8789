package stamps

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// pagesOf returns stamps in pages of n, and then an error, unless it is nil.
func pagesOf(stamps []doc.Stamp, n int, err error) iter.Seq2[[]doc.Stamp, error] {
	return func(yield func([]doc.Stamp, error) bool) {
		for page := range slices.Chunk(stamps, n) {
			if !yield(page, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// sortAll returns the stamps that a sort yields, and its error, after which it
// must yield nothing.
func sortAll(t rapid.TB, tree *Tree, pages iter.Seq2[[]doc.Stamp, error]) (all []doc.Stamp, err error) {
	t.Helper()
	for page, e := range tree.Sorted(pages) {
		switch {
		case err != nil:
			t.Fatalf("got %d stamps and %v after the error %v, want nothing", len(page), e, err)
		case e == nil && (len(page) == 0 || len(page) > sortPage):
			t.Fatalf("got a page of %d stamps, want 1 to %d", len(page), sortPage)
		}
		all, err = append(all, page...), e
	}
	return all, err
}

// wantSorted returns what a sort of stamps yields.
func wantSorted(stamps []doc.Stamp) []doc.Stamp {
	once, unusable := map[doc.OID]doc.Stamp{}, false
	for _, s := range stamps {
		old, twice := once[s.OID]
		switch {
		case s.OID == "":
			unusable = true
			continue
		case twice && old != s:
			s.Token.Digest, s.Token.Epoch = 0, max(s.Token.Epoch, old.Token.Epoch)
			if s.Updated.IsZero() || old.Updated.After(s.Updated) && !old.Updated.IsZero() {
				s.Updated = old.Updated
			}
		}
		once[s.OID] = s
	}
	var want []doc.Stamp
	long := func(oid doc.OID) bool { return len(oid) > maxKey }
	for _, last := range []bool{false, true} {
		for _, oid := range slices.Sorted(maps.Keys(once)) {
			if long(oid) == last {
				want = append(want, once[oid])
			}
		}
	}
	if unusable {
		want = append(want, doc.Stamp{})
	}
	return want
}

func drawUnsorted(t *rapid.T, oids []doc.OID) []doc.Stamp {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) doc.Stamp {
		s := doc.Stamp{OID: rapid.SampledFrom(oids).Draw(t, "oid")}
		if s.OID == "" {
			return s
		}
		if rapid.IntRange(0, 9).Draw(t, "NULL") > 0 {
			s.Updated = at(rapid.Int64Range(-3, 3).Draw(t, "µs"))
		}
		s.Token = doc.Token{Digest: rapid.Uint64Range(0, 2).Draw(t, "digest"), Epoch: rapid.Uint32Range(0, 1).Draw(t, "epoch")}
		return s
	}), 0, 150).Draw(t, "stamps")
}

// A sort yields each OID once, in order, however many runs it writes, and leaves no
// file.
func TestSortedBehavesLikeAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fsys := faultfs.New()
		tree := newTree(t, fsys, rapid.SampledFrom([]int64{1, 500, 4_000, 1 << 20}).Draw(t, "budget"))
		oids := append(keys(t), "", doc.OID(strings.Repeat("x", maxKey+1)), doc.OID(strings.Repeat("x", maxKey)))
		stamps := drawUnsorted(t, oids)
		page := rapid.IntRange(1, 50).Draw(t, "page")
		got, err := sortAll(t, tree, pagesOf(stamps, page, nil))
		if err != nil {
			t.Fatal(err)
		}
		if want := wantSorted(stamps); !slices.Equal(got, want) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
		checkFiles(t, fsys, 0)

		failed := errors.New("connection lost")
		if got, err := sortAll(t, tree, pagesOf(stamps, page, failed)); err != failed || len(got) > 0 {
			t.Fatalf("pages that end in an error: got %v, %v, want only the error", got, err)
		}
		checkFiles(t, fsys, 0)
	})
}

// manyStamps returns n stamps in an order that is not that of their keys.
func manyStamps(t testing.TB, n int) []doc.Stamp { return shuffled(integerStamps(t, n)) }

// A sort that fits into memory touches no file.
func TestSmallSortTouchesNoFile(t *testing.T) {
	fsys := faultfs.New()
	tree := newTree(t, fsys, 0)
	fsys.Fail(func(s faultfs.Step) error { return fmt.Errorf("%s of %s", s.Op, s.Name) })
	for _, n := range []int{0, 1, sortPage, 2*sortPage + 1, 10_000} {
		stamps := manyStamps(t, n)
		if got, err := sortAll(t, tree, pagesOf(stamps, 300, nil)); err != nil || !slices.Equal(got, wantSorted(stamps)) {
			t.Errorf("%d stamps: got %d, %v, want them in order", n, len(got), err)
		}
	}
}

// Memory has at most sortBytes of stamps, in a slice that has no room for more.
func TestSortBoundsItsMemory(t *testing.T) {
	tree := newTree(t, faultfs.New(), 256<<10)
	s := &sorter{tree: tree, most: 64 << 10}
	for i, stamp := range manyStamps(t, 20_000) {
		if i%3 == 0 {
			stamp.OID = oid(t, fmt.Sprintf("customer-%011d", i))
		}
		if err := s.add(stamp); err != nil {
			t.Fatal(err)
		}
		if held := int64(cap(s.entries))*sortedBytes + s.arena.size(); held > 2*s.most {
			t.Fatalf("after %d stamps: got %d bytes, want at most %d", i+1, held, 2*s.most)
		}
		if int64(cap(s.entries)) > s.most/sortedBytes+1 || len(s.runs) > maxRuns {
			t.Fatalf("after %d stamps: got room for %d and %d runs, want at most %d and %d", i+1, cap(s.entries), len(s.runs), s.most/sortedBytes+1, maxRuns)
		}
	}
	if len(s.runs) < 2 {
		t.Errorf("got %d runs, want several", len(s.runs))
	}
	if err := s.runs.release(); err != nil {
		t.Fatal(err)
	}
}

// A caller that stops at any page leaves no file.
func TestSortLeftEarlyRemovesItsFiles(t *testing.T) {
	for _, budget := range []int64{0, 100_000} {
		fsys := faultfs.New()
		tree := newTree(t, fsys, budget)
		stamps := manyStamps(t, 3*sortPage)
		stamps = append(stamps, doc.Stamp{}, stampAt(doc.OID(strings.Repeat("x", maxKey+1)), 1))
		for stop := range 4 {
			pages := 0
			for _, err := range tree.Sorted(pagesOf(stamps, 100, nil)) {
				if err != nil {
					t.Fatal(err)
				}
				if pages++; pages > stop {
					break
				}
			}
			if pages != stop+1 {
				t.Errorf("got %d pages, want %d", pages, stop+1)
			}
			checkFiles(t, fsys, 0)
		}
	}
}

// If any step of a file fails, the sort yields a beginning of the stamps in order and
// then the fault, except for a file that can't be removed: New removes that.
func TestSortFailsWithItsFiles(t *testing.T) {
	stamps := manyStamps(t, 3*sortPage)
	want := wantSorted(stamps)
	fault := syscall.ENOSPC
	failed := map[string]int{}
	for k := 1; ; k++ {
		fsys := faultfs.New()
		tree := newTree(t, fsys, 100_000)
		op, at := "", k
		fsys.Fail(func(s faultfs.Step) error {
			if at--; at > 0 || at < 0 {
				return nil
			}
			op = s.Op
			return fault
		})
		got, err := sortAll(t, tree, pagesOf(stamps, 100, nil))
		if op == "" {
			break
		}
		failed[op]++
		if !errors.Is(err, fault) && op != "Remove" && op != "Close" || err == nil && len(got) != len(want) {
			t.Fatalf("%s, step %d: got %d stamps and %v, want the fault", op, k, len(got), err)
		}
		if !slices.Equal(got, want[:len(got)]) {
			t.Fatalf("%s, step %d: got %d stamps that are not the first ones", op, k, len(got))
		}
		fsys.Fail(nil)
		if op != "Remove" && op != "Close" {
			checkFiles(t, fsys, 0)
		}
		newTree(t, fsys, 0)
		checkFiles(t, fsys, 0)
	}
	for _, op := range []string{"OpenFile", "Write", "ReadAt", "Remove"} {
		if failed[op] == 0 {
			t.Errorf("got no fault of %s in %v, want one", op, failed)
		}
	}
}

// After a crash in the middle of a sort, New removes its files.
func TestNewRemovesTheRunsOfASort(t *testing.T) {
	for _, pick := range []func(int) int{faultfs.Worst, faultfs.Best} {
		fsys := faultfs.New()
		tree := newTree(t, fsys, 100_000)
		for range tree.Sorted(pagesOf(manyStamps(t, 3*sortPage), 100, nil)) {
			if files, err := fsys.ReadDir(dir); err != nil || len(files) == 0 {
				t.Fatalf("got files %v, %v, want some", files, err)
			}
			fsys = fsys.Crash(pick)
			break
		}
		newTree(t, fsys, 0)
		checkFiles(t, fsys, 0)
	}
}

// Two sorts and the tree's own runs do not disturb each other.
func TestSortBesideTheTree(t *testing.T) {
	fsys := faultfs.New()
	tree := newTree(t, fsys, 100_000)
	stamps := manyStamps(t, 2*sortPage)
	want := wantSorted(stamps)
	var got []doc.Stamp
	for page, err := range tree.Sorted(pagesOf(stamps, 100, nil)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page...)
		put(t, tree, page...)
		spill(t, tree)
		if inner, err := sortAll(t, tree, pagesOf(stamps, 70, nil)); err != nil || !slices.Equal(inner, want) {
			t.Fatalf("a sort inside a sort: got %d stamps, %v, want %d", len(inner), err, len(want))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %d stamps, want %d in order", len(got), len(want))
	}
	checkWindow(t, tree.Window, doc.Window{From: time.UnixMicro(0), To: at(1 << 50)}, want)
}
