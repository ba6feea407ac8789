// Package sink is the one place where a document enters or leaves.
//
// Order of a batch: index, then pages, both durable, then the tree of stamps in
// memory. Whoever called moves the marks after Put has returned. A crash between index and pages leaves a page
// whose version is not the index's: the row counts as different when it is
// read again, and is written again.
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
// Cost: one page lookup and one hash a document; one index lookup for each
// document that has a page.
package sink

import (
	"context"
	"fmt"
	"math"

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
}

// Pages keeps the raw documents of one table.
type Pages interface {
	Put([]doc.Page) error
	Delete([]doc.OID) error
	Meta(doc.OID) (meta doc.Meta, ok bool, err error)
}

// Quarantine keeps the rows that can't become documents.
type Quarantine interface {
	Add(doc.Batch) error
	Clear([]doc.OID) error
}

// Tree keeps the stamps of what was crawled, in memory.
type Tree interface {
	Put([]doc.Stamp) error
	Delete([]doc.OID) error
}

// A Sink is the entrance to one table's index and pages.
type Sink struct {
	index      Index
	pages      Pages
	tree       Tree
	quarantine Quarantine
	numbers    *numbers

	begin chan struct{} // held while a number and its snapshot are taken
	lock  chan struct{} // guards what follows
	held  map[doc.OID]struct{}
	freed chan struct{} // closed and replaced whenever held shrinks

	inFlight map[doc.FetchSeq]struct{}
	absent   map[doc.OID]doc.FetchSeq // newest fetch that found the row gone or unusable, while an older one may still bring it
}

// New makes a sink. reserve(n) makes n more numbers durable and returns the
// first of them.
func New(index Index, pages Pages, tree Tree, quarantine Quarantine, reserve func(n uint64) (uint64, error)) *Sink {
	return &Sink{
		index:      index,
		pages:      pages,
		tree:       tree,
		quarantine: quarantine,
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

// Put writes the documents of a batch that are new or different, and sets
// aside its rejects. When it returns nil, all of it is durable.
func (s *Sink) Put(ctx context.Context, b doc.Batch) (doc.Report, error) {
	report := doc.Report{Read: len(b.Docs) + len(b.Rejects)}
	b = rejectDuplicates(b)
	oids := keys(b.Docs, b.Rejects)
	if err := s.hold(ctx, oids); err != nil {
		return report, err
	}
	defer s.release(oids)

	w, err := s.plan(b)
	if err != nil {
		return report, err
	}
	if err := s.write(w); err != nil {
		return report, err
	}
	b.Rejects = w.rejects
	if err := s.setAside(b); err != nil {
		return report, err
	}
	if err := s.quarantine.Clear(w.oids); err != nil {
		return report, err
	}
	report.Added, report.Updated, report.Skipped, report.Late = w.added, w.updated, w.skipped, w.late
	report.Quarantined = len(w.rejects)
	return report, nil
}

// setAside lists the rejects of a batch.
func (s *Sink) setAside(b doc.Batch) error {
	if len(b.Rejects) == 0 {
		return nil
	}
	// An older fetch that has a document of the row would let it out again.
	s.remember(keys(nil, b.Rejects), b.Fetch)
	return s.quarantine.Add(b)
}

// Delete removes the documents that still are at the given stamps, found gone
// by the given fetch. A document that has been written since stays.
func (s *Sink) Delete(ctx context.Context, stamps []doc.Stamp, fetch doc.FetchSeq) (doc.Report, error) {
	oids := make([]doc.OID, len(stamps))
	for i := range stamps {
		oids[i] = stamps[i].OID
	}
	if err := s.hold(ctx, oids); err != nil {
		return doc.Report{}, err
	}
	defer s.release(oids)

	gone, err := s.gone(stamps, fetch)
	if err != nil || len(gone) == 0 {
		return doc.Report{}, err
	}
	// First: an older fetch must not bring back what is half removed.
	s.remember(gone, fetch)
	if err := s.index.Apply(nil, gone); err != nil {
		return doc.Report{}, fmt.Errorf("remove %d documents: %w", len(gone), err)
	}
	if err := s.pages.Delete(gone); err != nil {
		return doc.Report{}, fmt.Errorf("remove %d pages: %w", len(gone), err)
	}
	if err := s.tree.Delete(gone); err != nil {
		return doc.Report{}, fmt.Errorf("forget %d stamps: %w", len(gone), err)
	}
	if err := s.quarantine.Clear(gone); err != nil {
		return doc.Report{}, err
	}
	return doc.Report{Deleted: len(gone)}, nil
}

// gone returns the keys whose documents still are at these stamps, or have no
// page that could tell.
func (s *Sink) gone(stamps []doc.Stamp, fetch doc.FetchSeq) ([]doc.OID, error) {
	var gone []doc.OID
	for _, stamp := range stamps {
		page, ok, err := s.pages.Meta(stamp.OID)
		if err != nil {
			return nil, err
		}
		if (!ok || page.Same(stamp)) && !s.outdated(stamp.OID, page, fetch) {
			gone = append(gone, stamp.OID)
		}
	}
	return gone, nil
}

// remember notes that a fetch found rows gone or unusable.
func (s *Sink) remember(oids []doc.OID, fetch doc.FetchSeq) {
	s.locked(func() {
		for _, oid := range oids {
			s.absent[oid] = max(s.absent[oid], fetch)
		}
	})
}

// Different returns the OIDs of those stamps that are not what the index has:
// another stamp, another generation, no page, or a page whose version is not
// the index's.
func (s *Sink) Different(stamps []doc.Stamp) ([]doc.OID, error) {
	oids := make([]doc.OID, len(stamps))
	for i := range stamps {
		oids[i] = stamps[i].OID
	}
	states, err := s.lookUp(oids)
	if err != nil {
		return nil, err
	}
	var different []doc.OID
	for i, stamp := range stamps {
		if !states[i].Same(stamp) || !states[i].indexed() {
			different = append(different, stamp.OID)
		}
	}
	return different, nil
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
