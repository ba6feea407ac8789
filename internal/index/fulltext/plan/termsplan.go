package plan

import (
	"cmp"
	"errors"
	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/fulltext/words"
	"maps"
	"slices"
	"strings"
)

// A termsPlan matches documents that have a term in a range that accept accepts, one of
// the first most of these terms unless most is 0. It scores them as one word. It costs
// a look at each term of the range.
type termsPlan struct {
	field string
	text  string // as explanations and errors show it
	schema.Range
	accept func(term string) bool // nil: all
	most   int
	clause compiled.Clause // for other engines
}

func (p termsPlan) Open(s *Session) (Matcher, error) { return p.word(s) }

func (p termsPlan) word(s *Session) (*wordMatcher, error) {
	if p.most > 0 {
		return p.first(s)
	}
	m := s.newWord(p.field, p.text)
	seen := map[string]bool{}
	for i, part := range s.Parts {
		err := p.each(s, part, func(term string, docs segment.Postings) (bool, error) {
			m.terms[i] = append(m.terms[i], weightedTerm{docs, 1})
			if seen[term] {
				return true, nil
			}
			seen[term] = true
			return true, s.countTerm(p.text)
		})
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// first returns the word for the first terms of all parts.
func (p termsPlan) first(s *Session) (*wordMatcher, error) {
	found := map[string]bool{}
	for _, part := range s.Parts {
		n := 0
		err := p.each(s, part, func(term string, _ segment.Postings) (bool, error) {
			found[term] = true
			n++
			return n < p.most, s.countTerm(p.text)
		})
		if err != nil {
			return nil, err
		}
	}
	m := s.newWord(p.field, p.text)
	terms := slices.Sorted(maps.Keys(found))
	for _, term := range terms[:min(p.most, len(terms))] {
		if err := m.add(term, 1); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// each calls f with the terms that a visible document of a part has. Terms of deleted
// documents, which stay in the dictionary until segments are merged, do not count.
func (p termsPlan) each(s *Session, part *Part, f func(term string, docs segment.Postings) (bool, error)) error {
	return part.Each(p.field, p.Min, p.Max, func(term []byte, docs segment.Postings) (bool, error) {
		text := string(term)
		if p.accept != nil && !p.accept(text) || words.IsStem(text) && strings.HasPrefix(p.field, schema.ContentField("")) {
			return true, s.Step()
		}
		if n, err := docs.CountIn(part.counted()); err != nil || n == 0 {
			return true, errors.Join(err, s.Step())
		}
		return f(text, docs)
	})
}

// A similarPlan matches documents that have a term within an edit distance, one of the
// most similar unless most is 0. A term counts the less, the more of its letters
// differ, and nothing if all do.
type similarPlan struct {
	field string
	words.Similar
	most int
}

// A similarTerm is a term with what it counts.
type similarTerm struct {
	term   string
	weight float64
}

func (p similarPlan) Open(s *Session) (_ Matcher, err error) {
	m := s.newWord(p.field, p.Term+"~")
	dict, err := s.candidates(p.field, p.Term, p.EditDistance)
	if err != nil {
		return nil, err
	}
	var found []similarTerm
	for {
		entry, err := dict.Next()
		if err = errors.Join(err, s.Step()); err != nil {
			return nil, errors.Join(err, dict.Close())
		}
		if entry == nil {
			break
		}
		weight, similar := p.Weight(entry.Term)
		if !similar {
			continue
		}
		visible, err := s.hasVisible(p.field, entry.Term)
		if err == nil && visible {
			found = append(found, similarTerm{entry.Term, weight})
			err = s.countTerm(p.Term + "~")
		}
		if err != nil {
			return nil, errors.Join(err, dict.Close())
		}
	}
	if err := dict.Close(); err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b similarTerm) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.term, b.term))
	})
	if p.most > 0 {
		found = found[:min(p.most, len(found))]
	}
	for _, f := range found {
		if err := m.add(f.term, max(0, f.weight)); err != nil {
			return nil, err
		}
	}
	return m, nil
}
