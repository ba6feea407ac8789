package fulltext

import (
	"context"
	"errors"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/query"
)

// A deadline checks a context in a loop. Loops over documents, terms or
// positions call step in each iteration.
type deadline struct {
	ctx   context.Context
	steps int
}

// checkEvery is the number of steps between two checks of the context. A step is
// short, but may take 0.2 ms in a search for a thousand words.
const checkEvery = 64

func (d *deadline) step() error {
	d.steps++
	if d.steps%checkEvery != 0 {
		return nil
	}
	return d.ctx.Err()
}

// A reader has the methods of a snapshot that searches use.
type reader interface {
	index.IndexReader
	FieldDictFuzzy(field, term string, distance int, prefix string) (index.FieldDict, error)
}

// A session is one search in one snapshot.
type session struct {
	deadline
	reader reader
	scored bool
	boost  float64 // of the current field
	terms  int     // counted by countTerm
	err    error   // of a filter function, which can't return it
}

func (s *session) step() error {
	if s.err != nil {
		return s.err
	}
	return s.deadline.step()
}

// countTerm counts a term that a prefix or fuzzy word of the query stands for,
// and reports an error if there are too many. It does not truncate the list,
// because totals must be exact.
func (s *session) countTerm(word string) error {
	s.terms++
	if s.terms > query.MaxTerms {
		return query.Errorf("write more letters, or name a field", "with %s the query stands for more than %d words", query.Shorten(word), query.MaxTerms)
	}
	return nil
}

var unscoredOptions = search.SearcherOptions{Score: "none"} // scorch then combines bitmaps

func (s *session) options() search.SearcherOptions {
	if s.scored {
		return search.SearcherOptions{}
	}
	return unscoredOptions
}

// A deadlineSearcher ends a search at its deadline. It wraps every searcher that
// may skip millions of documents before it returns one.
type deadlineSearcher struct {
	search.Searcher
	s *session
}

// Next implements search.Searcher.
func (d deadlineSearcher) Next(ctx *search.SearchContext) (*search.DocumentMatch, error) {
	if err := d.s.step(); err != nil {
		return nil, err
	}
	return d.Searcher.Next(ctx)
}

// Advance implements search.Searcher.
func (d deadlineSearcher) Advance(ctx *search.SearchContext, id index.IndexInternalID) (*search.DocumentMatch, error) {
	if err := d.s.step(); err != nil {
		return nil, err
	}
	return d.Searcher.Advance(ctx, id)
}

// filter returns the matches that accept accepts. accept stores an error in
// s.err, which the next step returns.
func (s *session) filter(from search.Searcher, accept func(*search.DocumentMatch) bool) search.Searcher {
	return searcher.NewFilteringSearcher(s.ctx, deadlineSearcher{from, s}, func(_ *search.SearchContext, d *search.DocumentMatch) bool {
		return accept(d)
	})
}

// constant gives every match the same score, if the search is scored.
func (s *session) constant(from search.Searcher, score float64) search.Searcher {
	if !s.scored {
		return from
	}
	return weightless{s.filter(from, func(d *search.DocumentMatch) bool {
		d.Score = score
		return true
	})}
}

// chunk is how many bitmaps are combined between two checks of the deadline.
const chunk = 128

// anyTerm matches documents that have one of the terms, without a score.
func (s *session) anyTerm(field string, terms []string) (search.Searcher, error) {
	var parts []search.Searcher
	for some := range slices.Chunk(terms, chunk) {
		part, err := searcher.NewMultiTermSearcher(s.ctx, s.reader, some, field, noBoost, unscoredOptions, false)
		if err = errors.Join(err, s.ctx.Err()); err != nil {
			return nil, errors.Join(err, closeAll(parts))
		}
		parts = append(parts, part)
	}
	return s.anyOf(parts, unscoredOptions)
}

// anyOf matches documents that any of the searchers matches. Closing it closes
// them.
func (s *session) anyOf(parts []search.Searcher, options search.SearcherOptions) (search.Searcher, error) {
	for options.Score == "none" && len(parts) > chunk {
		if err := s.ctx.Err(); err != nil {
			return nil, errors.Join(err, closeAll(parts))
		}
		some, err := s.anyOf(parts[:chunk], options)
		if err != nil {
			return nil, errors.Join(err, closeAll(parts[chunk:]))
		}
		parts = append([]search.Searcher{some}, parts[chunk:]...)
	}
	switch len(parts) {
	case 0:
		return searcher.NewMatchNoneSearcher(s.reader)
	case 1:
		return parts[0], nil
	}
	d, err := searcher.NewDisjunctionSearcher(s.ctx, s.reader, parts, 0, options)
	if err != nil {
		return nil, errors.Join(err, closeAll(parts))
	}
	if options.Score == "none" {
		return d, nil // usually one bitmap, which scorch can combine with others
	}
	return deadlineSearcher{d, s}, nil
}

// allOf matches documents that all of the searchers match. Closing it closes
// them.
func (s *session) allOf(parts []search.Searcher, options search.SearcherOptions) (search.Searcher, error) {
	c, err := searcher.NewConjunctionSearcher(s.ctx, s.reader, parts, options)
	if err != nil {
		return nil, errors.Join(err, closeAll(parts))
	}
	return c, nil
}

func closeAll(searchers []search.Searcher) error {
	var err error
	for _, s := range searchers {
		err = errors.Join(err, s.Close())
	}
	return err
}
