package fulltext

import (
	"errors"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/nearest"
	"indexerd/internal/query"
)

type (
	// A prefixPlan matches documents that have a term beginning so.
	prefixPlan struct{ field, prefix string }

	// A fuzzyPlan matches documents that have a term spelt about so.
	fuzzyPlan struct {
		field, term string
		edits       int
	}
)

// open implements plan. A prefix stands for any number of terms, whose rarity
// says nothing: each match counts the same.
func (p prefixPlan) open(s *session) (search.Searcher, error) {
	terms, err := s.beginning(p.field, p.prefix)
	if err != nil {
		return nil, err
	}
	any, err := s.anyTerm(p.field, terms)
	if err != nil {
		return nil, err
	}
	return s.constant(any, s.boost), nil
}

// open implements plan. The nearer a term the more it counts, and not the rarer
// it is: a misspelling is rarer than the word. How many kinds of spelling there
// are counts too, so those of removed documents, which stay in the dictionary
// until segments are merged, must not: a score would change between two pages.
func (p fuzzyPlan) open(s *session) (search.Searcher, error) {
	near, err := s.near(p)
	if err != nil {
		return nil, err
	}
	var parts []search.Searcher
	for edits, terms := range near {
		there, err := s.anyThere(p.field, terms)
		if err != nil {
			return nil, errors.Join(err, closeAll(parts))
		}
		if !there {
			continue
		}
		any, err := s.anyTerm(p.field, terms)
		if err != nil {
			return nil, errors.Join(err, closeAll(parts))
		}
		parts = append(parts, s.constant(any, s.boost/float64(1+edits)))
	}
	return s.anyOf(parts, s.options())
}

// anyThere reports whether a document has one of the terms.
func (s *session) anyThere(field string, terms []string) (bool, error) {
	for _, term := range terms {
		docs, err := s.reader.TermFieldReader(s.ctx, []byte(term), field, false, false, false)
		if err != nil {
			return false, err
		}
		there := docs.Count() > 0
		if err = errors.Join(docs.Close(), s.step()); err != nil || there {
			return there, err
		}
	}
	return false, nil
}

// beginning returns the terms of a field that begin so.
func (s *session) beginning(field, prefix string) (terms []string, err error) {
	dict, err := s.reader.FieldDictPrefix(field, []byte(prefix))
	if err != nil {
		return nil, err
	}
	err = s.each(dict, field, prefix+"*", func(string) bool { return true }, func(term string) { terms = append(terms, term) })
	return terms, err
}

// near returns the terms of a field that are spelt about so, by the number of
// edits.
func (s *session) near(p fuzzyPlan) (near [query.MaxEdits + 1][]string, err error) {
	dict, err := s.similar(p)
	if err != nil {
		return near, err
	}
	err = s.each(dict, p.field, p.term+"~", func(term string) bool { return within(p.edits, p.term, term) }, func(term string) {
		edits := nearest.Distance(p.term, term)
		near[edits] = append(near[edits], term)
	})
	return near, err
}

// vellumBytes is how long a word may be, if it is not ASCII, for vellum's
// automaton to know its edits: beyond, it takes bytes for letters.
const vellumBytes = 32

// similar returns the terms of which some are near: those that an automaton
// finds, or else all of them.
func (s *session) similar(p fuzzyPlan) (index.FieldDict, error) {
	if len(p.term) > vellumBytes && utf8.RuneCountInString(p.term) < len(p.term) {
		return s.reader.FieldDict(p.field)
	}
	return s.reader.FieldDictFuzzy(p.field, p.term, p.edits, "")
}

// each takes the terms that are what a word of the query stands for: those of
// visible documents, where not all are.
func (s *session) each(dict index.FieldDict, field, word string, is func(term string) bool, take func(term string)) (err error) {
	defer func() { err = errors.Join(err, dict.Close()) }()
	for {
		entry, err := dict.Next()
		if err = errors.Join(err, s.step()); err != nil || entry == nil {
			return err
		}
		if !is(entry.Term) {
			continue
		}
		known, err := s.knows(entry.Term, field)
		if err != nil {
			return err
		}
		if !known {
			continue
		}
		if err := s.spend(word); err != nil {
			return err
		}
		take(entry.Term)
	}
}
