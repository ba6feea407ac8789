// Package versions reads what an index stores of a document: its key and its version.
package versions

import (
	"container/heap"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/giveway"
)

// VersionField holds doc.Version. It is stored next to _id, so that one read returns both.
// As a term with docvalues it would need a dictionary entry for every document.
const VersionField = "v"

// EncodeVersion returns the bytes of VersionField.
func EncodeVersion(v doc.Version) []byte { return binary.AppendUvarint(nil, uint64(v)) }

func parseVersion(value []byte) doc.Version {
	v, _ := binary.Uvarint(value)
	return doc.Version(v)
}

// Versions looks up all keys in one segment after another. work gives way in between.
func Versions(r *scorch.IndexSnapshot, oids []doc.OID, work *giveway.Work) ([]doc.Version, error) {
	ids := make([]string, len(oids))
	for i, oid := range oids {
		ids[i] = string(oid)
	}
	found := make(map[string]doc.Version, len(ids))
	for _, segment := range r.Segments() {
		if err := lookup(segment, ids, found, work); err != nil {
			return nil, err
		}
	}
	vs := make([]doc.Version, len(oids))
	for i, id := range ids {
		vs[i] = found[id]
	}
	return vs, nil
}

// Of returns the versions of documents by their numbers in the snapshot. It reads no
// dictionary.
func Of(r *scorch.IndexSnapshot, numbers []uint64) ([]doc.Version, error) {
	segments := r.Segments()
	ends, end := make([]uint64, len(segments)), uint64(0)
	for i, s := range segments {
		end += uint64(s.FullSize())
		ends[i] = end
	}
	vs := make([]doc.Version, len(numbers))
	for i, n := range numbers {
		at := sort.Search(len(ends), func(i int) bool { return n < ends[i] })
		if at == len(ends) {
			continue
		}
		s := segments[at]
		err := s.VisitDocument(n-(ends[at]-uint64(s.FullSize())), func(field string, _ byte, value []byte, _ []uint64) bool {
			if field == VersionField {
				vs[i] = parseVersion(value)
			}
			return field != VersionField
		})
		if err != nil {
			return nil, err
		}
	}
	return vs, nil
}

// lookedUp is the number of keys that are looked up without giving way.
const lookedUp = 128

// lookup adds the versions of the live documents of a segment to found.
func lookup(segment *scorch.SegmentSnapshot, ids []string, found map[string]doc.Version, work *giveway.Work) error {
	for some := range slices.Chunk(ids, lookedUp) {
		work.Step()
		if err := lookupSome(segment, some, found); err != nil {
			return err
		}
	}
	return nil
}

func lookupSome(segment *scorch.SegmentSnapshot, ids []string, found map[string]doc.Version) error {
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
		case VersionField:
			v = parseVersion(value)
		}
		return true
	}
	for it := numbers.Iterator(); it.HasNext(); {
		v = 0 // the document may lack the field
		if err := segment.VisitDocument(uint64(it.Next()), visit); err != nil {
			return err
		}
		found[id] = v
	}
	return nil
}

// Documents looks up each key only in the segments whose dictionaries have it:
// lookups of all keys in all segments would be most of the cost. work gives way in between.
func Documents(r *scorch.IndexSnapshot, from doc.OID, n int, work *giveway.Work) ([]doc.Indexed, doc.OID, error) {
	dicts, err := openDicts(r, from)
	if err != nil {
		return nil, "", err
	}
	ids, next, err := takeKeys(dicts, n, work)
	if err != nil {
		return nil, "", err
	}
	live := make(map[string]doc.Version, len(ids))
	for _, d := range dicts {
		if err := lookup(d.segment, d.taken, live, work); err != nil {
			return nil, "", err
		}
	}
	docs := make([]doc.Indexed, 0, len(live))
	for _, id := range ids {
		if v, ok := live[id]; ok {
			docs = append(docs, doc.Indexed{OID: doc.OID(id), V: v})
		}
	}
	return docs, next, nil
}

// A dict reads the keys of one segment in order, of live and deleted documents.
type dict struct {
	segment *scorch.SegmentSnapshot
	entries interface {
		Next() (*index.DictEntry, error)
	}
	id    string   // the current key
	taken []string // by takeKeys
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

// takeKeys merges the dictionaries. It returns the first n keys and the key that
// follows them, and records in each dictionary the keys it has.
func takeKeys(dicts []*dict, n int, work *giveway.Work) (ids []string, next doc.OID, err error) {
	open := byKey(slices.Clone(dicts))
	heap.Init(&open)
	for len(open) > 0 {
		id := open[0].id
		if len(ids) == n {
			return ids, doc.OID(id), nil
		}
		if ids = append(ids, id); len(ids)%lookedUp == 0 {
			work.Step()
		}
		for len(open) > 0 && open[0].id == id {
			d := open[0]
			d.taken = append(d.taken, id)
			more, err := d.advance()
			if err != nil {
				return nil, "", err
			}
			if more {
				heap.Fix(&open, 0)
			} else {
				heap.Pop(&open)
			}
		}
	}
	return ids, "", nil
}

// byKey is a heap of dictionaries, by their current keys.
type byKey []*dict

func (b byKey) Len() int           { return len(b) }
func (b byKey) Less(i, j int) bool { return b[i].id < b[j].id }
func (b byKey) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// Push implements heap.Interface. All dictionaries are in the heap from its beginning.
func (b byKey) Push(any) {}

// Pop implements heap.Interface.
func (b *byKey) Pop() any {
	last := len(*b) - 1
	d := (*b)[last]
	*b = (*b)[:last]
	return d
}
