package fulltext

import (
	"cmp"
	"slices"

	"indexerd/internal/index/fulltext/segment"
)

// A search by score needs the scores of the first hits only. A word adds at most its
// bound to a score: idf*(k1+1), whatever its frequency and the length of the text. So
// documents are left out that the bounds of their words, or the score in some words and
// the bounds of the others, can't bring among the first hits. Words with high bounds
// are scored first.
//
// The bounds follow from the formula: the index needs nothing beside its segments.
//
// A score is the sum of the same parts in the same order, whatever was left out.

// A bounded matcher adds at most its bound to a score, and only to that of documents that
// it matches.
type bounded interface {
	matcher
	bound() (float64, error)
	// keep has match keep the documents of each part of the index.
	keep()
	// keptIn returns the documents of a part that have the word.
	keptIn(p *view) segment.Bits
}

const (
	boundedWords = 64       // of a query; more are not bounded
	boundedSets  = 7        // words whose documents decide which of them are scored
	boundedSeeds = 1024     // documents of a part that are scored first
	boundedSmall = 0.25     // share of the highest bound below which a word adds little
	boundMargin  = 1 + 1e-6 // for scores that are rounded
)

// boundedLeast is the number of matches of a part up to which all are scored.
var boundedLeast = 2048

// bounds are those of the words of one search.
type bounds struct {
	words []boundedWord            // the highest bound first
	share float64                  // a score may grow so many times after all words are scored
	first bool                     // no score is too high for a hit
	sure  func(score float32) bool // the score is that of a hit, even after it has grown
	want  int
	least int       // see boundedLeast
	best  scoreHeap // scores of the parts that are computed
}

type boundedWord struct {
	bounded
	most float64
}

// boundedParts returns the words of a query whose score is the sum of theirs, false for
// another query.
func boundedParts(m matcher) (words []bounded, ok bool) {
	switch m := m.(type) {
	case *columnsMatcher:
		return []bounded{m}, true
	case *wordMatcher:
		return []bounded{m}, true
	case *filterMatcher, unscoredMatcher:
		return nil, true
	case *nearMatcher:
		return boundedParts(m.matcher)
	case boolMatcher:
		return boundedSum(m.must)
	case orMatcher:
		parts := slices.Clone(m.parts)
		for i, part := range parts {
			if one, ok := part.(boolMatcher); ok && len(one.must) == 1 && len(one.not) == 0 {
				parts[i] = one.must[0]
			}
			if needsSeveral(parts[i]) {
				return nil, false
			}
		}
		return boundedSum(parts)
	}
	return nil, false
}

func boundedSum(parts []matcher) (words []bounded, ok bool) {
	for _, part := range parts {
		more, ok := boundedParts(part)
		if !ok {
			return nil, false
		}
		words = append(words, more...)
	}
	return words, true
}

// boundable returns the words of a search whose scores can be bounded, and has them keep
// their documents.
func (c *collector) boundable(s *session, m matcher) []bounded {
	if !s.scored || !c.order.byScore() || c.size == 0 || c.minScore > 0 || c.collapse != nil {
		return nil
	}
	words, ok := boundedParts(m)
	if !ok || len(words) < 2 || len(words) > boundedWords {
		return nil
	}
	for _, w := range words {
		w.keep()
	}
	return words
}

// compute computes the scores of the matches, or with bounded words those that hits can
// have.
func (c *collector) compute(s *session, m matcher, words []bounded, all []*found) error {
	var b *bounds
	if len(words) > 0 {
		var err error
		if b, err = c.newBounds(m, words); err != nil {
			return err
		}
	}
	for _, f := range all {
		var err error
		if b != nil && !f.scored && f.count > 0 {
			err = b.compute(f)
		} else {
			err = f.compute(s, m)
		}
		if err = cmp.Or(err, s.ctx.Err()); err != nil {
			return err
		}
		c.best = max(c.best, float64(f.best()))
	}
	return nil
}

func (c *collector) newBounds(m matcher, words []bounded) (*bounds, error) {
	b := &bounds{share: boundMargin, want: c.size + 1, least: c.boundedLeast, first: c.after == nil, sure: func(float32) bool { return true }}
	if near, ok := m.(*nearMatcher); ok {
		b.share *= 1 + near.bound
	}
	if c.after != nil {
		below := float64(float32(c.after.score))
		b.sure = func(score float32) bool { return float64(score)*b.share < below }
	}
	for _, w := range words {
		most, err := w.bound()
		if err != nil {
			return nil, err
		}
		b.words = append(b.words, boundedWord{w, most})
	}
	slices.SortStableFunc(b.words, func(a, b boundedWord) int { return cmp.Compare(b.most, a.most) })
	return b, nil
}
