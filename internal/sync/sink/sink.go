// Package sink writes documents to the index and the pages of a table, and
// removes them. No other package does.
//
// Put writes a batch in this order: index and then pages, both durable; the tree
// of stamps in memory; removals of rows that are marked deleted, in the same
// order; the quarantine. The caller moves its marks after Put has returned. A
// crash between index and pages leaves a page whose version is not the index's;
// the row then counts as different when its stamp is read, and is written again.
//
// Invariant: an earlier fetch never overwrites a later one. Begin takes a number
// and the snapshot under one lock, so numbers have the order of snapshots. Put
// and Delete drop what is older than the document, reject or removal that was
// last applied to the OID. While a batch is written its OIDs are held: two
// batches with a common OID are written one after the other, all others
// concurrently.
//
// A document whose hash equals the page's is not written again if the index has
// the page's write: the same generation and the same version.
//
// Invariant: a bad value does not stop its row. The document lacks the value, and is
// listed as partial before it is written, so that no crash leaves one that is not
// listed. A value of the ACL's field is the exception: no right is guessed, and the row
// is rejected.
//
// Invariant: a bad row does not stop its batch. A document that is too large, or
// that a healthy index or page store refuses twice, is quarantined with the
// reason (see blamesDocument). Put fails if too many rows are quarantined, since
// the SQL is then the likely cause. The last document of a quarantined row stays,
// with the groups that the row has now (see access.go).
//
// Delete removes the documents of rows that a fetch did not find. The Guard may
// hold such removals.
//
// Cost: one lookup of pages for each batch, one hash for each document, and one
// index lookup for the documents with a page.
package sink

import (
	"context"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/internal/base/doc"
)

// Index is the full-text index of one table.
type Index interface {
	Generation() doc.Generation
	// Prepare sets the hash of the index document of a row, and returns the values of the
	// row that the document lacks. It may keep what Apply needs of the row. It returns an
	// error if the row can't be indexed as configured.
	Prepare(*doc.Doc) ([]doc.Flaw, error)
	// Apply writes and removes documents durably. After an error any part of it may
	// be written. No write of a document, and no removal, has a lower version than one
	// before.
	Apply(puts []doc.Doc, deletes []doc.Removal) error
	// Versions returns the version of each document, 0 if there is none.
	Versions([]doc.OID) ([]doc.Version, error)
	// Err returns the error after which nothing can be written until the index is
	// opened again, or nil.
	Err() error
}

// Pages keeps the raw documents of one table.
type Pages interface {
	// Put stores pages durably. Of two pages of one OID, that with the higher version
	// is the newer one.
	Put([]doc.Page) error
	// Delete removes all versions of pages durably. A removal has a higher version
	// than every page before it.
	Delete([]doc.Removal) error
	Meta(doc.OID) (meta doc.Meta, ok bool, err error)
	// Metas returns the Meta of each page, without an OID where there is none. Pages
	// may be on another machine: it costs one round trip for many of them.
	Metas([]doc.OID) ([]doc.Meta, error)
	// Get returns an error if there is no page, or a damaged one. After it has found
	// a page damaged Meta does not return that page.
	Get(doc.OID) (doc.Page, error)
	Err() error // as of Index
}

// Quarantine lists the rows that can't become documents, and the documents that lack
// values of their rows.
type Quarantine interface {
	Add(doc.Batch) error
	// Clear removes rows that are gone.
	Clear([]doc.OID) error
	// Note lists documents that lack values, before they and others are written.
	Note(partial []doc.Partial, others []doc.OID, at time.Time) error
	// Repaired removes rows that have become documents, whole ones also from the list of
	// those that lack values. Confirm ends what Note began.
	Repaired(oids, whole []doc.OID) error
	Confirm([]doc.OID)
	Has(doc.OID) bool
	// Rejected reports whether this version of a row was rejected since the list was
	// opened. Another configuration, and so another process, may accept it.
	Rejected(doc.Stamp) bool
	// Fetch returns the newest fetch that has added a row since the list was opened, 0
	// if there is none.
	Fetch(doc.OID) doc.FetchSeq
	// LenWith returns the number of rows if these rejects were added.
	LenWith([]doc.Reject) int
}

// Tree keeps the stamps of fetched rows, in memory.
type Tree interface {
	Put([]doc.Stamp) error
	Delete([]doc.OID) error
}

// Sums follow what the stamps of all documents sum up to.
type Sums interface {
	// Writing is called before documents are written. Its result is passed to Wrote.
	Writing() int
	// Wrote is called after documents were written, with the stamps that were stored of
	// each before and after. The one before has no OID if there was no document.
	Wrote(since int, stamps iter.Seq2[doc.Stamp, doc.Stamp])
	// Changed is called after documents or pages were written or removed, or may have been,
	// where it is not known what was stored before and after.
	Changed([]doc.OID)
}

// A Sink writes to the index and the pages of one table.
type Sink struct {
	// Check, if not nil, returns an error for a row that is too large. It is called
	// before the document is built. Set it before the first Put.
	Check func(doc.Row) error

	// Added, if not nil, is called with the keys of documents that the index had not,
	// after they were written, or may have been. Set it before the first Put.
	Added func([]doc.OID)

	// Sums, if not nil, follow what the documents sum up to. Set them before the first Put.
	Sums Sums

	// Exposed is set if other programs than indexerd read the index, which hides nothing from
	// them. Set it before the first Put.
	Exposed bool

	Explained Explained

	index      Index
	pages      Pages
	tree       Tree
	quarantine Quarantine
	guard      *Guard
	numbers    *numbers
	acl        doc.ACL
	failed     atomic.Bool // a write failed on healthy storage; see write

	begin chan struct{} // held while a number and its snapshot are taken
	lock  chan struct{} // guards the fields below
	held  []*claim
	freed chan struct{} // closed and replaced whenever held shrinks

	inFlight map[doc.FetchSeq]struct{}
	absent   map[doc.OID]doc.FetchSeq // newest fetch that found the row gone or unusable, while an older fetch is in flight
}

