package backup

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"indexerd/internal/base/atomicfile"
)

// A disk is a directory with everything below it.
type disk interface {
	atomicfile.FS
	RemoveAll(name string) error
}

// rooted is a real directory. No name and no link leads out of it.
type rooted struct{ *os.Root }

func (r rooted) OpenFile(name string, flag int, perm fs.FileMode) (atomicfile.File, error) {
	f, err := r.Root.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not f: a nil *os.File in an interface is not nil
	}
	return f, nil
}

func (r rooted) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.FS(), name) }

func (r rooted) SyncDir(name string) error {
	return atomicfile.OS.SyncDir(filepath.Join(r.Name(), name))
}

// A replacement is built under a temporary name and then renamed.
type replacement struct {
	disk disk
	name string
}

// tmp returns the temporary name. What a crash left there is removed.
func (r replacement) tmp() string { return "." + r.name + ".indexerd.tmp" }

// make calls build, which writes the temporary name durably, and renames it. After
// an error of build nothing is left.
func (r replacement) make(build func(tmp string) error) error {
	if err := r.disk.RemoveAll(r.tmp()); err != nil { // a crash left it
		return err
	}
	err := build(r.tmp())
	if err == nil {
		err = r.disk.Rename(r.tmp(), r.name)
	}
	if err != nil {
		return and(err, r.disk.RemoveAll(r.tmp()))
	}
	return r.disk.SyncDir(".")
}

// A folder writes the files of a backup below a directory.
type folder struct {
	disk disk
	dir  string
	dirs []string // that have new entries
}

func (f *folder) take(name string, _ int64, r io.Reader) error {
	name = path.Join(f.dir, name)
	if err := f.enter(path.Dir(name)); err != nil {
		return err
	}
	// create is exclusive: a file system may ignore case, and take two names for one.
	return create(f.disk, name, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// enter creates a directory, and notes it and those above it for sync.
func (f *folder) enter(dir string) error {
	if slices.Contains(f.dirs, dir) {
		return nil
	}
	if err := f.disk.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for ; dir != "." && !slices.Contains(f.dirs, dir); dir = path.Dir(dir) {
		f.dirs = append(f.dirs, dir)
	}
	return nil
}

// sync makes the names of all files durable. Their contents are durable already.
func (f *folder) sync() error {
	for _, dir := range f.dirs {
		if err := f.disk.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// create writes a new file and syncs its content.
func create(d disk, name string, write func(io.Writer) error) error {
	f, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	return and(err, f.Close())
}

// compressed writes a tar archive, filled by write, through zstd.
func compressed(w io.Writer, write func(*tar.Writer) error) error {
	z, err := zstd.NewWriter(w)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	if err = write(t); err == nil {
		err = t.Close()
	}
	return and(err, z.Close())
}

// and joins two errors in one line.
func and(err, more error) error {
	switch {
	case err == nil:
		return more
	case more == nil:
		return err
	}
	return fmt.Errorf("%w; %w", err, more)
}
