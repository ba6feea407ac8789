// Package stamps keeps the stamps of fetched rows in key order. A compensation
// pass merges a window of them with the same window of the database, as two sorted
// streams, and so needs no lookup of a page for each row.
//
// Invariant: for a key the tree returns the newest stamp put, never an older one,
// or nothing. A missing stamp means "compare with the page's stamp", never "new
// row". So the tree may lose stamps: it is empty after a restart and after a
// fault, and it does not keep rows without an updateTime, nor those below the time of the
// last Prune.
//
// The newest entries are in memory, in a B-tree with copy-on-write snapshots. When
// they exceed the budget they are written to a run: a sorted file with an index and
// a filter (see format.go). A removal is an entry too if a run may have the key,
// since it must hide older versions. If there are more than maxRuns runs, the
// newest ones are merged into one, without entries that are hidden, removed or
// pruned. Runs are temporary: they are not synced, and New removes those of an
// earlier process.
//
//	Put, Delete    -> memory -> run -> merged run
//	Get            <- memory, then the runs, newest first
//	Window         <- memory and runs, merged
//
// The database's stamps come in any order. Sorted brings them into key order, in
// memory or in separate runs.
//
// Cost: at most 68 bytes of memory for an entry (32 in its node, which may be half
// full), and for a key longer than 11 bytes, its length less 8, plus 2; a test
// checks this. A run takes 21 bytes and the key for each entry on disk. Its filter
// and index are in memory, and may take up to half of the budget. Put is O(log n);
// one in some 100,000 writes a run, and readers do not wait for it. While a window
// is read, writers copy the nodes that they change, at most one budget more. A
// window holds a block of 32 KiB of each run.
package stamps

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
)

// Options are the options of a Tree.
type Options struct {
	FS     atomicfile.FS // default atomicfile.OS
	Dir    string        // of the runs; New removes those of an earlier process
	Budget int64         // bytes of memory, default 64 MiB, at most 1 GiB
}

const (
	defaultBudget = 64 << 20
	maxBudget     = 1 << 30 // so that offsets in the arena have 31 bits
)

// A Tree is safe for concurrent use. After an error of Put, Delete or Prune it is
// empty.
type Tree struct {
	options Options
	files   atomic.Int64 // runs written so far

	write sync.Mutex // held while the tree changes, also while a run is written
	floor int64      // stamps below are not kept; guarded by write
	mu    sync.Mutex // guards mem and runs; these change under both locks, so either is enough to read
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
		return nil, fmt.Errorf("stamps: prepare %s: %w", o.Dir, err)
	}
	return &Tree{options: o, mem: newMemory(), floor: lowest}, nil
}

// removeRuns removes the runs of an earlier process. The first run makes the directory.
func removeRuns(fsys atomicfile.FS, dir string) error {
	if dir == "" {
		return errors.New("no directory")
	}
	files, err := fsys.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
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

// Put sets stamps. If an OID occurs twice, the last stamp counts.
func (t *Tree) Put(stamps []doc.Stamp) error {
	records := make([]record, len(stamps))
	for i, s := range stamps {
		records[i] = newRecord(s)
	}
	return t.change(func() error { return t.put(records) })
}

// Delete removes stamps.
func (t *Tree) Delete(oids []doc.OID) error {
	records := make([]record, len(oids))
	for i, oid := range oids {
		records[i] = record{key: []byte(oid), u: gone}
	}
	return t.change(func() error { return t.put(records) })
}

// Prune removes the stamps with an updateTime before a time, and keeps none of those that
// are put later, until the next Prune.
func (t *Tree) Prune(before time.Time) error {
	return t.change(func() error { return t.prune(micros(before)) })
}

// change changes the tree. After an error, of this change or of an earlier read, it
// empties the tree, because with a part of it missing an older stamp could become
// visible.
func (t *Tree) change(f func() error) error {
	t.write.Lock()
	defer t.write.Unlock()
	if t.runs.broken() {
		t.clear()
	}
	err := f()
	if err != nil {
		t.clear()
	}
	return err
}

// Get returns the stamp of a key.
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

// Stats returns the number of entries, their bytes in memory and their bytes on
// disk. It counts each version of a key that different runs have, and the removals
// and pruned entries of runs, until the runs are merged.
func (t *Tree) Stats() (entries, bytes, spilledBytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	entries, bytes = t.mem.len()+t.runs.records(), t.mem.bytes()+t.runs.bytes()
	for _, r := range t.runs {
		spilledBytes += r.size
	}
	return entries, bytes, spilledBytes
}
