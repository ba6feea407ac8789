package quarantine

import (
	"encoding/hex"
	"maps"
	"slices"

	"indexerd/internal/doc"
)

// Len is the number of rows set aside.
func (q *Quarantine) Len() int { return q.LenWith(nil) }

// LenWith is how many rows would be set aside with these.
func (q *Quarantine) LenWith(rejects []doc.Reject) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.rows)
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

// Documents returns how many rows set aside have left a document that is found
// by the groups of the row, and one that admins alone find.
func (q *Quarantine) Documents() (visible, hidden int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.visible, q.hidden
}

// Has reports whether a row is set aside.
func (q *Quarantine) Has(oid doc.OID) bool {
	_, ok := q.Row(oid)
	return ok
}

// Row returns a row that is set aside.
func (q *Quarantine) Row(oid doc.OID) (Row, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r, ok := q.rows[string(oid)]
	return r, ok
}

// Keys returns up to n keys after one, in order. Rows without a key have none.
func (q *Quarantine) Keys(after doc.OID, n int) []doc.OID {
	var keys []doc.OID
	for _, r := range q.Rows() {
		if r.OID > after && len(keys) < n {
			keys = append(keys, r.OID)
		}
	}
	return keys
}

// Rows lists what is set aside, by key; those without one come first, by
// reason.
func (q *Quarantine) Rows() []Row {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.sorted()
}

// List returns up to size rows in the order of Rows, and where to go on; after
// is empty for the first ones, and next behind the last. Rows may come and go
// between two calls: one that stays is in exactly one page. Each call sorts
// what is behind after.
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

// token is an id in letters and digits, in the same order.
func token(id string) string { return hex.EncodeToString([]byte(id)) }

func (q *Quarantine) sorted() []Row {
	rows := make([]Row, 0, len(q.rows))
	for _, id := range slices.Sorted(maps.Keys(q.rows)) {
		rows = append(rows, q.rows[id])
	}
	return rows
}
