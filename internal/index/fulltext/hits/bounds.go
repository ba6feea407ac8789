package hits

import (
	"cmp"
	"slices"

	"indexerd/internal/index/fulltext/plan"
)

// A search by score needs the scores of the first hits only. A word adds at most its
// bound to a score: idf*(k1+1), whatever its frequency and the length of the text. So
// documents are left out that the bounds of their words can't bring among the first hits.
// A window of documents is scored at a time, and those of the next must reach the scores of
// the ones before.
//
// The bounds follow from the formula: the index needs nothing beside its segments. With the
// greatest score of each window in place of them, as other engines store it, a search for one
// word or for 32 takes as long, and one for two 30 % less.
//
// A score is the sum of the same parts in the same order, whatever was left out.

const (
	boundedWords = 64       // of a query; more are not bounded
	boundMargin  = 1 + 1e-6 // for scores that are rounded
)

// bounds are those of the words of one search.
type bounds struct {
	words  []boundedWord            // the highest bound first
	share  float64                  // a score may grow so many times after all words are scored
	sure   func(score float32) bool // the score is that of a hit, even after it has grown
	want   int
	window int       // documents that are scored together
	best   scoreHeap // scores that are computed
	tried  float64   // least score at which too few documents were left out, or 0
}

type boundedWord struct {
	plan.Bounded
	most float64
}

// boundable returns the words of a search whose scores can be bounded, and has them keep
// their documents.
func (c *collector) boundable(s *plan.Session, m plan.Matcher) []plan.Bounded {
	if !s.Scored || !c.order.ByScore() || c.size == 0 || c.minScore > 0 || c.collapse != nil || c.limits.Window == 0 {
		return nil
	}
	words, ok := plan.BoundedWords(m)
	if !ok || len(words) == 0 || len(words) > boundedWords {
		return nil
	}
	for _, w := range words {
		w.Keep()
	}
	return words
}

// compute computes the scores of the matches, or with bounded words those that hits can
// have.
func (c *collector) compute(s *plan.Session, m plan.Matcher, words []plan.Bounded, all []*found) error {
	var b *bounds
	if len(words) > 0 {
		var err error
		if b, err = c.newBounds(m, words); err != nil {
			return err
		}
	}
	for _, f := range all {
		var err error
		if b != nil && !f.scored && f.Count > 0 {
			err = b.compute(s, f)
		} else {
			err = f.compute(s, m)
		}
		if err = cmp.Or(err, s.Check()); err != nil {
			return err
		}
		c.best = max(c.best, float64(f.best()))
	}
	return nil
}

func (c *collector) newBounds(m plan.Matcher, words []plan.Bounded) (*bounds, error) {
	b := &bounds{share: boundMargin, want: c.size + 1, window: c.limits.Window, sure: func(float32) bool { return true }}
	if near, ok := m.(*plan.Near); ok {
		b.share *= 1 + near.Share()
	}
	if c.after != nil {
		below := float64(float32(c.after.Score))
		b.sure = func(score float32) bool { return float64(score)*b.share < below }
	}
	for _, w := range words {
		most, err := w.Bound()
		if err != nil {
			return nil, err
		}
		b.words = append(b.words, boundedWord{w, most})
	}
	slices.SortStableFunc(b.words, func(a, b boundedWord) int { return cmp.Compare(b.most, a.most) })
	return b, nil
}
