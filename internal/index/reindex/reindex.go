// Package reindex replaces the index of a table by a new one with another
// mapping, built from the stored pages while the table is in use. It does not
// read the database.
//
// Searches use the old index until the new one is complete. From the start of
// Run every put and delete is written to both indexes. Run scans the documents
// of the old index in key order, in chunks. For each document it builds the new
// document from the current page, with the version of the page, and then stores
// the hash of the new document in the page. As everywhere, the index is written
// before the page.
//
// # Guarantees
//
//   - A chunk is read and written under the table's lane. So no page changes
//     between its read and its write, and the scan never replaces a newer
//     document with an older one.
//   - A version identifies one write of a row, in whatever index. The new index
//     has a document with the version of a page only if it was built from that
//     page, and no version is assigned twice. So the pages stay valid under the
//     same generation, and the marks, which refer to the generation, do not move.
//   - After the scan, the new index equals one that is loaded from the same
//     pages.
//   - Documents of two mappings never have equal hashes. A page with the hash of
//     an unused index costs one extra write when its row is next fetched.
//
// A page may lack columns of the new mapping, because an older SQL read it. Its
// document is built without them and has version 0, which no page has. So the
// document is found by the rest of its columns, and counts as different. A
// document is left out if its page is missing, damaged, or does not fit the new
// mapping. If there is a document of either kind, Run marks the table as
// unverified before the swap, and the following sweep fetches exactly these
// documents. No list of them is stored: the index has the information. If too
// many documents are left out, the mapping is at fault, and Run fails.
//
// # Steps, states, recovery
//
// A Place is where the indexes are. That of the embedded index is a Dir: a table has the directories index and index.new. The file index.current names
// the one in use; without the file it is index. Run builds in the other one.
//
//	step of Run                       state after a crash   Resolve
//	remove the unused directory       index                 -
//	create it, scan                   + index.new           removes index.new
//	mark as unverified if necessary   the same              the same
//	sync it, write index.current      + index.current       removes index, renames
//	write and search the new index
//	  only, close the old one         the same              the same
//	remove the old directory          index.new and         renames
//	                                  index.current
//	...of Resolve: rename             index and             removes index.current
//	                                  index.current
//
// Writing index.current is the commit. A directory is never renamed while its
// index is open. So a process that has swapped continues in index.new, swaps
// back to index in the next Run, and the next start renames. A directory in use
// is never partly removed.
//
// After an error or a cancellation before the commit, Run removes the new index,
// and the old one stays in use. ErrUndecided is the exception.
//
// Assumptions: rename is atomic, a synced directory keeps its entries, and an
// index directory is complete when Apply returns.
//
// # Costs
//
// Each document is built and written once, and each page is written again, so
// the pages grow until they are compacted. During Run the disk holds two
// indexes, and each write is done twice. Others wait for the lane for at most one
// chunk. Memory is that of one write: 1000 documents or 4 MB.
package reindex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/timetrace"
)

// Old is the index in use.
type Old interface {
	Index
	// Documents lists up to n documents with key >= from in key order. next is
	// the key to continue at, "" at the end. Before the end the list may have
	// fewer than n documents, or none.
	Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error)
	Count() (uint64, error)
}

// New is the index that replaces it.
type New interface {
	Index
	// Pad adds the columns and children of the mapping that a row lacks.
	Pad(doc.Row) doc.Row
	Close() error
}

// Pages are the stored pages.
type Pages interface {
	Get(doc.OID) (doc.Page, error)
	// Meta reports false for a page that Get has found damaged.
	Meta(doc.OID) (doc.Meta, bool, error)
	Put([]doc.Page) error
}

const (
	chunkSize = 1000    // default of Reindex.Chunk
	maxBytes  = 4 << 20 // page bytes of one write
)

// Run fails if more documents are left out than both leftCount and the fraction
// 1/leftFraction of all documents. The sink's quarantine has the same limits.
const (
	leftCount    = 1000
	leftFraction = 5
)

// unverified is the reason why a table is unverified after a Run that could not
// rebuild all documents from pages.
const unverified = "the mapping was changed"

