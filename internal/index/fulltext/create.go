package fulltext

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
)

// Create makes an empty index in dir and opens it.
//
// Steps: build the index in dir.tmp, close it, sync its files and directories,
// rename dir.tmp to dir, sync the parent directory, open the index. A crash
// before the rename leaves dir.tmp, which the next Create removes. A crash after
// the rename leaves an index that opens. (An index built in place and killed in
// its first milliseconds usually never opens again.)
func Create(dir string, m schema.Mapping, gen doc.Generation) (*Index, error) {
	_, err := schema.New(m)
	var mapping []byte
	if err == nil {
		mapping, err = m.Encode()
	}
	if err == nil {
		rec := record{fingerprint: m.Fingerprint(), generation: gen}
		err = createDir(dir, func(tmp string) error { return writeEmpty(tmp, rec, mapping) })
	}
	if err != nil {
		return nil, fmt.Errorf("create index %s: %w", dir, err)
	}
	return Open(dir, m)
}

// CopyTo makes a durable copy of the current index in a new directory, which
// Open opens. Searches and writes go on meanwhile. A crash leaves at most
// dir.tmp, which the next CopyTo removes.
func (ix *Index) CopyTo(dir string) error {
	ix.use.RLock() // Close waits for the copy
	defer ix.use.RUnlock()
	if ix.closed {
		return ErrClosed
	}
	err := ix.Err() // after an error the memory may differ from what was acknowledged
	if err == nil {
		err = createDir(dir, ix.copyFiles)
	}
	if err != nil {
		return fmt.Errorf("copy index %s to %s: %w", ix.dir, dir, err)
	}
	return nil
}

// createDir makes a directory that exists only when it is complete and durable.
// build fills dir.tmp. A crash leaves at most dir.tmp, which the next createDir
// removes.
func createDir(dir string, build func(tmp string) error) error {
	switch _, err := os.Lstat(dir); {
	case err == nil:
		return errors.New("the directory exists already: open the index, or remove the directory first")
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

// copyFiles copies the files of the current index. The copy reader keeps the
// files of its segments until it is closed, also those not yet on disk.
func (ix *Index) copyFiles(tmp string) error {
	store, ok := ix.store.(index.CopyIndex)
	if !ok {
		return fmt.Errorf("bleve can't copy a %T", ix.store)
	}
	r := store.CopyReader()
	if err := errors.Join(r.CopyTo(copyTarget(tmp)), r.CloseCopyReader()); err != nil {
		return err
	}
	_, err := readHeader(tmp, checkedAtOpen) // bleve ignores some errors of closing the files
	return err
}

// A copyTarget is the directory that bleve copies an index to. bleve asks for
// names with a directory prefix, which is dropped.
type copyTarget string

func (t copyTarget) GetWriter(name string) (io.WriteCloser, error) {
	f, err := os.OpenFile(filepath.Join(string(t), filepath.Base(name)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err // not f: a nil *os.File in an interface is not nil
	}
	return f, nil
}

// syncTree makes files and directories durable, bottom-up.
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
