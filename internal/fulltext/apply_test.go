package fulltext

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

func TestApplyFromSeveralGoroutines(t *testing.T) {
	ix := newIndex(t, films)
	const writers, rounds, each = 2, 5, 20
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for r := range rounds {
				var docs []doc.Doc
				for i := range each {
					docs = append(docs, film(t, int64(w*each+i), doc.Version(r+1), map[string]any{"title": fmt.Sprintf("round%d", r)}))
				}
				if err := ix.Apply(docs, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Go(func() { // readers see whole batches
		for range 50 {
			if n, err := ix.Count(); err != nil || n%each != 0 {
				t.Errorf("count: got %d, %v; want whole batches of %d", n, err, each)
			}
		}
	})
	all.Wait()
	if got, want := ask(t, ix, fmt.Sprintf("round%d", rounds-1)).Total, uint64(writers*each); got != want {
		t.Errorf("documents of the last round: got %d, want %d", got, want)
	}
	if got, want := ask(t, ix, "").Total, uint64(writers*each); got != want {
		t.Errorf("documents: got %d, want %d", got, want)
	}
}

func TestApplyOfTwoPuts(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{film(t, "a", 1, map[string]any{"title": "old"}), film(t, "a", 2, map[string]any{"title": "new"})})
	if got := find(t, ix, "new"); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the later put: got %v, want [a]", got)
	}
	if n := ask(t, ix, "").Total; n != 1 {
		t.Errorf("documents: got %d, want 1", n)
	}
}

// A batch with a value that does not fit is refused as a whole.
func TestApplyRefuses(t *testing.T) {
	ix := newIndex(t, films)
	err := ix.Apply([]doc.Doc{film(t, "a", 1, nil), film(t, "b", 1, map[string]any{"year": "soon"})}, nil)
	if want := "document b: column year: soon is no number"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if n := ask(t, ix, "").Total; n != 0 {
		t.Errorf("documents: got %d, want 0", n)
	}
}

// A damaged index is refused with one line, unless the damage took nothing.
// Opening it makes no damage worse.
func TestOpenBroken(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	ix, err := Create(dir, films, 1)
	if err != nil {
		t.Fatal(err)
	}
	drama := map[string]any{"title": "drama"}
	apply(t, ix, []doc.Doc{film(t, "a", 1, drama), film(t, "b", 1, drama), film(t, "c", 1, drama)})
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files: got %v, %v; want root.bolt and one segment", files, err)
	}
	for _, file := range files {
		size := len(readFile(t, file))
		for how, damage := range map[string]func([]byte) []byte{
			"empty": func([]byte) []byte { return nil },
			"half":  func(data []byte) []byte { return data[:size/2] },
			"zeros": func([]byte) []byte { return make([]byte, size) },
		} {
			t.Run(filepath.Base(file)+" "+how, func(t *testing.T) { checkBroken(t, dir, filepath.Base(file), damage) })
		}
	}
}

// checkBroken damages a file of a copy, and undoes it.
func checkBroken(t *testing.T, dir, name string, damage func([]byte) []byte) {
	copied := filepath.Join(t.TempDir(), "index")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(copied, name)
	data := readFile(t, file)
	if err := os.WriteFile(file, damage(data), 0o600); err != nil {
		t.Fatal(err)
	}
	ix, err := Open(copied, films)
	if err != nil {
		if !strings.Contains(err.Error(), "broken") || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line", err)
		}
		if name == "root.bolt" {
			return // bbolt keeps its lock when it panics
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if ix, err = Open(copied, films); err != nil {
			t.Fatal(err)
		}
	}
	closeAtEnd(t, ix)
	if n := ask(t, ix, "drama").Total; n != 3 {
		t.Errorf("documents: got %d, want 3", n)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDeadline(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{film(t, "a", 1, nil)})
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	if _, err := ix.Search(ctx, query.Request{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want DeadlineExceeded", err)
	}
}

// Err keeps the first failure, and Apply refuses from then on.
func TestErr(t *testing.T) {
	ix := newIndex(t, films)
	first := errors.New("disk full")
	ix.fate.fail(first)
	ix.fate.fail(errors.New("again"))
	if err := ix.Err(); !errors.Is(err, first) {
		t.Errorf("got %v, want %v", err, first)
	}
	if err := ix.Apply([]doc.Doc{film(t, "a", 1, nil)}, nil); !errors.Is(err, first) {
		t.Errorf("apply: got %v, want %v", err, first)
	}
	ix.fate = newFate()
}

// A full disk reaches Err through scorch's goroutines.
func TestPersistError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	ix, err := Create(dir, films, 1)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, ix, []doc.Doc{film(t, "a", 1, nil)})
	if err := os.RemoveAll(dir); err != nil { // no new segment can be written
		t.Fatal(err)
	}
	if err := ix.Apply([]doc.Doc{film(t, "b", 1, nil)}, nil); err == nil {
		t.Error("apply: got no error, want one")
	}
	for end := time.Now().Add(time.Minute); ix.Err() == nil; <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("err: got none within a minute, want one")
		}
	}
	if err := ix.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// What failed is not tried again while the index closes: a second commit, after
// one that an I/O error broke off, could keep bbolt's lock for ever.
func TestFailureIsNotTriedAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	ix, err := Create(dir, films, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil { // no new segment can be written
		t.Fatal(err)
	}
	if err := ix.Apply([]doc.Doc{film(t, "a", 1, nil)}, nil); err == nil {
		t.Error("apply: got no error, want one")
	}
	ix.fate.end()
	<-time.After(untilClosed / 5) // Close is slow to follow
	tries := scorchCount(t, ix, "TotPersistLoopErr")
	if err := ix.store.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	ix.queue.Close()
	if tries > 1 {
		t.Errorf("got %d tries that failed, want 1 at most", tries)
	}
}

// scorchCount is one of scorch's own counters.
func scorchCount(t *testing.T, ix *Index, name string) uint64 {
	t.Helper()
	text, err := ix.store.(*scorch.Scorch).Stats().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var counts map[string]any
	if err := json.Unmarshal(text, &counts); err != nil {
		t.Fatal(err)
	}
	n, ok := counts[name].(float64)
	if !ok {
		t.Fatalf("scorch counts no %s: %s", name, text)
	}
	return uint64(n)
}

// On a full disk all that write at once are told, searches go on, and no
// goroutine of the store runs into what another one has closed.
func TestFullDiskOfMany(t *testing.T) {
	for range 5 {
		dir := filepath.Join(t.TempDir(), "index")
		ix, err := Create(dir, films, 1)
		if err != nil {
			t.Fatal(err)
		}
		apply(t, ix, []doc.Doc{film(t, "a", 1, nil)})
		for n := 0; ix.Err() == nil; n++ {
			fullDisk(t, dir) // scorch may have tidied it up
			var writers sync.WaitGroup
			for i := range 8 {
				writers.Go(func() {
					_ = ix.Apply([]doc.Doc{film(t, fmt.Sprint(n, i), 1, nil)}, nil) // Err tells
					if _, err := ix.Search(context.Background(), query.Request{}); err != nil {
						t.Errorf("search: %v", err)
					}
				})
			}
			writers.Wait()
		}
		if err := ix.Apply([]doc.Doc{film(t, "b", 1, nil)}, nil); err == nil {
			t.Error("apply: an index that failed takes writes")
		}
		if err := ix.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

// fullDisk leaves no room for the next segments.
func fullDisk(t *testing.T, dir string) {
	t.Helper()
	for id := range 200 {
		err := os.Symlink("/dev/full", filepath.Join(dir, fmt.Sprintf("%012x.zap", id)))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
}
