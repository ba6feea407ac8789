package store

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// A crashFile is a file of a crashFS, open.
type crashFile struct {
	fs   *crashFS
	name string
	node *inode
	pos  int64
}

func (f *crashFile) Name() string { return f.name }

func (f *crashFile) Close() error { return nil }

func (f *crashFile) Read(b []byte) (int, error) {
	n, err := f.ReadAt(b, f.pos)
	f.pos += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *crashFile) ReadAt(b []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return bytes.NewReader(f.node.data).ReadAt(b, off)
}

func (f *crashFile) Write(b []byte) (int, error) {
	n, err := f.WriteAt(b, f.pos)
	f.pos += int64(n)
	return n, err
}

func (f *crashFile) WriteAt(b []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.fs.take("write", f.name); err != nil {
		return 0, err
	}
	n := int64(len(b))
	if f.fs.room >= 0 {
		grown := max(off+n-int64(len(f.node.data)), 0)
		if free := max(f.fs.room-f.fs.used(), 0); grown > free {
			n = max(n-(grown-free), 0)
		}
	}
	if n > 0 {
		f.node.change(change{off, slices.Clone(b[:n])})
	}
	if n < int64(len(b)) {
		return int(n), &fs.PathError{Op: "write", Path: f.name, Err: syscall.ENOSPC}
	}
	return len(b), nil
}

func (f *crashFile) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.fs.take("sync", f.name); err != nil {
		return err
	}
	f.node.durable, f.node.pending = slices.Clone(f.node.data), nil
	return nil
}

func (f *crashFile) Truncate(size int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.fs.take("truncate", f.name); err != nil {
		return err
	}
	f.node.change(change{off: size})
	return nil
}

func (f *crashFile) Stat() (fs.FileInfo, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return fileInfo{filepath.Base(f.name), int64(len(f.node.data))}, nil
}

type fileInfo struct {
	name string
	size int64
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return 0o600 }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return false }
func (i fileInfo) Sys() any           { return nil }
