package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/faultfs"
)

// TestFullDisk runs a history on disks of 100 sizes: the error names the cause
// in one line, nothing acknowledged is lost, and the same map goes on when
// there is room again.
func TestFullDisk(t *testing.T) {
	whole := newCrashFS()
	if err := newHistory(t, 1).run(whole); err != nil {
		t.Fatal(err)
	}
	const sizes = 100
	refused := 0
	for i := range sizes {
		room := whole.used() * int64(i) / (sizes / 2)
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			if fillDisk(t, room) {
				refused++
			}
		})
	}
	if refused < sizes/4 {
		t.Errorf("got %d of %d disks full, want more", refused, sizes)
	}
}

// fillDisk reports whether a Put was refused.
func fillDisk(t *testing.T, room int64) bool {
	t.Helper()
	fsys := newCrashFS()
	fsys.room = room
	h := newHistory(t, 1)
	err := h.run(fsys)
	if err == nil {
		return false
	}
	if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("got %q, want one line that says ENOSPC", err)
	}
	if h.m == nil || h.m.closed.Load() {
		fsys.room = -1 // it did not even open, or not again
		if err := h.open(); err != nil {
			t.Fatalf("Open with room again: %v", err)
		}
	}
	compare(t, h.m, h.known, h.pending)
	h.adopt()
	fsys.room = -1
	for round := range 3 {
		if err := h.put(round); err != nil {
			t.Fatalf("Put with room again: %v", err)
		}
		if err := h.delete(round); err != nil {
			t.Fatalf("Delete with room again: %v", err)
		}
	}
	if err := h.m.Compact(context.Background()); err != nil {
		t.Fatalf("Compact with room again: %v", err)
	}
	compare(t, h.m, h.known, h.known)
	h.options.FS = fsys.crash(dropAll, nil)
	if err := h.open(); err != nil {
		t.Fatalf("Open after a crash: %v", err)
	}
	compare(t, h.m, h.known, h.known)
	return true
}

// TestFailedSync makes each sync of a history fail once. Nothing is written
// after it by the same map, although the next sync would succeed; what readers
// had they keep; and a map opened anew goes on.
func TestFailedSync(t *testing.T) {
	syncs := syncsOfHistory(t)
	for _, n := range syncs {
		fsys := newCrashFS()
		var at, last step
		fsys.before = func(s step) error {
			switch {
			case s.n < n:
				last = s
			case s.n == n:
				at = s
				return syscall.EIO
			}
			return nil
		}
		h := newHistory(t, 1)
		err := h.run(fsys)
		t.Run(fmt.Sprintf("step %d (%s %s)", n, at.op, at.name), func(t *testing.T) {
			if !errors.Is(err, syscall.EIO) {
				t.Fatalf("got %v, want EIO", err)
			}
			afterFailedSync(t, h, fsys, last, at)
		})
	}
	t.Logf("%d syncs failed", len(syncs))
}

// syncsOfHistory are the steps that sync; in a short run every fifth of each kind,
// by what was done to which file just before.
func syncsOfHistory(t *testing.T) (syncs []int) {
	t.Helper()
	var last step
	met := map[string]int{}
	fsys := newCrashFS()
	fsys.before = func(s step) error {
		if s.op == "sync" || s.op == "syncdir" {
			kind := s.op + last.op + last.name[:min(3, len(last.name))] + filepath.Ext(last.name)
			if met[kind]++; !testing.Short() || met[kind]%5 == 1 {
				syncs = append(syncs, s.n)
			}
		}
		last = s
		return nil
	}
	if err := newHistory(t, 1).run(fsys); err != nil {
		t.Fatal(err)
	}
	return syncs
}

// stops reports whether no batch may follow a sync that failed: that of the log,
// of its keys, or of the name that one of these files has just got. What is not
// in use yet, or can be made of the others, is given up alone.
func stops(last, at step) bool {
	inUse := func(name string) bool {
		return name == "key.dat" || strings.HasPrefix(name, "value") && !strings.HasSuffix(name, ".tmp")
	}
	if at.op == "sync" {
		return inUse(at.name)
	}
	return (last.op == "rename" || last.op == "sync") && inUse(last.name)
}

func afterFailedSync(t *testing.T, h *history, fsys *crashFS, last, at step) {
	t.Helper()
	if h.m != nil && !h.m.closed.Load() && stops(last, at) {
		written := fsys.steps
		if err := h.m.Put([]doc.Page{testPage(1, "after")}); !errors.Is(err, syscall.EIO) {
			t.Errorf("Put after it: got %v, want the same failure", err)
		}
		if err := h.m.Delete([]doc.OID{testOID(3)}); h.m.Len() > 0 && err == nil {
			t.Error("Delete after it: got no error")
		}
		if err := h.m.Snapshot("copy"); !errors.Is(err, syscall.EIO) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Snapshot after it: got %v, want one line with the same failure", err)
		}
		if fsys.steps != written {
			t.Errorf("got %d steps after it, want none", fsys.steps-written)
		}
	}
	h.t = t
	h.recover(fsys.crash(dropAll, nil))
}

// TestUnreadableIsNotServed removes and replaces pages while the disk does not
// give the records they had. What they were is not served when it can be read
// again, in the same process or the next, and all others are.
func TestUnreadableIsNotServed(t *testing.T) {
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
	if err := m.Delete([]doc.OID{testOID(1)}); err != nil {
		t.Fatal(err)
	}
	put(t, m, testPage(2, "new"))
	fsys.Fail(nil)
	for range 2 {
		if got := m.Len(); got != 2 {
			t.Errorf("Len: got %d, want the replaced page and the one that is left", got)
		}
		if err := m.Check(); err != nil {
			t.Error(err)
		}
		if p, err := m.Get(testOID(1)); err == nil {
			t.Errorf("Get of a page that was removed: got %q, want an error", p.Body)
		}
		if has, err := m.Has(testOID(1)); err != nil || has {
			t.Errorf("Has of a page that was removed: got %t, %v, want false", has, err)
		}
		for meta, err := range m.Family(0).All() {
			if err != nil || meta.OID == testOID(1) {
				t.Errorf("All: got %v, %v, want no page that was removed", meta.OID, err)
			}
		}
		wantBody(t, m, 2, "new")
		wantBody(t, m, 3, "left")
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if m, err = openMap("pages", options); err != nil {
			t.Fatal(err)
		}
	}
	put(t, m, testPage(1, "here again"))
	wantBody(t, m, 1, "here again")
	if got := m.Len(); got != 3 {
		t.Errorf("Len: got %d, want 3", got)
	}
	if err := m.Delete([]doc.OID{testOID(1), testOID(2)}); err != nil {
		t.Fatal(err)
	}
	if got := m.Len(); got != 1 {
		t.Errorf("Len after two are removed: got %d, want 1", got)
	}
}
