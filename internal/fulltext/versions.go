package fulltext

import (
	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/doc"
)

// Versions returns the version of each document, 0 where there is none. A
// document that this program did not write has version 0, too: Documents lists
// it, and no page has that version.
func (ix *Index) Versions(oids []doc.OID) (vs []doc.Version, err error) {
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		vs, err = versions(r, oids)
		return err
	})
	return vs, err
}

// versions looks all keys up in one segment after the other.
func versions(r *scorch.IndexSnapshot, oids []doc.OID) ([]doc.Version, error) {
	ids := make([]string, len(oids))
	for i, oid := range oids {
		ids[i] = string(oid)
	}
	found := make(map[string]doc.Version, len(ids))
	for _, segment := range r.Segments() {
		if err := lookup(segment, ids, found); err != nil {
			return nil, err
		}
	}
	vs := make([]doc.Version, len(oids))
	for i, id := range ids {
		vs[i] = found[id]
	}
	return vs, nil
}

// lookup puts the versions of those keys that a segment has alive into found.
func lookup(segment *scorch.SegmentSnapshot, ids []string, found map[string]doc.Version) error {
	numbers, err := segment.DocNumbers(ids)
	if err != nil {
		return err
	}
	var id string
	var v doc.Version
	visit := func(field string, _ byte, value []byte, _ []uint64) bool {
		switch field {
		case "_id":
			id = string(value)
		case versionField:
			v = parseVersion(value)
		}
		return true
	}
	for it := numbers.Iterator(); it.HasNext(); {
		v = 0 // a document may have none
		if err := segment.VisitDocument(uint64(it.Next()), visit); err != nil {
			return err
		}
		found[id] = v
	}
	return nil
}
