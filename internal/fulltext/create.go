package fulltext

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
)

// Create makes an empty index.
//
// Steps: make it in a sibling directory, close it, sync its files and
// directories, rename it, sync the directory above, open it. A crash before
// the rename leaves a stray sibling, which the next Create removes, and
// nothing under dir; after it, an index that opens. (Made in place, an index
// that is killed in its first milliseconds mostly never opens again.)
func Create(dir string, m Mapping, gen doc.Generation) (*Index, error) {
	if err := create(dir, m, gen); err != nil {
		return nil, fmt.Errorf("create index %s: %w", dir, err)
	}
	return Open(dir, m)
}

func create(dir string, m Mapping, gen doc.Generation) error {
	if _, err := newSchema(m); err != nil {
		return err
	}
	switch _, err := os.Lstat(dir); {
	case err == nil:
		return errors.New("it exists already: open it, or remove it first")
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	tmp := dir + ".tmp"
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return err
	}
	if err := initialise(tmp, record{fingerprint: m.Fingerprint(), generation: gen}); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	if err := os.Rename(tmp, dir); err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return atomicfile.OS.SyncDir(filepath.Dir(dir))
}

// initialise makes a closed, durable index that holds only its record.
func initialise(dir string, rec record) error {
	queue := index.NewAnalysisQueue(1)
	defer queue.Close()
	store, err := openStore(dir, readWrite, queue, func(error) {})
	if err != nil {
		return err
	}
	if err := errors.Join(store.SetInternal(recordKey, rec.encode()), store.Close()); err != nil {
		return err
	}
	return syncTree(dir)
}

// syncTree makes files and directories durable, from the bottom up.
func syncTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			err = syncTree(path)
		} else {
			err = syncFile(path)
		}
		if err != nil {
			return err
		}
	}
	return atomicfile.OS.SyncDir(dir)
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
