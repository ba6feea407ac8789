package fulltext

import (
	"slices"

	"indexerd/internal/index/fulltext/segment"
)

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
