// Package faultfs is a file system in memory for tests of crash safety. It fails
// chosen steps, and loses at a crash what was not synced.
//
// A step is a call of any method of atomicfile.FS or atomicfile.File except Name
// and Stat. Fail chooses the steps that fail:
//
//	fsys.Fail(faultfs.At(3, syscall.EIO))         // the third step from now
//	fsys.Fail(faultfs.At(3, faultfs.ErrPowerCut)) // the third step and all later ones
//
// A test runs its subject for k = 1, 2, ... until it takes fewer than k steps. A
// failed write writes the first half. A failed sync loses the data that it should
// have made durable, and a later sync does not restore it, as on Linux.
//
// Crash returns the file system as the next start finds it. Each write that was
// not synced may be there completely, without some sectors, up to some byte, or
// not at all; changes of directory entries may be there up to any one. The caller
// chooses with Worst, Best or a random function. Directories are durable at once.
package faultfs

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"indexerd/internal/base/atomicfile"
)

var (
	// ErrPowerCut is the error of a step during a power cut. Every later step
	// fails with it and changes nothing.
	ErrPowerCut = errors.New("the power is off")
	// ErrKilled is the error of a step that a killed process does not take. The
	// step changes nothing.
	ErrKilled = errors.New("the process was killed")
)

// A Step is a call that can fail.
type Step struct {
	N    int    // from 1
	Op   string // the method, for example Rename
	Name string // the file
}

// At returns a function for Fail that fails the k-th step.
func At(k int, err error) func(Step) error {
	return func(s Step) error {
		if s.N == k {
			return err
		}
		return nil
	}
}

// Worst makes Crash lose everything that was not synced.
func Worst(int) int { return 0 }

// Best makes Crash lose nothing.
func Best(n int) int { return n - 1 }

// An FS is an atomicfile.FS in memory.
type FS struct {
	mu      sync.Mutex
	dirs    map[string]bool
	entries map[string]*inode // as the process sees them
	durable map[string]*inode // that survive every crash
	pending []relink          // lead from durable to entries
	steps   int
	fault   func(Step) error
	off     bool // after ErrPowerCut
}

// A relink changes one or two directory entries at once.
type relink struct {
	remove, add string // either may be empty
	file        *inode
}

func (r relink) apply(entries map[string]*inode) {
	delete(entries, r.remove)
	if r.add != "" {
		entries[r.add] = r.file
	}
}

func (r relink) touches(dir string) bool {
	return r.remove != "" && filepath.Dir(r.remove) == dir || r.add != "" && filepath.Dir(r.add) == dir
}

// New returns an empty file system with a root and a current directory.
func New() *FS {
	return &FS{
		dirs:    map[string]bool{"/": true, ".": true},
		entries: map[string]*inode{},
		durable: map[string]*inode{},
	}
}

// Fail calls fault before each step from now on, numbered from 1. If fault
// returns an error the step fails with it. Fail(nil) ends the faults, but not a
// power cut.
func (f *FS) Fail(fault func(Step) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steps, f.fault = 0, fault
}

// Steps returns the number of steps since New or the last Fail.
func (f *FS) Steps() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.steps
}

// Crash returns the file system that a power cut would leave now. pick(n) chooses
// one of n outcomes, from 0, the worst, to n-1, the best.
func (f *FS) Crash(pick func(n int) int) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	after := New()
	maps.Copy(after.dirs, f.dirs)
	left := maps.Clone(f.durable)
	for _, r := range f.pending[:pick(len(f.pending)+1)] {
		r.apply(left)
	}
	crashed := map[*inode]*inode{} // two names of one file stay one file
	for _, name := range slices.Sorted(maps.Keys(left)) {
		file := left[name]
		if crashed[file] == nil {
			crashed[file] = file.crash(pick)
		}
		after.entries[name], after.durable[name] = crashed[file], crashed[file]
	}
	return after
}

