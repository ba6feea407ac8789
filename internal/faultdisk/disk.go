// Package faultdisk is a disk for tests of whole programs: a file system in
// memory, mounted by FUSE, that fails the k-th step of any process that uses
// it, fills up, and at a power cut forgets what was not synced. It is what
// package faultfs is for code that takes its file system as an argument; the
// libraries that call the operating system themselves are tested here.
//
// Each change is a step: a write, a sync, a rename, and the making, linking,
// cutting and removing of a file or directory. Fail says which step goes wrong,
// and how; a program is run for k = 1, 2, ... until no step is left to fail.
//
// A Cut leaves what the next start would find. Of what was not synced, each
// page of each write may be there or not, and the changes of directories may be
// there up to any one; at worst all of it is forgotten.
//
// Assumptions, which ext4, XFS and btrfs keep: a rename is one change; a synced
// file keeps its name, without a sync of its directory; changes of a directory
// become durable in their order.
//
// Cost: all files are in memory, twice. A step takes some 50 us. It takes root
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

// A Kind is what goes wrong.
type Kind int

// The kinds. Each counts the steps that it can befall.
const (
	// Stop ends the disk before any step: this step and all further ones fail and
	// change nothing. So whoever uses it may be killed a little later.
	Stop Kind = iota
	// Broken fails any one step with EIO. Nothing else is lost of it.
	Broken
	// Lost fails one sync with EIO, and what it was to make durable never will be,
	// though it can be read until the power goes and the next sync reports no
	// error: Linux forgets so what it could not write.
	Lost
	// Full fails a step that takes room, and all further ones, with ENOSPC.
	Full
	// Short does half of a write, and is Full from then on.
	Short
)

// A Fault befalls the Step-th step from now on, counted from 1, of those that
// its kind can befall.
type Fault struct {
	Kind Kind
	Step int
}

// A Disk is mounted at a directory.
type Disk struct {
	dir    string
	server *fuse.Server

	mu      sync.Mutex
	root    *node
	pending []change // not durable yet, in their order
	fault   *Fault
	steps   map[Kind]int // since Fail
	met     string       // the step that the fault befell
	stopped bool
	full    bool
}

// Mount mounts an empty disk at a directory.
func Mount(dir string) (*Disk, error) {
	d := &Disk{dir: dir, steps: map[Kind]int{}}
	d.root = d.newNode(syscall.S_IFDIR | 0o700)
	return d, d.mount()
}

const forEver = 24 * time.Hour // nobody else changes what the kernel remembers

func (d *Disk) mount() (err error) {
	timeout := forEver
	d.server, err = fs.Mount(d.dir, d.root, &fs.Options{
		EntryTimeout: &timeout, AttrTimeout: &timeout,
		MountOptions: fuse.MountOptions{FsName: "faultdisk", Name: "faultdisk", DirectMountStrict: true, MaxWrite: 1 << 20, DisableXAttrs: true},
	})
	if err != nil {
		return fmt.Errorf("mount a disk that fails: %w", err)
	}
	return nil
}

// Close unmounts the disk. Nobody may use it any more.
func (d *Disk) Close() error {
	if err := d.server.Unmount(); err != nil {
		return errors.Join(err, syscall.Unmount(d.dir, syscall.MNT_DETACH))
	}
	return nil
}

// Fail has a fault befall the disk, and forgets an earlier one.
func (d *Disk) Fail(f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.met = &f, ""
	clear(d.steps)
}

// Mend ends all faults but a stop, and returns the step that the last one
// befell, if it did.
func (d *Disk) Mend() (met string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.full = nil, false
	return d.met
}

// Met returns the step that the fault befell, if it did.
func (d *Disk) Met() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.met
}

// Steps returns how many steps there were since Fail that a kind can befall.
func (d *Disk) Steps(k Kind) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.steps[k]
}

// Sync makes everything durable that there is. It is no step.
func (d *Disk) Sync() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.pending {
		c.apply()
	}
	d.pending = nil
	d.root.syncAll()
}

// Start ends a stop, as after the end of the processes that used the disk:
// what they had written is there.
func (d *Disk) Start() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped, d.full, d.fault = false, false, nil
}

// Cut is a power cut, and the start after it. No process may have the disk
// open any more. At worst, nothing is left that was not synced.
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

// A step is one change that a process asks for.
type step struct {
	op, name string
	room     bool // it takes room
	write    bool
	sync     bool
}

func (s step) befalls(k Kind) bool {
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

// begin counts a step and says how it fails, if it does. half: half of a write is
// to be done nevertheless, or what a sync was to do is lost. The disk is locked.
func (d *Disk) begin(s step) (half bool, errno syscall.Errno) {
	if d.stopped {
		return false, syscall.EIO
	}
	if d.full && s.room {
		return false, syscall.ENOSPC
	}
	for _, k := range all {
		if s.befalls(k) {
			d.steps[k]++
		}
	}
	f := d.fault
	if f == nil || !s.befalls(f.Kind) || d.steps[f.Kind] != f.Step {
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

// A change is of one entry, or of two at once: a rename. The node nil is none.
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

// change makes a change that is not durable yet. The disk is locked.
func (d *Disk) change(c change) {
	for _, e := range c {
		set(e.dir.names, e.name, e.node)
	}
	d.pending = append(d.pending, c)
}

// settle makes the changes durable that are wanted, and with each the earlier
// ones of the same directories.
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
