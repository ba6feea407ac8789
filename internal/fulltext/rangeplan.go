package fulltext

import (
	"errors"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
)

// A spanPlan matches documents that have a term of the span.
type spanPlan struct {
	field string
	span
}

// maxSpanTerms is how many terms a span may have to be looked up one by one.
// Where it has more, a look at each candidate's own value is cheaper: about
// 0.3 us a document, against 8 us a term.
const maxSpanTerms = 1024

func (p spanPlan) open(s *session) (search.Searcher, error) {
	terms, few, err := p.terms(s)
	if err != nil {
		return nil, err
	}
	if !few {
		return p.scan(s)
	}
	return s.anyTerm(p.field, terms)
}

// terms returns the terms of the span in the dictionary, if there are few.
func (p spanPlan) terms(s *session) (terms []string, few bool, err error) {
	dict, err := s.reader.FieldDictRange(p.field, []byte(p.min), nil)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, dict.Close()) }()
	for len(terms) <= maxSpanTerms {
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

// scan goes through all documents, or through what another part of the query
// proposes, and looks at their values.
func (p spanPlan) scan(s *session) (search.Searcher, error) {
	values, err := s.reader.DocValueReader([]string{p.field})
	if err != nil {
		return nil, err
	}
	all, err := searcher.NewMatchAllSearcher(s.ctx, s.reader, noBoost, unscoredOptions)
	if err != nil {
		return nil, err
	}
	return s.filter(all, func(d *search.DocumentMatch) bool {
		within := false
		s.err = values.VisitDocValues(d.IndexInternalID, func(field string, term []byte) {
			within = within || field == p.field && string(term) >= p.min && (p.max == "" || string(term) < p.max)
		})
		return within
	}), nil
}
