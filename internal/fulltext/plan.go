package fulltext

import (
	"errors"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
)

// A plan is a compiled query: its names and values are checked and are terms of
// the index. Plans replace bleve's query types, which lack the one-term numbers
// of this package. Also, bleve's boolean query answers a query of exclusions,
// inside another one, with all other documents.
type plan interface {
	open(s *session) (search.Searcher, error)
}

const noBoost = 1.0

type (
	// matchAll matches all documents.
	matchAll struct{}

	// A termPlan matches documents that have the term.
	termPlan struct{ field, term string }

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

func (matchAll) open(s *session) (search.Searcher, error) {
	all, err := searcher.NewMatchAllSearcher(s.ctx, s.reader, noBoost, s.options())
	if err != nil {
		return nil, err
	}
	return deadlineSearcher{all, s}, nil
}

func (p termPlan) open(s *session) (search.Searcher, error) {
	return searcher.NewTermSearcher(s.ctx, s.reader, p.term, p.field, s.boost, s.options())
}

func (p boolPlan) open(s *session) (search.Searcher, error) {
	must := p.must
	if len(must) == 0 {
		must = []plan{matchAll{}}
	}
	matched, err := s.openAll(must)
	if err != nil || len(p.not) == 0 {
		return matched, err
	}
	excluded, err := unscored{orPlan(p.not)}.open(s)
	if err != nil {
		return nil, errors.Join(err, matched.Close())
	}
	b, err := searcher.NewBooleanSearcher(s.ctx, s.reader, deadlineSearcher{matched, s}, nil, excluded, s.options())
	if err != nil {
		return nil, errors.Join(err, matched.Close(), excluded.Close())
	}
	return b, nil
}

// openAll opens plans that must all match.
func (s *session) openAll(plans []plan) (search.Searcher, error) {
	if len(plans) == 1 {
		return plans[0].open(s)
	}
	parts, err := s.openEach(plans)
	if err != nil {
		return nil, err
	}
	return s.allOf(parts, s.options())
}

func (p orPlan) open(s *session) (search.Searcher, error) {
	parts, err := s.openEach(p)
	if err != nil {
		return nil, err
	}
	return s.anyOf(parts, s.options())
}

func (p somePlan) open(s *session) (search.Searcher, error) {
	if p.atLeast <= 1 {
		return p.plans.open(s)
	}
	parts, err := s.openEach(p.plans)
	if err != nil {
		return nil, err
	}
	d, err := searcher.NewDisjunctionSearcher(s.ctx, s.reader, parts, float64(p.atLeast), s.options())
	if err != nil {
		return nil, errors.Join(err, closeAll(parts))
	}
	return deadlineSearcher{d, s}, nil
}

func (p unscored) open(s *session) (search.Searcher, error) {
	scored := s.scored
	s.scored = false
	defer func() { s.scored = scored }()
	matches, err := p.plan.open(s)
	if err != nil || !scored {
		return matches, err
	}
	return weightless{matches}, nil
}

func (p boosted) open(s *session) (search.Searcher, error) {
	defer func(boost float64) { s.boost = boost }(s.boost)
	s.boost *= p.boost
	return p.plan.open(s)
}

func (s *session) openEach(plans []plan) ([]search.Searcher, error) {
	open := make([]search.Searcher, 0, len(plans))
	for _, p := range plans {
		if err := s.ctx.Err(); err != nil { // opening a prefix with many terms takes time
			return nil, errors.Join(err, closeAll(open))
		}
		sr, err := p.open(s)
		if err != nil {
			return nil, errors.Join(err, closeAll(open))
		}
		open = append(open, sr)
	}
	return open, nil
}

// maxRangeTerms is how many terms of a range are looked up one by one. For more
// terms it is cheaper to check the values of each candidate: about 0.3 us per
// document, against 8 us per term.
const maxRangeTerms = 1024

func (p rangePlan) open(s *session) (search.Searcher, error) {
	terms, few, err := p.terms(s)
	if err != nil {
		return nil, err
	}
	if !few {
		return p.scan(s)
	}
	return s.anyTerm(p.field, terms)
}

// terms returns the terms of the range, or false if there are more than
// maxRangeTerms.
func (p rangePlan) terms(s *session) (terms []string, few bool, err error) {
	dict, err := s.reader.FieldDictRange(p.field, []byte(p.min), nil)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, dict.Close()) }()
	for len(terms) <= maxRangeTerms {
		entry, err := dict.Next()
		if err != nil {
			return nil, false, err
		}
		if entry == nil || p.max != "" && entry.Term >= p.max {
			return terms, true, nil
		}
		terms = append(terms, entry.Term)
	}
	return nil, false, nil
}

// scan checks the values of all documents, or of those that another part of the
// query matches.
func (p rangePlan) scan(s *session) (search.Searcher, error) {
	values, err := s.reader.DocValueReader([]string{p.field})
	if err != nil {
		return nil, err
	}
	all, err := searcher.NewMatchAllSearcher(s.ctx, s.reader, noBoost, unscoredOptions)
	if err != nil {
		return nil, err
	}
	return s.filter(all, func(d *search.DocumentMatch) bool {
		found := false
		s.err = values.VisitDocValues(d.IndexInternalID, func(field string, term []byte) {
			found = found || field == p.field && string(term) >= p.min && (p.max == "" || string(term) < p.max)
		})
		return found
	}), nil
}
