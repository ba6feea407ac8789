package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// compareReadOnly opens a map read-only, compares it, and expects no change of
// the disk.
func (h *history) compareReadOnly(fsys *faultfs.FS) {
	h.t.Helper()
	o := h.options
	o.FS, o.ReadOnly = fsys, true
	wantUnchanged(h.t, fsys, func() {
		m, err := Open("pages", o)
		if err != nil {
			h.t.Fatalf("Open read-only: %v", err)
		}
		compare(h.t, m, h.known, h.pending)
		if err := m.Close(); err != nil {
			h.t.Fatalf("Close of a read-only map: %v", err)
		}
	})
}

// wantUnchanged runs f, and expects that it changes nothing on the disk.
func wantUnchanged(t testing.TB, fsys *faultfs.FS, f func()) {
	t.Helper()
	files := func() (names []string) {
		entries, err := fsys.ReadDir("pages")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	before := files()
	fsys.Fail(func(s faultfs.Step) error {
		if changes(s) && s.Op != "OpenFile" {
			t.Errorf("got %s of %s, want no change of the disk", s.Op, s.Name)
		}
		return nil
	})
	f()
	fsys.Fail(nil)
	if after := files(); !slices.Equal(before, after) {
		t.Errorf("got files %v, want %v", after, before)
	}
}

func TestReadOnlyMapReadsAndRejectsWrites(t *testing.T) {
	fsys := faultfs.New()
	wantUnchanged(t, fsys, func() {
		if _, err := Open("pages", Options{FS: fsys, ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("Open without a directory: got %v, want fs.ErrNotExist", err)
		}
	})
	w, err := openMap("pages", Options{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	put(t, w, testPage(1, "there"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	wantUnchanged(t, fsys, func() {
		m, err := Open("pages", Options{FS: fsys, ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{
			"Put":      m.Put([]doc.Page{testPage(2, "new")}),
			"Delete":   m.Delete(doc.Removals(0, testOID(1))),
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
	})
}
