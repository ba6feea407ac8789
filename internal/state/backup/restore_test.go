package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/progress"
	"indexerd/store"
)

// forms are the names of a backup in a directory and in one file.
var forms = []string{"b", "b.tar.zst"}

// saved returns the name of a saved backup.
func saved(t *testing.T, form string) string {
	t.Helper()
	dest := filepath.Join(t.TempDir(), form)
	check(t, Save(bytes.NewReader(anyStream(t)), dest))
	return dest
}

func TestRestoreReturnsWhatWasSaved(t *testing.T) {
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			w, dir := newWorld(t), t.TempDir()
			r, answer := io.Pipe()
			go func() { answer.CloseWithError(Write(context.Background(), answer, w.backup())) }()
			dest, data := filepath.Join(dir, form), filepath.Join(dir, "data")
			check(t, Save(r, dest))
			check(t, Restore(dest, data, "test", nil))
			wantRestored(t, data)
			if got, want := files(t, data)["film/load"], files(t, w.dir)["film/load"]; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			entries, err := os.ReadDir(dir)
			check(t, err)
			if len(entries) != 2 {
				t.Errorf("got %v, want %s and data", entries, form)
			}
		})
	}
}

func TestSaveReplacesNothing(t *testing.T) {
	for _, form := range forms {
		dest := saved(t, form)
		wantError(t, Save(bytes.NewReader(anyStream(t)), dest), "save to "+dest+": it exists: choose another name")
	}
	wantError(t, Save(nil, filepath.Join(t.TempDir(), "absent", "b")), "no such file or directory")
}

func TestRestoreReplacesNothing(t *testing.T) {
	src, data := saved(t, "b"), t.TempDir()
	write(t, filepath.Join(data, "timeTrace.properties.prev"), "marks")
	wantError(t, Restore(src, data, "test", nil), "restore "+src+": "+filepath.Base(data)+" is not empty, it has timeTrace.properties.prev: move that away first")
	if got := files(t, data); len(got) != 1 {
		t.Errorf("got files %v, want one", got)
	}
	wantError(t, Restore(filepath.Join(data, "absent"), data, "test", nil), "no such file or directory")
	wantError(t, Restore(src, filepath.Join(data, "absent", "data"), "test", nil), "no such file or directory")
}

func TestRestoreIntoAnExistingDirectory(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, data string){
		"empty":  func(t *testing.T, data string) { check(t, os.Mkdir(data, 0o700)) },
		"a link": func(t *testing.T, data string) { check(t, os.Symlink(t.TempDir(), data)) },
		"a stray from a crash": func(t *testing.T, data string) {
			left := filepath.Join(filepath.Dir(data), ".data.indexerd.tmp", "film")
			check(t, os.MkdirAll(left, 0o700))
			write(t, filepath.Join(left, "stray"), "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			prepare(t, data)
			check(t, Restore(saved(t, "b"), data, "test", nil))
			wantRestored(t, data)
		})
	}
}

// The lock of the data directory is the same file after Restore, and stays locked.
func TestTheLockStaysLocked(t *testing.T) {
	data := t.TempDir()
	held, err := store.Lock(filepath.Join(data, lockName))
	check(t, err)
	check(t, Restore(saved(t, "b.tar.zst"), data, "test", nil))
	wantRestored(t, data)
	if _, err := store.Lock(filepath.Join(data, lockName)); !errors.Is(err, store.ErrLocked) {
		t.Errorf("second Lock: got error %v, want ErrLocked", err)
	}
	check(t, held.Release())
	again, err := store.Lock(filepath.Join(data, lockName))
	check(t, err)
	check(t, again.Release())
}

func TestRestoreRejectsADamagedDirectory(t *testing.T) {
	page := filepath.Join("film", "pages", "store", "rows")
	for want, spoil := range map[string]func(src string) error{
		"MANIFEST.json is missing":             func(src string) error { return os.Remove(filepath.Join(src, manifestName)) },
		page + " is missing":                   func(src string) error { return os.Remove(filepath.Join(src, page)) },
		page + " is damaged: its checksum":     func(src string) error { return flip(filepath.Join(src, page), 3) },
		page + " is damaged: it has 2 bytes":   func(src string) error { return os.Truncate(filepath.Join(src, page), 2) },
		page + " is damaged: it has 1099511":   func(src string) error { return os.Truncate(filepath.Join(src, page), 1<<40) }, // and is not copied
		"timeTrace.properties is damaged":      func(src string) error { return flip(filepath.Join(src, "timeTrace.properties"), 100) },
		"film/load is not a regular file":      func(src string) error { return instead(os.Symlink, "/etc/passwd", filepath.Join(src, "film", "load")) },
		"actor/history.jsonl is not a regular": func(src string) error { return pipe(filepath.Join(src, "actor", "history.jsonl")) },
		"path escapes from parent":             func(src string) error { return instead(os.Symlink, "/etc", filepath.Join(src, "film", "pages")) },
		"MANIFEST.json is too large: 67108865": func(src string) error { return os.Truncate(filepath.Join(src, manifestName), maxManifest+1) },
		"the backup has format 2 and this version reads 1: use the indexerd that wrote it, \"9.9\"": func(src string) error {
			return os.WriteFile(filepath.Join(src, manifestName), []byte(`{"format":2,"version":"9.9","files":"others"}`), 0o600)
		},
	} {
		t.Run(want, func(t *testing.T) {
			src, dir := saved(t, "b"), t.TempDir()
			check(t, spoil(src))
			wantError(t, Restore(src, filepath.Join(dir, "data"), "test", nil), want)
			wantEmpty(t, dir)
		})
	}
}

