package reindex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	"indexerd/internal/faultfs"
)

// A kill at any step, followed by one at any step of the start, leaves the old
// index or the new one, whole, with all that was acknowledged.
func TestCrashAtEveryStep(t *testing.T) {
	root := t.TempDir()
	swapped := 0
	for k := 0; ; k++ {
		w := filled(t, filepath.Join(root, fmt.Sprint(k)), 5)
		w.tear(key(3))
		crash := fakeworld.NewCountdown(k)
		w.fail(crash.Before)
		n := 0
		_, err := resting(w.reindex(t), func(int) error { n++; return w.actAt(n) }).Run(context.Background())
		if !crash.Crashed() {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		w.fail(nil)
		w.Crash(t, faultfs.Worst)
		w.crashResolve(t)
		x := w.restart(t)
		if x != w.Index {
			swapped++
		}
		w.check(t, x)
	}
	if swapped == 0 {
		t.Error("no crash left the new index")
	}
}

// actAt is what others do at a rest.
func (w *world) actAt(n int) error {
	err := w.try(key(n-1), "later", func() error { return w.put(map[doc.OID]string{key(n - 1): "later"}) })
	if err != nil {
		return err
	}
	return w.try(key(4), "", func() error { return w.remove(key(4)) })
}

// try does something to a document. Where it does not end, the document may be
// as it is to be or as it was before.
func (w *world) try(oid doc.OID, title string, f func() error) error {
	before := w.want[oid]
	err := f()
	if err == nil {
		return nil
	}
	if got, _ := w.Index.Title(oid); got == before || got == title {
		w.want[oid] = got
	}
	return err
}

// crashResolve kills the start at each of its steps, on copies of what is there.
func (w *world) crashResolve(t *testing.T) {
	t.Helper()
	dir := w.dir
	defer func() { w.dir = dir }()
	for k := 0; ; k++ {
		w.dir = filepath.Join(t.TempDir(), "film")
		if err := os.CopyFS(w.dir, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		crash := fakeworld.NewCountdown(k)
		err := place{&steps{FS: atomicfile.OS, before: crash.Before}, w.dir}.resolve()
		if !crash.Crashed() {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		w.check(t, w.restart(t))
	}
}

// A fault at any step ends Run with an error, or comes too late to matter. What
// is written afterwards is in whatever index the next start finds.
func TestFaultAtEveryStep(t *testing.T) {
	root := t.TempDir()
	fault := errors.New("input/output error")
	undecided := 0
	for k := 1; ; k++ {
		w := filled(t, filepath.Join(root, fmt.Sprint(k)), 5)
		w.tear(key(3))
		left := k
		w.fail(func(string) error {
			if left--; left == 0 {
				return fault
			}
			return nil
		})
		result, err := resting(w.reindex(t), func(n int) error {
			w.insist(t, func() error { return w.put(map[doc.OID]string{key(n - 1): "later"}) })
			return nil
		}).Run(context.Background())
		if left > 0 {
			break
		}
		if err == nil && !result.Swapped {
			t.Errorf("step %d: got no error and the old index", k)
		}
		w.fail(nil)
		w.insist(t, func() error { return w.put(map[doc.OID]string{key(0): "last", key(9): "last"}) })
		w.insist(t, func() error { return w.remove(key(1)) })
		if errors.Is(err, ErrUndecided) {
			undecided++
			w.checkUndecided(t)
		}
		w.check(t, w.restart(t))
	}
	if undecided != 1 {
		t.Errorf("undecided: got %d faults, want that of the last sync", undecided)
	}
}

// checkUndecided takes back what could not be synced, as a power cut may.
func (w *world) checkUndecided(t *testing.T) {
	t.Helper()
	dir := w.dir
	defer func() { w.dir = dir }()
	w.dir = filepath.Join(t.TempDir(), "film")
	if err := os.CopyFS(w.dir, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(w.dir, currentName)); err != nil {
		t.Fatal(err)
	}
	x := w.restart(t)
	if x != w.Index {
		t.Error("without the decision: got the new index")
	}
	w.check(t, x)
}
