package plan

import (
	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
)

// A keysPlan matches the documents with these keys, without a score.
type keysPlan []doc.OID

type keysMatcher struct {
	s *Session
	keysPlan
}

func (p keysPlan) Open(s *Session) (Matcher, error) { return keysMatcher{s, p}, nil }

func (m keysMatcher) Match(p *Part, among segment.Bits) (segment.Bits, error) {
	found := p.Set()
	for _, oid := range m.keysPlan {
		id := schema.Only(string(oid))
		err := p.Each("_id", id.Min, id.Max, func(_ []byte, docs segment.Postings) (bool, error) {
			return true, docs.AddTo(found)
		})
		if err != nil {
			return nil, err
		}
		if err := m.s.Step(); err != nil {
			return nil, err
		}
	}
	found.And(among)
	return found, nil
}

func (keysMatcher) Score(*Part, *Scores) error { return nil }
