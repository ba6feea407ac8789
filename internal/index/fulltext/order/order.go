package fulltext

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// A key is the value by which a candidate is sorted in one field.
type key struct {
	present bool
	term    []byte
}

// A candidate is a matching document.
type candidate struct {
	number uint64 // of the document in the snapshot
	score  float64
	keys   []key  // one for each sort; unused by a sort by score
	id     string // read when needed
	stats  *stats // of a cursor that has them
	parts  []query.ScorePart
}

// valueOverhead is the memory of a value besides its bytes: an entry of a map or
// slice, a string header and a number.
const valueOverhead = 64

// candidate returns an empty candidate.
func (o *order) candidate() *candidate { return &candidate{keys: make([]key, len(o.sorts))} }

// reset makes a candidate another document, without keys, in the same memory.
func (c *candidate) reset(number uint64, score float64) {
	c.number, c.score, c.id = number, score, ""
	for i, k := range c.keys {
		c.keys[i] = key{term: k.term[:0]}
	}
}

// clone returns a copy that shares no memory with the collector's current
// candidate, which is reused.
func (c *candidate) clone() *candidate {
	d := *c
	d.keys = make([]key, len(c.keys))
	for i, k := range c.keys {
		d.keys[i] = key{k.present, bytes.Clone(k.term)}
	}
	return &d
}

// size returns the bytes that the candidate's keys hold.
func (c *candidate) size() int {
	n := 0
	for _, k := range c.keys {
		n += valueOverhead + len(k.term)
	}
	return n
}

// An order sorts candidates.
type order struct {
	sorts  []query.Sort
	fields []string // field in the index of each sort, "" for the score
	types  []string // of the fields
	absent []key    // what candidates without a value have
	reader *scorch.IndexSnapshot
	stats  *stats // of a search by score
}

// newOrder checks the sorts. The default is by score, the best first.
func newOrder(s *Schema, sorts []query.Sort) (*order, error) {
	if len(sorts) == 0 {
		sorts = []query.Sort{{Field: query.ByScore, Descending: true}}
	}
	o := &order{sorts: sorts, fields: make([]string, len(sorts)), types: make([]string, len(sorts)), absent: make([]key, len(sorts))}
	for i, by := range sorts {
		if by.Field == query.ByScore {
			continue
		}
		f, err := s.Field(by.Field)
		if err != nil {
			return nil, err
		}
		o.fields[i], o.types[i] = metadataField(f.Name), string(f.Type)
		if by.Missing != "" {
			if o.absent[i], err = termOf(s, by.Field, by.Missing); err != nil {
				return nil, err
			}
		}
	}
	return o, nil
}

// read returns the fields that are read of each candidate, and may have one twice.
func (o *order) read() []string {
	return slices.DeleteFunc(slices.Clone(o.fields), func(f string) bool { return f == "" })
}

// keysOf returns the keys of a candidate; nil if the order is by score only.
func (o *order) keysOf(c *candidate) []query.Key {
	if !slices.ContainsFunc(o.fields, func(f string) bool { return f != "" }) {
		return nil
	}
	keys := make([]query.Key, len(c.keys))
	for i := range c.keys {
		if k := o.key(c, i); k.present {
			keys[i] = query.Key{Type: o.types[i], Term: k.term, Text: Type(o.types[i]).Text(k.term)}
		}
	}
	return keys
}

// key returns the value by which a candidate is sorted.
func (o *order) key(c *candidate, i int) key {
	if c.keys[i].present {
		return c.keys[i]
	}
	return o.absent[i]
}

// byScore reports whether candidates are ordered by score only, the best first.
func (o *order) byScore() bool {
	return len(o.sorts) == 1 && o.fields[0] == "" && o.sorts[0].Descending
}

func (o *order) scored() bool { return slices.Contains(o.fields, "") }

// addValue updates the keys of a candidate with one of its values.
func (o *order) addValue(c *candidate, field string, term []byte) {
	for i, f := range o.fields {
		if f != field {
			continue
		}
		k, greatest := &c.keys[i], o.sorts[i].Descending
		if pick := o.sorts[i].Pick; pick != "" {
			greatest = pick == query.PickMax
		}
		if !k.present || (bytes.Compare(term, k.term) < 0) != greatest {
			k.present, k.term = true, append(k.term[:0], term...)
		}
	}
}

// compare returns a negative number if a comes before b. Candidates with equal
// keys are ordered by _id. The _id is read only then, which most of a million
// matches never need.
func (o *order) compare(a, b *candidate) (int, error) {
	for i, by := range o.sorts {
		var c int
		switch ka, kb := o.key(a, i), o.key(b, i); {
		case o.fields[i] == "":
			c = cmp.Compare(a.score, b.score)
		case ka.present != kb.present && ka.present != by.First:
			return -1, nil
		case ka.present != kb.present:
			return 1, nil
		default:
			c = bytes.Compare(ka.term, kb.term)
		}
		if by.Descending {
			c = -c
		}
		if c != 0 {
			return c, nil
		}
	}
	for _, x := range []*candidate{a, b} {
		if err := o.readID(x); err != nil {
			return 0, err
		}
	}
	return cmp.Compare(a.id, b.id), nil
}

// readID sets a candidate's _id.
func (o *order) readID(c *candidate) (err error) {
	if c.id == "" {
		c.id, err = o.reader.ExternalID(index.NewIndexInternalID(nil, c.number))
	}
	if err != nil {
		return fmt.Errorf("read the key of a hit: %w", err)
	}
	return nil
}

// hits returns candidates as hits, with their keys and versions.
func (o *order) hits(all []*candidate) ([]query.Hit, error) {
	hits, oids := make([]query.Hit, len(all)), make([]doc.OID, len(all))
	for i, c := range all {
		if err := o.readID(c); err != nil {
			return nil, err
		}
		oids[i] = doc.OID(c.id)
		hits[i] = query.Hit{OID: oids[i], Score: c.score, Keys: o.keysOf(c), Explain: c.parts}
	}
	vs, err := versions(o.reader, oids)
	for i, v := range vs {
		hits[i].V = v
	}
	return hits, err
}
