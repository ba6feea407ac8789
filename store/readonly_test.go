package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"indexerd/internal/doc"
)

// readOnly opens a disk read-only, compares, and wants it left as it was.
func (h *history) readOnly(fsys *crashFS) {
	h.t.Helper()
	steps, names := fsys.steps, len(fsys.pending)
	o := h.options
	o.FS, o.ReadOnly = fsys, true
	m, err := Open("pages", o)
	if err != nil {
		h.t.Fatalf("Open read-only: %v", err)
	}
	compare(h.t, m, h.known, h.pending)
	if err := m.Close(); err != nil {
		h.t.Fatalf("Close of a read-only map: %v", err)
	}
	if fsys.steps != steps || len(fsys.pending) != names {
		h.t.Fatalf("a read-only map took %d steps on the disk, want none", fsys.steps-steps)
	}
}

// A map that is open read-only refuses what would write, and reads on.
func TestReadOnlyRefusesWrites(t *testing.T) {
	fsys := newCrashFS()
	_, err := Open("pages", Options{FS: fsys, ReadOnly: true})
	if !errors.Is(err, fs.ErrNotExist) || len(fsys.dirs) != 1 {
		t.Fatalf("open what is not there: got error %v and directories %v, want fs.ErrNotExist and none made", err, fsys.dirs)
	}
	w, err := Open("pages", Options{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	put(t, w, testPage(1, "there"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	steps := fsys.steps
	m, err := Open("pages", Options{FS: fsys, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"Put":      m.Put([]doc.Page{testPage(2, "new")}),
		"Delete":   m.Delete([]doc.OID{testOID(1)}),
		"Sync":     m.Sync(),
		"Compact":  m.Compact(context.Background()),
		"Snapshot": m.Snapshot(filepath.Join("pages", "copy")),
	} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: got %v, want ErrReadOnly", what, err)
		}
	}
	wantBody(t, m, 1, "there")
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if fsys.steps != steps {
		t.Errorf("got %d steps on the disk, want none", fsys.steps-steps)
	}
}
