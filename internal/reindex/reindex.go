// Package reindex builds the index of a table anew from its pages, for another
// mapping, and puts it in place of the one that is in use.
//
// Searches stay with the old index until the new one is complete. From the
// start of Run what is put and deleted goes to both. The scan goes through the
// old index's documents in key order, chunk by chunk, and brings the current
// page of each into the new one, at the page's version; then the page gets the
// document's new hash. Index first, then page, as everywhere.
//
// Invariants:
//
//   - A chunk is read and written under the table's lane. So no page changes
//     between the moment when it is read and the moment when it is applied, and
//     the scan never overwrites a newer document with an older one.
//   - A version stands for a write of a row, whatever index it goes to: the new
//     one has under a page's version what that very page says, and no version is
//     given out twice. So pages stay right under the same generation, and the
//     marks, which speak of the generation, need not move.
//   - What is in both at the end of the scan is equal to what an index that is
//     loaded anew would have of the same pages.
//   - The hash of one mapping is never that of another. A page with the hash of
//     the index that is not in use costs one write when its row is next fetched.
//
// A page may lack what the new mapping needs: it was read by an older SQL. Its
// document goes into the new index with the rest and at version 0, which is no
// page's, so it is found by what is known and counts as different. A document
// whose page is missing, torn or does not fit the new mapping is left out. If
// there is one of either, the table is doubted before the swap, and the sweep,
// which finds just these, fetches them. No list of them is kept: it would say
// what the index says. More left out than can be the fault of the rows is the
// fault of the mapping, and ends Run.
//
// # Steps, states, recovery
//
// Of the directories index and index.new one counts: the one that the file
// index.current names, and index without it. The other one, the spare, is where
// Run builds.
//
//	step of Run                         a crash leaves      Resolve
//	remove the spare                    index               -
//	create it, scan                     + index.new         removes index.new
//	doubt the table, if need be         the same            the same
//	sync it, write index.current        + index.current     removes index, renames
//	write to the new one alone, search
//	  it, close the old one             the same            the same
//	remove the old one                  index.new and       renames
//	                                    index.current
//	...of Resolve: rename               index and           removes index.current
//	                                    index.current
//
// To write index.current is the one step that decides. No directory is renamed
// while it is open: an index that is in use can't follow. So a process that has
// swapped goes on in index.new, and swaps back into index the next time; the
// next start renames. A directory that is half removed never counts.
//
// An error or a cancellation before the decision removes the new one, and the
// old one goes on alone. ErrUndecided: see there.
//
// Assumptions: rename is atomic, a synced directory keeps its entries, an index
// is whole in its directory once Apply has returned.
//
// Costs: each document is built and written once, and each page is written
// again, so that pages grow until they are compacted; while it runs, the disk
// has both indexes and each write is done twice. Others wait for the lane for a
// chunk at most. Memory is that of one write: 1000 documents or 4 MB.
package reindex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
	"indexerd/timetrace"
)

// Old is the index that is in use.
type Old interface {
	Index
	// Documents lists up to n documents with key >= from in key order. next is
	// the key to go on at, empty at the end; fewer than n, even none, may come
	// before it.
	Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error)
	Count() (uint64, error)
}

// New is the index that takes its place.
type New interface {
	Index
	// Pad gives a row what the mapping names and the row lacks.
	Pad(doc.Row) doc.Row
	Close() error
}

// Pages are the raw documents.
type Pages interface {
	Get(doc.OID) (doc.Page, error)
	// Meta does not vouch for a page that Get has found damaged.
	Meta(doc.OID) (doc.Meta, bool, error)
	Put([]doc.Page) error
}

// chunkSize is how many documents are brought between two rests, and maxBytes
// how much of their pages is written at a time.
const (
	chunkSize = 1000
	maxBytes  = 4 << 20
)

// What is left out is bounded by the larger of a count and a share of the
// documents, one in so many: as what the sink sets aside.
const (
	leftCount = 1000
	leftShare = 5
)

// Doubt is why a table is unverified after a reindex that could not bring all.
const Doubt = "the mapping was changed"

