package hits

import (
	"math/bits"
	"slices"
	"sort"

	"indexerd/internal/index/fulltext/aggs"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/segment"
)

// A found has the matches of one part.
type found struct {
	aggs.Matches
	tops     []float32    // the greatest of each scoreBlock of the scores
	scored   bool         // the scores are known
	before   []uint32     // see Bits.Ranks; nil while unknown
	complete segment.Bits // places of scores that have the pairs of words; see pairs
}

// scoreBlock is the number of scores that are passed over together if none of them is
// high enough.
const scoreBlock = 256

// compute computes the scores, if they are needed and not known.
func (f *found) compute(s *plan.Session, m plan.Matcher) error {
	if !s.Scored || f.Count == 0 || f.scored {
		return nil
	}
	sc := plan.NewScores(f.Docs)
	defer sc.Release()
	if err := m.Score(f.Part, sc); err != nil {
		return err
	}
	f.scored, f.Constant = true, float32(sc.Constant)
	if sc.Sums == nil {
		return nil
	}
	f.before = sc.Ranks
	f.Scores = make([]float32, len(sc.Sums))
	for i, sum := range sc.Sums {
		f.Scores[i] = float32(sum + sc.Constant)
	}
	f.setTops()
	return nil
}

// keepScores sets the scores of some matches, and leaves out the others.
func (f *found) keepScores(docs segment.Bits, scores []float32) {
	f.scored, f.before = true, nil
	f.Docs, f.Count, f.Scores = docs, len(scores), scores
	f.setTops()
}

// setTops sets the greatest scores.
func (f *found) setTops() {
	f.tops = f.tops[:0]
	for block := range slices.Chunk(f.Scores, scoreBlock) {
		top := block[0]
		for _, score := range block { // slices.Max looks for NaN
			if score > top {
				top = score
			}
		}
		f.tops = append(f.tops, top)
	}
}

// best returns the greatest score.
func (f *found) best() float32 {
	if f.Count == 0 || !f.scored {
		return 0
	}
	if f.Scores == nil {
		return f.Constant
	}
	return max(0, slices.Max(f.tops))
}

// dropBelow leaves out the matches with a lower score.
func (f *found) dropBelow(least float32) {
	if f.Scores == nil {
		if f.Constant < least {
			f.Docs, f.Count = segment.NewBits(f.Part.Docs()), 0
			f.before = nil
		}
		return
	}
	docs, at := segment.NewBits(f.Part.Docs()), 0
	for doc := range f.Docs.All {
		if f.Scores[at] >= least {
			docs.Set(doc)
		}
		at++
	}
	f.keepOnly(docs)
}

// keepOnly leaves out the matches that are not in a set of some of them.
func (f *found) keepOnly(docs segment.Bits) {
	if f.Scores != nil {
		kept, at := f.Scores[:0], 0
		for doc := range f.Docs.All {
			if docs.Has(doc) {
				kept = append(kept, f.Scores[at])
			}
			at++
		}
		f.Scores = kept
		f.setTops()
	}
	f.Docs, f.Count, f.before = docs, docs.Count(), nil
}

// addScore adds to the score of the match at a place.
func (f *found) addScore(at int, sum float64) {
	f.Scores[at] = float32(float64(f.Scores[at]) + sum)
	f.tops[at/scoreBlock] = max(f.tops[at/scoreBlock], f.Scores[at])
}

// scan calls each with the places of scores that are not below least, which each may
// raise.
func (f *found) scan(least *float32, each func(at int, score float32)) {
	if f.Scores == nil {
		for at := 0; at < f.Count && f.Constant >= *least; at++ {
			each(at, f.Constant)
		}
		return
	}
	for i, top := range f.tops {
		if top < *least {
			continue
		}
		from := i * scoreBlock
		for at, score := range f.Scores[from:min(from+scoreBlock, len(f.Scores))] {
			if score >= *least {
				each(from+at, score)
			}
		}
	}
}

// doc returns the match at a place.
func (f *found) doc(at int) uint32 {
	if f.before == nil {
		f.before = f.Docs.Ranks()
	}
	word := sort.Search(len(f.before), func(i int) bool { return f.before[i] > uint32(at) }) - 1
	w := f.Docs[word]
	for n := at - int(f.before[word]); n > 0; n-- {
		w &= w - 1
	}
	return uint32(word*64 + bits.TrailingZeros64(w))
}
