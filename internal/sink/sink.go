// Package sink is the one place where a document enters or leaves.
//
// Order of a batch: index, then pages, both durable, then the tree of stamps in
// memory; then, in the same order, what leaves; then the quarantine. Whoever
// called moves the marks after Put has returned. A crash between index and pages
// leaves a page whose version is not the index's: the row counts as different
// when it is read again, and is written again.
//
// Invariant (fetch order decides): what was fetched earlier never overwrites
// what was fetched later. Begin hands out a number and lets the snapshot be
// taken under one lock, so that numbers are in the order of snapshots; Put and
// Delete drop what is older than what they have applied to that OID, be it a
// document, a reject or a removal. While a batch is being written its OIDs are
// held, so that two writers never interleave on one row, and different rows
// are written side by side.
//
// A document whose hash is the page's is not written again, provided the index
// still has the write that the page speaks of: same generation, same version.
//
// Invariant (a bad row never blocks its batch): a document that is too large, or
// that index or pages refuse again though they are well, is set aside with the
// reason and the others are written; see blames. There is a limit to what is set
// aside, beyond which Put fails: a fault of the SQL is not one of its rows. Its
// last document stays, with the groups that the row has now; see access.go.
//
// What leaves: rows that are marked deleted, by Put, and rows that were found
// gone, by Delete, which the Guard may hold.
//
// Cost: one page lookup and one hash a document; one index lookup for each
// document that has a page.
package sink

import (
	"context"
	"math"
	"sync/atomic"

	"indexerd/internal/doc"
)

// Index is the full-text index of one table.
type Index interface {
	Generation() doc.Generation
	// Hash hashes what the index would say of a row. An error means that the
	// row can't be indexed as configured.
	Hash(doc.Row) (doc.DocHash, error)
	// Apply writes and removes durably. After an error any part may be done.
	Apply(puts []doc.Doc, deletes []doc.OID) error
	// Versions returns the version of each document, 0 where there is none.
	Versions([]doc.OID) ([]doc.Version, error)
	// Err is the fault after which nothing can be written, until the index is
	// opened again; nil while all is well.
	Err() error
}

// Pages keeps the raw documents of one table.
type Pages interface {
	Put([]doc.Page) error
	Delete([]doc.OID) error
	Meta(doc.OID) (meta doc.Meta, ok bool, err error)
	// Get does not say whether there is no such page or a damaged one: Meta has
	// neither, once Get has found it damaged.
	Get(doc.OID) (doc.Page, error)
	Err() error // as the index's
}

// Quarantine keeps the rows that can't become documents.
type Quarantine interface {
	Add(doc.Batch) error
	Clear([]doc.OID) error
	Has(doc.OID) bool
	// LenWith is how many rows there would be if these were set aside too.
	LenWith([]doc.Reject) int
}

// Tree keeps the stamps of what was crawled, in memory.
type Tree interface {
	Put([]doc.Stamp) error
	Delete([]doc.OID) error
}

// A Sink is the entrance to one table's index and pages.
type Sink struct {
	// Check, if not nil, reports why a row is too large for a document. It is
	// called before anything is made of the row. Set it before the first Put.
	Check func(doc.Row) error

	index      Index
	pages      Pages
	tree       Tree
	quarantine Quarantine
	guard      *Guard
	numbers    *numbers
	acl        doc.ACL
	failed     atomic.Bool // a write, though the storage was well: see write

	begin chan struct{} // held while a number and its snapshot are taken
	lock  chan struct{} // guards what follows
	held  map[doc.OID]struct{}
	freed chan struct{} // closed and replaced whenever held shrinks

	inFlight map[doc.FetchSeq]struct{}
	absent   map[doc.OID]doc.FetchSeq // newest fetch that found the row gone or unusable, while an older one may still bring it
}

// New makes a sink. reserve(n) makes n more numbers durable and returns the
// first of them.
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
		held:       map[doc.OID]struct{}{},
		freed:      make(chan struct{}),
		inFlight:   map[doc.FetchSeq]struct{}{},
		absent:     map[doc.OID]doc.FetchSeq{},
	}
}

// Begin starts a fetch: it takes the next number and calls open, which must
// take the snapshot, before any other fetch can begin. Each Begin without an
// error needs an End.
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

// End says that everything of a fetch has been put or dropped.
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

// Put writes the documents of a batch that are new or different, sets aside its
// rejects, and removes what its rows that are marked deleted have left. When it
// returns nil, all of it is durable.
func (s *Sink) Put(ctx context.Context, b doc.Batch) (doc.Report, error) {
	report := doc.Report{Read: len(b.Docs) + len(b.Rejects)}
	b = withoutDeleted(b)
	b = s.withGroups(rejectDuplicates(b), b)
	oids := append(keys(b.Docs, b.Rejects), b.Deleted...)
	if err := s.hold(ctx, oids); err != nil {
		return report, err
	}
	defer s.release(oids)

	p, err := s.plan(b)
	if err != nil {
		return report, err
	}
	written, refused, err := s.write(ctx, p.entries)
	if err != nil {
		return report, err
	}
	b.Rejects, b.Deleted = append(p.rejects, refused...), p.deleted
	deleted, err := s.follow(b, written)
	if err != nil {
		return report, err
	}
	count(&report, written)
	report.Deleted, report.Quarantined = deleted, len(b.Rejects)
	return report, nil
}

// follow does what follows when the documents of a batch are durable. Rows that
// are mended leave quarantine before others enter it: they make room.
func (s *Sink) follow(b doc.Batch, written []entry) (deleted int, err error) {
	if err := s.tell(written); err != nil {
		return 0, err
	}
	if deleted, err = s.removeMarked(b.Deleted, b.Fetch); err != nil {
		return 0, err
	}
	if err := s.quarantine.Clear(oidsOf(written)); err != nil {
		return 0, err
	}
	return deleted, s.setAside(b)
}

// hold waits until none of the OIDs is being written, and holds them.
func (s *Sink) hold(ctx context.Context, oids []doc.OID) error {
	for {
		var wait <-chan struct{}
		s.locked(func() {
			for _, oid := range oids {
				if _, busy := s.held[oid]; busy {
					wait = s.freed
					return
				}
			}
			for _, oid := range oids {
				s.held[oid] = struct{}{}
			}
		})
		if wait == nil {
			return nil
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Sink) release(oids []doc.OID) {
	s.locked(func() {
		for _, oid := range oids {
			delete(s.held, oid)
		}
		close(s.freed)
		s.freed = make(chan struct{})
	})
}

func (s *Sink) locked(f func()) {
	s.lock <- struct{}{}
	defer func() { <-s.lock }()
	f()
}
