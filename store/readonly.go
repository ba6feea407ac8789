package store

import (
	"io/fs"
	"os"

	"indexerd/internal/atomicfile"
)

// readOnly opens files for reading, whatever is asked for, and keeps every name
// as it is: what recovery would make or remove stays as it was found.
type readOnly struct{ atomicfile.FS }

func (r readOnly) OpenFile(name string, _ int, perm fs.FileMode) (atomicfile.File, error) {
	return r.FS.OpenFile(name, os.O_RDONLY, perm)
}

func (readOnly) MkdirAll(string, fs.FileMode) error { return nil }
func (readOnly) Remove(string) error                { return nil }
func (readOnly) SyncDir(string) error               { return nil }
func (readOnly) Rename(string, string) error        { return ErrReadOnly }
func (readOnly) Link(string, string) error          { return ErrReadOnly }
