package doc

// A Keyed has the key of one row: a Stamp, Meta, Doc, Page, Reject or Indexed, or a
// type of another package.
type Keyed interface{ Key() OID }

// Key returns the OID.
func (s Stamp) Key() OID { return s.OID }

// Key returns the OID; "" if the row's key is unusable.
func (r Reject) Key() OID { return r.OID }

// Key returns the OID.
func (d Indexed) Key() OID { return d.OID }

// OIDs returns the key of each item of a list, in order.
func OIDs[T Keyed](list []T) []OID {
	oids := make([]OID, len(list))
	for i := range list {
		oids[i] = list[i].Key()
	}
	return oids
}

// SetOf returns the keys as a set.
func SetOf(oids []OID) map[OID]bool {
	set := make(map[OID]bool, len(oids))
	for _, oid := range oids {
		set[oid] = true
	}
	return set
}

// Among returns the items of a list that have one of the keys, in order.
func Among[T Keyed](list []T, oids []OID) []T { return filter(list, oids, true) }

// Without returns the items of a list that have none of the keys, in order.
func Without[T Keyed](list []T, oids []OID) []T { return filter(list, oids, false) }

func filter[T Keyed](list []T, oids []OID, among bool) []T {
	set := SetOf(oids)
	var kept []T
	for i := range list {
		if set[list[i].Key()] == among {
			kept = append(kept, list[i])
		}
	}
	return kept
}
