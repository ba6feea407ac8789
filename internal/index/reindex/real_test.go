package reindex

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
	"indexerd/store"
	"indexerd/timetrace"
)

// Two mappings of the same rows: a search for "run" finds "running" only with
// stemmed.
var (
	stemmed = schema.Mapping{Content: []string{"title"}, Analyzer: "en"}
	plain   = schema.Mapping{Content: []string{"title"}, Analyzer: "standard", Metadata: []schema.Field{{Name: "year", Type: schema.Number}}}
)

// A film is the storage of a table: real indexes, pages and marks.
type film struct {
	dir   string
	lane  chan struct{}
	trace *timetrace.Trace
	pages *store.FileMap
	live  *Switch
	sink  *sink.Sink

	mu      sync.Mutex
	index   *fulltext.Index
	mapping schema.Mapping
}

// openFilm opens the storage as a start does, or creates it with a mapping.
func openFilm(dir string, m schema.Mapping) (f *film, err error) {
	f = &film{dir: filepath.Join(dir, "film"), lane: make(chan struct{}, 1)}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, err
	}
	if err := Resolve(f.dir); err != nil {
		return nil, err
	}
	name := filepath.Join(f.dir, firstName)
	if _, err = os.Stat(name); err == nil {
		f.index, f.mapping, err = fulltext.OpenAsBuilt(name)
	} else {
		f.mapping = m
		f.index, err = fulltext.Create(name, m, 1)
	}
	if err != nil {
		return nil, err
	}
	if f.pages, err = store.Open(filepath.Join(f.dir, "pages"), store.Options{}); err != nil {
		return nil, err
	}
	if f.trace, err = timetrace.Open(atomicfile.OS, dir, "test"); err != nil {
		return nil, err
	}
	f.live = NewSwitch(f.index)
	guard := sink.NewGuard(sink.Limits{Count: math.MaxInt}, f.index.Count)
	f.sink = sink.New(f.live, f.pages, &fakeworld.Tree{}, fakeworld.NewQuarantine(), guard, func(n uint64) (first uint64, err error) {
		err = f.trace.UpdateTable("film", func(t *timetrace.Table) {
			first = t.Numbers + 1
			t.Numbers += n
		})
		return first, err
	})
	return f, nil
}

func (f *film) close() error { return errors.Join(f.index.Close(), f.pages.Close()) }

// put writes rows, as a pass does.
func (f *film) put(from, to int, title string) error {
	f.lane <- struct{}{}
	defer func() { <-f.lane }()
	seq, err := f.sink.Begin(func() error { return nil })
	if err != nil {
		return err
	}
	defer f.sink.End(seq)
	b := doc.Batch{Fetch: seq}
	for n := from; n < to; n++ {
		row := doc.Row{Names: []string{"title", "year"}, Values: []any{title, int64(n)}}
		b.Docs = append(b.Docs, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: key(n)}, Fetch: seq}, Row: row})
	}
	_, err = f.sink.Put(context.Background(), b)
	return err
}

// reindex runs a Reindex to another mapping.
func (f *film) reindex(m schema.Mapping) (Result, error) {
	f.lane <- struct{}{}
	defer func() { <-f.lane }()
	var next *fulltext.Index
	r := &Reindex{
		Table: "film", Live: f.live, Old: f.index, Pages: f.pages, Trace: f.trace, Chunk: 100,
		Place: &Dir{Path: f.dir, New: func(dir string, g doc.Generation) (_ New, err error) {
			if next, err = fulltext.Create(dir, m, g); err != nil {
				return nil, err // not next: a nil *Index in an interface is not nil
			}
			return next, nil
		}},
		Adopt: func() error {
			f.mu.Lock()
			old := f.index
			f.index, f.mapping = next, m
			f.mu.Unlock()
			return old.Close() // waits for its searches
		},
		Rest: func(context.Context, time.Duration) error {
			<-f.lane
			f.lane <- struct{}{}
			return nil
		},
	}
	return r.Run(context.Background())
}

// search returns how many documents have a word. If the index is closed just
// before the search, it searches again in the new one.
func (f *film) search(text string) (uint64, error) {
	n, err := query.Parse(text)
	if err != nil {
		return 0, err
	}
	for {
		f.mu.Lock()
		index := f.index
		f.mu.Unlock()
		res, err := index.Search(context.Background(), query.Request{Query: n, Size: 1})
		if !errors.Is(err, fulltext.ErrClosed) {
			return res.Total, err
		}
	}
}

