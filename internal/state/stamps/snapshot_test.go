package stamps

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// A snapshot keeps its files, and the last one to close removes them.
func TestSnapshotKeepsItsFiles(t *testing.T) {
	fsys := faultfs.New()
	tree := newTree(t, fsys, 1<<20)
	put(t, tree, stampAt("k", 1))
	spill(t, tree)
	s, err := tree.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Prune(at(10)); err != nil {
		t.Fatal(err)
	}
	checkTree(t, tree, model{}, []doc.OID{"k"})
	checkWindow(t, s.window, allTime, []doc.Stamp{stampAt("k", 1)})
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	checkFiles(t, fsys, 0)
}

// A window has the state of the tree when its iteration began, and releases its
// files wherever the iteration ends.
func TestWindowIsOfOneMoment(t *testing.T) {
	want := []doc.Stamp{stampAt("a", 1), stampAt("b", 2), stampAt("c", 3)}
	for stop := 1; stop <= len(want)+1; stop++ {
		fsys := faultfs.New()
		tree := newTree(t, fsys, 1<<20)
		put(t, tree, want[0], want[2])
		spill(t, tree)
		put(t, tree, want[1])
		var got []doc.Stamp
		for stamp, err := range tree.Window(allTime) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, stamp); len(got) == stop {
				break
			}
			put(t, tree, stampAt("bb", 9))
			if err := tree.Prune(at(10)); err != nil {
				t.Fatal(err)
			}
		}
		if want := want[:min(stop, len(want))]; !slices.Equal(got, want) {
			t.Errorf("broken off at %d: got %v, want %v", stop, got, want)
		}
		if err := tree.Prune(at(10)); err != nil {
			t.Fatal(err)
		}
		checkFiles(t, fsys, 0)
	}
}

// A window returns each error once, also that of closing.
func TestWindowFails(t *testing.T) {
	faults := func(tree *Tree, each func()) (faults []error) {
		for _, err := range tree.Window(allTime) {
			if err != nil {
				faults = append(faults, err)
				continue
			}
			each()
		}
		return faults
	}
	fsys := faultfs.New()
	tree := newTree(t, fsys, 1<<20)
	put(t, tree, stampAt("k", 1))
	spill(t, tree)
	overwrite(t, fsys, runName(dir, 1), 20)
	if got := faults(tree, func() {}); len(got) != 1 || !errors.Is(got[0], errChecksum) {
		t.Errorf("a run that can't be read: got %v, want one error of the checksum", got)
	}
	if got := faults(tree, func() {}); len(got) != 1 {
		t.Errorf("the same again: got %v, want one error", got)
	}
	put(t, tree, stampAt("k", 1))
	spill(t, tree)
	got := faults(tree, func() {
		if err := tree.Prune(at(10)); err != nil {
			t.Fatal(err)
		}
		if err := fsys.Remove(runName(dir, 2)); err != nil {
			t.Fatal(err)
		}
	})
	if len(got) != 1 || !errors.Is(got[0], fs.ErrNotExist) {
		t.Errorf("a run that can't be removed: got %v, want that of closing", got)
	}
}

// Each snapshot is of one moment, while a writer spills, merges and prunes. The
// writer raises the digests of all keys in order, so of two keys the first one is
// ahead by one at most.
func TestSnapshotsDuringWrites(t *testing.T) {
	const keys, rounds = 300, 60
	tree := newTree(t, faultfs.New(), 8_000)
	stop := make(chan struct{})
	var readers errgroup.Group
	for range 3 {
		readers.Go(func() error {
			for {
				select {
				case <-stop:
					return nil
				default:
					if err := readOnce(tree, keys); err != nil {
						return err
					}
				}
			}
		})
	}
	for round := range int64(rounds) {
		for k := range int64(keys) {
			s := stampAt(oid(t, k, strings.Repeat("x", int(k%9))), k)
			s.Token.Digest = uint64(round + 1)
			put(t, tree, s)
		}
		if err := tree.Delete([]doc.OID{"none"}); err != nil {
			t.Fatal(err)
		}
		if err := tree.Prune(at(-1)); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	if err := readers.Wait(); err != nil {
		t.Fatal(err)
	}
}

func readOnce(tree *Tree, keys int) error {
	s, err := tree.snapshot()
	if err != nil {
		return err
	}
	defer s.close()
	first, err := collect(s.window, allTime)
	if err != nil {
		return err
	}
	for i := 1; i < len(first); i++ {
		before, after := first[i-1].Token.Digest, first[i].Token.Digest
		if before < after || before > after+1 || first[0].Token.Digest > after+1 {
			return fmt.Errorf("got round %d after round %d, the first is %d: not one moment of the tree", after, before, first[0].Token.Digest)
		}
	}
	if n := len(first); n > 0 {
		if got, ok, err := tree.Get(first[n-1].OID); err != nil || !ok || got.Token.Digest < first[n-1].Token.Digest {
			return fmt.Errorf("get: got %v, %v, %v, want what the snapshot had or a newer one", got, ok, err)
		}
		if first[0].Token.Digest > 1 && n != keys {
			return fmt.Errorf("got %d keys, want %d", n, keys)
		}
	}
	tree.Stats()
	second, err := collect(s.window, allTime)
	if err != nil || !slices.Equal(first, second) {
		return fmt.Errorf("the second walk differs from the first (%v)", err)
	}
	return nil
}
