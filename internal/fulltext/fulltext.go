// Package fulltext is the full-text index of one table: what of a row is
// searched and how, batches in, searches out. It is the only importer of
// bleve, of which it uses the storage (scorch) and the searchers.
//
// # Layout
//
// An index is a directory of scorch: root.bolt and immutable segments. A
// document's _id is its OID's bytes, so that byte order is key order. Its
// fields:
//
//	c:NAME  words of a content column or of a child's rows: frequencies, norms
//	        and, unless turned off, positions
//	m:NAME  terms of a metadata column or of a child's values, with docvalues;
//	        numbers and dates are one term each, whose byte order is the order
//	        of values
//	v       doc.Version, stored
//
// Nothing else is stored. An internal record holds the mapping's fingerprint,
// the index generation and the number of the last batch; another one holds the
// mapping itself.
//
// Each content column is a field of its own, and a bare word is looked for in
// all of them. So title:word costs nothing extra on disk, every total is exact
// with and without positions, and a phrase never runs from one column into the
// next. The price is one dictionary lookup a column for each word of a query.
//
// All rows of a child are one field too, their positions so far apart that no
// phrase runs from one row into the next. A child with a type has as many terms
// as its rows have different values; sorted by it, a document stands by the
// least of them in ascending and by the greatest in descending order.
//
// # Invariants
//
// What Apply has acknowledged survives a crash. An index directory is complete
// from the moment it has its name: Create and CopyTo build it beside and rename
// it. An index opens only with the mapping that it was made with: with Open,
// who knows it, and with OpenAsBuilt, who does not. Another mapping is another
// index, which package reindex makes of the pages while this one is in use.
//
// # Costs
//
// Memory is that of the documents in hand, which share a budget (cost.go), and of
// segments being merged; files are mapped. Apply returns after a few fsyncs: batches of about 2000 documents
// spread that best, and two callers at once use two cores. A text of 400 bytes
// takes 80 to 90 us of CPU and 750 bytes on disk, without positions 70 us and
// 430 bytes; BenchmarkApply says how that compares. Versions of 2000 OIDs take
// 2 to 3 ms where they are there, 1 ms where they are not, and 0.1 ms where they
// are above all keys, as in a load that goes upwards. Listing a million documents
// takes about 2 s, in memory of one call; BenchmarkDocuments says how long. CopyTo
// copies files, and holds up nothing but Close.
//
// A search takes what its matches take, and 8 us for each term that a beginning
// or a fuzzy word stands for; it looks at its deadline every few of either. A
// phrase reads the positions of all documents that have its words.
package fulltext

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/doc"
)

var (
	// ErrMapping is the error of Open when the index was made with another
	// mapping. OpenAsBuilt opens it nevertheless; its remedy is a new index,
	// built from the pages.
	ErrMapping = errors.New("it was built with another mapping: build a new one from the pages")

	// ErrReadOnly is the error of Apply of an index that was opened read-only.
	ErrReadOnly = errors.New("the index is opened read-only")

	// ErrClosed is the error of any use after Close.
	ErrClosed = errors.New("the index is closed")

	// ErrStuck is the error of Close when an index that failed does not close. Its
	// files stay locked until the process ends.
	ErrStuck = errors.New("it does not close after its failure: start indexerd again")
)

// closeWithin is how long an index that failed may take to close. One that did
// not fail may have something to finish.
const closeWithin = 10 * time.Second

// An Index is open for reading and writing. Its methods may be called from
// several goroutines.
type Index struct {
	schema     *schema
	dir        string
	generation doc.Generation
	readOnly   bool
	queue      *index.AnalysisQueue
	batches    atomic.Uint64 // number of the last one

	use    sync.RWMutex // held for reading while store is in use
	store  index.Index
	closed bool
	fate   *fate
}

// Generation returns the number given to Create.
func (ix *Index) Generation() doc.Generation { return ix.generation }

// Err returns the first error of the goroutines that write in the background.
// What scorch holds in memory may from then on differ from what is on disk, so
// Apply refuses, and the caller should close the index and open it again.
func (ix *Index) Err() error {
	if err := ix.fate.err(); err != nil {
		return fmt.Errorf("index %s: %w", ix.dir, err)
	}
	return nil
}

// caught turns a panic into a failure of the index: what is damaged where no
// checksum looks may lead zap astray.
func (ix *Index) caught(err *error) {
	if p := recover(); p != nil {
		ix.fate.fail(fmt.Errorf("it can't be used any more: %v", p))
		*err = ix.Err()
	}
}

