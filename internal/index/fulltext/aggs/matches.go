package aggs

import (
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/segment"
)

// Matches are the matches of a query in one part of the index. A score has 32 bits, so
// that half as much is held of each match.
type Matches struct {
	Part     *plan.Part
	Docs     segment.Bits
	Count    int       // of docs
	Scores   []float32 // in the order of docs; nil if all are constant
	Constant float32
}

// Score returns the score of the match at a place in docs.
func (m *Matches) Score(at int) float32 {
	if m.Scores == nil {
		return m.Constant
	}
	return m.Scores[at]
}
