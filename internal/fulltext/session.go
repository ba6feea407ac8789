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

// A deadline ends what takes too long. Whatever goes through documents, terms
// or positions calls step for each.
type deadline struct {
	ctx   context.Context
	steps int
}

// checkEvery is how many steps go by between two looks at the context. A step
// is short, but where a thousand words are asked for it may be 0.2 ms.
const checkEvery = 64

func (d *deadline) step() error {
	d.steps++
	if d.steps%checkEvery != 0 {
		return nil
	}
	return d.ctx.Err()
}

// A reader is a snapshot as far as searches read it.
type reader interface {
	index.IndexReader
	FieldDictFuzzy(field, term string, edits int, prefix string) (index.FieldDict, error)
}

// A session is one search on one snapshot.
type session struct {
	deadline
	reader reader
	scored bool
	boost  float64 // of the field in hand
	terms  int     // that prefixes and fuzzy words stand for so far
	err    error   // of a filter, which can't return one
}

func (s *session) step() error {
	if s.err != nil {
		return s.err
	}
	return s.deadline.step()
}

// spend counts one term that a word of a query stands for. Cutting the list off
// instead would make every total a guess.
func (s *session) spend(word string) error {
	s.terms++
	if s.terms > query.MaxTerms {
		return query.Errorf("write more letters, or name a field", "with %s the query stands for more than %d words", query.Shorten(word), query.MaxTerms)
	}
	return nil
}

var unscoredOptions = search.SearcherOptions{Score: "none"} // lets scorch combine whole bitmaps

func (s *session) options() search.SearcherOptions {
	if s.scored {
		return search.SearcherOptions{}
	}
	return unscoredOptions
}

// A watch ends a search at its deadline. It stands below or above every
// searcher that may leave out millions of documents before it returns one.
type watch struct {
	search.Searcher
	s *session
}

// Next implements search.Searcher.
func (w watch) Next(ctx *search.SearchContext) (*search.DocumentMatch, error) {
	if err := w.s.step(); err != nil {
		return nil, err
	}
	return w.Searcher.Next(ctx)
}

// Advance implements search.Searcher.
func (w watch) Advance(ctx *search.SearchContext, id index.IndexInternalID) (*search.DocumentMatch, error) {
	if err := w.s.step(); err != nil {
		return nil, err
	}
	return w.Searcher.Advance(ctx, id)
}

// filter passes on what accept wants. An error of accept belongs into s.err:
// the watch returns it when the next document is asked for.
func (s *session) filter(from search.Searcher, accept func(*search.DocumentMatch) bool) search.Searcher {
	return searcher.NewFilteringSearcher(s.ctx, watch{from, s}, func(_ *search.SearchContext, d *search.DocumentMatch) bool {
		return accept(d)
	})
}

// constant gives every match the same score, where there are scores.
func (s *session) constant(from search.Searcher, score float64) search.Searcher {
	if !s.scored {
		return from
	}
	return weightless{s.filter(from, func(d *search.DocumentMatch) bool {
		d.Score = score
		return true
	})}
}

// chunk is how many bitmaps are combined between two looks at the deadline.
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

// anyOf matches what any of the searchers does, and closes them with itself.
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
		return d, nil // mostly one bitmap, which others can be combined with
	}
	return watch{d, s}, nil
}

func closeAll(searchers []search.Searcher) error {
	var err error
	for _, s := range searchers {
		err = errors.Join(err, s.Close())
	}
	return err
}
