package faultdisk

import (
	"context"
	"maps"
	"slices"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// A node is a file or a directory, as processes see it and as it is on disk. The
// disk's lock guards it.
type node struct {
	fs.Inode
	disk  *Disk
	mode  uint32
	times [2]time.Time // accessed, modified

	data     []byte // of a file
	synced   []byte
	unsynced []write

	names map[string]*node // of a directory
	kept  map[string]*node
}

var _ = interface {
	fs.NodeGetattrer
	fs.NodeSetattrer
	fs.NodeOnAdder
	fs.NodeCreater
	fs.NodeMkdirer
	fs.NodeUnlinker
	fs.NodeRmdirer
	fs.NodeRenamer
	fs.NodeLinker
	fs.NodeOpener
	fs.NodeReader
	fs.NodeWriter
	fs.NodeFsyncer
	fs.NodeStatfser
}((*node)(nil))

func (d *Disk) newNode(mode uint32) *node {
	now := time.Now()
	n := &node{disk: d, mode: mode, times: [2]time.Time{now, now}}
	if n.isDir() {
		n.names, n.kept = map[string]*node{}, map[string]*node{}
	}
	return n
}

func (n *node) isDir() bool { return n.mode&syscall.S_IFMT == syscall.S_IFDIR }

func (n *node) stable() fs.StableAttr { return fs.StableAttr{Mode: n.mode & syscall.S_IFMT} }

func (n *node) listed(names map[string]*node) []string { return slices.Sorted(maps.Keys(names)) }

// OnAdd adds the existing entries of a directory.
func (n *node) OnAdd(ctx context.Context) {
	shown := map[*node]*fs.Inode{}
	n.show(ctx, shown)
}

func (n *node) show(ctx context.Context, shown map[*node]*fs.Inode) {
	for _, name := range n.listed(n.names) {
		child := n.names[name]
		inode := shown[child]
		if inode == nil {
			inode = n.NewPersistentInode(ctx, child, child.stable())
			shown[child] = inode
		}
		n.AddChild(name, inode, true)
	}
}

func (n *node) lock() (unlock func()) {
	n.disk.mu.Lock()
	return n.disk.mu.Unlock
}

// Getattr returns the length and the times of a node.
func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	defer n.lock()()
	n.attr(&out.Attr)
	return 0
}

func (n *node) attr(out *fuse.Attr) {
	out.Mode, out.Nlink, out.Size, out.Blksize = n.mode, 1, uint64(len(n.data)), pageSize
	out.Blocks = (out.Size + 511) / 512
	out.Owner = *fuse.CurrentOwner()
	out.SetTimes(&n.times[0], &n.times[1], &n.times[1])
}

// Setattr truncates or extends a file, which is a step. Changes of mode and times
// are not.
func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	defer n.lock()()
	if size, ok := in.GetSize(); ok {
		if _, errno := n.disk.begin(step{op: "truncate", name: n.path()}); errno != 0 {
			return errno
		}
		n.put(write{at: int64(size)})
	}
	if mode, ok := in.GetMode(); ok {
		n.mode = n.mode&syscall.S_IFMT | mode&^syscall.S_IFMT
	}
	if t, ok := in.GetATime(); ok {
		n.times[0] = t
	}
	if t, ok := in.GetMTime(); ok {
		n.times[1] = t
	}
	n.attr(&out.Attr)
	return 0
}

func (n *node) put(w write) {
	n.data = w.apply(n.data)
	n.unsynced = append(n.unsynced, w)
	n.times[1] = time.Now()
}

func (n *node) path() string { return n.Path(nil) }

// make creates a file or directory.
func (n *node) make(ctx context.Context, op, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer n.lock()()
	if _, errno := n.disk.begin(step{op: op, name: n.path() + "/" + name, room: true}); errno != 0 {
		return nil, errno
	}
	child := n.disk.newNode(mode)
	n.disk.change(change{{n, name, child}})
	child.attr(&out.Attr)
	return n.NewPersistentInode(ctx, child, child.stable()), 0
}

