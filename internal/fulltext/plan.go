package fulltext

import (
	"errors"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
)

// A plan is a query in terms of the index: no names or values to check any
// more. bleve's own query types are not used, because they know nothing of our
// one-term numbers, and because their boolean query answers "none of these,
// without those" with everything but those.
type plan interface {
	open(s *session) (search.Searcher, error)
}

const noBoost = 1.0

type (
	// everything matches all documents.
	everything struct{}

	// A termPlan matches documents that have the term.
	termPlan struct{ field, term string }

	// A both matches what all of must match and none of not. Without must it
	// starts from everything.
	both struct{ must, not []plan }

	// An either matches what any of its plans does: without one, nothing.
	either []plan

	// An unscored matches what its plan does, and changes no score.
	unscored struct{ plan plan }

	// A boosted matches what its plan does, and counts so many times as much.
	boosted struct {
		plan  plan
		boost float64
	}
)

func (everything) open(s *session) (search.Searcher, error) {
	all, err := searcher.NewMatchAllSearcher(s.ctx, s.reader, noBoost, s.options())
	if err != nil {
		return nil, err
	}
	return watch{all, s}, nil
}

func (p termPlan) open(s *session) (search.Searcher, error) {
	return searcher.NewTermSearcher(s.ctx, s.reader, p.term, p.field, s.boost, s.options())
}

// knows reports whether a document that the caller may see has a term of the
// dictionary.
func (s *session) knows(term, field string) (bool, error) {
	if r, ok := s.reader.(*visibleReader); ok {
		return r.knows(s.ctx, term, field)
	}
	return true, nil
}

func (p both) open(s *session) (search.Searcher, error) {
	must := p.must
	if len(must) == 0 {
		must = []plan{everything{}}
	}
	matched, err := s.all(must)
	if err != nil || len(p.not) == 0 {
		return matched, err
	}
	// What is excluded is not scored.
	excluded, err := unscored{either(p.not)}.open(s)
	if err != nil {
		return nil, errors.Join(err, matched.Close())
	}
	b, err := searcher.NewBooleanSearcher(s.ctx, s.reader, watch{matched, s}, nil, excluded, s.options())
	if err != nil {
		return nil, errors.Join(err, matched.Close(), excluded.Close())
	}
	return b, nil
}

// all opens plans that must match together.
func (s *session) all(plans []plan) (search.Searcher, error) {
	if len(plans) == 1 {
		return plans[0].open(s)
	}
	parts, err := s.openEach(plans)
	if err != nil {
		return nil, err
	}
	return s.allOf(parts, s.options())
}

// allOf matches what all of the searchers do, and closes them with itself.
func (s *session) allOf(parts []search.Searcher, options search.SearcherOptions) (search.Searcher, error) {
	c, err := searcher.NewConjunctionSearcher(s.ctx, s.reader, parts, options)
	if err != nil {
		return nil, errors.Join(err, closeAll(parts))
	}
	return c, nil
}

func (p either) open(s *session) (search.Searcher, error) {
	parts, err := s.openEach(p)
	if err != nil {
		return nil, err
	}
	return s.anyOf(parts, s.options())
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
		if err := s.ctx.Err(); err != nil { // a prefix of many terms takes its time
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
