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
	schema, err := newSchema(m)
	if err != nil {
		return err
	}
	rec := record{fingerprint: schema.fingerprint, generation: gen}
	return place(dir, func(tmp string) error { return initialise(tmp, rec, schema.stored) })
}

// place makes a directory that has its name only when it is whole and durable.
// build fills it under another name. A crash leaves that one at most, and the
// next place removes it.
func place(dir string, build func(tmp string) error) error {
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
	err := build(tmp)
	if err == nil {
		err = syncTree(tmp)
	}
	if err == nil {
		err = os.Rename(tmp, dir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return atomicfile.OS.SyncDir(filepath.Dir(dir))
}

// initialise makes a closed index that holds only its record and its mapping.
func initialise(dir string, rec record, mapping []byte) error {
	queue := index.NewAnalysisQueue(1)
	defer queue.Close()
	f := newFate()
	store, err := openStore(dir, readWrite, queue, f)
	if err != nil {
		return err
	}
	batch := index.NewBatch()
	batch.SetInternal(recordKey, rec.encode())
	batch.SetInternal(mappingKey, mapping)
	err = f.write(store, batch)
	f.end()
	return errors.Join(err, store.Close())
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
