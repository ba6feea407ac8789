package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/atomicfile"
	"indexerd/timetrace"
)

func TestOrderOfABackup(t *testing.T) {
	got := names(t, anyStream(t))
	want := []string{"timeTrace.properties", "film/load",
		"actor/pages/store/rows", "actor/index/store/rows", "actor/quarantine.jsonl", "actor/history.jsonl",
		"film/pages/store/rows", "film/index/store/rows", "film/quarantine.jsonl", "film/history.jsonl", "MANIFEST.json"}
	if !slices.Equal(got, want) {
		t.Errorf("got files %v, want %v", got, want)
	}
}

// Rows are written during the backup.
// The rows that the marks cover are in both copies.
func TestMarksDoNotLeadTheCopies(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	dest := filepath.Join(t.TempDir(), "b")
	check(t, Save(bytes.NewReader(anyStream(t)), dest))
	check(t, Restore(dest, data, "test", nil))
	wantRestored(t, data)
}

// If the marks were copied last they would cover rows that the copies lack.
func TestProgressCopiedLastLosesRows(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	for _, part := range []string{"pages", "index"} {
		check(t, copied{w}.CopyTo(filepath.Join(dir, "film", part)))
	}
	marks, _ := w.trace.Table("film")
	if s := rowsOf(t, dir, "film", "pages"); !marks.Incremental.After(at(s.Rows)) {
		t.Errorf("got the mark %v and rows up to %v, want the mark to lead", marks.Incremental, at(s.Rows))
	}
}

// Numbers are reserved between the copy of the marks and that of the pages. With
// the numbers of the copied marks new fetches would seem older than the pages.
func TestNumbersAreNotUsedTwice(t *testing.T) {
	dir := t.TempDir()
	check(t, Save(bytes.NewReader(anyStream(t)), filepath.Join(dir, "b")))
	trace, err := timetrace.Open(atomicfile.OS, filepath.Join(dir, "b"), "test")
	check(t, err)
	for _, name := range tableNames {
		asCopied, _ := trace.Table(name)
		if s := rowsOf(t, filepath.Join(dir, "b"), name, "pages"); asCopied.Numbers >= s.Number {
			t.Errorf("%s: the copied marks have numbers up to %d, the pages up to %d, want them higher", name, asCopied.Numbers, s.Number)
		}
	}
	check(t, Restore(filepath.Join(dir, "b"), filepath.Join(dir, "data"), "test", nil))
	wantRestored(t, filepath.Join(dir, "data")) // compares the numbers
}

func TestLogsEndWithAWholeLine(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"whole", "1\n2\n", "1\n2\n"},
		{"cut", "1\n2", "1\n"},
		{"no whole line", "1", ""},
		{"cut after more than a block", "1\n" + long, "1\n"},
		{"a newline at a block's begin", "\n" + long[:4095], "\n"},
		{"a newline at a block's end", long[:4096] + "\n" + long[:4096], long[:4096] + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, dest := newWorld(t), filepath.Join(t.TempDir(), "b")
			write(t, filepath.Join(w.dir, "film", "history.jsonl"), c.text)
			check(t, Save(bytes.NewReader(stream(t, w.backup())), dest))
			if got := files(t, dest)["film/history.jsonl"]; got != c.want {
				t.Errorf("got %.20q, %d bytes, want %.20q, %d bytes", got, len(got), c.want, len(c.want))
			}
		})
	}
}

func TestWriteLeavesNothingBehind(t *testing.T) {
	w := newWorld(t)
	for after := range 25 {
		wantError(t, Write(context.Background(), &shortWriter{left: after * 512}, w.backup()), "back up "+w.dir+": the connection is gone")
		if got := staged(t, w.dir); got != nil {
			t.Fatalf("written %d blocks: got %v, want no staging directory", after, got)
		}
	}
}

// staged lists what is staged in a data directory.
func staged(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, staging))
	check(t, err)
	return names
}

// Each Write has its own staging directory: the backup of a caller that has gone
// may still run.
func TestConcurrentBackups(t *testing.T) {
	w := newWorld(t)
	want := names(t, stream(t, w.backup()))
	first := w.backup()
	table := &first.Tables[0]
	table.Pages = between{table.Pages, func() {
		if got := names(t, stream(t, w.backup())); !slices.Equal(got, want) {
			t.Errorf("the second: got %q, want %q", got, want)
		}
	}}
	if got := names(t, stream(t, first)); !slices.Equal(got, want) {
		t.Errorf("the first: got %q, want %q", got, want)
	}
}

// between calls then after the copy of its pages.
type between struct {
	Pages interface{ Snapshot(dir string) error }
	then  func()
}

func (b between) Snapshot(dir string) error {
	if err := b.Pages.Snapshot(dir); err != nil {
		return err
	}
	b.then()
	return nil
}

// Clean removes staging directories, and not a backup in the data directory.
func TestCleanRemovesOnlyStagingDirectories(t *testing.T) {
	w := newWorld(t)
	check(t, Save(bytes.NewReader(stream(t, w.backup())), filepath.Join(w.dir, "kept")))
	check(t, Save(bytes.NewReader(stream(t, w.backup())), filepath.Join(w.dir, "kept.tar.zst")))
	want := files(t, w.dir)
	left := filepath.Join(w.dir, "backup-123.tmp", "film", "pages")
	check(t, os.MkdirAll(left, 0o700))
	write(t, filepath.Join(left, "key.dat"), "left by a crash")
	for range 2 {
		check(t, Clean(w.dir))
		if got := staged(t, w.dir); got != nil {
			t.Fatalf("got %v, want no staging directory", got)
		}
		if got := files(t, w.dir); !maps.Equal(got, want) {
			t.Errorf("got %d files, want the same %d as before", len(got), len(want))
		}
	}
}