// check checks the documents and that their pages have the same versions.
func (f *film) check(t testing.TB, rows int) {
	t.Helper()
	docs, _, err := f.index.Documents("", 2*rows)
	if err != nil || len(docs) != rows {
		t.Fatalf("got %d documents, %v; want %d", len(docs), err, rows)
	}
	for _, d := range docs {
		meta, ok, err := f.pages.Meta(d.OID)
		if err != nil || !ok || meta.V != d.V {
			t.Fatalf("document %v of version %d: got page of %d, %t, %v", d.OID, d.V, meta.V, ok, err)
		}
	}
	if n, err := f.search("running"); err != nil || n != uint64(rows) {
		t.Errorf("running: got %d, %v; want %d", n, err, rows)
	}
	want := uint64(0)
	if f.mapping.Analyzer == "en" {
		want = uint64(rows)
	}
	if n, err := f.search("run"); err != nil || n != want {
		t.Errorf("run, mapping %s: got %d, %v; want %d", f.mapping.Analyzer, n, err, want)
	}
}

// During a Reindex no search fails or misses a row, and no write is lost.
func TestReindexInUse(t *testing.T) {
	t.Parallel()
	const rows = 2000
	dir := t.TempDir()
	f, err := openFilm(dir, stemmed)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.put(0, rows, "running"); err != nil {
		t.Fatal(err)
	}
	var others sync.WaitGroup
	stop := make(chan struct{})
	all := func(f func(i int) error) {
		others.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					if err := f(i); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	all(func(int) error {
		n, err := f.search("running")
		if err == nil && n != rows {
			err = fmt.Errorf("running: got %d documents, want %d", n, rows)
		}
		return err
	})
	all(func(i int) error { return f.put(i*37%rows, i*37%rows+1, fmt.Sprint("running again ", i)) })
	result, err := f.reindex(plain)
	close(stop)
	others.Wait()
	if err != nil || !result.Swapped || result.Indexed != rows {
		t.Errorf("got %+v, %v; want all %d rows", result, err, rows)
	}
	f.check(t, rows)
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	if f, err = openFilm(dir, plain); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f.mapping, plain) {
		t.Errorf("after a restart: got mapping %+v, want %+v", f.mapping, plain)
	}
	f.check(t, rows)
	names, err := filepath.Glob(filepath.Join(f.dir, "index*"))
	if err != nil || !slices.Equal(names, []string{filepath.Join(f.dir, firstName)}) {
		t.Errorf("got %v, %v; want one index", names, err)
	}
	if err := f.close(); err != nil {
		t.Error(err)
	}
}

// victimDir is the environment variable that is set in the process to kill.
const victimDir = "INDEXERD_TEST_VICTIM"

// TestVictim is the process that TestKill kills. It runs one Reindex after another,
// between two mappings.
func TestVictim(t *testing.T) {
	dir := os.Getenv(victimDir)
	if dir == "" {
		t.Skip("run by TestKill")
	}
	f, err := openFilm(dir, stemmed)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("open")
	for {
		other := stemmed
		if reflect.DeepEqual(f.mapping, stemmed) {
			other = plain
		}
		if _, err := f.reindex(other); err != nil {
			t.Fatal(err)
		}
	}
}

// After a kill at any moment of a Reindex, the index is complete, with the old or
// the new mapping.
func TestKill(t *testing.T) {
	t.Parallel()
	const rows = 500
	kills := 20
	if testing.Short() {
		kills = 3
	}
	dir := t.TempDir()
	f, err := openFilm(dir, stemmed)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.put(0, rows, "running"), f.close()); err != nil {
		t.Fatal(err)
	}
	for range kills {
		kill(t, dir, time.Duration(rand.Int64N(int64(150*time.Millisecond))))
		if f, err = openFilm(dir, stemmed); err != nil {
			t.Fatal(err)
		}
		f.check(t, rows)
		if err := f.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// kill runs the victim and kills it some time after it has opened.
func kill(t *testing.T, dir string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestVictim$")
	cmd.Env = append(os.Environ(), victimDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() != "open" {
			t.Errorf("the victim printed %s", lines.Text())
			continue
		}
		time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // fails if the process has ended: see Wait
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the victim ended by itself: %v", err)
	}
}
