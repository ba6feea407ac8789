// Package plan compiles a query to a plan, and finds and scores the documents that match
// it, in one segment of the index after another. A set of bits has the matches of a
// segment, so the number of matches needs no score.
//
// A score has the same parts in the same order however it was found, and depends on no
// document that is deleted or that the caller may not see.
//
// # Costs
//
// A word costs one dictionary lookup for each searched column and segment. A prefix, a
// pattern and a similar word look at each term that can match. A phrase reads the positions
// of every document that has its words. A score takes time in proportion to the matches and
// to the documents of each word. A search checks its context for each set, and every few
// documents and terms. The documents of filters that are used again are kept: see
// FilterCache.
package plan

import (
	"slices"

	"indexerd/internal/index/fulltext/segment"
)

// A Plan is a compiled query: its names and values are checked and are terms of
// the index.
type Plan interface {
	Open(s *Session) (Matcher, error)
}

// A Matcher is a plan in one session. It finds the matches of one part after
// another as a set of bits, and scores only those that match the whole query.
type Matcher interface {
	// Match returns those of some live documents that match, in a set that
	// belongs to the caller until the session is released.
	Match(p *Part, among segment.Bits) (segment.Bits, error)

	// Score adds the scores of those documents that match. The last match of the
	// part was among these documents or more.
	Score(p *Part, to *Scores) error
}

type (
	// matchAll matches all documents.
	matchAll struct{}

	// A boolPlan matches documents that all of must match and none of not.
	// Without must it starts from all documents.
	boolPlan struct{ must, not []Plan }

	// An orPlan matches documents that any of its plans matches. An empty orPlan
	// matches nothing.
	orPlan []Plan

	// A somePlan matches documents that at least so many of its plans match.
	somePlan struct {
		plans   orPlan
		atLeast int
	}

	// An unscored plan matches as its plan does, and does not change scores.
	unscored struct{ plan Plan }

	// A boosted plan matches as its plan does, with scores multiplied by boost.
	boosted struct {
		plan  Plan
		boost float64
	}
)

