package backup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"indexerd/internal/base/atomicfile"
)

// errKilled is the error of the step at which the process is killed, and of all
// later ones.
var errKilled = errors.New("killed")

// A trialDisk is a real disk on which a step can fail. It notes the files and the
// directories that are not synced.
type trialDisk struct {
	disk
	t      *testing.T
	fail   int // the step, from 1
	err    error
	steps  int
	killed bool
	dirty  map[string]bool
}

func onTrial(t *testing.T, dir string) *trialDisk {
	t.Helper()
	root, err := os.OpenRoot(dir)
	check(t, err)
	t.Cleanup(func() { root.Close() })
	return &trialDisk{disk: rooted{root}, t: t, dirty: map[string]bool{}}
}

func (d *trialDisk) step() error {
	d.steps++
	if d.killed || d.steps == d.fail {
		d.killed = errors.Is(d.err, errKilled)
		return d.err
	}
	return nil
}

// entry changes an entry of a directory.
func (d *trialDisk) entry(name string, change func() error) error {
	if err := d.step(); err != nil {
		return err
	}
	d.dirty[path.Dir(name)] = true
	return change()
}

func (d *trialDisk) MkdirAll(name string, perm fs.FileMode) error {
	return d.entry(name, func() error { return d.disk.MkdirAll(name, perm) })
}

func (d *trialDisk) Link(old, new string) error {
	return d.entry(new, func() error { return d.disk.Link(old, new) })
}

func (d *trialDisk) Remove(name string) error {
	return d.entry(name, func() error { d.forget(name); return d.disk.Remove(name) })
}

func (d *trialDisk) RemoveAll(name string) error {
	return d.entry(name, func() error { d.forget(name); return d.disk.RemoveAll(name) })
}

// Rename expects that the renamed files are synced.
func (d *trialDisk) Rename(old, new string) error {
	for name := range d.dirty {
		if name == old || strings.HasPrefix(name, old+"/") {
			d.t.Errorf("%s is renamed to %s before %s is synced", old, new, name)
		}
	}
	return d.entry(new, func() error { return d.disk.Rename(old, new) })
}

func (d *trialDisk) SyncDir(name string) error {
	if err := d.step(); err != nil {
		return err
	}
	delete(d.dirty, name)
	return nil // no test cuts the power
}

func (d *trialDisk) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	return d.disk.ReadDir(name)
}

func (d *trialDisk) OpenFile(name string, flag int, perm fs.FileMode) (f atomicfile.File, err error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	if f, err = d.disk.OpenFile(name, flag, perm); err != nil {
		return nil, err
	}
	if flag&os.O_CREATE != 0 {
		d.dirty[name], d.dirty[path.Dir(name)] = true, true
	}
	return &trialFile{f, d, name, flag&os.O_WRONLY != 0}, nil
}

func (d *trialDisk) forget(name string) {
	for n := range d.dirty {
		if n == name || strings.HasPrefix(n, name+"/") {
			delete(d.dirty, n)
		}
	}
}

type trialFile struct {
	atomicfile.File
	disk    *trialDisk
	name    string
	written bool
}

// Write writes half if the step fails.
func (f *trialFile) Write(p []byte) (int, error) {
	f.disk.dirty[f.name] = true
	if err := f.disk.step(); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f *trialFile) Sync() error {
	if err := f.disk.step(); err != nil {
		return err
	}
	delete(f.disk.dirty, f.name)
	return nil
}

// Close may fail for a file that was written.
func (f *trialFile) Close() error {
	if !f.written {
		return f.File.Close()
	}
	return errors.Join(f.disk.step(), f.File.Close())
}

// everyStep calls run once for each step and fault, until no step is left to fail;
// in a short run for every third step. After a fault nothing is there, or
// everything, and the next run succeeds.
func everyStep(t *testing.T, prepare func(dir string), run func(d disk) error, nothing func(dir string) bool, all func(dir string)) {
	stride := 1
	if testing.Short() {
		stride = 3
	}
	for _, fault := range []error{errKilled, syscall.EIO} {
		for k := 1; ; k += stride {
			dir := t.TempDir()
			prepare(dir)
			d := onTrial(t, dir)
			d.fail, d.err = k, fault
			err := run(d)
			if err == nil {
				if d.steps >= k {
					t.Fatalf("step %d, %v: got no error", k, fault)
				}
				if len(d.dirty) > 0 {
					t.Fatalf("got %v not synced at the end", d.dirty)
				}
				all(dir)
				break
			}
			if !errors.Is(err, fault) {
				t.Fatalf("step %d: got error %v, want %v", k, err, fault)
			}
			switch {
			case !nothing(dir):
				all(dir)
			case d.killed:
				check(t, run(onTrial(t, dir)))
				all(dir)
			case exists(dir, ".tmp"):
				t.Fatalf("step %d, %v: something is left", k, fault)
			}
		}
	}
}

// exists reports whether a name in a directory has this suffix.
func exists(dir, suffix string) bool {
	names, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	return err == nil && len(names) > 0
}

func TestSaveFailsAtEachStep(t *testing.T) {
	t.Parallel()
	text := anyStream(t)
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			everyStep(t, func(string) {},
				func(d disk) error { return save(d, bytes.NewReader(text), form) },
				func(dir string) bool { return !exists(dir, form) },
				func(dir string) {
					to := t.TempDir()
					check(t, restoreFrom(filepath.Join(dir, form), onTrial(t, to)))
					wantRestored(t, filepath.Join(to, "data"))
				})
		})
	}
}

func TestRestoreFailsAtEachStep(t *testing.T) {
	t.Parallel()
	for form, prepare := range map[string]func(data string){
		"b":         func(string) {},
		"b.tar.zst": func(data string) { check(t, os.Mkdir(data, 0o700)); write(t, filepath.Join(data, lockName), "") },
	} {
		t.Run(form, func(t *testing.T) {
			src := saved(t, form)
			everyStep(t, func(dir string) { prepare(filepath.Join(dir, "data")) },
				func(d disk) error { return restoreFrom(src, d) },
				func(dir string) bool { return !exists(filepath.Join(dir, "data"), ".properties") },
				func(dir string) { wantRestored(t, filepath.Join(dir, "data")) })
		})
	}
}

func restoreFrom(src string, d disk) error {
	from, err := openSource(src, nil)
	if err != nil {
		return err
	}
	defer from.Close()
	return restore(d, from, "data", "test", nil)
}
