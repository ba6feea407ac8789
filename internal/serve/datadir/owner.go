package daemon

import (
	"crypto/rand"
	"errors"
	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"io/fs"
	"path/filepath"
	"strings"
)

// ownerFile has the id of the data directory, by which a cluster knows its indexes, and a store its pages.
const ownerFile = "id"

// ownerOf returns the id of a data directory, which the first call makes.
func ownerOf(cfg *configs.Config, readOnly bool) (string, error) {
	if cfg.Index.Engine != configs.OpenSearch && !cfg.PageStore.Remote() {
		return "", nil
	}
	if !readOnly {
		return ownerIn(cfg.Data)
	}
	for _, name := range []string{sharedOwnerFile, ownerFile} {
		text, err := atomicfile.Read(atomicfile.OS, filepath.Join(cfg.Data, name))
		if name == ownerFile || !errors.Is(err, fs.ErrNotExist) {
			return strings.TrimSpace(string(text)), err
		}
	}
	return "", nil
}

// sharedOwnerFile has, in place of ownerFile, the id by which index and pages know a data
// directory that has got the marks of several daemons.
const sharedOwnerFile = "owner"

// ownerIn returns the id by which index and pages know a data directory.
func ownerIn(data string) (string, error) {
	text, err := atomicfile.Read(atomicfile.OS, filepath.Join(data, sharedOwnerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return ownID(data)
	}
	return strings.TrimSpace(string(text)), err
}

func newID() string { return strings.ToLower(rand.Text()) }

// ownID returns the id of a data directory, which the first call makes.
func ownID(data string) (string, error) {
	name := filepath.Join(data, ownerFile)
	text, err := atomicfile.Read(atomicfile.OS, name)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	id := newID()
	return id, atomicfile.Write(atomicfile.OS, name, []byte(id+"\n"))
}
