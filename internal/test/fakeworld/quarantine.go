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
	seen      map[doc.OID]doc.Stamp
	partial   map[doc.OID]doc.Partial
	doubts    map[doc.OID]bool
}

// NewQuarantine returns an empty quarantine.
func NewQuarantine() *Quarantine {
	return &Quarantine{rows: map[doc.OID]string{}, documents: map[doc.OID]doc.Visibility{}, fetches: map[doc.OID]doc.FetchSeq{},
		seen: map[doc.OID]doc.Stamp{}, partial: map[doc.OID]doc.Partial{}, doubts: map[doc.OID]bool{}}
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
		delete(q.partial, r.OID)
		delete(q.doubts, r.OID)
		if r.OID != "" {
			q.fetches[r.OID], q.seen[r.OID] = b.Fetch, r.Seen
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
	q.remove(oids, oids)
	return nil
}

func (q *Quarantine) remove(oids, whole []doc.OID) {
	for _, oid := range oids {
		delete(q.rows, oid)
		delete(q.fetches, oid)
		delete(q.seen, oid)
	}
	for _, oid := range whole {
		delete(q.partial, oid)
		delete(q.doubts, oid)
	}
}

// Note lists documents that lack values.
func (q *Quarantine) Note(docs []doc.Partial, others []doc.OID, _ time.Time) error {
	q.mu.Lock()
	for _, oid := range others {
		if _, listed := q.partial[oid]; listed {
			q.doubts[oid] = true
		}
	}
	q.mu.Unlock()
	if len(docs) == 0 {
		return nil
	}
	if err := call(q.Before, "note"); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, d := range docs {
		q.partial[d.OID], q.doubts[d.OID] = d, true
	}
	return nil
}

// Repaired removes rows that have become documents.
func (q *Quarantine) Repaired(oids, whole []doc.OID) error {
	if err := call(q.Before, "clear"); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.remove(oids, whole)
	return nil
}

// Confirm ends the doubt that Note began.
func (q *Quarantine) Confirm(oids []doc.OID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, oid := range oids {
		delete(q.doubts, oid)
	}
}

// Doubtful returns up to n listed documents in doubt after a key, in key order.
func (q *Quarantine) Doubtful(after doc.OID, n int) (docs []doc.Partial) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, oid := range slices.Sorted(maps.Keys(q.doubts)) {
		if oid > after && len(docs) < n {
			docs = append(docs, q.partial[oid])
		}
	}
	return docs
}

// Rejected reports whether a version of a row was rejected.
func (q *Quarantine) Rejected(s doc.Stamp) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return s.Token.Digest != 0 && q.seen[s.OID].Same(s)
}

// Reopen makes all listed documents doubtful, and forgets rejected versions, as a restart
// does.
func (q *Quarantine) Reopen() {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.seen)
	for oid := range q.partial {
		q.doubts[oid] = true
	}
}

// Partial returns the documents that lack values.
func (q *Quarantine) Partial() map[doc.OID]doc.Partial {
	q.mu.Lock()
	defer q.mu.Unlock()
	return maps.Clone(q.partial)
}

// Partials returns their number.
func (q *Quarantine) Partials() int { return len(q.Partial()) }

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