// A Reindex builds the index of a table anew.
type Reindex struct {
	Table string
	Dir   string // of the table, data/T
	Live  *Switch
	Old   Old // where Live stands
	Pages Pages
	Trace *timetrace.Trace
	// Create makes the new index, empty, in a directory that is not there.
	Create func(dir string, generation doc.Generation) (New, error)
	// Adopt is called when the new index has taken the place of the old one and
	// Live stands at it: all else has to turn to it, and the old one is to be
	// closed.
	Adopt func() error
	Chunk int // documents between two rests; 0: 1000
	// Rest is called between chunks with the time that was worked since it
	// last returned. It may give the lane up and take it again. nil: no rest.
	Rest     func(ctx context.Context, worked time.Duration) error
	Progress func(done, of int64) // nil: nobody looks

	disk disk // nil: the machine's
}

// A Result is what the new index has been given.
type Result struct {
	Indexed int64 // documents that their pages have told all of
	Partial int64 // documents of which a part is to be fetched
	Left    int64 // documents that are to be fetched as a whole
	Swapped bool  // the new index is in use
}

// Run builds the new index and swaps. It is called with the lane taken, no
// other Run and no sweep under way. After an error it may have swapped: what was
// left to do then was to remove the old index, which Resolve does, too.
func (r *Reindex) Run(ctx context.Context) (Result, error) {
	b := &build{Reindex: r, since: time.Now(), chunk: cmp.Or(r.Chunk, chunkSize)}
	b.place = place{cmp.Or[disk](r.disk, osDisk{atomicfile.OS}), r.Dir}
	if err := b.run(ctx); err != nil {
		return b.result, fmt.Errorf("reindex %s: %w", r.Table, err)
	}
	return b.result, nil
}

// A build is a Run under way.
type build struct {
	*Reindex
	place  place
	chunk  int
	name   string // of the directory that is built
	index  New    // what is built
	since  time.Time
	of     int64 // documents that were there at the beginning
	result Result

	docs  []doc.Doc // to write
	pages []doc.Page
	bytes int
}

func (b *build) run(ctx context.Context) error {
	if err := b.begin(); err != nil {
		return err
	}
	err := b.scan(ctx)
	if err == nil {
		err = b.decide()
	}
	switch {
	case errors.Is(err, ErrUndecided):
		return err // both go on
	case err != nil:
		return b.abandon(err)
	}
	return b.finish()
}

// begin makes the new index. From then on what is written goes to both.
func (b *build) begin() error {
	n, err := b.Old.Count()
	if err != nil {
		return err
	}
	b.of = int64(n)
	current, err := b.place.current()
	if err != nil {
		return err
	}
	b.name = spare(current)
	if err := b.place.remove(b.name); err != nil {
		return err
	}
	if b.index, err = b.Create(b.place.path(b.name), b.Old.Generation()); err != nil {
		return err
	}
	b.Live.Set(Both{Old: b.Old, New: b.index})
	return nil
}

// decide makes the new index the one that counts. Doubt comes first: what is
// left to fetch is never in the marks' claim alone.
func (b *build) decide() error {
	if b.result.Partial+b.result.Left > 0 {
		err := b.Trace.UpdateTable(b.Table, func(t *timetrace.Table) { t.Doubt(Doubt) })
		if err != nil {
			return err
		}
	}
	return b.place.commit(b.name)
}

// abandon goes on with the old index alone.
func (b *build) abandon(cause error) error {
	b.Live.Set(b.Old)
	err := b.index.Close()
	if err == nil {
		err = b.place.remove(b.name)
	}
	if err != nil {
		return fmt.Errorf("%w; the new index stays until the next start: %w", cause, err)
	}
	return cause
}

// finish goes on with the new index alone.
func (b *build) finish() error {
	b.Live.Set(b.index)
	b.result.Swapped = true
	err := b.Adopt()
	if err == nil {
		err = b.place.remove(spare(b.name))
	}
	if err != nil {
		return fmt.Errorf("the new index is in use, the old one stays until the next start: %w", err)
	}
	return nil
}

// rest lets others work.
func (b *build) rest(ctx context.Context) error {
	if b.Rest != nil {
		if err := b.Rest(ctx, time.Since(b.since)); err != nil {
			return err
		}
	}
	b.since = time.Now()
	return ctx.Err()
}
