package doc

// Keyed is anything that stands for one row: a Stamp, Meta, Doc, Page, Reject or
// Indexed, and the types of other packages that have a Key.
type Keyed interface{ Key() OID }

// Key returns the OID.
func (s Stamp) Key() OID { return s.OID }

// Key returns the OID, empty where the key of the row is unusable.
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

// Among returns the items of a list whose keys are among some keys, in order.
func Among[T Keyed](list []T, oids []OID) []T { return filter(list, oids, true) }

// Without returns the items of a list whose keys are not among some keys, in
// order.
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