// shortWriter is a connection that fails after some bytes.
type shortWriter struct{ left int }

func (s *shortWriter) Write(p []byte) (int, error) {
	if s.left -= len(p); s.left < 0 {
		return 0, errors.New("the connection is gone")
	}
	return len(p), nil
}

func TestWriteEndsWithItsContext(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	b := w.backup()
	b.Tables[1].Pages = after{copied{w}, cancel}
	var out bytes.Buffer
	if err := Write(ctx, &out, b); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want Canceled", err)
	}
	wantError(t, Save(&out, filepath.Join(t.TempDir(), "b")), "cut off")
}

// after calls do when a copy is complete.
type after struct {
	copied
	do func()
}

func (a after) Snapshot(dir string) error { return errors.Join(a.copied.Snapshot(dir), a.call()) }
func (a after) CopyTo(dir string) error   { return a.Snapshot(dir) }
func (a after) call() error               { a.do(); return nil }

func TestARebuildDuringABackupIsAnError(t *testing.T) {
	w := newWorld(t)
	b := w.backup()
	b.Tables[1].Index = after{copied{w}, func() {
		check(t, w.trace.UpdateTable("film", func(m *timetrace.Table) { m.Generation++ }))
	}}
	wantError(t, Write(context.Background(), io.Discard, b), "table film was rebuilt during the backup: back up again")
}

// A load that begins during the backup has no marks in it, and a table without
// marks cannot be opened.
func TestATableWithoutMarksIsSkipped(t *testing.T) {
	w := newWorld(t)
	b := w.backup()
	check(t, w.trace.Update(func(s timetrace.State) { delete(s, "film") }))
	b.Tables[0].Pages = after{copied{w}, func() {
		check(t, w.trace.UpdateTable("film", func(m *timetrace.Table) { m.Generation = 1 }))
	}}
	for _, name := range names(t, stream(t, b)) {
		if strings.HasPrefix(name, "film/") {
			t.Errorf("%s is in the backup", name)
		}
	}
}

// A table that was removed from the configuration has marks and is not copied.
// Its marks would prevent a new load.
func TestRestoreRemovesMarksOfTablesThatAreNotInTheBackup(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	b := w.backup()
	b.Tables = b.Tables[1:]
	check(t, Save(bytes.NewReader(stream(t, b)), filepath.Join(dir, "b")))
	check(t, Restore(filepath.Join(dir, "b"), filepath.Join(dir, "data"), "test", nil))
	trace, err := timetrace.Open(atomicfile.OS, filepath.Join(dir, "data"), "test")
	check(t, err)
	if got := trace.Tables(); len(got) != 1 || got["film"].Generation != 1 {
		t.Errorf("got marks %v, want those of film alone", got)
	}
}

func TestOnlyProgressMayBeMissing(t *testing.T) {
	w := newWorld(t)
	check(t, os.Remove(filepath.Join(w.dir, "film", "load")))
	if got := names(t, stream(t, w.backup())); slices.Contains(got, "film/load") {
		t.Errorf("got files %v, want no film/load", got)
	}
	check(t, os.Remove(filepath.Join(w.dir, "film", "history.jsonl")))
	if err := Write(context.Background(), io.Discard, w.backup()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got error %v, want ErrNotExist", err)
	}
}

// Write returns an error for a backup that Restore would reject.
func TestWriteChecksItsManifest(t *testing.T) {
	for want, spoil := range map[string]func(*testing.T, *Backup){
		"twice":                    func(_ *testing.T, b *Backup) { b.Tables[0].Files = append(b.Tables[0].Files, b.Tables[0].Files[0]) },
		"not a file name":          func(t *testing.T, b *Backup) { odd(t, &b.Tables[0]) },
		"is not a regular file":    func(t *testing.T, b *Backup) { linked(t, &b.Tables[0]) },
		"timeTrace.properties: no": func(t *testing.T, b *Backup) { check(t, os.Remove(filepath.Join(b.Dir, timetrace.FileName))) },
	} {
		t.Run(want, func(t *testing.T) {
			b := newWorld(t).backup()
			spoil(t, &b)
			wantError(t, Write(context.Background(), io.Discard, b), want)
		})
	}
}

func odd(t *testing.T, table *Table) {
	name := filepath.Join(t.TempDir(), `a\b`)
	write(t, name, "1\n")
	table.Files = append(table.Files, name)
}

func linked(t *testing.T, table *Table) {
	table.Index = linkedIndex{t.TempDir()}
}

type linkedIndex struct{ to string }

func (l linkedIndex) CopyTo(dir string) error {
	return errors.Join(os.Mkdir(dir, 0o700), os.Symlink(l.to, filepath.Join(dir, "store")))
}

func TestAFileThatBecomesShorterIsAnError(t *testing.T) {
	c := &copying{ctx: context.Background(), tar: tar.NewWriter(io.Discard)}
	wantError(t, c.add("film/history.jsonl", 10, strings.NewReader("1\n")), "film/history.jsonl became shorter during the backup")
}