// Close waits for what is under way, and closes. Closing again does nothing.
func (ix *Index) Close() error {
	ix.use.Lock()
	defer ix.use.Unlock()
	if ix.closed {
		return nil
	}
	ix.closed = true
	ix.fate.end()
	defer ix.queue.Close()
	if err := ix.closeStore(); err != nil {
		return fmt.Errorf("close index %s: %w", ix.dir, err)
	}
	return nil
}

// closeStore closes scorch, which waits for ever for bbolt's lock where a commit
// has ended in a panic.
func (ix *Index) closeStore() error {
	closed := make(chan error, 1)
	go func() { closed <- ix.store.Close() }()
	select {
	case err := <-closed:
		return err
	case <-ix.fate.met: // perhaps of what Close itself had to finish
	}
	select {
	case err := <-closed:
		return err
	case <-time.After(closeWithin):
		return ErrStuck
	}
}

// Hash digests what the index would say of a row under this mapping. An error
// means that a value does not fit its type, and names the column.
func (ix *Index) Hash(row doc.Row) (doc.DocHash, error) {
	b, err := ix.schema.build(row)
	if err != nil {
		return 0, err
	}
	return ix.schema.hash(b), nil
}

// Apply writes and removes documents, and returns when all of it is durable. What
// takes much memory is written in several batches, one after the other; the
// removals go with the first. After an error nothing may be assumed of any
// document. An OID must not be in both lists; two puts of one OID leave the later.
func (ix *Index) Apply(puts []doc.Doc, deletes []doc.OID) (err error) {
	ix.use.RLock()
	defer ix.use.RUnlock()
	defer ix.caught(&err)
	switch {
	case ix.closed:
		return ErrClosed
	case ix.readOnly:
		return ErrReadOnly
	}
	for len(puts)+len(deletes) > 0 {
		p := part{deletes: deletes}
		if puts, err = p.take(ix.schema, puts, partCost); err != nil {
			return err
		}
		if err := analysing().spend(p.cost, func() error { return ix.write(&p) }); err != nil {
			return err
		}
		deletes = nil
	}
	return nil
}

// A part is what one batch of the store writes.
type part struct {
	puts    []*document.Document
	deletes []doc.OID
	cost    int64
}

// take takes documents until the part costs as much as it may, at least one, and
// returns those that are left.
func (p *part) take(s *schema, puts []doc.Doc, most int64) (left []doc.Doc, err error) {
	for i, d := range puts {
		b, err := s.build(d.Row)
		if err != nil {
			return nil, fmt.Errorf("document %s: %w", d.OID, err)
		}
		cost := s.cost(b)
		if i > 0 && p.cost+cost > most {
			return puts[i:], nil
		}
		p.puts, p.cost = append(p.puts, s.document(d.OID, d.V, b)), p.cost+cost
	}
	return nil, nil
}

// write writes a part durably. The part no longer holds its documents then, so
// that their memory is free when it returns.
func (ix *Index) write(p *part) error {
	if err := ix.Err(); err != nil {
		return err
	}
	batch := index.NewBatch()
	for _, d := range p.puts {
		batch.Update(d)
	}
	p.puts = nil
	for _, oid := range p.deletes {
		batch.Delete(string(oid))
	}
	rec := record{fingerprint: ix.schema.fingerprint, generation: ix.generation, batch: ix.batches.Add(1)}
	batch.SetInternal(recordKey, rec.encode())
	batch.SetInternal(mappingKey, ix.schema.stored) // an index of an earlier version does not have it yet
	if err := ix.fate.write(ix.store, batch); err != nil {
		return fmt.Errorf("index %s: %w", ix.dir, err)
	}
	return nil
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
	defer ix.caught(&err)
	if ix.closed {
		return 0, ErrClosed
	}
	if s, ok := ix.store.(*scorch.Scorch); ok {
		n, _ = s.StatsMap()["CurOnDiskBytes"].(uint64)
	}
	return n, nil
}

// read calls f with a snapshot of the index as it is now.
func (ix *Index) read(f func(*scorch.IndexSnapshot) error) (err error) {
	ix.use.RLock()
	defer ix.use.RUnlock()
	defer ix.caught(&err)
	if ix.closed {
		return ErrClosed
	}
	r, err := snapshot(ix.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return f(r)
}

func snapshot(store index.Index) (*scorch.IndexSnapshot, error) {
	r, err := store.Reader()
	if err != nil {
		return nil, err
	}
	s, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		return nil, fmt.Errorf("bleve returned a %T for a scorch snapshot", r)
	}
	return s, nil
}