// Create creates a file.
func (n *node) Create(ctx context.Context, name string, _, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	inode, errno := n.make(ctx, "create", name, syscall.S_IFREG|mode&0o7777, out)
	return inode, nil, fuse.FOPEN_KEEP_CACHE, errno
}

// Mkdir creates a directory.
func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.make(ctx, "mkdir", name, syscall.S_IFDIR|mode&0o7777, out)
}

// Link adds a name to a file.
func (n *node) Link(_ context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer n.lock()()
	if _, errno := n.disk.begin(step{op: "link", name: n.path() + "/" + name, room: true}); errno != 0 {
		return nil, errno
	}
	child := target.(*node)
	n.disk.change(change{{n, name, child}})
	child.attr(&out.Attr)
	return &child.Inode, 0
}

// Unlink removes a name of a file.
func (n *node) Unlink(_ context.Context, name string) syscall.Errno {
	return n.remove("remove", name)
}

// Rmdir removes an empty directory.
func (n *node) Rmdir(_ context.Context, name string) syscall.Errno { return n.remove("rmdir", name) }

func (n *node) remove(op, name string) syscall.Errno {
	defer n.lock()()
	child := n.names[name]
	if child == nil {
		return syscall.ENOENT
	}
	if len(child.names) > 0 {
		return syscall.ENOTEMPTY
	}
	if _, errno := n.disk.begin(step{op: op, name: n.path() + "/" + name}); errno != 0 {
		return errno
	}
	n.disk.change(change{{n, name, nil}})
	return 0
}

// noReplace is RENAME_NOREPLACE of renameat2.
const noReplace = 1

// Rename renames a node and replaces an existing one.
func (n *node) Rename(_ context.Context, name string, newParent fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	defer n.lock()()
	to, child := newParent.(*node), n.names[name]
	if child == nil {
		return syscall.ENOENT
	}
	there := to.names[newName]
	if flags&^noReplace != 0 {
		return syscall.EINVAL
	}
	if there != nil && flags&noReplace != 0 {
		return syscall.EEXIST
	}
	if there != nil && len(there.names) > 0 {
		return syscall.ENOTEMPTY
	}
	if _, errno := n.disk.begin(step{op: "rename", name: to.path() + "/" + newName}); errno != 0 {
		return errno
	}
	n.disk.change(change{{n, name, nil}, {to, newName, child}})
	return 0
}

// Open lets the kernel keep its cache of a file.
func (n *node) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_KEEP_CACHE, 0
}

// Read reads the file as processes see it.
func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	defer n.lock()()
	off = min(off, int64(len(n.data)))
	return fuse.ReadResultData(dest[:copy(dest, n.data[off:])]), 0
}

// Write writes. It is a step.
func (n *node) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	defer n.lock()()
	half, errno := n.disk.begin(step{op: "write", name: n.path(), room: true, write: true})
	if errno != 0 {
		return 0, errno
	}
	if half {
		data = data[:(len(data)+1)/2]
	}
	n.put(write{off, append([]byte{}, data...)})
	return uint32(len(data)), 0
}

// Fsync makes the content and the name of a file durable, or the entries of a
// directory.
func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	defer n.lock()()
	lost, errno := n.disk.begin(step{op: "sync", name: n.path(), sync: true})
	switch {
	case lost:
		n.unsynced = nil
		return errno
	case errno != 0:
		return errno
	case n.isDir():
		n.disk.settle(func(e entry) bool { return e.dir == n })
	default:
		n.sync()
		n.disk.settle(func(e entry) bool { return e.node == n })
	}
	return 0
}

// Statfs returns free space, or none if the disk is full.
func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	defer n.lock()()
	out.Bsize, out.Frsize, out.NameLen, out.Blocks, out.Files, out.Ffree = pageSize, pageSize, 255, 1<<24, 1<<20, 1<<19
	if !n.disk.full {
		out.Bfree, out.Bavail = 1<<23, 1<<23
	}
	return 0
}
