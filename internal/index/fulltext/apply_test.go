package fulltext

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

func TestApplyFromSeveralGoroutines(t *testing.T) {
	t.Parallel()
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
	for _, text := range []string{"", fmt.Sprintf("round%d", rounds-1)} {
		if got, want := ask(t, ix, text).Total, uint64(writers*each); got != want {
			t.Errorf("documents with %q: got %d, want %d", text, got, want)
		}
	}
}

func TestBatchWithARejectedRowWritesNothing(t *testing.T) {
	ix := newIndex(t, films)
	short := film(t, "b", 1, nil)
	short.Row = doc.Row{Names: []string{"title"}, Values: []any{"b"}}
	err := ix.Apply([]doc.Doc{film(t, "a", 1, nil), short}, nil)
	if want := "is not in the row: the SQL must return it"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error that a column %s", err, want)
	}
	if n := ask(t, ix, "").Total; n != 0 {
		t.Errorf("documents: got %d, want 0", n)
	}
}

// After a failure Apply reports the first error, and writes nothing.
func TestApplyReportsTheFirstFailure(t *testing.T) {
	ix := newIndex(t, films)
	first := errors.New("disk full")
	ix.persist.fail(first)
	ix.persist.fail(errors.New("again"))
	if err := ix.Err(); !errors.Is(err, first) {
		t.Errorf("got %v, want %v", err, first)
	}
	if err := ix.Apply([]doc.Doc{film(t, "a", 1, nil)}, nil); !errors.Is(err, first) {
		t.Errorf("apply: got %v, want %v", err, first)
	}
	if n, err := ix.Count(); err != nil || n != 0 {
		t.Errorf("documents: got %d, %v, want 0", n, err)
	}
	ix.persist = newPersistState()
}

// A write that failed is not retried while the index closes. A second commit,
// after an I/O error in the first, could keep bbolt's lock forever.
func TestFailureIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index")
	ix := create(t, dir, films, 1)
	if err := os.RemoveAll(dir); err != nil { // no segment can be written
		t.Fatal(err)
	}
	if err := ix.Apply([]doc.Doc{film(t, "a", 1, nil)}, nil); err == nil {
		t.Error("apply: got no error, want one")
	}
	<-ix.persist.failed // the failure of a goroutine of scorch reaches Err
	if ix.Err() == nil {
		t.Error("err: got none, want one")
	}
	ix.persist.release()
	<-time.After(closeDelay / 5) // a retry would happen now
	tries := scorchCounter(t, ix, "TotPersistLoopErr")
	if err := ix.store.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	analysts.give()
	if tries > 1 {
		t.Errorf("got %d failed writes, want at most 1", tries)
	}
}

// scorchCounter returns one of scorch's counters.
func scorchCounter(t *testing.T, ix *Index, name string) uint64 {
	t.Helper()
	text, err := ix.store.(*scorch.Scorch).Stats().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var counters map[string]any
	if err := json.Unmarshal(text, &counters); err != nil {
		t.Fatal(err)
	}
	n, ok := counters[name].(float64)
	if !ok {
		t.Fatalf("scorch has no counter %s: %s", name, text)
	}
	return uint64(n)
}

// On a full disk every writer gets an error, searches go on, and no goroutine of
// the store uses a segment that another one has closed.
func TestFullDiskOfMany(t *testing.T) {
	t.Parallel()
	for range 5 {
		dir := filepath.Join(t.TempDir(), "index")
		ix := create(t, dir, films, 1)
		apply(t, ix, []doc.Doc{film(t, "a", 1, nil)})
		for n := 0; ix.Err() == nil; n++ {
			fillDisk(t, dir) // again, because scorch may have removed the files
			var writers sync.WaitGroup
			for i := range 8 {
				writers.Go(func() {
					_ = ix.Apply([]doc.Doc{film(t, fmt.Sprint(n, i), 1, nil)}, nil) // the loop checks Err
					if _, err := ix.Search(context.Background(), query.Request{}); err != nil {
						t.Errorf("search: %v", err)
					}
				})
			}
			writers.Wait()
		}
		if err := ix.Apply([]doc.Doc{film(t, "b", 1, nil)}, nil); err == nil {
			t.Error("apply after a failure: got no error")
		}
		if err := ix.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

// fillDisk makes the writes of the next segments fail with ENOSPC.
func fillDisk(t *testing.T, dir string) {
	t.Helper()
	for id := range 200 {
		err := os.Symlink("/dev/full", filepath.Join(dir, fmt.Sprintf("%012x.zap", id)))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
}
