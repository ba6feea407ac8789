package fulltext

import (
	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/segment"
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
		id := only(string(oid))
		err := p.Each("_id", id.min, id.max, func(_ []byte, docs segment.Postings) (bool, error) {
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
