package faultfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// An inode is the content of a file, independent of its names.
type inode struct {
	data    []byte   // as the process sees it
	synced  []byte   // that survives every crash
	pending []change // lead from synced to data, unless a sync failed
}

// A change is a write, or a change of size.
type change struct {
	at       int
	bytes    []byte
	truncate bool // to at
}

func (c change) apply(data []byte) []byte {
	size := max(len(data), c.at+len(c.bytes))
	if c.truncate {
		size = c.at
	}
	if size > len(data) {
		data = append(data, make([]byte, size-len(data))...)
	}
	data = data[:size]
	copy(data[c.at:], c.bytes)
	return data
}

func (i *inode) change(c change) {
	i.data = c.apply(i.data)
	i.pending = append(i.pending, c)
}

func (i *inode) sync() {
	for _, c := range i.pending {
		i.synced = c.apply(i.synced)
	}
	i.pending = nil
}

func (i *inode) crash(pick func(n int) int) *inode {
	data := slices.Clone(i.synced)
	for _, c := range i.pending {
		if c.truncate {
			if pick(2) == 1 {
				data = c.apply(data)
			}
		} else {
			data = c.tear(data, pick)
		}
	}
	return &inode{data: data, synced: slices.Clone(data)}
}

// sector is the unit in which a disk writes.
const sector = 512

// tear applies a write up to some byte, and without some of the sectors before
// the last one.
func (c change) tear(data []byte, pick func(n int) int) []byte {
	end := c.at + pick(len(c.bytes)+1)
	for at := c.at; at < end; {
		next := min(at/sector*sector+sector, end)
		if next == end || pick(8) > 0 {
			data = change{at: at, bytes: c.bytes[at-c.at : next-c.at]}.apply(data)
		}
		at = next
	}
	return data
}

// A handle is an open file.
type handle struct {
	fsys   *FS
	inode  *inode
	name   string
	flag   int
	at     int // of Read and Write
	closed bool
}

// begin takes the step of a call on an open file. allowed is false if the file
// was not opened for the call.
func (h *handle) begin(op string, allowed bool) error {
	if h.closed {
		return &fs.PathError{Op: op, Path: h.name, Err: fs.ErrClosed}
	}
	if err := h.fsys.step(op, h.name); err != nil {
		return err
	}
	if !allowed {
		return &fs.PathError{Op: op, Path: h.name, Err: fs.ErrPermission}
	}
	return nil
}

func (h *handle) readable() bool { return h.flag&os.O_WRONLY == 0 }
func (h *handle) writable() bool { return h.flag&(os.O_WRONLY|os.O_RDWR) != 0 }

func (h *handle) Name() string { return h.name }

func (h *handle) Stat() (fs.FileInfo, error) {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	if h.closed {
		return nil, &fs.PathError{Op: "Stat", Path: h.name, Err: fs.ErrClosed}
	}
	return info{name: filepath.Base(h.name), size: int64(len(h.inode.data))}, nil
}

func (h *handle) Read(p []byte) (int, error) {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	if err := h.begin("Read", h.readable()); err != nil {
		return 0, err
	}
	if h.at >= len(h.inode.data) && len(p) > 0 {
		return 0, io.EOF
	}
	n := copy(p, h.inode.data[min(h.at, len(h.inode.data)):])
	h.at += n
	return n, nil
}

func (h *handle) ReadAt(p []byte, at int64) (int, error) {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	if err := h.begin("ReadAt", h.readable()); err != nil {
		return 0, err
	}
	n := copy(p, h.inode.data[min(int(at), len(h.inode.data)):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (h *handle) Write(p []byte) (int, error) {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	if h.flag&os.O_APPEND != 0 {
		h.at = len(h.inode.data)
	}
	n, err := h.write("Write", p, h.at, h.writable())
	h.at += n
	return n, err
}

func (h *handle) WriteAt(p []byte, at int64) (int, error) {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	return h.write("WriteAt", p, int(at), h.writable() && h.flag&os.O_APPEND == 0)
}

// write changes the file. A step that fails writes half, except after ErrKilled.
func (h *handle) write(op string, p []byte, at int, allowed bool) (int, error) {
	possible := allowed && !h.closed && !h.fsys.off
	err := h.begin(op, allowed)
	n := len(p)
	if errors.Is(err, ErrKilled) {
		n = 0
	} else if err != nil {
		n /= 2
	}
	if !possible || n == 0 {
		return 0, err
	}
	h.inode.change(change{at: at, bytes: slices.Clone(p[:n])})
	return n, err
}

func (h *handle) Truncate(size int64) error {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	if err := h.begin("Truncate", h.writable()); err != nil {
		return err
	}
	h.inode.change(change{at: int(size), truncate: true})
	return nil
}

func (h *handle) Sync() error {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	err := h.begin("Sync", true)
	if err == nil {
		h.inode.sync()
	} else if !errors.Is(err, ErrPowerCut) && !errors.Is(err, ErrKilled) {
		h.inode.pending = nil
	}
	return err
}

// Close closes the file, even if the step fails.
func (h *handle) Close() error {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	err := h.begin("Close", true)
	h.closed = true
	return err
}

// info is the result of Stat and ReadDir.
type info struct {
	name string
	size int64
	mode fs.FileMode
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
