package fulltext

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// A copy made during writes has whole batches, among them all that were
// acknowledged before.
func TestCopyToWhileWriting(t *testing.T) {
	t.Parallel()
	const each, copies = 10, 8
	ix := newIndex(t, films)
	var written sync.WaitGroup
	stop, first := make(chan struct{}), make(chan struct{})
	written.Go(func() {
		for n := 1; ; n++ {
			apply(t, ix, round(t, n, each))
			if n == 1 {
				close(first)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	<-first
	root := t.TempDir()
	for i := range copies {
		dir := filepath.Join(root, strconv.Itoa(i))
		before := rounds(t, ix, each)
		if err := ix.CopyTo(dir); err != nil {
			t.Fatal(err)
		}
		after := rounds(t, ix, each)
		copied, err := Open(dir, films)
		if err != nil {
			t.Fatal(err)
		}
		if got := rounds(t, copied, each); got < before || got > after {
			t.Errorf("copy %d: got round %d, want %d to %d", i, got, before, after)
		}
		apply(t, copied, round(t, 1, each)) // a copy can be written
		if err := errors.Join(copied.Err(), copied.Close()); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	written.Wait()
}

// round returns a batch that replaces the same documents, and adds one.
func round(t testing.TB, n, each int) []doc.Doc {
	var docs []doc.Doc
	for i := range each {
		docs = append(docs, film(t, int64(i), doc.Version(n), map[string]any{"year": int64(n)}))
	}
	return append(docs, film(t, int64(each+n), doc.Version(n), nil))
}

// rounds returns how many rounds an index has, and fails if one is incomplete.
func rounds(t testing.TB, ix *Index, each int) int {
	t.Helper()
	docs, _, err := ix.Documents("", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	n := len(docs) - each
	for i, d := range docs {
		if want := max(n, 1); i < each && d.V != doc.Version(want) {
			t.Fatalf("document %d of %d: got round %d, want %d", i, len(docs), d.V, want)
		}
	}
	return n
}

func TestCopyToFailsWithoutATrace(t *testing.T) {
	ix := newIndex(t, films)
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.MkdirAll(filepath.Join(dir+".tmp", "left"), 0o700); err != nil { // as after a crash
		t.Fatal(err)
	}
	if err := ix.CopyTo(dir); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "*"))
	if err != nil || !slices.Equal(names, []string{dir}) {
		t.Errorf("got %v, %v; want %s alone", names, err, dir)
	}
	if err := ix.CopyTo(dir); err == nil {
		t.Error("copy to an existing directory: got no error")
	}
	gone := errors.New("the disk is gone")
	ix.persist.fail(gone)
	if err := ix.CopyTo(dir + "2"); !errors.Is(err, gone) {
		t.Errorf("a failed index: got %v, want %v", err, gone)
	}
	ix.persist = newPersistState()
	closeIndex(t, ix)
	if err := ix.CopyTo(dir + "2"); err != ErrClosed {
		t.Errorf("a closed index: got %v, want ErrClosed", err)
	}
}

// TestCopyVictim is the process that TestKillCopy kills. It copies an index
// repeatedly, and prints the number of each durable copy.
func TestCopyVictim(t *testing.T) {
	dir := os.Getenv(victimDir)
	if dir == "" {
		t.Skip("run by TestKillCopy")
	}
	ix := create(t, filepath.Join(dir, "index"), films, 1)
	for n := range 20 {
		apply(t, ix, round(t, n+1, 10))
	}
	fmt.Println("0")
	for i := 1; ; i++ {
		if err := ix.CopyTo(filepath.Join(dir, strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
		fmt.Println(i)
	}
}

// A copy is complete if its directory exists, also after a kill at any moment.
func TestKillCopy(t *testing.T) {
	t.Parallel()
	kills := 10
	if testing.Short() {
		kills = 2
	}
	for range kills {
		dir := t.TempDir()
		done := kill(t, "TestCopyVictim", dir, time.Duration(rand.Int64N(int64(60*time.Millisecond))))
		for i := 1; ; i++ {
			ix, err := Open(filepath.Join(dir, strconv.Itoa(i)), films)
			if errors.Is(err, fs.ErrNotExist) && uint64(i) > done {
				break
			}
			if err != nil {
				t.Fatalf("copy %d of %d: %v", i, done, err)
			}
			if got := rounds(t, ix, 10); got != 20 {
				t.Errorf("copy %d: got round %d, want 20", i, got)
			}
			closeIndex(t, ix)
		}
	}
}
