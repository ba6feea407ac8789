package fakeworld

import (
	"slices"

	"indexerd/internal/doc"
)

// Commits is how many transactions have committed.
func (t *Table) Commits() int { return t.snapshot() }

// Revert takes back all commits after the first n, as a server does that
// crashed before they were on its disk. It returns the rows that became older.
func (t *Table) Revert(n int) []doc.OID {
	t.mu.Lock()
	defer t.mu.Unlock()
	var older []doc.OID
	for _, oid := range t.keys {
		kept := slices.DeleteFunc(slices.Clone(t.versions[oid]), func(v version) bool { return v.commit > n })
		if len(kept) < len(t.versions[oid]) {
			older = append(older, oid)
		}
		t.versions[oid] = kept
	}
	return older
}

// All are all committed rows, also those that are no documents.
func (t *Table) All() map[doc.OID]Row {
	rows := map[doc.OID]Row{}
	t.scanAll(t.snapshot(), func(oid doc.OID, r Row) { rows[oid] = r })
	return rows
}
