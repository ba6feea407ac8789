package doc

// A Removal takes a document out of an index. Its Version is the number of the
// removal, which orders it among the writes of the document: an index that keeps
// versions refuses older writes that arrive later.
type Removal struct {
	OID OID
	V   Version
}

// Key returns the OID.
func (r Removal) Key() OID { return r.OID }

// Removals returns removals of one version.
func Removals(v Version, oids ...OID) []Removal {
	list := make([]Removal, len(oids))
	for i, oid := range oids {
		list[i] = Removal{oid, v}
	}
	return list
}
