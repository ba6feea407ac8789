// Package order sorts matching documents: by scores, by values, and by keys where these
// are equal, so that no two are equal. It encodes the place of a hit as a cursor, and reads
// the keys and versions of hits.
package order

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/versions"
	"indexerd/internal/index/query"
)

// A key is the value by which a candidate is sorted in one field.
type key struct {
	present bool
	term    []byte
}

// A Candidate is a matching document.
type Candidate struct {
	Number uint64 // of the document in the snapshot
	Score  float64
	keys   []key       // one for each sort; unused by a sort by score
	ID     string      // read when needed
	Stats  *plan.Stats // of a cursor that has them
	Parts  []query.ScorePart
}

// ValueOverhead is the memory of a value besides its bytes: an entry of a map or
// slice, a string header and a number.
const ValueOverhead = 64

// Candidate returns an empty candidate.
func (o *Order) Candidate() *Candidate { return &Candidate{keys: make([]key, len(o.sorts))} }

// Reset makes a candidate another document, without keys, in the same memory.
func (c *Candidate) Reset(number uint64, score float64) {
	c.Number, c.Score, c.ID = number, score, ""
	for i, k := range c.keys {
		c.keys[i] = key{term: k.term[:0]}
	}
}

// Clone returns a copy that shares no memory with the collector's current
// candidate, which is reused.
func (c *Candidate) Clone() *Candidate {
	d := *c
	d.keys = make([]key, len(c.keys))
	for i, k := range c.keys {
		d.keys[i] = key{k.present, bytes.Clone(k.term)}
	}
	return &d
}

// Size returns the bytes that the candidate's keys hold.
func (c *Candidate) Size() int {
	n := 0
	for _, k := range c.keys {
		n += ValueOverhead + len(k.term)
	}
	return n
}

// An Order sorts candidates.
type Order struct {
	sorts  []query.Sort
	fields []string // field in the index of each sort, "" for the score
	types  []string // of the fields
	absent []key    // what candidates without a value have
	Reader *scorch.IndexSnapshot
	Stats  *plan.Stats // of a search by score
}

// New checks the sorts. The default is by score, the best first.
func New(s *schema.Schema, sorts []query.Sort) (*Order, error) {
	if len(sorts) == 0 {
		sorts = []query.Sort{{Field: query.ByScore, Descending: true}}
	}
	o := &Order{sorts: sorts, fields: make([]string, len(sorts)), types: make([]string, len(sorts)), absent: make([]key, len(sorts))}
	for i, by := range sorts {
		if by.Field == query.ByScore {
			continue
		}
		f, err := s.Field(by.Field)
		if err != nil {
			return nil, err
		}
		o.fields[i], o.types[i] = schema.MetadataField(f.Name), string(f.Type)
		if by.Missing != "" {
			if o.absent[i], err = termOf(s, by.Field, by.Missing); err != nil {
				return nil, err
			}
		}
	}
	return o, nil
}

// Fields returns the fields that are read of each candidate, and may have one twice.
func (o *Order) Fields() []string {
	return slices.DeleteFunc(slices.Clone(o.fields), func(f string) bool { return f == "" })
}

// keysOf returns the keys of a candidate; nil if the order is by score only.
func (o *Order) keysOf(c *Candidate) []query.Key {
	if !slices.ContainsFunc(o.fields, func(f string) bool { return f != "" }) {
		return nil
	}
	keys := make([]query.Key, len(c.keys))
	for i := range c.keys {
		if k := o.key(c, i); k.present {
			keys[i] = query.Key{Type: o.types[i], Term: k.term, Text: schema.Type(o.types[i]).Text(k.term)}
		}
	}
	return keys
}

// key returns the value by which a candidate is sorted.
func (o *Order) key(c *Candidate, i int) key {
	if c.keys[i].present {
		return c.keys[i]
	}
	return o.absent[i]
}

// ByScore reports whether candidates are ordered by score only, the best first.
func (o *Order) ByScore() bool {
	return len(o.sorts) == 1 && o.fields[0] == "" && o.sorts[0].Descending
}

// Scored reports whether candidates are ordered by score, among others.
func (o *Order) Scored() bool { return slices.Contains(o.fields, "") }

// AddValue updates the keys of a candidate with one of its values.
func (o *Order) AddValue(c *Candidate, field string, term []byte) {
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

// Compare returns a negative number if a comes before b. Candidates with equal
// keys are ordered by _id. The _id is read only then, which most of a million
// matches never need.
func (o *Order) Compare(a, b *Candidate) (int, error) {
	for i, by := range o.sorts {
		var c int
		switch ka, kb := o.key(a, i), o.key(b, i); {
		case o.fields[i] == "":
			c = cmp.Compare(a.Score, b.Score)
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
	for _, x := range []*Candidate{a, b} {
		if err := o.ReadID(x); err != nil {
			return 0, err
		}
	}
	return cmp.Compare(a.ID, b.ID), nil
}

// ReadID sets a candidate's _id.
func (o *Order) ReadID(c *Candidate) (err error) {
	if c.ID == "" {
		c.ID, err = o.Reader.ExternalID(index.NewIndexInternalID(nil, c.Number))
	}
	if err != nil {
		return fmt.Errorf("read the key of a hit: %w", err)
	}
	return nil
}

// Hits returns candidates as hits, with their keys and versions.
func (o *Order) Hits(all []*Candidate) ([]query.Hit, error) {
	hits, oids := make([]query.Hit, len(all)), make([]doc.OID, len(all))
	for i, c := range all {
		if err := o.ReadID(c); err != nil {
			return nil, err
		}
		oids[i] = doc.OID(c.ID)
		hits[i] = query.Hit{OID: oids[i], Score: c.Score, Keys: o.keysOf(c), Explain: c.Parts}
	}
	vs, err := versions.Versions(o.Reader, oids, nil)
	for i, v := range vs {
		hits[i].V = v
	}
	return hits, err
}
