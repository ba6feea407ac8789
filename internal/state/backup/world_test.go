package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/timetrace"
)

var epoch = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// A world is a data directory with two tables. Each copy of pages or index writes a
// row and uses numbers.
type world struct {
	t     *testing.T
	dir   string
	trace *timetrace.Trace
	rows  int // written to pages and index of each table
}

// stored is the content of a copy of pages or index.
type stored struct {
	Rows   int
	Number uint64 // the highest of any row
}

var tableNames = []string{"actor", "film"}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "data")}
	for _, name := range tableNames {
		check(t, os.MkdirAll(filepath.Join(w.dir, name), 0o700))
		write(t, filepath.Join(w.dir, name, "quarantine.jsonl"), `{"key":"1"}`+"\n")
		write(t, filepath.Join(w.dir, name, "history.jsonl"), strings.Repeat(`{"run":1}`+"\n", 1000)+`{"run":`)
	}
	write(t, filepath.Join(w.dir, "film", "load"), `{"range":1}`+"\n")
	var err error
	w.trace, err = timetrace.Open(atomicfile.OS, w.dir, "test")
	check(t, err)
	check(t, w.trace.Update(func(s timetrace.State) {
		for _, name := range tableNames {
			s[name] = timetrace.Table{Generation: 1, Loaded: true}
		}
	}))
	w.work()
	return w
}

// work writes a row and moves the marks after it.
func (w *world) work() {
	w.rows++
	check(w.t, w.trace.Update(func(s timetrace.State) {
		for _, name := range tableNames {
			m := s[name]
			m.Incremental, m.Numbers = at(w.rows), uint64(w.rows)*100
			s[name] = m
		}
	}))
}

func at(row int) time.Time { return epoch.Add(time.Duration(row) * time.Second) }

// copied is a fake of a table's pages or index.
type copied struct{ *world }

func (c copied) Snapshot(dir string) error { return c.CopyTo(dir) }

func (c copied) CopyTo(dir string) error {
	c.work()
	defer c.work()
	text, err := json.Marshal(stored{Rows: c.rows, Number: uint64(c.rows) * 100})
	if err != nil {
		return err
	}
	store := filepath.Join(dir, "store")
	return errors.Join(os.MkdirAll(store, 0o700), os.WriteFile(filepath.Join(store, "rows"), text, 0o600))
}

func (w *world) backup() Backup {
	b := Backup{Dir: w.dir, Version: "0.1.0", Trace: w.trace}
	for _, name := range tableNames {
		dir := filepath.Join(w.dir, name)
		b.Tables = append(b.Tables, Table{
			Name: name, Pages: copied{w}, Index: copied{w},
			Progress: []string{filepath.Join(dir, "load")},
			Files:    []string{filepath.Join(dir, "quarantine.jsonl"), filepath.Join(dir, "history.jsonl")},
		})
	}
	return b
}

// stream returns a whole backup.
func stream(t *testing.T, b Backup) []byte {
	t.Helper()
	var out bytes.Buffer
	check(t, Write(context.Background(), &out, b))
	return out.Bytes()
}

// anyStream returns a backup of some world.
func anyStream(t *testing.T) []byte {
	t.Helper()
	return stream(t, newWorld(t).backup())
}

// wantRestored expects a directory with the content of anyStream.
func wantRestored(t *testing.T, data string) {
	t.Helper()
	got := slices.Sorted(maps.Keys(files(t, data)))
	want := []string{"actor/history.jsonl", "actor/index/store/rows", "actor/pages/store/rows", "actor/quarantine.jsonl",
		"film/history.jsonl", "film/index/store/rows", "film/load", "film/pages/store/rows", "film/quarantine.jsonl", "timeTrace.properties"}
	if !slices.Equal(slices.DeleteFunc(got, func(name string) bool { return name == lockName }), want) {
		t.Fatalf("got files %v, want %v", got, want)
	}
	trace, err := timetrace.Open(atomicfile.OS, data, "test")
	check(t, err)
	for _, name := range tableNames {
		m, _ := trace.Table(name)
		if !strings.HasPrefix(m.Unverified, "restored from the backup of 20") || m.Rewinds != 1 {
			t.Fatalf("%s: got unverified %q after %d rewinds, want restored", name, m.Unverified, m.Rewinds)
		}
		for _, part := range []string{"pages", "index"} {
			if s := rowsOf(t, data, name, part); s.Number > m.Numbers || at(s.Rows).Before(m.Incremental) {
				t.Fatalf("%s of %s: got %+v, which the marks lead: %v, numbers %d", part, name, s, m.Incremental, m.Numbers)
			}
		}
	}
}

func rowsOf(t *testing.T, data, table, part string) stored {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, table, part, "store", "rows"))
	check(t, err)
	var s stored
	check(t, json.Unmarshal(text, &s))
	return s
}

// files returns the contents below a directory by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	check(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(text)
		return err
	}))
	return all
}

// wantEmpty expects an empty directory.
func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range entries {
		t.Errorf("%s is left", e.Name())
	}
}

// names returns the names of the files of a stream in their order.
func names(t *testing.T, stream []byte) (list []string) {
	t.Helper()
	r := tar.NewReader(bytes.NewReader(stream))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		check(t, err)
		list = append(list, h.Name)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got error %v, want one line with %q", err, want)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	check(t, os.WriteFile(name, []byte(text), 0o600))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
