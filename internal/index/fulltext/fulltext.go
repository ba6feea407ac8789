// Package fulltext stores the full-text index of one table: it applies batches
// of documents and answers searches. A schema.Mapping defines which columns are searched
// and how. The package uses the storage of bleve (scorch). It and the packages below it
// read the segments by themselves, and are the only importers of bleve:
//
//	schema    what is indexed of a row, as fields and terms
//	segment   writes and reads segments
//	stored    reads keys and versions of documents
//	words     the words of a query, in terms and in texts
//	plan      compiles queries, and finds and scores documents
//	order     sorts them
//	aggs      aggregates them
//	hits      answers requests with plan, order and aggs
//	compiled  requests for an engine that stores documents elsewhere
//
// # Layout
//
// An index is a directory of scorch: root.bolt and immutable segments. A
// document's _id is the bytes of its OID, so byte order is key order. Its
// fields are:
//
//	c:NAME  the words of a content column, or of a child's rows: frequencies,
//	        norms and, unless disabled, positions
//	l:NAME  the bits of the number of words of c:NAME
//	m:NAME  the terms of a metadata column, or of a child's values, with
//	        docvalues; a number or date is one term, and the byte order of
//	        terms is the order of values; numbers and dates have a column too
//	v       doc.Version, stored
//
// The file root.sum has the checksum of root.bolt (rootsum.go). Segments have their own.
//
// Nothing else is stored for a document. Two internal values hold the record
// (fingerprint of the mapping, index generation, number of the last batch) and
// the mapping.
//
// Each content column is a separate field, and a word without a field name is
// searched in all of them. So title:word needs no extra disk space, totals are
// exact with and without positions, and a phrase never spans two columns. The
// price is one dictionary lookup per column for each word of a query.
//
// All rows of a child share one field. Their positions are so far apart that no
// phrase spans two rows. A child with a type has one term for each different
// value. Sorting by such a child uses a document's least value in ascending
// order, and its greatest in descending order.
//
// # Guarantees
//
// A batch that Apply has acknowledged survives a crash. An index directory is
// complete as soon as it exists: Create and CopyTo build it under another name
// and rename it. An index opens only with the mapping it was built with: Open
// checks the mapping, OpenAsBuilt reads it from the index. Another mapping
// needs another index, which package reindex builds from the pages.
//
// A file that is not as it was written is found when the index is opened, up to a size,
// when its segment is merged, and by Scrub. Then every use is ErrDamaged: no search
// answers from what is known to be damaged.
//
// # Costs
//
// Memory: the documents being written, within a budget that all indexes share
// (cost.go), and the segments being merged. Files are memory-mapped.
//
// Writing: Apply waits for a few fsyncs, so batches of about 10,000 documents are
// best, and two concurrent callers use two cores. Package segment builds the
// segments. A text of 400 bytes takes about 6 us of CPU and 740 bytes of disk;
// without positions 5 us and 340 bytes, depending on the text (BenchmarkApply).
//
// Listing: Versions of 2000 OIDs takes 2 to 3 ms if they are present, 1 ms if
// they are absent, and 0.1 ms if they are above all keys, as in a load in key
// order. Documents lists a million documents in about 2 s (BenchmarkDocuments),
// with the memory of one call. CopyTo copies files; only Close waits for it.
//
// Searching: see packages plan, hits and aggs.
package fulltext

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/giveway"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/fulltext/versions"
)

var (
	// ErrMapping is the error of Open if the index was built with another
	// mapping. OpenAsBuilt opens such an index. The remedy is a new index, built
	// from the pages.
	ErrMapping = errors.New("the index was built with another mapping: build a new one from the pages")

	// ErrNoMapping is the error of OpenAsBuilt if the index does not store what it was built
	// with, as that of a build before the first release. The remedy is a new index, built
	// from the pages.
	ErrNoMapping = errors.New("the index does not store its mapping, as that of an early build: build a new one from the pages")

	// ErrClosed is the error of any use after Close.
	ErrClosed = errors.New("the index is closed")

	// ErrStuck is the error of Close if an index that failed does not close. Its
	// files stay locked until the process ends.
	ErrStuck = errors.New("the index does not close after its failure: start indexerd again")
)

// errReadOnly is the error of Apply on an index that is opened read-only.
var errReadOnly = errors.New("the index is opened read-only")

// closeTimeout is how long an index that failed may take to close. An index
// that did not fail has no limit: it may have batches to finish.
const closeTimeout = 10 * time.Second

