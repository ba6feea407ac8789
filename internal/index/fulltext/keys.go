package fulltext

import (
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2/numeric"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// A keysPlan matches the documents with these keys, without a score.
type keysPlan []doc.OID

type keysMatcher struct {
	s *session
	keysPlan
}

func (p keysPlan) open(s *session) (matcher, error) { return keysMatcher{s, p}, nil }

func (m keysMatcher) match(p *view, among segment.Bits) (segment.Bits, error) {
	found := segment.NewBits(p.Docs())
	for _, oid := range m.keysPlan {
		err := p.Each("_id", string(oid), successor(string(oid)), func(_ []byte, docs segment.Postings) (bool, error) {
			return true, docs.AddTo(found)
		})
		if err != nil {
			return nil, err
		}
		if err := m.s.step(); err != nil {
			return nil, err
		}
	}
	found.And(among)
	return found, nil
}

func (keysMatcher) score(*view, *scores) error { return nil }

// behindAll is greater than every key: the first byte of a key is its kind.
const behindAll = "\xff"

// at returns the candidate at a place.
func (o *order) at(s *Schema, p query.Place) (*candidate, error) {
	if len(p.Values) != len(o.sorts) {
		return nil, query.Errorf("write the sort values of the last hit", "a place has %d values and the search %d sorts", len(p.Values), len(o.sorts))
	}
	c := &candidate{keys: make([]key, len(o.sorts)), id: string(p.OID)}
	if c.id == "" {
		c.id = behindAll
	}
	for i, v := range p.Values {
		var err error
		switch {
		case o.fields[i] == "":
			if c.score, err = strconv.ParseFloat(v.Text, 64); err != nil {
				err = query.Errorf("write the score of the last hit", "score %s is not a number", query.Shorten(v.Text))
			}
		case v.Type != "":
			c.keys[i], err = s.keyOf(o.sorts[i].Field, v.Text)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (s *Schema) keyOf(field, text string) (key, error) {
	f, err := s.metadata(field)
	if err != nil {
		return key{}, err
	}
	terms, err := f.value(text)
	return key{true, []byte(terms.min)}, err
}

// textOf returns the value of a term: the text that Field.value reads as this term.
func (t Type) textOf(term []byte) string {
	if t != Number && t != Date {
		return string(term)
	}
	n, err := numeric.PrefixCoded(term).Int64()
	switch {
	case err != nil:
		return string(term)
	case t == Date:
		return time.UnixMicro(n).UTC().Format("2006-01-02T15:04:05.999999Z07:00")
	}
	return strconv.FormatFloat(numeric.Int64ToFloat64(n), 'g', -1, 64)
}