// A Reindex rebuilds the index of one table.
type Reindex struct {
	Table string
	Place Place
	Live  *Switch // where writes go
	Old   Old     // the index that Live uses
	Pages Pages
	Trace *timetrace.Trace
	// Adopt is called after the commit, when Live uses the new index. It makes
	// searches use the new index, and closes the old one.
	Adopt   func() error
	Partial func([]doc.Partial) error // called before documents that lack values are written; nil: not called
	Chunk   int                       // documents per chunk; 0: 1000
	// Rest is called between chunks with the time since it last returned. It may
	// release the lane and take it again. nil: never.
	Rest     func(ctx context.Context, worked time.Duration) error
	Progress func(done, of int64) // nil: not reported
}

// A Place keeps the index in use, and a new one beside it.
type Place interface {
	// Create makes the empty new index. It first removes what an interrupted Run has
	// left.
	Create(generation doc.Generation) (New, error)
	// Commit puts the new index into use, durably. After an error other than
	// ErrUndecided the old one is still in use.
	Commit() error
	// Discard removes the new index, which is closed.
	Discard() error
	// Retire removes the old index, which is closed, after Commit.
	Retire() error
}

// A Result counts the documents of the new index.
type Result struct {
	Indexed int64 // documents built completely from their pages
	Partial int64 // documents built from pages that lack columns; to be fetched
	Left    int64 // documents left out; to be fetched
	Swapped bool  // the new index is in use
}

// Run builds the new index and swaps. The caller holds the lane, and runs no
// other Run and no sweep at the same time. After an error the swap may be done;
// then only the removal of the old index is missing, which Resolve does too.
func (r *Reindex) Run(ctx context.Context) (Result, error) {
	b := r.newBuild()
	if err := b.run(ctx); err != nil {
		return b.result, fmt.Errorf("reindex %s: %w", r.Table, err)
	}
	return b.result, nil
}

func (r *Reindex) newBuild() *build {
	return &build{Reindex: r, since: time.Now(), chunk: cmp.Or(r.Chunk, chunkSize)}
}

// A build is the state of one Run or Fill.
type build struct {
	*Reindex
	chunk  int
	index  New
	since  time.Time // when Rest last returned
	total  int64     // documents at the start
	result Result

	docs    []doc.Doc     // to write
	partial []doc.Partial // those of them that lack values
	pages   []doc.Page
	bytes   int
}

func (b *build) run(ctx context.Context) error {
	if err := b.begin(func() Index { return both{old: b.Old, new: b.index} }); err != nil {
		return err
	}
	err := b.scan(ctx)
	if err == nil {
		err = b.commit()
	}
	switch {
	case errors.Is(err, ErrUndecided):
		return err // writes go on to both
	case err != nil:
		return b.abort(err)
	}
	return b.finish()
}

// begin creates the new index. From now on writes go where live returns.
func (b *build) begin(live func() Index) error {
	n, err := b.Old.Count()
	if err != nil {
		return err
	}
	b.total = int64(n)
	if b.index, err = b.Place.Create(b.Old.Generation()); err != nil {
		return err
	}
	b.Live.Set(live())
	return nil
}

// commit puts the new index into use. If documents must be fetched, it first
// marks the table as unverified, so that the marks never claim more than the
// index has.
func (b *build) commit() error {
	if b.result.Partial+b.result.Left > 0 {
		err := b.Trace.UpdateTable(b.Table, func(t *timetrace.Table) { t.Doubt(unverified) })
		if err != nil {
			return err
		}
	}
	return b.Place.Commit()
}

// abort removes the new index and goes on with the old one.
func (b *build) abort(cause error) error {
	b.Live.Set(b.Old)
	err := b.index.Close()
	if err == nil {
		err = b.Place.Discard()
	}
	if err != nil {
		return fmt.Errorf("%w; the new index stays on disk until the next start: %w", cause, err)
	}
	return cause
}

// finish goes on with the new index and removes the old one.
func (b *build) finish() error {
	b.Live.Set(b.index)
	b.result.Swapped = true
	err := b.Adopt()
	if err == nil {
		err = b.Place.Retire()
	}
	if err != nil {
		return fmt.Errorf("the new index is in use, and the old one stays on disk until the next start: %w", err)
	}
	return nil
}

