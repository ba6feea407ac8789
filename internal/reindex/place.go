package reindex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"indexerd/internal/atomicfile"
)

// The names in a table's directory. The index is the one of two directories that
// the file says; without the file it is the first.
const (
	firstName   = "index"
	secondName  = "index.new"
	currentName = "index.current"
)

// ErrUndecided is the error of Run when nobody can know which index the next
// start finds: the directory could not be synced after the decision. Both go
// on to be written, so either is right; the process is to end.
var ErrUndecided = errors.New("it is not known which index counts: start indexerd again")

// Resolve finishes or undoes what a crash, or a Run, has left in the directory
// of a table: afterwards the index is in index. No index may be open, and none
// may be made or removed before.
func Resolve(dir string) error {
	if err := (place{osDisk{atomicfile.OS}, dir}).resolve(); err != nil {
		return fmt.Errorf("find the index in %s: %w", dir, err)
	}
	return nil
}

// Current returns the directory of the index that counts in the directory of a
// table, and changes nothing: it is right before Resolve and after it.
func Current(dir string) (string, error) {
	name, err := (place{osDisk{atomicfile.OS}, dir}).counts()
	if err != nil {
		return "", fmt.Errorf("find the index in %s: %w", dir, err)
	}
	return filepath.Join(dir, name), nil
}

// A disk is where directories are removed too.
type disk interface {
	atomicfile.FS
	RemoveAll(name string) error
}

// osDisk is the disk of the machine.
type osDisk struct{ atomicfile.FS }

func (osDisk) RemoveAll(name string) error { return os.RemoveAll(name) }

// A place is the directory of a table.
type place struct {
	disk disk
	dir  string
}

func (p place) path(name string) string { return filepath.Join(p.dir, name) }

// resolve reads the states of the package comment from the top.
func (p place) resolve() error {
	there, err := p.names()
	if err != nil {
		return err
	}
	current, err := p.current()
	if err != nil {
		return err
	}
	switch {
	case current == firstName:
		err = p.remove(secondName)
	case slices.Contains(there, secondName):
		err = p.moveSecond()
	} // else it has been moved: what is in index is it
	if err != nil || !slices.Contains(there, currentName) {
		return err
	}
	if err := p.disk.Remove(p.path(currentName)); err != nil {
		return err
	}
	return p.disk.SyncDir(p.dir)
}

// names lists what is there.
func (p place) names() ([]string, error) {
	entries, err := p.disk.ReadDir(p.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nothing was ever stored
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// current is the name of the directory that counts.
func (p place) current() (string, error) {
	text, err := atomicfile.Read(p.disk, p.path(currentName))
	if errors.Is(err, fs.ErrNotExist) {
		return firstName, nil
	}
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(string(text), "\n")
	if name != firstName && name != secondName {
		return "", fmt.Errorf("%s says %.40q, want %s or %s: restore a backup, or write there the one that is whole", p.path(currentName), name, firstName, secondName)
	}
	return name, nil
}

// counts is the name of the directory that has the index: the second one that
// counts may have been moved into the place of the first by a resolve that a
// crash ended.
func (p place) counts() (string, error) {
	there, err := p.names()
	if err != nil {
		return "", err
	}
	current, err := p.current()
	if err == nil && !slices.Contains(there, current) {
		current = firstName
	}
	return current, err
}

// spare is the name of the directory that does not count.
func spare(current string) string {
	if current == firstName {
		return secondName
	}
	return firstName
}

// moveSecond puts the second directory in place of the first. Each step is
// durable before the next: else a power cut could leave the second one moved
// into what is left of the first.
func (p place) moveSecond() error {
	if err := p.remove(firstName); err != nil {
		return err
	}
	if err := p.disk.Rename(p.path(secondName), p.path(firstName)); err != nil {
		return err
	}
	return p.disk.SyncDir(p.dir)
}

// remove removes a directory that does not count, if it is there.
func (p place) remove(name string) error {
	there, err := p.names()
	if err != nil || !slices.Contains(there, name) {
		return err
	}
	if err := p.disk.RemoveAll(p.path(name)); err != nil {
		return err
	}
	return p.disk.SyncDir(p.dir)
}

// commit makes a directory the one that counts. After an error that is not
// ErrUndecided it is the other one for good.
func (p place) commit(name string) error {
	if err := p.disk.SyncDir(p.path(name)); err != nil {
		return err
	}
	err := atomicfile.Write(p.disk, p.path(currentName), []byte(name+"\n"))
	if err == nil {
		return nil
	}
	if now, readErr := p.current(); readErr == nil && now != name {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUndecided, err)
}
