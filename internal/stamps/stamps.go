// Package stamps keeps, in the order of keys, the stamp of what was crawled,
// so that a compensation pass can hold a window of the database against it as
// two sorted streams, without asking the pages for each row.
//
// Invariant: what the tree says of a key is the newest stamp put, never an
// older one. It may say nothing of any key: a missing entry means "compare
// with the page's stamp", never "new". So the tree may forget, and does: it
// does not survive a restart, rows without an updateTime are not kept, and
// after a fault it is empty.
//
// Newest entries are in memory, in a B-tree whose snapshots share its nodes
// and copy on write. Beyond the budget they become a run: a sorted file with
// an index and a filter (format.go), and memory begins empty. A removal whose
// key a run may hold is an entry itself, so that it hides what is older. Runs
// are merged when there are more than a few, newest first into ever larger
// ones; a merge leaves out what is hidden, removed or pruned. Runs are scratch
// files: nothing is synced, and New removes those of an earlier process.
//
//	Put, Delete    -> memory -> run -> merged run
//	Get            <- memory, else the runs from the newest
//	Snapshot       <- memory and runs, merged; Window is one for a single walk
//
// Cost: at most 68 bytes of memory an entry (32 in the node, which may be half
// full); for a key longer than 11 bytes, 2 more and all of it but 8. A test
// holds this. A run takes 21 bytes and the key on disk for each
// entry, and its filter and index in memory, which count against the budget up
// to half of it. Put is O(log n); one in some hundred thousand writes a run,
// and readers do not wait for that. A snapshot is O(1); while it is open,
// writers copy the nodes they change, so memory is at most one budget more for
// each open snapshot. A walk holds one block of 32 KiB of each of at most
// maxRuns runs.
package stamps

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
)

// Options say where and how large.
type Options struct {
	FS     atomicfile.FS // default atomicfile.OS
	Dir    string        // for spilled runs; those of an earlier process are removed
	Budget int64         // bytes of memory, default 64 MiB, at most 1 GiB
}

const (
	defaultBudget = 64 << 20
	maxBudget     = 1 << 30 // so that 31 bits say where a key lies in the arena
)

// A Tree is safe for concurrent use. After an error of a method that changes
// it, it is empty, and so still right.
type Tree struct {
	options Options
	files   int // runs written so far

	write sync.Mutex // held by the one who changes the tree, also while a run is written
	mu    sync.Mutex // guards what follows; changed under both, so that either is enough to read
	mem   *memory
	runs  layers
}

// New returns an empty tree.
func New(o Options) (*Tree, error) {
	if o.FS == nil {
		o.FS = atomicfile.OS
	}
	o.Budget = min(cmp.Or(o.Budget, defaultBudget), maxBudget)
	if err := removeRuns(o.FS, o.Dir); err != nil {
		return nil, fmt.Errorf("make %s ready for spilled stamps: %w", o.Dir, err)
	}
	return &Tree{options: o, mem: newMemory()}, nil
}

// removeRuns makes the directory, and removes what an earlier process spilled.
func removeRuns(fsys atomicfile.FS, dir string) error {
	if dir == "" {
		return errors.New("no directory is given")
	}
	if err := fsys.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	files, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if isRun(f.Name()) {
			if err := fsys.Remove(filepath.Join(dir, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Put sets the stamps of what has been committed; of equal OIDs the last one.
func (t *Tree) Put(stamps []doc.Stamp) error {
	records := make([]record, len(stamps))
	for i, s := range stamps {
		records[i] = newRecord(s)
	}
	return t.change(func() error { return t.put(records) })
}

// Delete removes the stamps of what has been removed.
func (t *Tree) Delete(oids []doc.OID) error {
	records := make([]record, len(oids))
	for i, oid := range oids {
		records[i] = record{key: []byte(oid), u: gone}
	}
	return t.change(func() error { return t.put(records) })
}

// Prune removes the stamps whose updateTime is before a time.
func (t *Tree) Prune(before time.Time) error {
	return t.change(func() error { return t.prune(micros(before)) })
}

// change is the one way to change the tree. After a fault, of this change or
// of an earlier reader, all is forgotten: with a part missing, an older stamp
// could come to light.
func (t *Tree) change(f func() error) error {
	t.write.Lock()
	defer t.write.Unlock()
	if t.runs.broken() {
		t.forget()
	}
	err := f()
	if err != nil {
		t.forget()
	}
	return err
}

// Get returns the stamp of a key, if the tree has it.
func (t *Tree) Get(oid doc.OID) (s doc.Stamp, ok bool, err error) {
	key := []byte(oid)
	t.mu.Lock()
	r, found := t.mem.get(key)
	runs := t.runs
	runs.hold()
	t.mu.Unlock()

	if !found {
		r, found, err = runs.get(key)
	}
	if releaseErr := runs.release(); err == nil {
		err = releaseErr
	}
	if err != nil || !found || r.u == gone {
		return doc.Stamp{}, false, err
	}
	return r.stamp(), true, nil
}

// Stats returns the entries, what they take in memory, and what they take on
// disk. Until runs are merged, the versions of one key in different runs count
// each, and so do removals and what has been pruned in them.
func (t *Tree) Stats() (entries, bytes, spilledBytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	entries, bytes = t.mem.len()+t.runs.records(), t.mem.bytes()+t.runs.bytes()
	for _, r := range t.runs {
		spilledBytes += r.size
	}
	return entries, bytes, spilledBytes
}
