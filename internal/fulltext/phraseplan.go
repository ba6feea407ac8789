package fulltext

import (
	"errors"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
)

// A phrasePlan matches documents that have the phrase. It replaces bleve's
// phrase searcher, which has no slop and does not check the deadline while it
// reads the documents that have the words.
type phrasePlan struct {
	field string
	slots phrase
	slop  int
}

// A phraseFinder looks for a phrase in the positions of one document after
// another. Equal slots share their positions, because a phrase may repeat one
// word four thousand times.
type phraseFinder struct {
	s         *session
	slop      int
	slots     phrase
	positions slotPositions
	bySlot    map[slot][]int    // positions in the current document
	byTerm    map[string][]slot // the slots that match a term
}

func (p phrasePlan) open(s *session) (search.Searcher, error) {
	f := &phraseFinder{
		s: s, slop: p.slop, slots: p.slots, positions: make(slotPositions, len(p.slots)),
		bySlot: map[slot][]int{}, byTerm: map[string][]slot{},
	}
	var parts []search.Searcher
	for _, sl := range p.slots {
		if _, again := f.bySlot[sl]; again || sl.term == "" {
			continue
		}
		f.bySlot[sl] = []int{}
		part, err := f.openSlot(p.field, sl)
		if err = errors.Join(err, s.step()); err != nil {
			return nil, errors.Join(err, closeAll(parts))
		}
		parts = append(parts, part)
	}
	words, err := s.allOf(parts, s.positionOptions())
	if err != nil {
		return nil, err
	}
	return s.filter(words, f.accept), nil
}

// positionOptions returns the options of a search that reads positions.
func (s *session) positionOptions() search.SearcherOptions {
	options := s.options()
	options.IncludeTermVectors = true
	return options
}

// openSlot searches for the documents that a slot matches.
func (f *phraseFinder) openSlot(field string, sl slot) (search.Searcher, error) {
	terms := []string{sl.term}
	if sl.prefix {
		var err error
		if terms, err = f.s.prefixTerms(field, sl.term); err != nil {
			return nil, err
		}
	}
	var parts []search.Searcher
	for _, term := range terms {
		f.byTerm[term] = append(f.byTerm[term], sl)
		part, err := searcher.NewTermSearcher(f.s.ctx, f.s.reader, term, field, f.s.boost, f.s.positionOptions())
		if err = errors.Join(err, f.s.step()); err != nil {
			return nil, errors.Join(err, closeAll(parts))
		}
		parts = append(parts, part)
	}
	return f.s.anyOf(parts, f.s.positionOptions())
}

// accept reports whether a document that has the words has the phrase. The score
// is higher the less slop the phrase needs.
func (f *phraseFinder) accept(d *search.DocumentMatch) bool {
	f.readPositions(d)
	best := -1
	f.s.err = f.positions.each(f.slop, f.s.step, func(_ []int, width int) bool {
		if best < 0 || width < best {
			best = width
		}
		return best > 0
	})
	if best < 0 {
		return false
	}
	d.Score /= float64(1 + best)
	return f.s.err == nil
}

// readPositions sets the positions of each slot in a document.
func (f *phraseFinder) readPositions(d *search.DocumentMatch) {
	for sl, positions := range f.bySlot {
		f.bySlot[sl] = positions[:0]
	}
	for _, l := range d.FieldTermLocations {
		for _, sl := range f.byTerm[l.Term] {
			f.bySlot[sl] = append(f.bySlot[sl], int(l.Location.Pos))
		}
	}
	d.FieldTermLocations = d.FieldTermLocations[:0]
	for sl, positions := range f.bySlot {
		if sl.prefix || len(f.byTerm[sl.term]) > 1 { // from several terms or several searchers
			slices.Sort(positions)
			f.bySlot[sl] = slices.Compact(positions)
		}
	}
	for i, sl := range f.slots {
		f.positions[i] = f.bySlot[sl] // nil for any word
	}
}
