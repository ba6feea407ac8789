package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// TestFailedSync fails each sync of a history once. If what is on disk is unknown
// the map rejects all writes, although the next sync would succeed; readers keep
// what they had; and the map works when it is opened again.
func TestFailedSync(t *testing.T) {
	for _, n := range syncsOfHistory(t) {
		t.Run(fmt.Sprintf("step %d", n), func(t *testing.T) {
			t.Parallel()
			fsys := faultfs.New()
			var at, last faultfs.Step
			count := 0
			fsys.Fail(func(s faultfs.Step) error {
				if !changes(s) {
					return nil
				}
				switch count++; {
				case count < n:
					last = s
				case count == n:
					at = s
					return syscall.EIO
				}
				return nil
			})
			h := newHistory(t, 1)
			if err := h.run(fsys); !errors.Is(err, syscall.EIO) {
				t.Fatalf("%+v: got %v, want EIO", at, err)
			}
			if h.m != nil && !h.m.closed.Load() && stopsWriting(last, at) {
				wantStopped(t, h.m, fsys)
			}
			fsys.Fail(nil)
			h.recover(fsys.Crash(faultfs.Worst))
			if t.Failed() {
				t.Logf("failed %+v after %+v", at, last)
			}
		})
	}
}

// A map that was closed is opened without waiting for the disk, for address.idx has all of
// it. What a killed process has left may not be durable, so it is synced. No crash after
// that loses a page that readers have seen.
func TestOpenSyncsWhatAddressIndexLacks(t *testing.T) {
	const dir = "d/pages"
	for _, killed := range []bool{false, true} {
		fsys := faultfs.New()
		open := func() (m *FileMap, syncs []string) {
			fsys.Fail(func(s faultfs.Step) error {
				if strings.HasPrefix(s.Op, "Sync") {
					syncs = append(syncs, s.Op+" "+filepath.ToSlash(s.Name))
				}
				return nil
			})
			return openTest(t, dir, Options{FS: fsys}), syncs
		}
		m, syncs := open()
		if want := []string{"Sync d/pages/key.dat", "Sync d/pages/value0.dat", "SyncDir d/pages", "SyncDir d/pages", "SyncDir d"}; !slices.Equal(syncs, want) {
			t.Errorf("a new map: got syncs %v, want %v", syncs, want)
		}
		put(t, m, testPage(1, "one"))
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		var want []string
		if killed {
			m, err := openMap(dir, Options{FS: fsys})
			if err != nil {
				t.Fatal(err)
			}
			fsys.Fail(func(s faultfs.Step) error {
				if s.Op == "Sync" {
					return syscall.EIO
				}
				return nil
			})
			if err := m.Put([]doc.Page{testPage(2, "two")}); !errors.Is(err, syscall.EIO) {
				t.Fatalf("got %v, want EIO", err)
			}
			want = []string{"Sync d/pages/value0.dat", "SyncDir d/pages", "SyncDir d"}
		}
		again, syncs := open()
		if !slices.Equal(syncs, want) {
			t.Errorf("killed %t: got syncs %v, want %v", killed, syncs, want)
		}
		has(t, again, testOID(2))
	}
}

// syncsOfHistory returns the numbers of the changes that are syncs; in a short
// run every fifth sync of each kind, by the change before it.
func syncsOfHistory(t *testing.T) (syncs []int) {
	t.Helper()
	var last faultfs.Step
	count, met := 0, map[string]int{}
	fsys := faultfs.New()
	fsys.Fail(func(s faultfs.Step) error {
		if !changes(s) {
			return nil
		}
		count++
		if s.Op == "Sync" || s.Op == "SyncDir" {
			base := filepath.Base(last.Name)
			kind := s.Op + last.Op + base[:min(3, len(base))] + filepath.Ext(base)
			if met[kind]++; !testing.Short() || met[kind]%5 == 1 {
				syncs = append(syncs, count)
			}
		}
		last = s
		return nil
	})
	if err := newHistory(t, 1).run(fsys); err != nil {
		t.Fatal(err)
	}
	return syncs
}

// stopsWriting reports whether a failed sync must stop all writing: that of the
// log, of key.dat, or of the directory when one of these files has just got its
// name. A file that is not in use yet, or that Open can rebuild, is abandoned.
func stopsWriting(last, at faultfs.Step) bool {
	inUse := func(name string) bool {
		name = filepath.Base(name)
		return name == "key.dat" || strings.HasPrefix(name, "value") && !strings.HasSuffix(name, ".tmp")
	}
	if at.Op == "Sync" {
		return inUse(at.Name)
	}
	if last.Op == "Rename" { // the step has the old name
		return inUse(strings.TrimSuffix(last.Name, ".tmp"))
	}
	return last.Op == "Sync" && inUse(last.Name)
}

func wantStopped(t *testing.T, m *FileMap, fsys *faultfs.FS) {
	t.Helper()
	wantUnchanged(t, fsys, func() {
		if err := m.Put([]doc.Page{testPage(1, "after")}); !errors.Is(err, syscall.EIO) {
			t.Errorf("Put: got %v, want the failed sync", err)
		}
		if err := m.Delete(doc.Removals(0, testOID(3))); m.Len() > 0 && err == nil {
			t.Error("Delete: got no error")
		}
		if err := m.Snapshot("copy"); !errors.Is(err, syscall.EIO) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Snapshot: got %v, want one line with the failed sync", err)
		}
	})
}

// TestUnreadableRecordIsNotServedAgain removes and replaces pages while the disk
// returns EIO for their records. When the records are readable again the old
// pages are not served, in the same process or the next.
func TestUnreadableRecordIsNotServedAgain(t *testing.T) {
	fsys := faultfs.New()
	options := Options{FS: fsys, CompactRate: -1}
	m, err := openMap("pages", options)
	if err != nil {
		t.Fatal(err)
	}
	put(t, m, testPage(1, "removed"), testPage(2, "replaced"), testPage(3, "left"))
	fsys.Fail(func(s faultfs.Step) error {
		if s.Op == "ReadAt" {
			return syscall.EIO
		}
		return nil
	})
	if err := m.Delete(doc.Removals(0, testOID(1))); err != nil {
		t.Fatal(err)
	}
	put(t, m, testPage(2, "new"))
	fsys.Fail(nil)
	want := newModel(1)
	want.put(testPage(2, "new"))
	want.put(testPage(3, "left"))
	for range 2 {
		compare(t, m, want, want)
		if p, err := m.Get(testOID(1)); err == nil {
			t.Errorf("Get of a removed page: got %q, want an error", p.Body)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if m, err = openMap("pages", options); err != nil {
			t.Fatal(err)
		}
	}
	put(t, m, testPage(1, "new"))
	if got := m.Len(); got != 3 {
		t.Errorf("Len: got %d, want 3", got)
	}
	if err := m.Delete(doc.Removals(0, testOID(1), testOID(2))); err != nil {
		t.Fatal(err)
	}
	if got := m.Len(); got != 1 {
		t.Errorf("Len after two removals: got %d, want 1", got)
	}
}
