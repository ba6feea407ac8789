// Package atomicfile replaces a file durably. A crash before Write returns leaves
// the old content or the new content, a crash after it the new content.
//
// Steps of Write: create a temporary file in the same directory, write, sync,
// close, rename it over the target, sync the directory. A crash before the rename
// leaves the old file and perhaps a *.tmp, which the next Write overwrites.
// Assumptions: a rename is atomic, and a synced directory keeps its entries.
//
// Indexerd writes its own durable files through the FS of this package, so that
// a test can fail any step, or lose what was not synced.
package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A File is an open file, such as *os.File.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	Name() string
	Stat() (fs.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

// An FS is a file system: OS, or one for tests.
type FS interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	MkdirAll(name string, perm fs.FileMode) error
	Rename(old, new string) error
	Remove(name string) error
	Link(old, new string) error
	// SyncDir makes the entries of the directory durable.
	SyncDir(name string) error
}

// OS is the file system of the operating system.
var OS FS = osFS{}

type osFS struct{}

func (osFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not f: a nil *os.File in an interface is not nil
	}
	return f, nil
}

func (osFS) ReadDir(name string) ([]fs.DirEntry, error)   { return os.ReadDir(name) }
func (osFS) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }
func (osFS) Rename(old, new string) error                 { return os.Rename(old, new) }
func (osFS) Remove(name string) error                     { return os.Remove(name) }
func (osFS) Link(old, new string) error                   { return os.Link(old, new) }

func (osFS) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil // EINVAL: the file system cannot sync directories, and makes entries durable at once
}

// ErrReadOnly is the error of every call of ReadOnly that would change a file.
var ErrReadOnly = errors.New("opened read-only")

// ReadOnly returns an FS that reads from fsys. Calls that would change it return
// ErrReadOnly.
func ReadOnly(fsys FS) FS { return readOnly{fsys} }

type readOnly struct{ FS }

func (r readOnly) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrReadOnly}
	}
	return r.FS.OpenFile(name, flag, perm)
}

func (readOnly) MkdirAll(name string, _ fs.FileMode) error { return refuse("mkdir", name) }
func (readOnly) Rename(old, _ string) error                { return refuse("rename", old) }
func (readOnly) Remove(name string) error                  { return refuse("remove", name) }
func (readOnly) Link(old, _ string) error                  { return refuse("link", old) }
func (readOnly) SyncDir(name string) error                 { return refuse("sync", name) }

func refuse(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: ErrReadOnly} }

// Read returns the content of a file.
func Read(fsys FS, name string) ([]byte, error) {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Write replaces the content of a file durably. After an error the file is
// unchanged, unless only the sync of its directory failed: then it has the new
// content, and a crash may restore the old one. The permissions are 0600.
func Write(fsys FS, name string, data []byte) error {
	tmp := name + ".tmp"
	if err := writeSynced(fsys, tmp, data); err != nil {
		return fmt.Errorf("write %s: %w", name, discard(fsys, tmp, err))
	}
	if err := fsys.Rename(tmp, name); err != nil {
		return fmt.Errorf("write %s: %w", name, discard(fsys, tmp, err))
	}
	if err := fsys.SyncDir(filepath.Dir(name)); err != nil {
		return fmt.Errorf("write %s: sync the directory: %w", name, err)
	}
	return nil
}

// Keep makes sure that a file has a content: it is Write unless the file has it
// already. Then Keep syncs the file only: an earlier process may have appended
// without. The name of the file must be durable. Keep waits for no disk where the content
// is empty: a power failure may remove a file that it made, so a missing file must be as
// good as an empty one.
func Keep(fsys FS, name string, data []byte) error {
	old, err := Read(fsys, name)
	switch {
	case err == nil && len(old) == 0 && len(data) == 0:
		return nil
	case errors.Is(err, fs.ErrNotExist) && len(data) == 0:
		return makeEmpty(fsys, name)
	case err == nil && bytes.Equal(old, data):
		return syncFile(fsys, name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read %s: %w", name, err)
	}
	return Write(fsys, name, data)
}

func makeEmpty(fsys FS, name string) error {
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("make %s: %w", name, err)
	}
	return f.Close()
}

func syncFile(fsys FS, name string) error {
	f, err := fsys.OpenFile(name, os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func writeSynced(fsys FS, name string, data []byte) error {
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync() // without it a crash after the rename can leave an empty file
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// discard removes the temporary file of a failed write.
func discard(fsys FS, tmp string, cause error) error {
	if err := fsys.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; %w", cause, err)
	}
	return cause
}

// WriteKeeping replaces a file as Write does, and keeps the old content as
// name.prev. A crash or an error before it returns may leave an older content there.
func WriteKeeping(fsys FS, name string, data []byte) error {
	if err := keepPrevious(fsys, name); err != nil {
		return fmt.Errorf("write %s: keep the old content: %w", name, err)
	}
	return Write(fsys, name, data)
}

// keepPrevious gives the content of a file the name name.prev too: nothing is copied where
// the file system has links. The next Write syncs the directory.
func keepPrevious(fsys FS, name string) error {
	prev, tmp := name+".prev", name+".prev.tmp"
	// Rename does nothing if both names are of one file, as after a Write that failed.
	if err := fsys.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch err := fsys.Link(name, tmp); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fs.ErrPermission): // a file system without links, such as FAT
		return copyPrevious(fsys, name, prev)
	case err != nil:
		return err
	}
	if err := fsys.Rename(tmp, prev); err != nil {
		return discard(fsys, tmp, err)
	}
	return nil
}

func copyPrevious(fsys FS, name, prev string) error {
	old, err := Read(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return Write(fsys, prev, old)
}
