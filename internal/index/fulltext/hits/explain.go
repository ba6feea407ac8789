package hits

import (
	"indexerd/internal/index/fulltext/order"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/segment"
)

// explain sets the parts of the scores of the kept matches.
func (c *collector) explain(s *plan.Session, m plan.Matcher) error {
	var ex plan.Explanation
	for _, p := range s.Parts {
		docs, in := segment.NewBits(p.Docs()), map[uint32]*order.Candidate{}
		for _, k := range c.kept {
			if k.Number >= p.Base && k.Number < p.Base+uint64(p.Docs()) {
				doc := uint32(k.Number - p.Base)
				docs.Set(doc)
				in[doc] = k
			}
		}
		if len(in) == 0 {
			continue
		}
		sc, err := ex.Score(s, m, p, docs, c.order.ByScore())
		if err != nil {
			return err
		}
		at := 0
		for doc := range docs.All {
			in[doc].Parts = sc.PartsAt(at)
			at++
		}
	}
	return nil
}
