package reindex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/faultfs"
)

// After a crash at any step of Run, and at any step of the next start, the index
// is the old or the new one, complete, with all acknowledged writes.
func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	swapped := 0
	for k := 0; ; k++ {
		w := filled(t, filepath.Join(root, fmt.Sprint(k)), 5)
		w.tear(key(3))
		crash := fakeworld.NewCountdown(k)
		w.fail(crash.Before)
		n := 0
		_, err := withRest(w.reindex(t), func(int) error { n++; return w.actAt(n) }).Run(context.Background())
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

// actAt writes at a rest.
func (w *world) actAt(n int) error {
	err := w.try(key(n-1), "later", func() error { return w.put(map[doc.OID]string{key(n - 1): "later"}) })
	if err != nil {
		return err
	}
	return w.try(key(4), "", func() error { return w.remove(key(4)) })
}

// try changes a document. After an error the document may be changed or not.
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

// crashResolve crashes at each step of resolve, on copies of the directory.
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
		err := tableDir{&steps{FS: atomicfile.OS, before: crash.Before}, w.dir}.resolve()
		if !crash.Crashed() {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		w.check(t, w.restart(t))
	}
}

// After an error at any step, Run fails or has swapped, and later writes are in
// the index that the next start opens.
func TestFaultAtEveryStep(t *testing.T) {
	t.Parallel()
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
		result, err := withRest(w.reindex(t), func(n int) error {
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
		t.Errorf("ErrUndecided: got %d times, want once, for the last sync", undecided)
	}
}

// checkUndecided undoes the commit that could not be synced, as a power failure
// may.
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
		t.Error("without index.current: got the new index")
	}
	w.check(t, x)
}

// In every state after a crash, Current returns the directory that Resolve makes
// the index, and changes nothing.
func TestCurrentAgreesWithResolve(t *testing.T) {
	for _, c := range []struct {
		name    string
		dirs    []string
		current string
	}{
		{"usual", []string{firstName}, ""},
		{"an unused second directory", []string{firstName, secondName}, ""},
		{"the second is in use", []string{firstName, secondName}, secondName},
		{"the first is removed", []string{secondName}, secondName},
		{"the second is renamed", []string{firstName}, secondName},
		{"the first is in use", []string{firstName, secondName}, firstName},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range c.dirs {
				if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name, "which"), []byte(name), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.current != "" {
				if err := os.WriteFile(filepath.Join(dir, currentName), []byte(c.current+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			found, err := Current(dir)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(found, "which"))
			if err != nil {
				t.Fatal(err)
			}
			if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) {
				t.Errorf("got %v, %v, want no change of %v", after, err, before)
			}
			if err := Resolve(dir); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(dir, firstName, "which"))
			if err != nil || string(got) != string(want) {
				t.Errorf("got index %q, after Resolve it is %q, %v", got, want, err)
			}
		})
	}
}
