package reindex

import (
	"fmt"
	"sync"

	"indexerd/internal/doc"
)

// An Index is what a sink writes to.
type Index interface {
	Generation() doc.Generation
	Hash(doc.Row) (doc.DocHash, error)
	Apply(puts []doc.Doc, deletes []doc.OID) error
	Versions([]doc.OID) ([]doc.Version, error)
	Err() error
}

// Both writes to two indexes of one generation, the new of which lacks what the
// scan has not come to. What either can't take is refused.
type Both struct {
	Old, New Index
}

// Generation is that of either.
func (b Both) Generation() doc.Generation { return b.Old.Generation() }

// Hash is the new one's. A page that has the old one's is that of a document
// which is written again, to both; where a page has this one already, as a
// killed reindex leaves it, the scan has brought its document or will.
func (b Both) Hash(row doc.Row) (doc.DocHash, error) {
	if _, err := b.Old.Hash(row); err != nil {
		return 0, err
	}
	hash, err := b.New.Hash(row)
	if err != nil {
		return 0, fmt.Errorf("for the new mapping: %w", err)
	}
	return hash, nil
}

// Apply writes to the old one first: what is searched is then as if there were
// no other. Where only that has been done the page still is the one before, and
// the caller writes again.
func (b Both) Apply(puts []doc.Doc, deletes []doc.OID) error {
	if err := b.Old.Apply(puts, deletes); err != nil {
		return err
	}
	if err := b.New.Apply(puts, deletes); err != nil {
		return fmt.Errorf("the new index: %w", err)
	}
	return nil
}

// Versions returns the old one's versions. Since that is written first, a
// document that it has at its page's version the new one has too, or lacks until
// the scan brings it, which is no difference of the row.
func (b Both) Versions(oids []doc.OID) ([]doc.Version, error) { return b.Old.Versions(oids) }

// Err is the first fault of either.
func (b Both) Err() error {
	if err := b.Old.Err(); err != nil {
		return err
	}
	if err := b.New.Err(); err != nil {
		return fmt.Errorf("the new index: %w", err)
	}
	return nil
}

// A Switch is an index that can be exchanged while a sink uses it. A call ends
// with the index that it began with, and Set waits for it: there is no moment
// in which a write goes to the one before.
type Switch struct {
	mu    sync.RWMutex // held for reading during a call
	index Index
}

// NewSwitch returns a switch that stands at an index.
func NewSwitch(index Index) *Switch { return &Switch{index: index} }

// Set exchanges the index.
func (s *Switch) Set(index Index) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index = index
}

// Generation implements Index.
func (s *Switch) Generation() doc.Generation {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.index.Generation()
}

// Hash implements Index.
func (s *Switch) Hash(row doc.Row) (doc.DocHash, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.index.Hash(row)
}

// Apply implements Index.
func (s *Switch) Apply(puts []doc.Doc, deletes []doc.OID) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.index.Apply(puts, deletes)
}

// Versions implements Index.
func (s *Switch) Versions(oids []doc.OID) ([]doc.Version, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.index.Versions(oids)
}

// Err implements Index.
func (s *Switch) Err() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.index.Err()
}
