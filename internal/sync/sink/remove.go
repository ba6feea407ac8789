package sink

import (
	"context"
	"fmt"

	"indexerd/internal/base/doc"
)

// Delete removes the documents of rows that a fetch did not find, if they still
// have the given stamps. A document that was written since then stays.
//
// left is the number of removals that the pass has left: all that it has found,
// with these and with those that were held, less those that Delete has reported
// as deleted. The guard holds all of them or none. 0: the rows have other keys now,
// and the guard holds none.
func (s *Sink) Delete(ctx context.Context, stamps []doc.Stamp, fetch doc.FetchSeq, left int) (doc.Report, error) {
	oids := doc.OIDs(stamps)
	held, err := s.hold(ctx, oids)
	if err != nil {
		return doc.Report{}, err
	}
	defer s.release(held)

	gone, err := s.gone(stamps, fetch)
	if err != nil || len(gone) == 0 {
		return doc.Report{}, err
	}
	admitted, err := s.guard.admit(len(gone), left)
	if err != nil {
		return doc.Report{}, err
	}
	report := doc.Report{Held: len(gone) - admitted.n}
	if err := s.remove(gone[:admitted.n], fetch); err != nil {
		s.guard.undo(admitted)
		return report, err
	}
	report.Deleted = admitted.n
	return report, nil
}

// gone returns the keys whose pages still have these stamps, and those without a
// page.
func (s *Sink) gone(stamps []doc.Stamp, fetch doc.FetchSeq) ([]doc.OID, error) {
	oids := doc.OIDs(stamps)
	pages, err := s.pages.Metas(oids)
	if err != nil {
		return nil, err
	}
	absent := s.absentAmong(oids)
	var gone []doc.OID
	for i, stamp := range stamps {
		page := pages[i]
		if (page.OID == "" || page.Same(stamp)) && !s.outdated(stamp.OID, page, absent, fetch) {
			gone = append(gone, stamp.OID)
		}
	}
	return gone, nil
}

// removeMarked removes the documents of rows that are marked deleted, and returns
// how many there were. The guard only records these removals, because they are
// explicit.
func (s *Sink) removeMarked(rows []doc.OID, fetch doc.FetchSeq) (int, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	_, there, err := s.stamps(rows)
	if err != nil {
		return 0, err
	}
	var stored []doc.OID
	for i, oid := range rows {
		if there[i] {
			stored = append(stored, oid)
		}
	}
	// All rows: an older fetch must not put a document that is not stored yet.
	s.remember(rows, fetch)
	if err := s.remove(stored, fetch); err != nil {
		return 0, err
	}
	s.guard.recordExempt(len(stored))
	return len(stored), s.quarantine.Clear(rows)
}

// remove removes documents of rows that a fetch did not find. The caller holds
// their OIDs.
func (s *Sink) remove(gone []doc.OID, fetch doc.FetchSeq) error {
	if len(gone) == 0 {
		return nil
	}
	// First, so that an older fetch can't put a document that is half removed.
	s.remember(gone, fetch)
	defer s.noteChanged(gone)
	removals, err := s.removals(gone)
	if err != nil {
		return err
	}
	if err := s.index.Apply(nil, removals); err != nil {
		return fmt.Errorf("remove %d documents: %w", len(gone), err)
	}
	if err := s.pages.Delete(removals); err != nil {
		return fmt.Errorf("remove %d pages: %w", len(gone), err)
	}
	if err := s.tree.Delete(gone); err != nil {
		return fmt.Errorf("tree: remove %d stamps: %w", len(gone), err)
	}
	s.Explained.remove(len(gone))
	return s.quarantine.Clear(gone)
}

// unindex removes documents from the index.
func (s *Sink) unindex(oids []doc.OID) error {
	removals, err := s.removals(oids)
	if err != nil {
		return err
	}
	return s.index.Apply(nil, removals)
}

// removals returns removals of keys, all as one write.
func (s *Sink) removals(oids []doc.OID) ([]doc.Removal, error) {
	v, err := s.numbers.next(1)
	if err != nil {
		return nil, err
	}
	return doc.Removals(doc.Version(v), oids...), nil
}

// remember records that a fetch found rows gone or unusable.
func (s *Sink) remember(oids []doc.OID, fetch doc.FetchSeq) {
	s.locked(func() {
		for _, oid := range oids {
			s.absent[oid] = max(s.absent[oid], fetch)
		}
	})
}
