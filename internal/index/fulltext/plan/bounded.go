package plan

import (
	"slices"

	"indexerd/internal/index/fulltext/segment"
)

// A Bounded matcher adds at most its bound to a score, and only to that of documents that
// it matches.
type Bounded interface {
	Matcher
	Bound() (float64, error)
	// Keep has match keep the documents of each part of the index.
	Keep()
	// KeptIn returns the documents of a part that have the word.
	KeptIn(p *Part) segment.Bits
	// ScoresIn returns the scores of some documents of a part in the word, nil if the part
	// does not have it. It computes them where that takes all documents together.
	ScoresIn(p *Part, docs segment.Bits) (*WordScores, error)
}

// BoundedWords returns the words of a query whose score is the sum of theirs, false for
// another query.
func BoundedWords(m Matcher) (words []Bounded, ok bool) {
	switch m := m.(type) {
	case *columnsMatcher:
		return []Bounded{m}, true
	case *wordMatcher:
		return []Bounded{m}, true
	case *filterMatcher, unscoredMatcher:
		return nil, true
	case *Near:
		return BoundedWords(m.Matcher)
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

func boundedSum(parts []Matcher) (words []Bounded, ok bool) {
	for _, part := range parts {
		more, ok := BoundedWords(part)
		if !ok {
			return nil, false
		}
		words = append(words, more...)
	}
	return words, true
}
