package hits

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"

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

// bounds are those of the words of one search. Goroutines share them.
type bounds struct {
	words  []boundedWord            // the highest bound first
	share  float64                  // a score may grow so many times after all words are scored
	sure   func(score float32) bool // the score is that of a hit, even after it has grown
	want   int
	window int // documents that are scored together

	lock sync.Mutex
	best scoreHeap     // scores that are computed
	bar  atomic.Uint32 // bits of the least of best, 0 while there are fewer than want
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
	matches := 0
	for _, f := range all {
		matches += f.Count
	}
	if len(words) > 0 && matches > c.limits.Few {
		if err := c.computeBounded(s, m, words, all); err != nil {
			return err
		}
	}
	for _, f := range all {
		if err := cmp.Or(f.compute(s, m), s.Check()); err != nil {
			return err
		}
		c.best = max(c.best, float64(f.best()))
	}
	return nil
}

// computeBounded computes the scores that hits can have, of as many ranges of documents at a
// time as there are idle processors. If words are scored at once, those of one part are in
// memory at a time.
func (c *collector) computeBounded(s *plan.Session, m plan.Matcher, words []plan.Bounded, all []*found) error {
	b, err := c.newBounds(m, words)
	if err != nil {
		return err
	}
	ranges, listed := b.ranges(all, c.limits.Stretch)
	most := 1
	if listed {
		postings := 0.0
		for _, r := range ranges {
			if err := r.open(); err != nil {
				return err
			}
			postings += r.each * float64(r.to-r.from)
		}
		if postings > float64(c.limits.Alone) {
			most = len(ranges)
		}
	}
	others, release := c.limits.Processors.take(most)
	defer release()
	var next atomic.Int64
	err = together(s, others, func(_ int, end *plan.Deadline) error {
		scorer := b.newScorer()
		defer scorer.win.Release()
		for i := int(next.Add(1)) - 1; i < len(ranges); i = int(next.Add(1)) - 1 {
			if err := scorer.compute(end, ranges[i], listed); err != nil {
				return err
			}
		}
		return end.Check()
	})
	if err == nil {
		keepRanges(ranges)
	}
	return err
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

// bestLeast returns the score that the next of the best must exceed.
func (b *bounds) bestLeast() float32 { return math.Float32frombits(b.bar.Load()) }

// least returns the least score without pairs of one of the first hits.
func (b *bounds) least() float64 { return float64(b.bestLeast()) / b.share }

// keepBest keeps a score if it is one of the best.
func (b *bounds) keepBest(score float32) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.best.keep(score, b.want)
	b.bar.Store(math.Float32bits(b.best.least(b.want)))
}
