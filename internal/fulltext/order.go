package fulltext

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/query"
)

// A key is what a candidate is sorted by in one field. Without a term it comes
// last. Of several values the one that comes first counts.
type key struct {
	present bool
	term    []byte
}

// A candidate is a document that matches, as far as it is known.
type candidate struct {
	number uint64 // of the document in the snapshot
	score  float64
	keys   []key  // one for each sort; not used by the one that is by score
	id     string // read when it is needed
}

// clone returns a copy that shares nothing with the candidate that the
// collector fills again and again.
func (c *candidate) clone() *candidate {
	d := *c
	d.keys = make([]key, len(c.keys))
	for i, k := range c.keys {
		d.keys[i] = key{k.present, bytes.Clone(k.term)}
	}
	return &d
}

// size is how many bytes the candidate's keys hold.
func (c *candidate) size() int {
	n := 0
	for _, k := range c.keys {
		n += heldValue + len(k.term)
	}
	return n
}

// An order sorts candidates.
type order struct {
	sorts  []query.Sort
	fields []string // the index's name of each sort's field, "" for the score
	reader *scorch.IndexSnapshot
}

// newOrder checks what to sort by. Nothing is by score, the best first.
func (s *schema) newOrder(sorts []query.Sort) (*order, error) {
	if len(sorts) == 0 {
		sorts = []query.Sort{{Field: query.ByScore, Descending: true}}
	}
	o := &order{sorts: sorts, fields: make([]string, len(sorts))}
	for i, by := range sorts {
		if by.Field == query.ByScore {
			continue
		}
		f, err := s.metadata(by.Field)
		if err != nil {
			return nil, err
		}
		o.fields[i] = metadataField(f.Name)
	}
	return o, nil
}

func (o *order) scored() bool {
	for _, f := range o.fields {
		if f == "" {
			return true
		}
	}
	return false
}

// see takes one value of a document into its keys.
func (o *order) see(c *candidate, field string, term []byte) {
	for i, f := range o.fields {
		if f != field {
			continue
		}
		k := &c.keys[i]
		if !k.present || (bytes.Compare(term, k.term) < 0) != o.sorts[i].Descending {
			k.present, k.term = true, append(k.term[:0], term...)
		}
	}
}

// compare returns a negative number where a comes before b. Candidates that
// are equal in everything are ordered by _id, which is read only then: for
// most of a million matches it never is.
func (o *order) compare(a, b *candidate) (int, error) {
	for i, by := range o.sorts {
		var c int
		switch ka, kb := a.keys[i], b.keys[i]; {
		case o.fields[i] == "":
			c = cmp.Compare(a.score, b.score)
		case ka.present != kb.present && ka.present:
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
		if err := o.identify(x); err != nil {
			return 0, err
		}
	}
	return cmp.Compare(a.id, b.id), nil
}

// identify reads a candidate's _id.
func (o *order) identify(c *candidate) (err error) {
	if c.id == "" {
		c.id, err = o.reader.ExternalID(index.NewIndexInternalID(nil, c.number))
	}
	if err != nil {
		return fmt.Errorf("read the key of a hit: %w", err)
	}
	return nil
}
