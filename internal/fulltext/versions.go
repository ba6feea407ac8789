package fulltext

import (
	"github.com/blevesearch/bleve/v2/index/scorch"

	"indexerd/internal/doc"
)

// Versions returns the version of each document, 0 where there is none.
func (ix *Index) Versions(oids []doc.OID) (vs []doc.Version, err error) {
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		vs, err = versions(r, oids)
		return err
	})
	return vs, err
}

// versions looks all keys up in one segment after the other, and reads _id and
// version of those that it finds alive.
func versions(r *scorch.IndexSnapshot, oids []doc.OID) ([]doc.Version, error) {
	ids := make([]string, len(oids))
	for i, oid := range oids {
		ids[i] = string(oid)
	}
	found := make(map[doc.OID]doc.Version, len(oids))
	for _, segment := range r.Segments() {
		numbers, err := segment.DocNumbers(ids)
		if err != nil {
			return nil, err
		}
		for it := numbers.Iterator(); it.HasNext(); {
			var oid doc.OID
			var v doc.Version
			err := segment.VisitDocument(uint64(it.Next()), func(field string, _ byte, value []byte, _ []uint64) bool {
				switch field {
				case "_id":
					oid = doc.OID(value)
				case versionField:
					v = parseVersion(value)
				}
				return true
			})
			if err != nil {
				return nil, err
			}
			found[oid] = v
		}
	}
	vs := make([]doc.Version, len(oids))
	for i, oid := range oids {
		vs[i] = found[oid]
	}
	return vs, nil
}
