package fulltext

import (
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/doc"
)

// Documents lists in key order what the index has from a key on, and the key to
// go on at, which is "" at the end. From "" it begins with the first. Each call
// sees the index as it is then: what is there all the time is listed once,
// whatever is written between two calls.
//
// A call looks at n keys, n at least 1, and lists those of them that are alive.
// The index keeps the keys of removed documents until their segments are
// merged: so there may be fewer than n documents, or none, before the end.
func (ix *Index) Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error) {
	err = ix.read(func(r *scorch.IndexSnapshot) error {
		docs, next, err = documents(r, from, n)
		return err
	})
	return docs, next, err
}

// documents looks each key up only where a dictionary has it: with all keys in
// all segments the lookups would be most of the cost.
func documents(r *scorch.IndexSnapshot, from doc.OID, n int) ([]doc.Indexed, doc.OID, error) {
	dicts, err := openDicts(r, from)
	if err != nil {
		return nil, "", err
	}
	ids, next, err := take(dicts, n)
	if err != nil {
		return nil, "", err
	}
	alive := make(map[string]doc.Version, len(ids))
	for _, d := range dicts {
		if err := lookup(d.segment, d.taken, alive); err != nil {
			return nil, "", err
		}
	}
	docs := make([]doc.Indexed, 0, len(alive))
	for _, id := range ids {
		if v, ok := alive[id]; ok {
			docs = append(docs, doc.Indexed{OID: doc.OID(id), V: v})
		}
	}
	return docs, next, nil
}

// A dict is the keys of one segment, dead or alive, in order.
type dict struct {
	segment *scorch.SegmentSnapshot
	entries interface {
		Next() (*index.DictEntry, error)
	}
	id    string // where it stands
	taken []string
}

// openDicts opens the dictionaries that have keys at or after from.
func openDicts(r *scorch.IndexSnapshot, from doc.OID) ([]*dict, error) {
	var dicts []*dict
	for _, s := range r.Segments() {
		terms, err := s.Segment().Dictionary("_id")
		if err != nil {
			return nil, err
		}
		d := &dict{segment: s, entries: terms.AutomatonIterator(nil, []byte(from), nil)}
		more, err := d.advance()
		if err != nil {
			return nil, err
		}
		if more {
			dicts = append(dicts, d)
		}
	}
	return dicts, nil
}

// advance goes to the next key, and reports whether there is one.
func (d *dict) advance() (bool, error) {
	entry, err := d.entries.Next()
	if err != nil || entry == nil {
		return false, err
	}
	d.id = entry.Term
	return true, nil
}

// take returns the first n keys of all dictionaries and the one that follows
// them, and leaves with each dictionary those that it has.
func take(dicts []*dict, n int) (ids []string, next doc.OID, err error) {
	open := slices.Clone(dicts)
	for len(open) > 0 {
		id := open[0].id
		for _, d := range open {
			id = min(id, d.id)
		}
		if len(ids) == n {
			return ids, doc.OID(id), nil
		}
		ids = append(ids, id)
		for i := 0; i < len(open); {
			d, more := open[i], true
			if d.id == id {
				d.taken = append(d.taken, id)
				if more, err = d.advance(); err != nil {
					return nil, "", err
				}
			}
			if more {
				i++
			} else {
				open = slices.Delete(open, i, i+1)
			}
		}
	}
	return ids, "", nil
}
