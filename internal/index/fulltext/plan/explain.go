package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// An Explanation counts the parts of the scores of one search.
type Explanation struct{ parts int }

// maxParts bounds the memory of an explanation, to about 12 MB: a query may have a
// thousand words, and a search ten thousand hits.
const maxParts = 100_000

// Score scores documents of a part that all match, with the parts of their scores. It uses
// the code that scores them, so an explanation can't differ from its score. pairs has the
// pairs of words too. The error is a *query.Error if there are too many parts.
func (ex *Explanation) Score(s *Session, m Matcher, p *Part, docs segment.Bits, pairs bool) (*Scores, error) {
	sc := NewScores(docs)
	sc.explained = ex
	if err := cmp.Or(m.Score(p, sc), s.Check()); err != nil {
		return nil, err
	}
	if near, ok := m.(*Near); ok && pairs {
		if err := near.explain(p, sc); err != nil {
			return nil, err
		}
	}
	if ex.parts > maxParts {
		return nil, query.Errorf("ask for fewer hits at a time, and page with after", "the scores of these hits have more than %d parts to explain", maxParts)
	}
	return sc, nil
}

// PartsAt returns the parts of the score of the document at a place in docs, the
// greatest first.
func (s *Scores) PartsAt(at int) (parts []query.ScorePart) {
	if s.parts != nil {
		parts = s.parts[at]
	}
	if s.Constant != 0 {
		parts = append(parts, query.ScorePart{Score: s.Constant})
	}
	slices.SortStableFunc(parts, func(a, b query.ScorePart) int { return cmp.Compare(b.Score, a.Score) })
	return parts
}

// adder returns the function that adds the score of a word to a document. Most
// searches explain nothing, so they don't check for it at each match.
func (s *Scores) adder(w *wordScorer) func([]match) {
	if s.explained == nil {
		return func(all []match) {
			for _, m := range all {
				s.Sums[m.at] += w.score(m.freq, m.length)
			}
		}
	}
	return func(all []match) {
		for _, m := range all {
			part := w.part
			part.Freq, part.Score = m.freq, w.score(m.freq, m.length)
			if part.Average > 0 {
				part.Length = m.length
			}
			s.Sums[m.at] += part.Score
			s.explain(m.at, part)
		}
	}
}

// explain adds a part of the score of a document, unless there are too many.
func (s *Scores) explain(at int, part query.ScorePart) {
	if s.explained.parts++; s.explained.parts <= maxParts {
		s.parts[at] = append(s.parts[at], part)
	}
}

// text returns the phrase as explanations show it, with * for any word.
func (m *phraseMatcher) text() string {
	words := make([]string, len(m.slots))
	for i, n := range m.word {
		if words[i] = "*"; n >= 0 {
			words[i] = m.words[n].text
		}
	}
	text := `"` + strings.Join(words, " ") + `"`
	if m.slop > 0 {
		text += "~" + strconv.Itoa(m.slop)
	}
	return text
}
