package fulltext

import "indexerd/internal/index/fulltext/segment"

// Matches are the matches of a query in one part of the index. A score has 32 bits, so
// that half as much is held of each match.
type matches struct {
	part     *view
	docs     segment.Bits
	count    int       // of docs
	scores   []float32 // in the order of docs; nil if all are constant
	constant float32
}

// score returns the score of the match at a place in docs.
func (m *matches) score(at int) float32 {
	if m.scores == nil {
		return m.constant
	}
	return m.scores[at]
}