// An Index is one open index. Its methods are safe for concurrent use.
type Index struct {
	Requests
	rows       *segment.Schema // of documents
	mapping    []byte          // encoded
	dir        string
	generation doc.Generation
	readOnly   bool
	filters    *plan.IndexFilters
	root       *rootKeeper   // nil: opened read-only
	batches    atomic.Uint64 // number of the last batch
	damaged    atomic.Pointer[error]
	suspected  atomic.Pointer[error]

	use     sync.RWMutex // held for reading while store is in use
	store   index.Index
	closed  bool
	persist *persistState
}

// Generation returns the generation that was passed to Create.
func (ix *Index) Generation() doc.Generation { return ix.generation }

// Err returns the first error of the goroutines that write in the background.
// After it, the memory of scorch may differ from the disk: Apply reports the
// error, and the caller should close the index and open it again.
func (ix *Index) Err() error {
	if err := ix.Damage(); err != nil {
		return err
	}
	if err := ix.persist.err(); err != nil {
		return fmt.Errorf("index %s: %w", ix.dir, err)
	}
	return nil
}

// recoverPanic makes a panic a failure of the index. Damaged bytes that no
// checksum covers can make zap panic.
func (ix *Index) recoverPanic(err *error) {
	if p := recover(); p != nil {
		ix.persist.fail(fmt.Errorf("unusable after a panic: %v", p))
		*err = ix.Err()
		ix.suspect(*err)
	}
}

// Close waits for calls in progress and closes the index. A second Close does
// nothing.
func (ix *Index) Close() error {
	ix.use.Lock()
	defer ix.use.Unlock()
	if ix.closed {
		return nil
	}
	ix.closed = true
	ix.persist.release()
	ix.root.stop()
	defer analysts.give()
	defer ix.filters.Drop()
	if err := ix.closeStore(); err != nil {
		return fmt.Errorf("close index %s: %w", ix.dir, err)
	}
	ix.root.finish()
	return nil
}

// closeStore closes scorch. After a commit that ended in a panic, scorch waits
// forever for bbolt's lock.
func (ix *Index) closeStore() error {
	closed := make(chan error, 1)
	go func() { closed <- ix.store.Close() }()
	select {
	case err := <-closed:
		return err
	case <-ix.persist.failed: // perhaps in a batch that Close had to finish
	}
	select {
	case err := <-closed:
		return err
	case <-time.After(closeTimeout):
		return ErrStuck
	}
}

// Count returns the number of documents.
func (ix *Index) Count() (n uint64, err error) {
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		n, err = r.DocCount()
		return err
	})
	return n, err
}

// Bytes returns the size of the index on disk.
func (ix *Index) Bytes() (n uint64, err error) {
	ix.use.RLock()
	defer ix.use.RUnlock()
	if ix.closed {
		return 0, ErrClosed
	}
	files, err := os.ReadDir(ix.dir)
	if err != nil {
		return 0, fmt.Errorf("index %s: %w", ix.dir, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil { // else a merge has removed it
			n += uint64(info.Size())
		}
	}
	return n, nil
}

// Versions returns the version of each document, 0 if there is none. A document
// that was not written by this program also has version 0. Documents lists it,
// and no page has that version.
func (ix *Index) Versions(oids []doc.OID) (vs []doc.Version, err error) {
	work := giveway.Background()
	defer work.End()
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		vs, err = versions.Versions(r, oids, work)
		return err
	})
	return vs, err
}

// Documents lists documents in key order, beginning at from; "" is the first
// key. next is the key to continue at, "" at the end. Each call reads the
// current index: a document that exists all the time is listed exactly once,
// whatever is written between two calls.
//
// A call reads n keys, n at least 1, and lists those that have a live document.
// The index keeps the keys of deleted documents until their segments are merged.
// So a call may list fewer than n documents, or none, before the end.
func (ix *Index) Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error) {
	work := giveway.Background()
	defer work.End()
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		docs, next, err = versions.Documents(r, from, n, work)
		return err
	})
	return docs, next, err
}

// read calls f with a snapshot of the current index.
func (ix *Index) read(f func(*scorch.IndexSnapshot) error) (err error) {
	ix.use.RLock()
	defer ix.use.RUnlock()
	defer ix.recoverPanic(&err)
	if ix.closed {
		return ErrClosed
	}
	if err := ix.Damage(); err != nil {
		return err
	}
	r, err := snapshot(ix.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return ix.examine(f(r))
}

func snapshot(store index.Index) (*scorch.IndexSnapshot, error) {
	r, err := store.Reader()
	if err != nil {
		return nil, err
	}
	s, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		return nil, fmt.Errorf("bleve returned a %T instead of a scorch snapshot", r)
	}
	return s, nil
}
