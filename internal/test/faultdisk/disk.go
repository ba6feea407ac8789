// Package faultdisk is a disk for tests of whole programs: a file system in
// memory, mounted with FUSE. It fails the k-th step of the processes that use it,
// runs full, and loses at a power cut what was not synced. Package faultfs does the
// same for code that takes its file system as an argument; faultdisk also tests
// libraries that call the operating system.
//
// A step is a change: a write, a sync, a rename, or the creation, link, truncation
// or removal of a file or directory. Fail chooses the step that fails, and how. A
// test runs its program for k = 1, 2, ... until it takes fewer than k steps.
//
// Cut leaves what the next start finds. Each page of a write that was not synced
// may be there or not, and changes of directories may be there up to any one. In
// the worst case all of that is lost.
//
// Assumptions, which hold for ext4, XFS and btrfs: a rename is one change; a synced
// file keeps its name without a sync of its directory; the changes of a directory
// become durable in their order.
//
// Cost: all files are in memory twice. A step takes about 50 µs. A mount needs root
// and /dev/fuse.
package faultdisk

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// A Kind is a kind of fault.
type Kind int

// The kinds of faults. Each counts the steps that it can affect.
const (
	// Stop stops the disk before a step: this step and all later ones fail and
	// change nothing. A test can then kill the process at leisure.
	Stop Kind = iota
	// Broken fails one step with EIO, and loses nothing else.
	Broken
	// Lost fails one sync with EIO. The data never become durable, although they can
	// be read until a power cut, and the next sync succeeds: so does Linux.
	Lost
	// Full fails a step that needs space, and all later ones, with ENOSPC.
	Full
	// Short writes half of a write, and is Full from then on.
	Short
)

// A Fault affects one step: the Step-th from now on, counted from 1, of those that
// its kind can affect.
type Fault struct {
	Kind Kind
	Step int
}

// A Disk is a disk mounted at a directory.
type Disk struct {
	dir    string
	server *fuse.Server

	mu      sync.Mutex
	root    *node
	pending []change // not durable yet, in order
	fault   *Fault
	steps   map[Kind]int // since Fail
	met     string       // the step that the fault affected
	stopped bool
	full    bool
}

// Mount mounts an empty disk at a directory.
func Mount(dir string) (*Disk, error) {
	d := &Disk{dir: dir, steps: map[Kind]int{}}
	d.root = d.newNode(syscall.S_IFDIR | 0o700)
	return d, d.mount()
}

const forEver = 24 * time.Hour // only the kernel changes the files, so its cache stays valid

func (d *Disk) mount() (err error) {
	timeout := forEver
	d.server, err = fs.Mount(d.dir, d.root, &fs.Options{
		EntryTimeout: &timeout, AttrTimeout: &timeout,
		MountOptions: fuse.MountOptions{FsName: "faultdisk", Name: "faultdisk", DirectMountStrict: true, MaxWrite: 1 << 20, DisableXAttrs: true},
	})
	if err != nil {
		return fmt.Errorf("mount faultdisk: %w", err)
	}
	return nil
}

// Close unmounts the disk. No process may use it any more.
func (d *Disk) Close() error {
	if err := d.server.Unmount(); err != nil {
		return errors.Join(err, syscall.Unmount(d.dir, syscall.MNT_DETACH))
	}
	return nil
}

// Fail sets the fault, in place of an earlier one.
func (d *Disk) Fail(f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.met = &f, ""
	clear(d.steps)
}

// Repair ends all faults except a stop, and returns the step that the last fault
// affected, or "".
func (d *Disk) Repair() (met string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.full = nil, false
	return d.met
}

// Met returns the step that the fault affected, or "".
func (d *Disk) Met() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.met
}

// Steps returns the number of steps since Fail that a kind can affect.
func (d *Disk) Steps(k Kind) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.steps[k]
}

// Sync makes everything durable. It is not a step.
func (d *Disk) Sync() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.pending {
		c.apply()
	}
	d.pending = nil
	d.root.syncAll()
}

// Start ends a stop. Everything that was written is there, as after a kill.
func (d *Disk) Start() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped, d.full, d.fault = false, false, nil
}

// Cut cuts the power and mounts the disk again. No process may have files open on
// it. If worst is true nothing is left that was not synced.
func (d *Disk) Cut(r *rand.Rand, worst bool) error {
	if err := d.Close(); err != nil {
		return fmt.Errorf("cut the power: %w", err)
	}
	d.mu.Lock()
	if !worst {
		kept := r.IntN(len(d.pending) + 1)
		for _, c := range d.pending[:kept] {
			c.apply()
		}
	}
	var how *rand.Rand
	if !worst {
		how = r
	}
	d.root = d.survivor(d.root, how, map[*node]*node{})
	d.pending, d.fault, d.stopped, d.full = nil, nil, false, false
	d.mu.Unlock()
	return d.mount()
}

// A step is one change by a process.
type step struct {
	op, name string
	room     bool // needs space
	write    bool
	sync     bool
}

// affectedBy reports whether a fault of this kind can affect the step.
func (s step) affectedBy(k Kind) bool {
	switch k {
	case Full:
		return s.room
	case Short:
		return s.write
	case Lost:
		return s.sync
	}
	return true
}

var all = []Kind{Stop, Broken, Lost, Full, Short}

// begin counts a step and returns its error. If half is true the caller does half
// of a write, or loses the data of a sync. The disk is locked.
func (d *Disk) begin(s step) (half bool, errno syscall.Errno) {
	if d.stopped {
		return false, syscall.EIO
	}
	if d.full && s.room {
		return false, syscall.ENOSPC
	}
	for _, k := range all {
		if s.affectedBy(k) {
			d.steps[k]++
		}
	}
	f := d.fault
	if f == nil || !s.affectedBy(f.Kind) || d.steps[f.Kind] != f.Step {
		return false, 0
	}
	d.fault, d.met = nil, s.op+" "+s.name
	switch f.Kind {
	case Stop:
		d.stopped = true
		return false, syscall.EIO
	case Broken:
		return false, syscall.EIO
	case Lost:
		return true, syscall.EIO
	case Short:
		d.full = true
		return true, 0
	}
	d.full = true
	return false, syscall.ENOSPC
}

// A change changes one entry, or two at once for a rename. A nil node removes the
// entry.
type change []entry

type entry struct {
	dir  *node
	name string
	node *node
}

func (c change) apply() {
	for _, e := range c {
		set(e.dir.kept, e.name, e.node)
	}
}

func set(names map[string]*node, name string, n *node) {
	if n == nil {
		delete(names, name)
	} else {
		names[name] = n
	}
}

// change makes a change, which is not durable yet. The disk is locked.
func (d *Disk) change(c change) {
	for _, e := range c {
		set(e.dir.names, e.name, e.node)
	}
	d.pending = append(d.pending, c)
}

// settle makes the wanted changes durable, and the earlier changes of the same
// directories.
func (d *Disk) settle(wanted func(entry) bool) {
	var dirs []*node
	settled := make([]bool, len(d.pending))
	for i, c := range slices.Backward(d.pending) {
		settled[i] = slices.ContainsFunc(c, func(e entry) bool { return wanted(e) || slices.Contains(dirs, e.dir) })
		if settled[i] {
			for _, e := range c {
				dirs = append(dirs, e.dir)
			}
		}
	}
	var left []change
	for i, c := range d.pending {
		if settled[i] {
			c.apply()
		} else {
			left = append(left, c)
		}
	}
	d.pending = left
}
