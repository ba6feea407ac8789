package reindex

import (
	"fmt"
	"sync"

	"indexerd/internal/base/doc"
)

// An Index is what a sink writes to.
type Index interface {
	Generation() doc.Generation
	Prepare(*doc.Doc) ([]doc.Flaw, error)
	Apply(puts []doc.Doc, deletes []doc.Removal) error
	Versions([]doc.OID) ([]doc.Version, error)
	Err() error
}

// both writes to two indexes of one generation during a scan. The new index
// lacks the documents that the scan has not reached. A row that either index
// rejects is rejected.
type both struct{ old, new Index }

// Generation implements Index.
func (b both) Generation() doc.Generation { return b.old.Generation() }

// Prepare sets the hash of the new index, and returns what its document lacks. A page with
// the hash of the old index is written again, to both. A page with the hash of the new
// index, left by a killed Run, needs no write: the scan adds its document.
func (b both) Prepare(d *doc.Doc) ([]doc.Flaw, error) {
	if _, err := b.old.Prepare(d); err != nil {
		return nil, err
	}
	flaws, err := b.new.Prepare(d)
	if err != nil {
		return nil, fmt.Errorf("new mapping: %w", err)
	}
	return flaws, nil
}

// Apply writes to the old index first, which is searched. If only that write is
// done, the page still has the previous version, and the caller writes again.
func (b both) Apply(puts []doc.Doc, deletes []doc.Removal) error {
	if err := b.old.Apply(puts, deletes); err != nil {
		return err
	}
	if err := b.new.Apply(puts, deletes); err != nil {
		return fmt.Errorf("new index: %w", err)
	}
	return nil
}

// Versions returns the versions of the old index. If a document has the version
// of its page in the old index, it also has it in the new one, because the old
// one is written first; or the new one lacks the document until the scan adds
// it, which is no difference of the row.
func (b both) Versions(oids []doc.OID) ([]doc.Version, error) { return b.old.Versions(oids) }

// Err returns the error of either index.
func (b both) Err() error {
	if err := b.old.Err(); err != nil {
		return err
	}
	if err := b.new.Err(); err != nil {
		return fmt.Errorf("new index: %w", err)
	}
	return nil
}

// A Switch is an Index that passes calls on to another one, which can be
// replaced during use. Set waits for calls in progress. After Set no call uses
// the previous index.
type Switch struct {
	mu    sync.RWMutex // held for reading during a call
	index Index
}

// NewSwitch returns a Switch that uses index.
func NewSwitch(index Index) *Switch { return &Switch{index: index} }

// Set replaces the index.
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

// Prepare implements Index.
func (s *Switch) Prepare(d *doc.Doc) ([]doc.Flaw, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.index.Prepare(d)
}

// Apply implements Index.
func (s *Switch) Apply(puts []doc.Doc, deletes []doc.Removal) error {
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