func openAll(s *Session, plans []Plan) ([]Matcher, error) {
	all := make([]Matcher, len(plans))
	for i, p := range plans {
		var err error
		if all[i], err = p.Open(s); err != nil {
			return nil, err
		}
		if err = s.Check(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (m matchAll) Open(s *Session) (Matcher, error) {
	if s.rank.boost != 1 {
		return scoredMatcher{m, s.rank.boost}, nil
	}
	return m, nil
}

func (matchAll) Match(p *Part, among segment.Bits) (segment.Bits, error) {
	return p.CopyOf(among), nil
}

func (matchAll) Score(_ *Part, to *Scores) error {
	to.Constant++
	return nil
}

type boolMatcher struct{ must, not []Matcher }

func (p boolPlan) Open(s *Session) (Matcher, error) {
	wanted := p.must
	if len(wanted) == 0 {
		wanted = []Plan{matchAll{}}
	}
	must, err := openAll(s, wanted)
	if err != nil {
		return nil, err
	}
	not, err := openAll(s, p.not)
	return boolMatcher{must, not}, err
}

// Match asks the costly parts last, about the documents that are left.
func (m boolMatcher) Match(p *Part, among segment.Bits) (segment.Bits, error) {
	found := among
	for _, late := range []bool{false, true} {
		for _, part := range m.must {
			if isCostly(part) != late {
				continue
			}
			var err error
			if found, err = part.Match(p, found); err != nil {
				return nil, err
			}
		}
	}
	for _, part := range m.not {
		excluded, err := part.Match(p, found)
		if err != nil {
			return nil, err
		}
		found.AndNot(excluded)
	}
	return found, nil
}

// isCostly reports whether a matcher reads each document on its own.
func isCostly(m Matcher) bool {
	switch m := m.(type) {
	case *phraseMatcher, rangeMatcher:
		return true
	case *filterMatcher:
		return m.ranged()
	case orMatcher:
		return slices.ContainsFunc(m.parts, isCostly)
	case boolMatcher:
		return slices.ContainsFunc(m.must, isCostly)
	case unscoredMatcher:
		return isCostly(m.Matcher)
	case scoredMatcher:
		return isCostly(m.Matcher)
	case *reweightedMatcher:
		return isCostly(m.Matcher)
	case disMaxMatcher:
		return slices.ContainsFunc(m.parts, isCostly)
	}
	return false
}

func (m boolMatcher) Score(p *Part, to *Scores) error {
	for _, part := range m.must {
		if err := part.Score(p, to); err != nil {
			return err
		}
	}
	return nil
}

// A finder is a matcher that finds all documents of a part, hidden ones too if that takes less time, without looking
// at those that are asked for.
type finder interface {
	// find returns a set that belongs to the matcher.
	find(p *Part) (segment.Bits, error)
}

// matchFound implements Matcher.Match of a finder. The set is valid until the session is
// released.
func matchFound(f finder, p *Part, among segment.Bits) (segment.Bits, error) {
	docs, err := f.find(p)
	if err != nil {
		return nil, err
	}
	found := p.Set()
	found.OrAnd(docs, among)
	return found, nil
}

// An orMatcher matches where atLeast of its parts do.
type orMatcher struct {
	parts   []Matcher
	atLeast int
}

func (p orPlan) Open(s *Session) (Matcher, error) { return somePlan{p, 1}.Open(s) }

func (p somePlan) Open(s *Session) (Matcher, error) {
	parts, err := openAll(s, p.plans)
	if err == nil && len(parts) == 1 {
		return parts[0], nil
	}
	return orMatcher{parts, p.atLeast}, err
}

func (m orMatcher) Match(p *Part, among segment.Bits) (segment.Bits, error) {
	found := p.Set()
	var counts []uint16
	if m.atLeast > 1 {
		counts = make([]uint16, p.Docs())
	}
	for _, part := range m.parts {
		if f, ok := part.(finder); ok && counts == nil {
			more, err := f.find(p)
			if err != nil {
				return nil, err
			}
			found.OrAnd(more, among)
			continue
		}
		more, err := part.Match(p, among)
		if err != nil {
			return nil, err
		}
		if counts == nil {
			found.Or(more)
			continue
		}
		for doc := range more.All {
			if counts[doc]++; int(counts[doc]) == m.atLeast {
				found.Set(doc)
			}
		}
	}
	return found, nil
}

// Score adds the scores of the parts. Only a word of a part that matches counts:
// "(a b) OR c" finds a document with a and c, and its a counts nothing.
func (m orMatcher) Score(p *Part, to *Scores) error {
	for _, part := range m.parts {
		if !needsSeveral(part) {
			if err := part.Score(p, to); err != nil {
				return err
			}
			continue
		}
		matches, err := part.Match(p, to.Docs)
		if err != nil {
			return err
		}
		own := NewScores(matches)
		own.explained = to.explained
		if err := part.Score(p, own); err != nil {
			return err
		}
		to.addAll(own)
		own.Release()
	}
	return nil
}

// needsSeveral reports whether a word may match a document that the matcher does
// not match.
func needsSeveral(m Matcher) bool {
	switch m := m.(type) {
	case boolMatcher, scoredMatcher, *reweightedMatcher:
		return true
	case orMatcher:
		return m.atLeast > 1
	}
	return false
}

type unscoredMatcher struct{ Matcher }

func (p unscored) Open(s *Session) (Matcher, error) {
	if name, words := filterName(p.plan); name != "" && s.filters != nil {
		return s.openFilter(name, words, p.plan), nil
	}
	m, err := p.plan.Open(s)
	return unscoredMatcher{m}, err
}

func (unscoredMatcher) Score(*Part, *Scores) error { return nil }

func (p boosted) Open(s *Session) (Matcher, error) {
	defer func(boost float64) { s.rank.boost = boost }(s.rank.boost)
	s.rank.boost *= p.boost
	return p.plan.Open(s)
}
