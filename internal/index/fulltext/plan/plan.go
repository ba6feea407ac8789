package fulltext

import (
	"slices"

	"indexerd/internal/index/fulltext/segment"
)

// A plan is a compiled query: its names and values are checked and are terms of
// the index.
type plan interface {
	open(s *session) (matcher, error)
}

// A matcher is a plan in one session. It finds the matches of one part after
// another as a set of bits, and scores only those that match the whole query.
type matcher interface {
	// match returns those of some live documents that match, in a set that
	// belongs to the caller.
	match(p *view, among segment.Bits) (segment.Bits, error)

	// score adds the scores of those documents that match. The last match of the
	// part was among these documents or more.
	score(p *view, to *scores) error
}

type (
	// matchAll matches all documents.
	matchAll struct{}

	// A boolPlan matches documents that all of must match and none of not.
	// Without must it starts from all documents.
	boolPlan struct{ must, not []plan }

	// An orPlan matches documents that any of its plans matches. An empty orPlan
	// matches nothing.
	orPlan []plan

	// A somePlan matches documents that at least so many of its plans match.
	somePlan struct {
		plans   orPlan
		atLeast int
	}

	// An unscored plan matches as its plan does, and does not change scores.
	unscored struct{ plan plan }

	// A boosted plan matches as its plan does, with scores multiplied by boost.
	boosted struct {
		plan  plan
		boost float64
	}

	// A rangePlan matches documents that have a term in the range.
	rangePlan struct {
		field string
		termRange
	}
)

func openAll(s *session, plans []plan) ([]matcher, error) {
	all := make([]matcher, len(plans))
	for i, p := range plans {
		var err error
		if all[i], err = p.open(s); err != nil {
			return nil, err
		}
		if err = s.ctx.Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (m matchAll) open(s *session) (matcher, error) {
	if s.rank.boost != 1 {
		return scoredMatcher{m, s.rank.boost}, nil
	}
	return m, nil
}

func (matchAll) match(_ *view, among segment.Bits) (segment.Bits, error) {
	return append(segment.Bits(nil), among...), nil
}

func (matchAll) score(_ *view, to *scores) error {
	to.constant++
	return nil
}

type boolMatcher struct{ must, not []matcher }

func (p boolPlan) open(s *session) (matcher, error) {
	wanted := p.must
	if len(wanted) == 0 {
		wanted = []plan{matchAll{}}
	}
	must, err := openAll(s, wanted)
	if err != nil {
		return nil, err
	}
	not, err := openAll(s, p.not)
	return boolMatcher{must, not}, err
}

// match asks the costly parts last, about the documents that are left.
func (m boolMatcher) match(p *view, among segment.Bits) (segment.Bits, error) {
	found := among
	for _, late := range []bool{false, true} {
		for _, part := range m.must {
			if isCostly(part) != late {
				continue
			}
			var err error
			if found, err = part.match(p, found); err != nil {
				return nil, err
			}
		}
	}
	for _, part := range m.not {
		excluded, err := part.match(p, found)
		if err != nil {
			return nil, err
		}
		found.AndNot(excluded)
	}
	return found, nil
}

// isCostly reports whether a matcher reads each document on its own.
func isCostly(m matcher) bool {
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
		return isCostly(m.matcher)
	case scoredMatcher:
		return isCostly(m.matcher)
	case *reweightedMatcher:
		return isCostly(m.matcher)
	case disMaxMatcher:
		return slices.ContainsFunc(m.parts, isCostly)
	}
	return false
}

func (m boolMatcher) score(p *view, to *scores) error {
	for _, part := range m.must {
		if err := part.score(p, to); err != nil {
			return err
		}
	}
	return nil
}

// An orMatcher matches where atLeast of its parts do.
type orMatcher struct {
	parts   []matcher
	atLeast int
}

func (p orPlan) open(s *session) (matcher, error) { return somePlan{p, 1}.open(s) }

func (p somePlan) open(s *session) (matcher, error) {
	parts, err := openAll(s, p.plans)
	if err == nil && len(parts) == 1 {
		return parts[0], nil
	}
	return orMatcher{parts, p.atLeast}, err
}

func (m orMatcher) match(p *view, among segment.Bits) (segment.Bits, error) {
	found := segment.NewBits(p.Docs())
	var counts []uint16
	if m.atLeast > 1 {
		counts = make([]uint16, p.Docs())
	}
	for _, part := range m.parts {
		more, err := part.match(p, among)
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

// score adds the scores of the parts. Only a word of a part that matches counts:
// "(a b) OR c" finds a document with a and c, and its a counts nothing.
func (m orMatcher) score(p *view, to *scores) error {
	for _, part := range m.parts {
		if !needsSeveral(part) {
			if err := part.score(p, to); err != nil {
				return err
			}
			continue
		}
		matches, err := part.match(p, to.docs)
		if err != nil {
			return err
		}
		own := newScores(matches)
		own.explained = to.explained
		if err := part.score(p, own); err != nil {
			return err
		}
		to.addAll(own)
		own.release()
	}
	return nil
}

// needsSeveral reports whether a word may match a document that the matcher does
// not match.
func needsSeveral(m matcher) bool {
	switch m := m.(type) {
	case boolMatcher, scoredMatcher, *reweightedMatcher:
		return true
	case orMatcher:
		return m.atLeast > 1
	}
	return false
}

type unscoredMatcher struct{ matcher }

func (p unscored) open(s *session) (matcher, error) {
	if name, words := filterName(p.plan); name != "" && s.filters != nil {
		return s.openFilter(name, words, p.plan), nil
	}
	m, err := p.plan.open(s)
	return unscoredMatcher{m}, err
}

func (unscoredMatcher) score(*view, *scores) error { return nil }

func (p boosted) open(s *session) (matcher, error) {
	defer func(boost float64) { s.rank.boost = boost }(s.rank.boost)
	s.rank.boost *= p.boost
	return p.plan.open(s)
}

type rangeMatcher struct {
	s *session
	rangePlan
}

func (p rangePlan) open(s *session) (matcher, error) { return rangeMatcher{s, p}, nil }

// maxRangeTerms is how many terms of a range are looked up in any case. If there
// are more of them than documents to choose from, it is cheaper to check the values
// of each document: about 0.3 us, against 0.1 us per term.
const maxRangeTerms = 1024

func (m rangeMatcher) match(p *view, among segment.Bits) (segment.Bits, error) {
	found := segment.NewBits(p.Docs())
	most := max(maxRangeTerms, among.Count())
	terms := 0
	err := p.Each(m.field, m.min, m.max, func(_ []byte, docs segment.Postings) (bool, error) {
		if terms++; terms > most {
			return false, nil
		}
		if err := m.s.step(); err != nil {
			return false, err
		}
		return true, docs.AddTo(found)
	})
	if err != nil {
		return nil, err
	}
	if terms > most {
		return m.scan(p, among)
	}
	found.And(among)
	return found, nil
}

func (rangeMatcher) score(*view, *scores) error { return nil }

// scan checks the values of each document.
func (m rangeMatcher) scan(p *view, among segment.Bits) (segment.Bits, error) {
	values, err := m.s.reader.DocValueReader([]string{m.field})
	if err != nil {
		return nil, err
	}
	found := segment.NewBits(p.Docs())
	for doc := range among.All {
		if err := m.s.step(); err != nil {
			return nil, err
		}
		err := values.VisitDocValues(p.id(doc), func(_ string, term []byte) {
			if string(term) >= m.min && (m.max == "" || string(term) < m.max) {
				found.Set(doc)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
