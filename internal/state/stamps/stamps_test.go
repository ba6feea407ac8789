package stamps

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// Entries have the byte order of their keys, in the entry or in the arena.
func TestEntriesAreInKeyOrder(t *testing.T) {
	key := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 'a', 0xff}), 1, 20)
	rapid.Check(t, func(t *rapid.T) {
		a, b := key.Draw(t, "a"), key.Draw(t, "b")
		if rapid.Bool().Draw(t, "common prefix") {
			b = append(bytes.Clone(a), b...)
		}
		m := newMemory()
		m.put(record{key: a})
		m.put(record{key: b})
		var got [][]byte
		for r := range m.all() {
			got = append(got, bytes.Clone(r.key))
		}
		want := [][]byte{a, b}
		slices.SortFunc(want, bytes.Compare)
		want = slices.CompactFunc(want, bytes.Equal)
		if !slices.EqualFunc(got, want, bytes.Equal) {
			t.Fatalf("got %x, want %x", got, want)
		}
	})
}

func TestMicrosRoundsUp(t *testing.T) {
	for ns, want := range map[int64]int64{0: 0, 1: 1, 999: 1, 1000: 1, 1001: 2, -1: 0, -999: 0, -1000: -1, -1001: -1} {
		if got := micros(time.Unix(0, ns)); got != want {
			t.Errorf("%d ns: got %d µs, want %d", ns, got, want)
		}
	}
}

func put(t testing.TB, tree *Tree, stamps ...doc.Stamp) {
	t.Helper()
	if err := tree.Put(stamps); err != nil {
		t.Fatal(err)
	}
}

// spill writes memory as a run.
func spill(t testing.TB, tree *Tree) {
	t.Helper()
	if err := tree.collapse(tree.mem, 0); err != nil {
		t.Fatal(err)
	}
}

func stampAt(o doc.OID, µs int64) doc.Stamp {
	return doc.Stamp{OID: o, Updated: at(µs), Token: doc.Token{Digest: uint64(µs), Epoch: 1}}
}

// updateTime may go backwards, so the newest version may be pruned first. The older
// versions that it hides must stay hidden: a row that returned to one of them would
// be taken for unchanged.
func TestPrunedStampHidesOlderOnes(t *testing.T) {
	for _, spilled := range []bool{false, true} {
		t.Run(fmt.Sprintf("newest spilled %v", spilled), func(t *testing.T) {
			fsys := faultfs.New()
			tree := newTree(t, fsys, 1<<20)
			put(t, tree, stampAt("k", 100), stampAt("l", 100))
			spill(t, tree)
			put(t, tree, stampAt("k", 50))
			if spilled {
				spill(t, tree)
			}
			for _, floor := range []int64{75, 100} {
				if err := tree.Prune(at(floor)); err != nil {
					t.Fatal(err)
				}
				checkTree(t, tree, model{"l": stampAt("l", 100)}, []doc.OID{"k", "l"})
			}
			if err := tree.Prune(at(101)); err != nil {
				t.Fatal(err)
			}
			checkTree(t, tree, model{}, []doc.OID{"k", "l"})
			checkFiles(t, fsys, 0)
			if entries, used, disk := tree.Stats(); entries != 0 || used != 0 || disk != 0 {
				t.Errorf("got %d entries, %d bytes, %d on disk, want nothing left", entries, used, disk)
			}
		})
	}
}

// A stamp below the last Prune is not kept, and hides an older one that a run has: a row that
// returned to that would be taken for unchanged.
func TestStampsBelowTheLastPrune(t *testing.T) {
	tree := newTree(t, faultfs.New(), 1<<20)
	if err := tree.Prune(at(75)); err != nil {
		t.Fatal(err)
	}
	put(t, tree, stampAt("k", 100), stampAt("l", 100), stampAt("m", 50))
	checkTree(t, tree, model{"k": stampAt("k", 100), "l": stampAt("l", 100)}, []doc.OID{"k", "l", "m"})
	spill(t, tree)
	put(t, tree, stampAt("k", 50))
	checkTree(t, tree, model{"l": stampAt("l", 100)}, []doc.OID{"k", "l", "m"})
	if err := tree.Prune(at(40)); err != nil { // S was set back
		t.Fatal(err)
	}
	put(t, tree, stampAt("m", 50))
	checkTree(t, tree, model{"l": stampAt("l", 100), "m": stampAt("m", 50)}, []doc.OID{"k", "l", "m"})
}

// A run that is mostly pruned is rewritten.
func TestPruneRewritesRuns(t *testing.T) {
	tree := newTree(t, faultfs.New(), 16<<20)
	want := model{}
	for i := range int64(20_000) {
		s := stampAt(oid(t, i), i%10)
		put(t, tree, s)
		want[s.OID] = s
	}
	put(t, tree, stampAt("kept", 100))
	spill(t, tree)
	_, _, before := tree.Stats()
	for _, floor := range []int64{5, 9} {
		if err := tree.Prune(at(floor)); err != nil {
			t.Fatal(err)
		}
	}
	_, _, after := tree.Stats()
	if after > before/5 {
		t.Errorf("got %d bytes on disk with a tenth left, want much less than %d", after, before)
	}
	want.prune(at(9))
	want["kept"] = stampAt("kept", 100)
	checkTree(t, tree, want, nil)
}

func TestNewRemovesOldRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"000007.run", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := New(Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || files[0].Name() != "notes.txt" {
		t.Errorf("got %v, want only the file that is no run", files)
	}
}

func TestNewFails(t *testing.T) {
	fault := errors.New("disk fault")
	for k, want := range map[int]string{1: "ReadDir", 2: "Remove"} {
		fsys := faultfs.New()
		tree := newTree(t, fsys, 1<<20)
		put(t, tree, stampAt("k", 1))
		spill(t, tree)
		fsys.Fail(faultfs.At(k, fault))
		_, err := New(Options{FS: fsys, Dir: dir})
		if !errors.Is(err, fault) || !strings.HasPrefix(err.Error(), "stamps: prepare /stamps: "+want) {
			t.Errorf("step %d: got %v, want the fault of %s", k, err, want)
		}
	}
	if _, err := New(Options{}); err == nil || !strings.Contains(err.Error(), "no directory") {
		t.Errorf("no directory: got %v, want that error", err)
	}
}

// The tree does not keep empty keys, keys that are too long, and rows without an
// updateTime.
func TestTreeDoesNotKeepSomeStamps(t *testing.T) {
	tree := newTree(t, faultfs.New(), 1<<20)
	longest, tooLong := doc.OID(strings.Repeat("x", maxKey)), doc.OID(strings.Repeat("x", maxKey+1))
	put(t, tree, stampAt("", 1), stampAt(tooLong, 2), stampAt(longest, 3), doc.Stamp{OID: "NULL"})
	want := model{longest: stampAt(longest, 3)}
	checkTree(t, tree, want, []doc.OID{"", tooLong, longest, "NULL"})
	spill(t, tree)
	checkTree(t, tree, want, []doc.OID{"", tooLong, longest, "NULL"})
}

// On a full disk a spill fails, and the tree is empty.
func TestFullDiskEmptiesTheTree(t *testing.T) {
	fsys := faultfs.New()
	tree := newTree(t, fsys, 1<<20)
	put(t, tree, stampAt("k", 1), stampAt("l", 2))
	spill(t, tree)
	put(t, tree, stampAt("k", 3))
	fsys.Fail(func(s faultfs.Step) error {
		if s.Op == "Write" {
			return syscall.ENOSPC
		}
		return nil
	})
	err := tree.change(tree.spill)
	if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "spill 1 stamps: write run: ") {
		t.Errorf("got %v, want the step and the error of the disk", err)
	}
	checkTree(t, tree, model{}, []doc.OID{"k", "l"})
	checkFiles(t, fsys, 0)
}

// Reads of a damaged run fail until the tree changes, which empties it.
func TestUnreadableRun(t *testing.T) {
	fsys := faultfs.New()
	tree := newTree(t, fsys, 1<<20)
	put(t, tree, stampAt("k", 1))
	spill(t, tree)
	put(t, tree, stampAt("l", 2))
	overwrite(t, fsys, runName(dir, 1), 20)

	s, err := tree.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if got, err := collect(s.window, allTime); !errors.Is(err, errChecksum) {
		t.Errorf("window: got %v, %v, want an error of the checksum", got, err)
	}
	if got, ok, err := tree.Get("k"); !errors.Is(err, errChecksum) || ok {
		t.Errorf("get: got %v, %v, %v, want an error of the checksum", got, ok, err)
	}
	if got, ok, err := tree.Get("l"); err != nil || !ok || got != stampAt("l", 2) {
		t.Errorf("get from memory: got %v, %v, %v, want the stamp", got, ok, err)
	}
	if _, err := tree.snapshot(); err == nil {
		t.Error("snapshot: got no error, want one")
	}
	put(t, tree, stampAt("m", 3))
	checkTree(t, tree, model{"m": stampAt("m", 3)}, []doc.OID{"k", "l", "m"})
}

func overwrite(t *testing.T, fsys atomicfile.FS, name string, offset int64) {
	t.Helper()
	f, err := fsys.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte{0xff}, offset); err != nil {
		t.Fatal(err)
	}
}

func TestFailedRemovalOfARunIsReturned(t *testing.T) {
	fsys := faultfs.New()
	tree := newTree(t, fsys, 1<<20)
	put(t, tree, stampAt("k", 1))
	spill(t, tree)
	if err := fsys.Remove(runName(dir, 1)); err != nil {
		t.Fatal(err)
	}
	err := tree.Prune(at(10))
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "remove run /stamps/000001.run: ") {
		t.Errorf("got %v, want the name of the run", err)
	}
}
