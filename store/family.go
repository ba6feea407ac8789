package store

import (
	"iter"
	"time"

	"indexerd/internal/doc"
)

// Families is how many column families a map can have.
const Families = 4

// A Family is one column family of a map: a page is addressed by OID, family
// and, where versions are kept, time. Families share the log and its batches'
// order, and nothing else. FileMap's own methods speak of family 0, the pages
// as they were read.
type Family struct {
	m  *FileMap
	id uint8
}

// Family returns the column family with this number, below Families.
func (m *FileMap) Family(id uint8) Family { return Family{m, id % Families} }

// Put stores pages durably in family 0: see Family.Put.
func (m *FileMap) Put(pages []doc.Page) error { return m.Family(0).Put(pages) }

// Delete removes pages of family 0 durably: see Family.Delete.
func (m *FileMap) Delete(oids []doc.OID) error { return m.Family(0).Delete(oids) }

// Get returns a page of family 0: see Family.Get.
func (m *FileMap) Get(oid doc.OID) (doc.Page, error) { return m.Family(0).Get(oid) }

// View shows a page of family 0: see Family.View.
func (m *FileMap) View(oid doc.OID, see func(doc.Page) error) error {
	return m.Family(0).View(oid, see)
}

// Meta returns what is known of a page of family 0: see Family.Meta.
func (m *FileMap) Meta(oid doc.OID) (doc.Meta, bool, error) { return m.Family(0).Meta(oid) }

// Has reports whether family 0 has a page.
func (m *FileMap) Has(oid doc.OID) (bool, error) { return m.Family(0).Has(oid) }

// Versions returns the versions of a page of family 0: see Family.Versions.
func (m *FileMap) Versions(oid doc.OID) ([]doc.Page, error) { return m.Family(0).Versions(oid) }

// NewestVersions is Versions up to a size: see Family.NewestVersions.
func (m *FileMap) NewestVersions(oid doc.OID, bytes int) (pages []doc.Page, more bool, err error) {
	return m.Family(0).NewestVersions(oid, bytes)
}

// At returns a page of family 0 as it was at a time: see Family.At.
func (m *FileMap) At(oid doc.OID, at time.Time) (doc.Page, error) { return m.Family(0).At(oid, at) }

// Len is the number of pages in family 0.
func (m *FileMap) Len() int { return m.Family(0).Len() }

// All lists family 0: see Family.All.
func (m *FileMap) All() iter.Seq2[doc.Meta, error] { return m.Family(0).All() }

// Len is the number of pages, each counted once however many versions it has.
func (f Family) Len() (n int) {
	for _, sh := range f.m.index.shards() {
		sh.mu.Lock()
		n += int(sh.cells[f.id])
		sh.mu.Unlock()
	}
	return n
}
