package fakeworld

import (
	"maps"
	"sync"

	"indexerd/internal/doc"
)

// A Tree is the stamps that a sink has told it. The zero value is empty.
type Tree struct {
	Before func(step string) error

	mu     sync.Mutex
	stamps map[doc.OID]doc.Stamp
}

// Put remembers stamps.
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

// Delete forgets stamps.
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

// Stamps returns what the tree has.
func (t *Tree) Stamps() map[doc.OID]doc.Stamp {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.stamps)
}