// scan adds all documents of the old index to the new one. Later writes to keys
// that the scan has passed go to both indexes. Writes to keys before that are
// made again by the scan.
func (b *build) scan(ctx context.Context) error {
	done := int64(0)
	for from := doc.OID(""); ; {
		docs, next, err := b.Old.Documents(from, b.chunk)
		if err != nil {
			return fmt.Errorf("list the index: %w", err)
		}
		if err := b.addChunk(docs); err != nil {
			return err
		}
		done += int64(len(docs))
		if b.Progress != nil {
			b.Progress(done, max(b.total, done))
		}
		if next == "" {
			return nil
		}
		if err := b.rest(ctx); err != nil {
			return err
		}
		from = next
	}
}

// rest lets others use the lane.
func (b *build) rest(ctx context.Context) error {
	if b.Rest != nil {
		if err := b.Rest(ctx, time.Since(b.since)); err != nil {
			return err
		}
	}
	b.since = time.Now()
	return ctx.Err()
}

// addChunk adds the documents of a chunk, in writes of at most about maxBytes.
func (b *build) addChunk(docs []doc.Indexed) error {
	for _, d := range docs {
		page, ok, err := b.page(d.OID)
		if err != nil {
			return err
		}
		if !ok {
			err = b.leaveOut(d.OID, "its page is missing or damaged")
		} else {
			err = b.add(page)
		}
		if err != nil {
			return err
		}
		if b.bytes >= maxBytes {
			if err := b.write(); err != nil {
				return err
			}
		}
	}
	return b.write()
}

// page reads a page, and reports false if it is missing or damaged. Any other
// error ends Run: leaving out documents because of a read error would empty the
// index.
func (b *build) page(oid doc.OID) (doc.Page, bool, error) {
	page, err := b.Pages.Get(oid)
	if err == nil {
		return page, true, nil
	}
	if _, ok, metaErr := b.Pages.Meta(oid); ok || metaErr != nil {
		return page, false, err
	}
	return page, false, nil
}

// add adds the document of a page to the next write.
func (b *build) add(page doc.Page) error {
	row, err := doc.ParseRow(page.Body)
	if err != nil {
		return b.leaveOut(page.OID, err.Error())
	}
	d := doc.Doc{Meta: page.Meta, Row: row}
	if flaws, err := b.index.Prepare(&d); err == nil {
		b.result.Indexed++
		if flaws != nil {
			b.partial = append(b.partial, doc.Partial{OID: page.OID, Hash: d.Hash, Flaws: flaws})
		}
		if page.Hash != d.Hash {
			page.Hash = d.Hash
			b.pages = append(b.pages, page)
		}
	} else {
		d.Row, d.V = b.index.Pad(row), 0
		if _, err := b.index.Prepare(&d); err != nil {
			return b.leaveOut(page.OID, err.Error())
		}
		b.result.Partial++
	}
	b.docs = append(b.docs, d)
	b.bytes += len(page.Body)
	return nil
}

// leaveOut counts a document that is left out, and reports an error if there are
// too many.
func (b *build) leaveOut(oid doc.OID, reason string) error {
	b.result.Left++
	if n := b.result.Left; n > leftCount && n > b.total/leftFraction {
		return fmt.Errorf("%d of %d documents do not fit the new mapping or have no page, the last is %.40s: %s: correct the mapping, or reload the table", n, b.total, oid, reason)
	}
	return nil
}

// write lists the documents that lack values, and then makes documents and their pages
// durable.
func (b *build) write() error {
	if b.Partial != nil && len(b.partial) > 0 {
		if err := b.Partial(b.partial); err != nil {
			return err
		}
	}
	if len(b.docs) > 0 {
		if err := b.index.Apply(b.docs, nil); err != nil {
			return fmt.Errorf("index %d documents: %w", len(b.docs), err)
		}
	}
	if len(b.pages) > 0 {
		if err := b.Pages.Put(b.pages); err != nil {
			return fmt.Errorf("store %d pages: %w", len(b.pages), err)
		}
	}
	b.docs, b.partial, b.pages, b.bytes = b.docs[:0], b.partial[:0], b.pages[:0], 0
	return nil
}
