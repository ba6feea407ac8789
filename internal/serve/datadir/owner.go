package datadir

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
)

// OwnerFile has the id of the data directory, by which a cluster knows its indexes, and a store its pages.
const OwnerFile = "id"

// OwnerOf returns the id of a data directory, which the first call makes.
func OwnerOf(cfg *configs.Config, readOnly bool) (string, error) {
	if cfg.Index.Engine != configs.OpenSearch && !cfg.PageStore.Remote() {
		return "", nil
	}
	if !readOnly {
		return Owner(cfg.Data)
	}
	for _, name := range []string{SharedOwnerFile, OwnerFile} {
		text, err := atomicfile.Read(atomicfile.OS, filepath.Join(cfg.Data, name))
		if name == OwnerFile || !errors.Is(err, fs.ErrNotExist) {
			return strings.TrimSpace(string(text)), err
		}
	}
	return "", nil
}

// SharedOwnerFile has, in place of ownerFile, the id by which index and pages know a data
// directory that has got the marks of several daemons.
const SharedOwnerFile = "owner"

// Owner returns the id by which index and pages know a data directory.
func Owner(data string) (string, error) {
	text, err := atomicfile.Read(atomicfile.OS, filepath.Join(data, SharedOwnerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return ID(data)
	}
	return strings.TrimSpace(string(text)), err
}

// NewID returns an id that no other data directory has.
func NewID() string { return strings.ToLower(rand.Text()) }

// ID returns the id of a data directory, which the first call makes.
func ID(data string) (string, error) {
	name := filepath.Join(data, OwnerFile)
	text, err := atomicfile.Read(atomicfile.OS, name)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	id := NewID()
	return id, atomicfile.Write(atomicfile.OS, name, []byte(id+"\n"))
}
