package fulltext

import (
	"context"
	"errors"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
	index "github.com/blevesearch/bleve_index_api"
)

// A plan is a query in terms of the index: no names or values to check any
// more. bleve's own query types are not used, because they know nothing of our
// one-term numbers, and because their boolean query answers "none of these,
// without those" with everything but those.
type plan interface {
	open(s *session) (search.Searcher, error)
}

// A session is one search on one snapshot.
type session struct {
	ctx    context.Context
	reader index.IndexReader
	scored bool
	err    error // of a filter, which can't return one
}

func (s *session) options() search.SearcherOptions {
	if s.scored {
		return search.SearcherOptions{}
	}
	return search.SearcherOptions{Score: "none"} // lets scorch combine whole bitmaps
}

const noBoost = 1.0

type (
	// everything matches all documents.
	everything struct{}

	// A termPlan matches documents that have the term.
	termPlan struct{ field, term string }

	// A prefixPlan matches documents that have a term beginning so.
	prefixPlan struct{ field, prefix string }

	// A phrasePlan matches documents that have the phrase.
	phrasePlan struct {
		field string
		slots phrase
	}

	// A both matches what all of must match and none of not. Without must it
	// starts from everything.
	both struct{ must, not []plan }

	// An either matches what any of its plans does: without one, nothing.
	either []plan

	// An unscored matches what its plan does, and changes no score.
	unscored struct{ plan plan }
)

func (everything) open(s *session) (search.Searcher, error) {
	return searcher.NewMatchAllSearcher(s.ctx, s.reader, noBoost, s.options())
}

func (p termPlan) open(s *session) (search.Searcher, error) {
	return searcher.NewTermSearcher(s.ctx, s.reader, p.term, p.field, noBoost, s.options())
}

// open implements plan. A prefix stands for any number of terms, whose rarity
// says nothing: each match counts 1.
func (p prefixPlan) open(s *session) (search.Searcher, error) {
	terms, err := searcher.NewTermPrefixSearcher(s.ctx, s.reader, p.prefix, p.field, noBoost, search.SearcherOptions{Score: "none"})
	if err != nil || !s.scored {
		return terms, err
	}
	return weightless{searcher.NewFilteringSearcher(s.ctx, terms, func(_ *search.SearchContext, d *search.DocumentMatch) bool {
		d.Score = 1
		return true
	})}, nil
}

func (p phrasePlan) open(s *session) (search.Searcher, error) {
	slots := make([][]string, len(p.slots))
	for i, sl := range p.slots {
		switch {
		case sl.prefix:
			terms, err := s.expand(p.field, sl.term)
			if err != nil {
				return nil, err
			}
			if len(terms) == 0 {
				return searcher.NewMatchNoneSearcher(s.reader)
			}
			slots[i] = terms
		case sl.term != "":
			slots[i] = []string{sl.term}
		}
	}
	return searcher.NewMultiPhraseSearcher(s.ctx, s.reader, slots, 0, false, p.field, noBoost, s.options())
}

// expand returns the terms of a field that begin so: those of visible documents,
// where not all are.
func (s *session) expand(field, prefix string) (terms []string, err error) {
	dict, err := s.reader.FieldDictPrefix(field, []byte(prefix))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dict.Close()) }()
	for {
		entry, err := dict.Next()
		if err != nil || entry == nil {
			return terms, err
		}
		known, err := s.knows(entry.Term, field)
		if err != nil {
			return nil, err
		}
		if known {
			terms = append(terms, entry.Term)
		}
	}
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
	b, err := searcher.NewBooleanSearcher(s.ctx, s.reader, matched, nil, excluded, s.options())
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
	c, err := searcher.NewConjunctionSearcher(s.ctx, s.reader, parts, s.options())
	if err != nil {
		return nil, errors.Join(err, closeAll(parts))
	}
	return c, nil
}

func (p either) open(s *session) (search.Searcher, error) {
	switch len(p) {
	case 0:
		return searcher.NewMatchNoneSearcher(s.reader)
	case 1:
		return p[0].open(s)
	}
	parts, err := s.openEach(p)
	if err != nil {
		return nil, err
	}
	d, err := searcher.NewDisjunctionSearcher(s.ctx, s.reader, parts, 0, s.options())
	if err != nil {
		return nil, errors.Join(err, closeAll(parts))
	}
	return d, nil
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

func closeAll(searchers []search.Searcher) error {
	var err error
	for _, s := range searchers {
		err = errors.Join(err, s.Close())
	}
	return err
}
