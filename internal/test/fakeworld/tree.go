package fakeworld

import (
	"maps"
	"sync"

	"indexerd/internal/base/doc"
)

// A Tree is a sink.Tree. The zero value is empty.
type Tree struct {
	Before func(step string) error // steps: tree put, tree delete

	mu     sync.Mutex
	stamps map[doc.OID]doc.Stamp
}

// Put stores stamps.
func (t *Tree) Put(stamps []doc.Stamp) error {
	if err := call(t.Before, "tree put"); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stamps == nil {
		t.stamps = map[doc.OID]doc.Stamp{}
	}
	for _, s := range stamps {
		t.stamps[s.OID] = s
	}
	return nil
}

// Delete removes stamps.
func (t *Tree) Delete(oids []doc.OID) error {
	if err := call(t.Before, "tree delete"); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, oid := range oids {
		delete(t.stamps, oid)
	}
	return nil
}

// Stamps returns the stored stamps.
func (t *Tree) Stamps() map[doc.OID]doc.Stamp {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.stamps)
}

// Counts are the counts of a doc.Report, in a form that can be compared.
type Counts struct {
	Read, Compared, Added, Updated, Deleted, Skipped, Quarantined int
}

// CountsOf returns the counts of a report.
func CountsOf(r doc.Report) Counts {
	return Counts{r.Read, r.Compared, r.Added, r.Updated, r.Deleted, r.Skipped, r.Quarantined}
}