func flip(name string, at int) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text[at] ^= 1
	return os.WriteFile(name, text, 0o600)
}

func instead(link func(to, name string) error, to, name string) error {
	return errors.Join(os.RemoveAll(name), link(to, name))
}

func pipe(name string) error { return errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o600)) }

// Restore reads an archive twice, and detects a change between the two.
func TestAnArchiveThatChangesIsRejected(t *testing.T) {
	src, data := saved(t, "b.tar.zst"), filepath.Join(t.TempDir(), "data")
	from, err := openSource(src, nil)
	check(t, err)
	defer from.Close()
	m, err := from.manifest()
	check(t, err)
	m.Files[2].Size++
	root, err := os.OpenRoot(filepath.Dir(data))
	check(t, err)
	defer root.Close()
	wantError(t, restore(rooted{root}, changed{from, m}, "data", "test", nil), "has changed since it was checked")
	wantEmpty(t, filepath.Dir(data))
}

type changed struct {
	source
	checked manifest
}

func (c changed) manifest() (manifest, error) { return c.checked, nil }

// The manifest lists a table that the marks lack: the daemon could not start.
func TestATableWithoutMarksIsNotRestored(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	var out bytes.Buffer
	c := &copying{Backup: w.backup(), ctx: context.Background(), tar: tar.NewWriter(&out), manifest: manifest{Format: format}}
	c.manifest.Tables = []tableEntry{{Table: "language"}}
	check(t, c.run())
	check(t, Save(&out, filepath.Join(dir, "b")))
	wantError(t, Restore(filepath.Join(dir, "b"), filepath.Join(dir, "data"), "test", nil), "timeTrace.properties has no marks of language")
}

// Restore returns every page that was stored when the backup began, although pages
// are written during it.
func TestBackupOfPagesDuringWrites(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	pages, err := store.Open(filepath.Join(w.dir, "film", "pages"), store.Options{})
	check(t, err)
	defer pages.Close()
	put := func(n int) {
		if err := pages.Put([]doc.Page{page(n)}); err != nil {
			t.Error(err)
		}
	}
	for n := range 200 {
		put(n)
	}
	ctx, stop := context.WithCancel(context.Background())
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 200; ctx.Err() == nil; n++ {
			put(n)
		}
	})
	b := w.backup()
	b.Tables[1].Pages = pages
	text := stream(t, b)
	stop()
	writing.Wait()
	check(t, Save(bytes.NewReader(text), filepath.Join(dir, "b.tar.zst")))
	check(t, Restore(filepath.Join(dir, "b.tar.zst"), filepath.Join(dir, "data"), "test", nil))
	restored, err := store.Open(filepath.Join(dir, "data", "film", "pages"), store.Options{})
	check(t, err)
	defer restored.Close()
	for n := range 200 {
		if p, err := restored.Get(oid(n)); err != nil || string(p.Body) != string(page(n).Body) {
			t.Fatalf("page %d: got %q, %v, want %q", n, p.Body, err, page(n).Body)
		}
	}
}

func oid(n int) doc.OID { return doc.OID(fmt.Sprintf("%08d", n)) }

func page(n int) doc.Page {
	return doc.Page{
		Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(n), Updated: epoch}, Fetched: epoch.Add(time.Second), V: doc.Version(n + 1), Gen: 1},
		Body: []byte(fmt.Sprintf(`{"title":"film %d"}`, n)),
	}
}

// A restore counts what it reads, to its end.
func TestRestoreCountsBytes(t *testing.T) {
	for _, form := range forms {
		m := new(progress.Meter)
		check(t, Restore(saved(t, form), filepath.Join(t.TempDir(), "data"), "test", m))
		if r := m.Reading(); r.Done == 0 || r.Done != r.Of || r.Unit != progress.Bytes {
			t.Errorf("%s: got %+v, want all bytes done", form, r)
		}
	}
}
