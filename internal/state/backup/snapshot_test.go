package backup

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/base/atomicfile"
	"indexerd/timetrace"
)

// elsewhere is the backup of a world whose marks and quarantine are not below its data
// directory, but where w.trace has them.
func (w *world) elsewhere() Backup {
	b := w.backup()
	for i := range b.Tables {
		b.Tables[i].Files = b.Tables[i].Files[1:] // without the quarantine
	}
	check(w.t, os.Rename(filepath.Join(w.dir, timetrace.FileName), filepath.Join(w.dir, timetrace.FileName+".moved")))
	b.Snapshot = func(dir string) error {
		trace, err := timetrace.Open(atomicfile.OS, dir, "test")
		check(w.t, err)
		check(w.t, trace.Update(func(s timetrace.State) {
			for name, m := range w.trace.Tables() {
				s[name] = m
			}
		}))
		for _, name := range tableNames {
			check(w.t, os.Mkdir(filepath.Join(dir, name), 0o700))
			write(w.t, filepath.Join(dir, name, "quarantine.jsonl"), `{"key":"of the snapshot"}`+"\n")
		}
		return nil
	}
	return b
}

// Marks outside of the data directory are copied before pages and index too: they don't lead the
// copies. The archive has the files of any other, and numbers above those of the copies.
func TestMarksOfASnapshotDoNotLead(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	src, data := filepath.Join(dir, "b.tar.zst"), filepath.Join(dir, "data")
	check(t, Save(bytes.NewReader(stream(t, w.elsewhere())), src))
	check(t, Restore(src, data, "test", nil))
	wantRestored(t, data)
	for _, name := range tableNames {
		if got := files(t, data)[name+"/quarantine.jsonl"]; !strings.Contains(got, "of the snapshot") {
			t.Errorf("%s: got quarantine %q, want that of the snapshot", name, got)
		}
	}
	wantEmptyStaging(t, w.dir)
}

func wantEmptyStaging(t *testing.T, dir string) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(dir, staging)); err != nil || len(left) > 0 {
		t.Errorf("got staging directories %v, %v, want none", left, err)
	}
}

// A snapshot that fails fails the backup: no archive has an older or a half one.
func TestAFailedSnapshot(t *testing.T) {
	w, failed := newWorld(t), errors.New("etcd does not answer")
	b := w.elsewhere()
	take := b.Snapshot
	b.Snapshot = func(dir string) error { return errors.Join(take(dir), failed) }
	if err := Write(context.Background(), io.Discard, b); !errors.Is(err, failed) {
		t.Errorf("got error %v, want %v", err, failed)
	}
	wantEmptyStaging(t, w.dir)
}

// Extra files appear with the backup.
func TestRestoreAddsFiles(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	check(t, Restore(saved(t, "b"), data, "test", nil, Extra{"id", "one\n"}))
	if got := files(t, data)["id"]; got != "one\n" {
		t.Errorf("got %q, want the extra file", got)
	}
	check(t, os.Remove(filepath.Join(data, "id")))
	wantRestored(t, data)
}
