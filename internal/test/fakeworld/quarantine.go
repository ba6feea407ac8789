package fakeworld

import (
	"maps"
	"slices"
	"sync"
	"time"

	"indexerd/internal/base/doc"
)

// A Quarantine is a sink.Quarantine.
type Quarantine struct {
	Before func(step string) error // steps: add, clear, keyless

	mu        sync.Mutex
	rows      map[doc.OID]string
	documents map[doc.OID]doc.Visibility
	fetches   map[doc.OID]doc.FetchSeq
}

// NewQuarantine returns an empty quarantine.
func NewQuarantine() *Quarantine {
	return &Quarantine{rows: map[doc.OID]string{}, documents: map[doc.OID]doc.Visibility{}, fetches: map[doc.OID]doc.FetchSeq{}}
}

// Add lists the rejects.
func (q *Quarantine) Add(b doc.Batch) error {
	if err := call(q.Before, "add"); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range b.Rejects {
		q.rows[r.OID], q.documents[r.OID] = r.Reason, r.Document
		if r.OID != "" {
			q.fetches[r.OID] = b.Fetch
		}
	}
	return nil
}

// Document reports whether the last document of a quarantined row is visible.
func (q *Quarantine) Document(oid doc.OID) doc.Visibility {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.documents[oid]
}

// Clear removes rows from the list.
func (q *Quarantine) Clear(oids []doc.OID) error {
	if err := call(q.Before, "clear"); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, oid := range oids {
		delete(q.rows, oid)
		delete(q.fetches, oid)
	}
	return nil
}

// Fetch returns the newest fetch that has listed a row, 0 if it is not listed.
func (q *Quarantine) Fetch(oid doc.OID) doc.FetchSeq {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.fetches[oid]
}

// Has reports whether a row is listed.
func (q *Quarantine) Has(oid doc.OID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, ok := q.rows[oid]
	return ok
}

// LenWith returns the number of rows listed after Add of these.
func (q *Quarantine) LenWith(rejects []doc.Reject) int {
	rows := q.Reasons()
	for _, r := range rejects {
		rows[r.OID] = r.Reason
	}
	return len(rows)
}

// Reasons returns the rows listed, each with its reason.
func (q *Quarantine) Reasons() map[doc.OID]string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return maps.Clone(q.rows)
}

// Keys returns up to n keys of listed rows after a key, in key order.
func (q *Quarantine) Keys(after doc.OID, n int) []doc.OID {
	var keys []doc.OID
	for _, oid := range slices.Sorted(maps.Keys(q.Reasons())) {
		if oid > after && len(keys) < n {
			keys = append(keys, oid)
		}
	}
	return keys
}

// Keyless replaces the listed rows without a key. The empty key stands for all of
// them.
func (q *Quarantine) Keyless(rejects []doc.Reject, _ time.Time) error {
	if err := call(q.Before, "keyless"); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.rows, "")
	for _, r := range rejects {
		q.rows[""] = r.Reason
	}
	return nil
}
