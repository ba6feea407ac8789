package store

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"indexerd/internal/atomicfile"
)

// A crashFS keeps files in memory and knows what a power cut would leave:
// the bytes of a file that were synced, and the names in a directory that were
// synced. It can also run full, and fail or stop at any step.
type crashFS struct {
	mu      sync.Mutex
	dirs    map[string]bool
	names   map[string]*inode
	pending []rename // changes of names, in order, not synced yet
	durable map[string]*inode
	steps   int                 // writes, syncs, renames ... so far
	before  func(op step) error // called before each; an error is the step's
	room    int64               // bytes that may still be written; below 0: any number
}

type step struct {
	n    int
	op   string
	name string
}

// A rename takes a name away, gives a file one, or both.
type rename struct {
	from, to string
	node     *inode
}

func (r rename) apply(names map[string]*inode) {
	delete(names, r.from)
	if r.to != "" {
		names[r.to] = r.node
	}
}

// An inode is the content of a file: as programs see it, as the disk has it,
// and what was changed in between.
type inode struct {
	data    []byte
	durable []byte
	pending []change
}

// A change is a write at off or, without data, a truncation to off.
type change struct {
	off  int64
	data []byte
}

func newCrashFS() *crashFS {
	return &crashFS{
		dirs:    map[string]bool{".": true},
		names:   map[string]*inode{},
		durable: map[string]*inode{},
		room:    -1,
	}
}

// A cut says what a power cut spares of what was not synced.
type cut int

const (
	dropAll  cut = iota // only what was synced is left
	keepAll             // everything is left
	keepSome            // some writes and some sectors of them, in any order
	cuts
)

// crash returns the file system as it is after a power cut.
func (c *crashFS) crash(how cut, rng *rand.Rand) *crashFS {
	c.mu.Lock()
	defer c.mu.Unlock()
	after := newCrashFS()
	for d := range c.dirs {
		after.dirs[d] = true
	}
	names := map[string]*inode{}
	for name, node := range c.durable {
		names[name] = node
	}
	spared := 0
	switch how {
	case keepAll:
		spared = len(c.pending)
	case keepSome:
		spared = rng.IntN(len(c.pending) + 1) // a journal keeps their order
	}
	for _, r := range c.pending[:spared] {
		r.apply(names)
	}
	for name, node := range names {
		left := node.crash(how, rng)
		after.names[name] = &inode{data: left, durable: slices.Clone(left)}
		after.durable[name] = after.names[name]
	}
	return after
}

// die returns the file system as it is after the process died: everything is
// there, and nothing more is on disk than before.
func (c *crashFS) die() *crashFS {
	c.mu.Lock()
	defer c.mu.Unlock()
	after := newCrashFS()
	for d := range c.dirs {
		after.dirs[d] = true
	}
	copies := map[*inode]*inode{}
	clone := func(n *inode) *inode {
		if n != nil && copies[n] == nil {
			copies[n] = &inode{slices.Clone(n.data), slices.Clone(n.durable), slices.Clone(n.pending)}
		}
		return copies[n]
	}
	for name, n := range c.names {
		after.names[name] = clone(n)
	}
	for name, n := range c.durable {
		after.durable[name] = clone(n)
	}
	for _, r := range c.pending {
		after.pending = append(after.pending, rename{r.from, r.to, clone(r.node)})
	}
	return after
}

func (n *inode) crash(how cut, rng *rand.Rand) []byte {
	if how == keepAll {
		return slices.Clone(n.data)
	}
	left := slices.Clone(n.durable)
	if how == dropAll {
		return left
	}
	for _, c := range n.pending {
		if rng.IntN(3) == 0 {
			continue
		}
		left = c.apply(left, func() bool { return rng.IntN(8) > 0 })
	}
	return left
}

const sector = 512

// apply makes the change, sector by sector as far as keep agrees.
func (c *change) apply(b []byte, keep func() bool) []byte {
	if c.data == nil {
		if int64(len(b)) > c.off {
			return b[:c.off:c.off]
		}
		return append(b, make([]byte, c.off-int64(len(b)))...)
	}
	for off := int64(0); off < int64(len(c.data)); {
		n := min(sector-(c.off+off)%sector, int64(len(c.data))-off)
		if keep() {
			end := c.off + off + n
			if int64(len(b)) < end {
				b = append(b, make([]byte, end-int64(len(b)))...)
			}
			copy(b[c.off+off:], c.data[off:off+n])
		}
		off += n
	}
	return b
}

// take counts a step and lets the test have its say.
func (c *crashFS) take(op, name string) error {
	c.steps++
	if c.before == nil {
		return nil
	}
	before, s := c.before, step{c.steps, op, filepath.Base(name)}
	c.mu.Unlock()
	defer c.mu.Lock()
	return before(s)
}

// rename changes a name now, and on disk when the directory is synced.
func (c *crashFS) rename(r rename) {
	r.apply(c.names)
	c.pending = append(c.pending, r)
}

func (c *crashFS) OpenFile(name string, flag int, _ fs.FileMode) (atomicfile.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	node := c.names[name]
	if node == nil {
		if flag&os.O_CREATE == 0 {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		if err := c.take("create", name); err != nil {
			return nil, err
		}
		node = &inode{}
		c.rename(rename{to: name, node: node})
	}
	if flag&os.O_TRUNC != 0 && len(node.data) > 0 {
		node.change(change{})
	}
	return &crashFile{fs: c, name: name, node: node}, nil
}

func (c *crashFS) ReadDir(name string) ([]fs.DirEntry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.dirs[name] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	var entries []fs.DirEntry
	for path := range c.names {
		if filepath.Dir(path) == name {
			entries = append(entries, fs.FileInfoToDirEntry(fileInfo{filepath.Base(path), 0}))
		}
	}
	return entries, nil
}

func (c *crashFS) MkdirAll(name string, _ fs.FileMode) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dirs[name] = true
	return nil
}

func (c *crashFS) Rename(old, new string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.take("rename", new); err != nil {
		return err
	}
	node := c.names[old]
	if node == nil {
		return &fs.PathError{Op: "rename", Path: old, Err: fs.ErrNotExist}
	}
	c.rename(rename{old, new, node})
	return nil
}

func (c *crashFS) Remove(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.take("remove", name); err != nil {
		return err
	}
	if c.names[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	c.rename(rename{from: name})
	return nil
}

func (c *crashFS) Link(old, new string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.take("link", new); err != nil {
		return err
	}
	node := c.names[old]
	if node == nil {
		return &fs.PathError{Op: "link", Path: old, Err: fs.ErrNotExist}
	}
	c.rename(rename{to: new, node: node})
	return nil
}

func (c *crashFS) SyncDir(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.take("syncdir", name); err != nil {
		return err
	}
	for _, r := range c.pending {
		r.apply(c.durable)
	}
	c.pending = nil
	return nil
}

// used is how many bytes all files have.
func (c *crashFS) used() (n int64) {
	for _, node := range c.names {
		n += int64(len(node.data))
	}
	return n
}

func (n *inode) change(c change) {
	n.data = c.apply(slices.Clone(n.data), func() bool { return true })
	n.pending = append(n.pending, c)
}

var (
	_ atomicfile.FS   = (*crashFS)(nil)
	_ atomicfile.File = (*crashFile)(nil)
	_ io.ReaderAt     = (*crashFile)(nil)

	errStopped = errors.New("stopped by the test")
)
