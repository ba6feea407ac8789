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
	// A prefixPlan matches documents that have a term with the prefix.
	prefixPlan struct{ field, prefix string }

	// A fuzzyPlan matches documents that have a term within an edit distance.
	fuzzyPlan struct {
		field, term  string
		editDistance int
	}
)

// open implements plan. All matches of a prefix have the same score, because the
// rarity of its terms has no meaning.
func (p prefixPlan) open(s *session) (search.Searcher, error) {
	terms, err := s.prefixTerms(p.field, p.prefix)
	if err != nil {
		return nil, err
	}
	any, err := s.anyTerm(p.field, terms)
	if err != nil {
		return nil, err
	}
	return s.constant(any, s.boost), nil
}

// open implements plan. The score depends on the edit distance and not on the
// rarity of a term, because a misspelling is rarer than the word. The score also
// depends on which distances occur. So terms of deleted documents, which stay in
// the dictionary until segments are merged, are ignored: they would make a score
// differ between two pages of an answer.
func (p fuzzyPlan) open(s *session) (search.Searcher, error) {
	byDistance, err := s.similarTerms(p)
	if err != nil {
		return nil, err
	}
	var parts []search.Searcher
	for distance, terms := range byDistance {
		used, err := s.anyUsed(p.field, terms)
		if err != nil {
			return nil, errors.Join(err, closeAll(parts))
		}
		if !used {
			continue
		}
		any, err := s.anyTerm(p.field, terms)
		if err != nil {
			return nil, errors.Join(err, closeAll(parts))
		}
		parts = append(parts, s.constant(any, s.boost/float64(1+distance)))
	}
	return s.anyOf(parts, s.options())
}

// anyUsed reports whether a document has one of the terms.
func (s *session) anyUsed(field string, terms []string) (bool, error) {
	for _, term := range terms {
		docs, err := s.reader.TermFieldReader(s.ctx, []byte(term), field, false, false, false)
		if err != nil {
			return false, err
		}
		used := docs.Count() > 0
		if err = errors.Join(docs.Close(), s.step()); err != nil || used {
			return used, err
		}
	}
	return false, nil
}

// prefixTerms returns the terms of a field that have a prefix.
func (s *session) prefixTerms(field, prefix string) (terms []string, err error) {
	dict, err := s.reader.FieldDictPrefix(field, []byte(prefix))
	if err != nil {
		return nil, err
	}
	err = s.eachTerm(dict, field, prefix+"*", func(string) bool { return true }, func(term string) { terms = append(terms, term) })
	return terms, err
}

// similarTerms returns the terms of a field within an edit distance, by their
// distance.
func (s *session) similarTerms(p fuzzyPlan) (byDistance [query.MaxEdits + 1][]string, err error) {
	dict, err := s.candidates(p)
	if err != nil {
		return byDistance, err
	}
	match := func(term string) bool { return withinDistance(p.editDistance, p.term, term) }
	err = s.eachTerm(dict, p.field, p.term+"~", match, func(term string) {
		d := nearest.Distance(p.term, term)
		byDistance[d] = append(byDistance[d], term)
	})
	return byDistance, err
}

// vellumBytes is the length up to which vellum's automaton counts edits in
// letters. In a longer word that is not ASCII it counts bytes.
const vellumBytes = 32

// candidates returns terms among which are all similar ones: those that an
// automaton finds or, if it can't be used, all terms.
func (s *session) candidates(p fuzzyPlan) (index.FieldDict, error) {
	if len(p.term) > vellumBytes && utf8.RuneCountInString(p.term) < len(p.term) {
		return s.reader.FieldDict(p.field)
	}
	return s.reader.FieldDictFuzzy(p.field, p.term, p.editDistance, "")
}

// eachTerm calls f with the terms of a dictionary that match and that a visible
// document has. word is the part of the query for errors.
func (s *session) eachTerm(dict index.FieldDict, field, word string, match func(term string) bool, f func(term string)) (err error) {
	defer func() { err = errors.Join(err, dict.Close()) }()
	for {
		entry, err := dict.Next()
		if err = errors.Join(err, s.step()); err != nil || entry == nil {
			return err
		}
		if !match(entry.Term) {
			continue
		}
		visible, err := s.hasVisible(entry.Term, field)
		if err != nil {
			return err
		}
		if !visible {
			continue
		}
		if err := s.countTerm(word); err != nil {
			return err
		}
		f(entry.Term)
	}
}