// New returns a sink. reserve(n) durably reserves n numbers and returns the first.
func New(index Index, pages Pages, tree Tree, quarantine Quarantine, guard *Guard, reserve func(n uint64) (uint64, error)) *Sink {
	return &Sink{
		index:      index,
		pages:      pages,
		tree:       tree,
		quarantine: quarantine,
		guard:      guard,
		numbers:    &numbers{reserve: reserve},
		begin:      make(chan struct{}, 1),
		lock:       make(chan struct{}, 1),
		freed:      make(chan struct{}),
		inFlight:   map[doc.FetchSeq]struct{}{},
		absent:     map[doc.OID]doc.FetchSeq{},
	}
}

// Begin starts a fetch: it takes the next number and calls open, which takes the
// snapshot, before any other fetch can begin. The caller must call End, unless
// Begin returns an error.
func (s *Sink) Begin(open func() error) (doc.FetchSeq, error) {
	s.begin <- struct{}{}
	defer func() { <-s.begin }()
	n, err := s.numbers.next(1)
	if err != nil {
		return 0, err
	}
	seq := doc.FetchSeq(n)
	s.locked(func() { s.inFlight[seq] = struct{}{} })
	if err := open(); err != nil {
		s.End(seq)
		return 0, err
	}
	return seq, nil
}

// End ends a fetch. The caller has put or dropped everything of it.
func (s *Sink) End(seq doc.FetchSeq) {
	s.locked(func() {
		delete(s.inFlight, seq)
		oldest := doc.FetchSeq(math.MaxUint64)
		for f := range s.inFlight {
			oldest = min(oldest, f)
		}
		for oid, by := range s.absent {
			if by <= oldest {
				delete(s.absent, oid)
			}
		}
	})
}

// Put writes the new and different documents of a batch, quarantines its rejects,
// and removes the documents of its rows that are marked deleted. When it returns
// nil, all of it is durable.
func (s *Sink) Put(ctx context.Context, b doc.Batch) (doc.Report, error) {
	report := doc.Report{Read: len(b.Docs) + len(b.Rejects)}
	b = withoutDeleted(b)
	b = s.withGroups(rejectDuplicates(b), b)
	oids := append(keys(b.Docs, b.Rejects), b.Deleted...)
	held, err := s.hold(ctx, oids)
	if err != nil {
		return report, err
	}
	defer s.release(held)

	p, err := s.plan(b)
	if err != nil {
		return report, err
	}
	if err := s.quarantine.Note(partial(p.entries), whole(p.entries, doc.OIDs(p.entries)), b.At); err != nil {
		return report, err
	}
	written, refused, err := s.write(ctx, p.entries)
	if err != nil {
		return report, err
	}
	b.Rejects, b.Deleted = append(p.rejects, refused...), p.deleted
	deleted, err := s.finish(b, written)
	if err != nil {
		return report, err
	}
	s.Explained.write(written)
	count(&report, written)
	report.Deleted, report.Quarantined = deleted, len(b.Rejects)
	return report, nil
}

// finish puts the stamps, removals and rejects of a batch whose documents are
// durable. Rows leave the quarantine before others enter it, to make room.
func (s *Sink) finish(b doc.Batch, written []entry) (deleted int, err error) {
	if err := s.putStamps(written); err != nil {
		return 0, err
	}
	if deleted, err = s.removeMarked(b.Deleted, b.Fetch); err != nil {
		return 0, err
	}
	oids := doc.OIDs(written)
	if err := s.quarantine.Repaired(oids, whole(written, oids)); err != nil {
		return 0, err
	}
	s.quarantine.Confirm(oids)
	return deleted, s.quarantineRejects(b)
}

// partial returns the entries whose document lacks values.
func partial(entries []entry) (docs []doc.Partial) {
	for i := range entries {
		if e := &entries[i]; e.flaws != nil {
			docs = append(docs, doc.Partial{OID: e.doc.OID, Hash: e.doc.Hash, Flaws: e.flaws})
		}
	}
	return docs
}

// whole returns the keys of those entries whose document has all values: of all, in most
// batches.
func whole(entries []entry, all []doc.OID) []doc.OID {
	for i := range entries {
		if entries[i].flaws == nil {
			continue
		}
		some := slices.Clone(all[:i])
		for k := i + 1; k < len(entries); k++ {
			if entries[k].flaws == nil {
				some = append(some, all[k])
			}
		}
		return some
	}
	return all
}

func (s *Sink) locked(f func()) {
	s.lock <- struct{}{}
	defer func() { <-s.lock }()
	f()
}

// block is how many numbers are reserved at a time. A restart loses the rest of a
// block.
const block = 1 << 17

// numbers returns increasing numbers, for fetches and for writes. A restart never
// returns a number again.
type numbers struct {
	reserve func(n uint64) (uint64, error)

	mu         sync.Mutex
	free, last uint64 // free..last-1 are reserved and unused
}

// next returns the first of n consecutive numbers.
func (c *numbers) next(n uint64) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last-c.free < n {
		size := max(block, n)
		first, err := c.reserve(size)
		if err != nil {
			return 0, err
		}
		c.free, c.last = first, first+size
	}
	first := c.free
	c.free += n
	return first, nil
}
