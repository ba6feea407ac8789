package reindex

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
)

// The names in the directory of a table. The package comment explains them.
const (
	firstName   = "index"
	secondName  = "index.new"
	currentName = "index.current"
)

// ErrUndecided is the error of Run if the commit could not be synced, so that
// the next start may find either index in use. Writes go on to both, so both are
// valid. The process must end.
var ErrUndecided = errors.New("the index in use is unknown, because the directory could not be synced: start indexerd again")

// Resolve finishes or undoes an interrupted or finished Run in the directory of
// a table. Afterwards the index is in the directory index. It must be called
// before an index is opened, created or removed.
func Resolve(dir string) error {
	if err := (tableDir{osDisk{atomicfile.OS}, dir}).resolve(); err != nil {
		return fmt.Errorf("find the index in %s: %w", dir, err)
	}
	return nil
}

// Current returns the directory of the index in use, before or after Resolve.
// It changes nothing.
func Current(dir string) (string, error) {
	name, err := (tableDir{osDisk{atomicfile.OS}, dir}).inUse()
	if err != nil {
		return "", fmt.Errorf("find the index in %s: %w", dir, err)
	}
	return filepath.Join(dir, name), nil
}

// A Dir is the Place of indexes that are directories of one disk.
type Dir struct {
	Path string // of the table, data/T
	// New makes an empty index in a directory that does not exist.
	New func(dir string, generation doc.Generation) (New, error)

	disk disk   // nil: the real one
	name string // directory of the new index
}

func (d *Dir) table() tableDir {
	return tableDir{cmp.Or[disk](d.disk, osDisk{atomicfile.OS}), d.Path}
}

// Create implements Place.
func (d *Dir) Create(generation doc.Generation) (New, error) {
	current, err := d.table().current()
	if err != nil {
		return nil, err
	}
	d.name = unused(current)
	if err := d.table().remove(d.name); err != nil {
		return nil, err
	}
	return d.New(d.table().path(d.name), generation)
}

// Commit implements Place.
func (d *Dir) Commit() error { return d.table().commit(d.name) }

// Discard implements Place.
func (d *Dir) Discard() error { return d.table().remove(d.name) }

// Retire implements Place.
func (d *Dir) Retire() error { return d.table().remove(unused(d.name)) }

// A disk is a file system that also removes directories.
type disk interface {
	atomicfile.FS
	RemoveAll(name string) error
}

// osDisk is the real disk.
type osDisk struct{ atomicfile.FS }

func (osDisk) RemoveAll(name string) error { return os.RemoveAll(name) }

// A tableDir is the directory of a table.
type tableDir struct {
	disk disk
	dir  string
}

func (d tableDir) path(name string) string { return filepath.Join(d.dir, name) }

// resolve handles the states of the package comment.
func (d tableDir) resolve() error {
	entries, err := d.names()
	if err != nil {
		return err
	}
	current, err := d.current()
	if err != nil {
		return err
	}
	switch {
	case current == firstName:
		err = d.remove(secondName)
	case slices.Contains(entries, secondName):
		err = d.replaceFirst()
	} // otherwise the second directory has already replaced the first
	if err != nil || !slices.Contains(entries, currentName) {
		return err
	}
	if err := d.disk.Remove(d.path(currentName)); err != nil {
		return err
	}
	return d.disk.SyncDir(d.dir)
}

// names lists the entries of the directory; none if it does not exist.
func (d tableDir) names() ([]string, error) {
	entries, err := d.disk.ReadDir(d.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// current returns the name in index.current, or index without the file.
func (d tableDir) current() (string, error) {
	text, err := atomicfile.Read(d.disk, d.path(currentName))
	if errors.Is(err, fs.ErrNotExist) {
		return firstName, nil
	}
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(string(text), "\n")
	if name != firstName && name != secondName {
		return "", fmt.Errorf("%s contains %.40q, not %s or %s: restore a backup, or write the name of the complete index", d.path(currentName), name, firstName, secondName)
	}
	return name, nil
}

// inUse returns the name of the directory that has the index in use. If the
// named directory is missing, an interrupted resolve has renamed it to index.
func (d tableDir) inUse() (string, error) {
	entries, err := d.names()
	if err != nil {
		return "", err
	}
	current, err := d.current()
	if err == nil && !slices.Contains(entries, current) {
		current = firstName
	}
	return current, err
}

// unused returns the other of the two names.
func unused(current string) string {
	if current == firstName {
		return secondName
	}
	return firstName
}

// replaceFirst renames the second directory to the first name. Each step is
// durable before the next. Otherwise a power failure could leave the second
// directory renamed into the remains of the first.
func (d tableDir) replaceFirst() error {
	if err := d.remove(firstName); err != nil {
		return err
	}
	if err := d.disk.Rename(d.path(secondName), d.path(firstName)); err != nil {
		return err
	}
	return d.disk.SyncDir(d.dir)
}

// remove removes an unused directory, if it exists.
func (d tableDir) remove(name string) error {
	entries, err := d.names()
	if err != nil || !slices.Contains(entries, name) {
		return err
	}
	if err := d.disk.RemoveAll(d.path(name)); err != nil {
		return err
	}
	return d.disk.SyncDir(d.dir)
}

// commit puts a directory into use, durably. After an error other than
// ErrUndecided the other directory stays in use.
func (d tableDir) commit(name string) error {
	if err := d.disk.SyncDir(d.path(name)); err != nil {
		return err
	}
	err := atomicfile.Write(d.disk, d.path(currentName), []byte(name+"\n"))
	if err == nil {
		return nil
	}
	if now, readErr := d.current(); readErr == nil && now != name {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUndecided, err)
}
