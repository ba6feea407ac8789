package fulltext

import (
	"math/bits"
	"slices"
	"sort"

	"indexerd/internal/index/fulltext/segment"
)

// A found has the matches of one part.
type found struct {
	matches
	tops     []float32    // the greatest of each scoreBlock of the scores
	scored   bool         // the scores are known
	before   []uint32     // see Bits.Ranks; nil while unknown
	complete segment.Bits // places of scores that have the pairs of words; see nearMatcher
}

// scoreBlock is the number of scores that are passed over together if none of them is
// high enough.
const scoreBlock = 256

// compute computes the scores, if they are needed and not known.
func (f *found) compute(s *session, m matcher) error {
	if !s.scored || f.count == 0 || f.scored {
		return nil
	}
	sc := newScores(f.docs)
	defer sc.release()
	if err := m.score(f.part, sc); err != nil {
		return err
	}
	f.scored, f.constant = true, float32(sc.constant)
	if sc.sums == nil {
		return nil
	}
	f.before = sc.before
	f.scores = make([]float32, len(sc.sums))
	for i, sum := range sc.sums {
		f.scores[i] = float32(sum + sc.constant)
	}
	f.setTops()
	return nil
}

// keepSums sets the scores of some matches, and leaves out the others.
func (f *found) keepSums(sc *scores, kept segment.Bits) {
	f.scored, f.before = true, sc.before
	f.docs, f.count, f.scores = sc.docs, len(sc.sums), make([]float32, len(sc.sums))
	for i, sum := range sc.sums {
		f.scores[i] = float32(sum)
	}
	if n := kept.Count(); n < f.count {
		f.keepOnly(kept)
		return
	}
	f.setTops()
}

// setTops sets the greatest scores.
func (f *found) setTops() {
	f.tops = f.tops[:0]
	for block := range slices.Chunk(f.scores, scoreBlock) {
		f.tops = append(f.tops, slices.Max(block))
	}
}

// best returns the greatest score.
func (f *found) best() float32 {
	if f.count == 0 || !f.scored {
		return 0
	}
	if f.scores == nil {
		return f.constant
	}
	return max(0, slices.Max(f.tops))
}

// dropBelow leaves out the matches with a lower score.
func (f *found) dropBelow(least float32) {
	if f.scores == nil {
		if f.constant < least {
			f.docs, f.count = segment.NewBits(f.part.Docs()), 0
			f.before = nil
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
		f.setTops()
	}
	f.docs, f.count, f.before = docs, docs.Count(), nil
}

// addScore adds to the score of the match at a place.
func (f *found) addScore(at int, sum float64) {
	f.scores[at] = float32(float64(f.scores[at]) + sum)
	f.tops[at/scoreBlock] = max(f.tops[at/scoreBlock], f.scores[at])
}

// scan calls each with the places of scores that are not below least, which each may
// raise.
func (f *found) scan(least *float32, each func(at int, score float32)) {
	if f.scores == nil {
		for at := 0; at < f.count && f.constant >= *least; at++ {
			each(at, f.constant)
		}
		return
	}
	for i, top := range f.tops {
		if top < *least {
			continue
		}
		from := i * scoreBlock
		for at, score := range f.scores[from:min(from+scoreBlock, len(f.scores))] {
			if score >= *least {
				each(from+at, score)
			}
		}
	}
}

// doc returns the match at a place.
func (f *found) doc(at int) uint32 {
	if f.before == nil {
		f.before = f.docs.Ranks()
	}
	word := sort.Search(len(f.before), func(i int) bool { return f.before[i] > uint32(at) }) - 1
	w := f.docs[word]
	for n := at - int(f.before[word]); n > 0; n-- {
		w &= w - 1
	}
	return uint32(word*64 + bits.TrailingZeros64(w))
}
