package quarantine

import (
	"slices"
	"time"

	"indexerd/internal/base/doc"
)

// A document that lacks values of its row is listed too, as a Row that IsPartial. Such a
// row holds nothing back and is not tried again: it is listed before its document is
// written, and leaves the list after a whole one was. A crash in between leaves an entry
// that is in doubt, as all are that a file or a store had: the next sweep compares their
// hash with the page's, and fetches the row where it is another.
// A row that goes to quarantine leaves the partial ones.

// maxPartial limits the partial rows of the list. Further ones are indexed alike and not
// listed.
const maxPartial = 100_000

// partialID begins the ids of partial rows. No key begins with it.
const partialID = "\xfe"

// kindPartial is the kind of a line of a partial row.
const kindPartial = "partial"

// IsPartial reports whether the row is a document without some of its values, and not
// in quarantine.
func (r Row) IsPartial() bool { return r.Flaws != nil }

// partial returns the entry as a document.
func (r Row) partial() doc.Partial { return doc.Partial{OID: r.OID, Hash: r.Hash, Flaws: r.Flaws} }

// Partials returns the number of partial rows that are listed.
func (q *Quarantine) Partials() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.partials
}

// Partial returns the entry of a partial row by its key.
func (q *Quarantine) Partial(oid doc.OID) (Row, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r, ok := q.rows[partialID+string(oid)]
	return r, ok
}

// Note lists documents that are about to be written and lack values. They, and others
// that are about to be written and are listed, are in doubt until Confirm. An entry that
// is the same already costs nothing.
func (q *Quarantine) Note(docs []doc.Partial, others []doc.OID, at time.Time) error {
	defer q.change()()
	doubts := q.listed(others, partialID)
	var rows []Row
	free := maxPartial - q.partials
	for _, d := range docs {
		row := Row{OID: d.OID, Hash: d.Hash, Flaws: d.Flaws, Reason: doc.FlawsText(d.Flaws), Since: at.UTC(), Tries: 1}
		old, listed := q.rows[row.id()]
		switch {
		case listed && old.partial().Same(d):
			doubts = append(doubts, row)
			continue
		case listed:
			row.Since = old.Since
		case free == 0:
			continue
		default:
			free--
		}
		rows = append(rows, row)
	}
	if err := q.append(rows); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range append(doubts, rows...) {
		q.doubts[r.id()] = true
	}
	return nil
}

// Confirm reports that the documents of partial rows are those that are listed.
func (q *Quarantine) Confirm(oids []doc.OID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.doubts) == 0 {
		return
	}
	for _, oid := range oids {
		delete(q.doubts, partialID+string(oid))
	}
}

// DoubtAll makes all partial rows doubtful: for an index of another mapping.
func (q *Quarantine) DoubtAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.doubtAll()
}

func (q *Quarantine) doubtAll() {
	for id, r := range q.rows {
		if r.IsPartial() {
			q.doubts[id] = true
		}
	}
}

// Doubtful returns up to n partial rows in doubt with keys greater than after, in order.
func (q *Quarantine) Doubtful(after doc.OID, n int) (docs []doc.Partial) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, id := range firstIDs(q.doubts, func(id string) bool { return id > partialID+string(after) }, n) {
		docs = append(docs, q.rows[id].partial())
	}
	return docs
}

// firstIDs returns up to n wanted ids in order.
func firstIDs[V any](rows map[string]V, wanted func(id string) bool, n int) (ids []string) {
	for id := range rows {
		if wanted(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:min(n, len(ids))]
}

// Repaired removes rows from the quarantine that have become documents. Whole are those
// among them whose document has all values: their partial entries leave too.
func (q *Quarantine) Repaired(oids, whole []doc.OID) error {
	defer q.change()()
	return q.append(append(q.listed(oids, ""), q.listed(whole, partialID)...))
}

// listed returns removals of those entries of a kind that are listed.
func (q *Quarantine) listed(oids []doc.OID, kind string) (rows []Row) {
	if kind == partialID && q.partials == 0 {
		return nil
	}
	for _, oid := range oids {
		if _, ok := q.rows[kind+string(oid)]; !ok {
			continue
		}
		row := Row{OID: oid}
		if kind == partialID {
			row.Flaws = []doc.Flaw{}
		}
		rows = append(rows, row)
	}
	return rows
}
