package quarantine

import (
	"encoding/hex"
	"maps"
	"slices"

	"indexerd/internal/base/doc"
)

// Len returns the number of rows in quarantine.
func (q *Quarantine) Len() int { return q.LenWith(nil) }

// LenWith returns the number of rows if these rejects were added.
func (q *Quarantine) LenWith(rejects []doc.Reject) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.rows) - q.partials
	more := make(map[string]bool, len(rejects))
	for _, r := range rejects {
		id := newRow(r).id()
		if _, listed := q.rows[id]; !listed && !more[id] {
			more[id] = true
			n++
		}
	}
	return n
}

// Documents returns the number of rows whose last document the groups of the row
// find, and of those whose last document only admins find.
func (q *Quarantine) Documents() (visible, hidden int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.visible, q.hidden
}

// Has reports whether a row is in quarantine.
func (q *Quarantine) Has(oid doc.OID) bool {
	_, ok := q.Row(oid)
	return ok
}

// Rejected reports whether this version of a row was rejected since the list was opened.
func (q *Quarantine) Rejected(s doc.Stamp) bool {
	r, ok := q.Row(s.OID)
	return ok && s.Token.Digest != 0 && r.seen.Same(s)
}

// Fetch returns the newest fetch that has added a row. 0: none since the list was
// opened, or the row is not listed.
func (q *Quarantine) Fetch(oid doc.OID) doc.FetchSeq {
	r, _ := q.Row(oid)
	return r.fetch
}

// Row returns a row by its key.
func (q *Quarantine) Row(oid doc.OID) (Row, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r, ok := q.rows[string(oid)]
	return r, ok
}

// Keys returns up to n keys of rows in quarantine greater than after, in order.
func (q *Quarantine) Keys(after doc.OID, n int) []doc.OID {
	q.mu.Lock()
	defer q.mu.Unlock()
	var keys []doc.OID
	if len(q.rows) == q.partials {
		return nil
	}
	keyed := func(id string) bool { return id > string(after) && id >= firstKey && id < partialID }
	for _, id := range firstIDs(q.rows, keyed, n) {
		keys = append(keys, doc.OID(id))
	}
	return keys
}

// firstKey is above the ids of rows without a key, and not above any key.
const firstKey = "\x01"

// Rows returns all rows in key order. Rows without a key come first, ordered by
// reason, and partial rows last.
func (q *Quarantine) Rows() []Row {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.sorted()
}

// List returns up to size rows after a position, in the order of Rows, and the
// position of the next call. The position is "" for the first call and after the
// last row. A row that stays in quarantine between the calls is returned exactly
// once. Each call sorts the rows after the position.
func (q *Quarantine) List(after string, size int) (rows []Row, next string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var ids []string
	for id := range q.rows {
		if token(id) > after {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids[:min(max(size, 0), len(ids))] {
		rows = append(rows, q.rows[id])
	}
	if 0 < len(rows) && len(rows) < len(ids) {
		next = token(ids[len(rows)-1])
	}
	return rows, next
}

// token returns an id as letters and digits, in the same order.
func token(id string) string { return hex.EncodeToString([]byte(id)) }

func (q *Quarantine) sorted() []Row {
	rows := make([]Row, 0, len(q.rows))
	for _, id := range slices.Sorted(maps.Keys(q.rows)) {
		rows = append(rows, q.rows[id])
	}
	return rows
}
