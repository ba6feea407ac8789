package fulltext

import (
	"slices"

	"indexerd/internal/fulltext/segment"
)

// A found has the matches of one part. A score has 32 bits, so that half as much is
// held of each match.
type found struct {
	part     *view
	docs     segment.Bits
	count    int
	scores   []float32 // in the order of docs; nil if all are constant
	constant float32
	scored   bool         // the scores are known
	complete segment.Bits // scores that have the pairs of words; see nearMatcher
}

// best returns the highest score.
func (f *found) best() float32 {
	if f.count == 0 || !f.scored {
		return 0
	}
	if f.scores == nil {
		return f.constant
	}
	return max(0, slices.Max(f.scores))
}

// dropBelow leaves out the matches with a lower score.
func (f *found) dropBelow(least float32) {
	if f.scores == nil {
		if f.constant < least {
			f.docs, f.count = segment.NewBits(f.part.Docs()), 0
		}
		return
	}
	docs, at := segment.NewBits(f.part.Docs()), 0
	for doc := range f.docs.All {
		if f.scores[at] >= least {
			docs.Set(doc)
		}
		at++
	}
	f.keepOnly(docs)
}

// keepOnly leaves out the matches that are not in a set of some of them.
func (f *found) keepOnly(docs segment.Bits) {
	if f.scores != nil {
		kept, at := f.scores[:0], 0
		for doc := range f.docs.All {
			if docs.Has(doc) {
				kept = append(kept, f.scores[at])
			}
			at++
		}
		f.scores = kept
	}
	f.docs, f.count = docs, docs.Count()
}

// score returns the score of the match at a place in docs.
func (f *found) score(at int) float32 {
	if f.scores == nil {
		return f.constant
	}
	return f.scores[at]
}
