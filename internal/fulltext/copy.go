package fulltext

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	index "github.com/blevesearch/bleve_index_api"
)

// CopyTo makes a durable copy of the index as it is now in a new directory,
// which Open opens. Searching and writing go on. A crash leaves nothing under
// the name, and perhaps a stray sibling that the next CopyTo removes.
func (ix *Index) CopyTo(dir string) error {
	ix.use.RLock() // for Close, which waits for it
	defer ix.use.RUnlock()
	if ix.closed {
		return ErrClosed
	}
	err := ix.Err() // what is in memory may not be what was acknowledged
	if err == nil {
		err = place(dir, ix.copyTo)
	}
	if err != nil {
		return fmt.Errorf("copy index %s to %s: %w", ix.dir, dir, err)
	}
	return nil
}

// copyTo copies what the index has now. The copy reader keeps the files of its
// segments, also of those that are not on disk yet, until it is closed.
func (ix *Index) copyTo(tmp string) error {
	store, ok := ix.store.(index.CopyIndex)
	if !ok {
		return fmt.Errorf("bleve can't copy a %T", ix.store)
	}
	r := store.CopyReader()
	if err := errors.Join(r.CopyTo(target(tmp)), r.CloseCopyReader()); err != nil {
		return err
	}
	_, err := look(tmp) // bleve does not see all that goes wrong when it closes the files
	return err
}

// A target is a directory that is copied to. Names come with that of the
// directory which bleve would keep them in.
type target string

func (t target) GetWriter(name string) (io.WriteCloser, error) {
	f, err := os.OpenFile(filepath.Join(string(t), filepath.Base(name)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err // not f: a nil *os.File in an interface is not nil
	}
	return f, nil
}