// step counts a step and returns the error to fail with, if any. f is locked.
func (f *FS) step(op, name string) error {
	f.steps++
	var err error
	switch {
	case f.off:
		err = ErrPowerCut
	case f.fault != nil:
		err = f.fault(Step{N: f.steps, Op: op, Name: name})
	}
	if err == nil {
		return nil
	}
	f.off = errors.Is(err, ErrPowerCut)
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// relink changes entries at once, and durable at the next SyncDir.
func (f *FS) relink(r relink) {
	r.apply(f.entries)
	f.pending = append(f.pending, r)
}

// OpenFile opens a file as os.OpenFile does.
func (f *FS) OpenFile(name string, flag int, _ fs.FileMode) (atomicfile.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Clean(name)
	if err := f.step("OpenFile", name); err != nil {
		return nil, err
	}
	file, ok := f.entries[name]
	switch {
	case ok && flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "OpenFile", Path: name, Err: fs.ErrExist}
	case !ok && (flag&os.O_CREATE == 0 || !f.dirs[filepath.Dir(name)]):
		return nil, &fs.PathError{Op: "OpenFile", Path: name, Err: fs.ErrNotExist}
	case !ok:
		file = &inode{}
		f.relink(relink{add: name, file: file})
	case flag&os.O_TRUNC != 0:
		file.change(change{truncate: true})
	}
	return &handle{fsys: f, inode: file, name: name, flag: flag}, nil
}

// ReadDir lists a directory by name.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Clean(name)
	if err := f.step("ReadDir", name); err != nil {
		return nil, err
	}
	if !f.dirs[name] {
		return nil, &fs.PathError{Op: "ReadDir", Path: name, Err: fs.ErrNotExist}
	}
	var list []fs.DirEntry
	add := func(path string, i info) {
		if path != name && filepath.Dir(path) == name {
			i.name = filepath.Base(path)
			list = append(list, fs.FileInfoToDirEntry(i))
		}
	}
	for path, file := range f.entries {
		add(path, info{size: int64(len(file.data))})
	}
	for path := range f.dirs {
		add(path, info{mode: fs.ModeDir})
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list, nil
}

// MkdirAll makes a directory and its parents.
func (f *FS) MkdirAll(name string, _ fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Clean(name)
	if err := f.step("MkdirAll", name); err != nil {
		return err
	}
	for ; !f.dirs[name]; name = filepath.Dir(name) {
		f.dirs[name] = true
	}
	return nil
}

// Rename renames a file and replaces an existing one.
func (f *FS) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	from, to = filepath.Clean(from), filepath.Clean(to)
	file, err := f.find("Rename", from)
	if err != nil {
		return err
	}
	if !f.dirs[filepath.Dir(to)] {
		return &fs.PathError{Op: "Rename", Path: to, Err: fs.ErrNotExist}
	}
	if f.entries[to] != file { // POSIX keeps both names of one file
		f.relink(relink{remove: from, add: to, file: file})
	}
	return nil
}

// Link adds a name to a file.
func (f *FS) Link(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	from, to = filepath.Clean(from), filepath.Clean(to)
	file, err := f.find("Link", from)
	if err != nil {
		return err
	}
	if !f.dirs[filepath.Dir(to)] {
		return &fs.PathError{Op: "Link", Path: to, Err: fs.ErrNotExist}
	}
	if _, taken := f.entries[to]; taken {
		return &fs.PathError{Op: "Link", Path: to, Err: fs.ErrExist}
	}
	f.relink(relink{add: to, file: file})
	return nil
}

// Remove removes a name of a file.
func (f *FS) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Clean(name)
	if _, err := f.find("Remove", name); err != nil {
		return err
	}
	f.relink(relink{remove: name})
	return nil
}

// find takes the step of a call on a file that must exist.
func (f *FS) find(op, name string) (*inode, error) {
	if err := f.step(op, name); err != nil {
		return nil, err
	}
	file, ok := f.entries[name]
	if !ok {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return file, nil
}

// SyncDir makes the changes of entries in a directory durable.
func (f *FS) SyncDir(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = filepath.Clean(name)
	if err := f.step("SyncDir", name); err != nil {
		return err
	}
	if !f.dirs[name] {
		return &fs.PathError{Op: "SyncDir", Path: name, Err: fs.ErrNotExist}
	}
	var rest []relink
	for _, r := range f.pending {
		if r.touches(name) {
			r.apply(f.durable)
		} else {
			rest = append(rest, r)
		}
	}
	f.pending = rest
	return nil
}
