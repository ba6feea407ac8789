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

	"indexerd/internal/doc"
)

// A copy that is made while batches are written has whole batches: those that
// were acknowledged before, and no half of one that was not. Merging goes on.
func TestCopyToWhileWriting(t *testing.T) {
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
		apply(t, copied, round(t, 1, each)) // it is an index like any other
		if err := errors.Join(copied.Err(), copied.Close()); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	written.Wait()
}

// round is a batch that writes the same documents again, and one of its own.
func round(t testing.TB, n, each int) []doc.Doc {
	var docs []doc.Doc
	for i := range each {
		docs = append(docs, film(t, int64(i), doc.Version(n), map[string]any{"year": int64(n)}))
	}
	return append(docs, film(t, int64(each+n), doc.Version(n), nil))
}

// rounds is how many rounds an index has, all of them whole.
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

func TestCopyToRefuses(t *testing.T) {
	ix := newIndex(t, films)
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.MkdirAll(filepath.Join(dir+".tmp", "left"), 0o700); err != nil { // by a crash
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
		t.Error("into a directory that is there: got no error")
	}
	gone := errors.New("the disk is gone")
	ix.fate.fail(gone)
	if err := ix.CopyTo(dir + "2"); !errors.Is(err, gone) {
		t.Errorf("a broken index: got %v, want %v", err, gone)
	}
	ix.fate = newFate()
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	if err := ix.CopyTo(dir + "2"); err != ErrClosed {
		t.Errorf("a closed index: got %v, want ErrClosed", err)
	}
}

// TestCopyVictim is not a test of its own: it copies an index again and again,
// and says which copies are durable, until it is killed.
func TestCopyVictim(t *testing.T) {
	dir := os.Getenv(victimDir)
	if dir == "" {
		t.Skip("run by TestKillCopy")
	}
	ix, err := Create(filepath.Join(dir, "index"), films, 1)
	if err != nil {
		t.Fatal(err)
	}
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

// TestKillCopy kills a process while it copies. What has its name is whole; the
// copy that was under way does not have it.
func TestKillCopy(t *testing.T) {
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
			if err := ix.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
