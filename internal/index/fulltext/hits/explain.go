package fulltext

import "indexerd/internal/index/fulltext/segment"

// explain sets the parts of the scores of the kept matches.
func (c *collector) explain(s *session, m matcher) error {
	var ex explanation
	for _, p := range s.views {
		docs, in := segment.NewBits(p.Docs()), map[uint32]*candidate{}
		for _, k := range c.kept {
			if k.number >= p.base && k.number < p.base+uint64(p.Docs()) {
				doc := uint32(k.number - p.base)
				docs.Set(doc)
				in[doc] = k
			}
		}
		if len(in) == 0 {
			continue
		}
		sc, err := ex.scores(s, m, p, docs, c.order.byScore())
		if err != nil {
			return err
		}
		at := 0
		for doc := range docs.All {
			in[doc].parts = sc.partsAt(at)
			at++
		}
	}
	return nil
}
