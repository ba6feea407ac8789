package fulltext

import (
	"errors"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/searcher"
)

// A phrasePlan matches documents that have the phrase. bleve's own searcher of
// phrases knows no slop, and goes through all documents that have the words
// without a look at the deadline.
type phrasePlan struct {
	field string
	slots phrase
	slop  int
}

// A phraseFinder looks for a phrase in the positions of one document after the
// other. Slots that want the same share their positions: a phrase may be one
// word four thousand times.
type phraseFinder struct {
	s       *session
	slop    int
	slots   phrase
	places  places
	wanted  map[slot][]int    // what slots want -> positions in the document in hand
	wanting map[string][]slot // term -> what slots want it
}

func (p phrasePlan) open(s *session) (search.Searcher, error) {
	f := &phraseFinder{
		s: s, slop: p.slop, slots: p.slots, places: make(places, len(p.slots)),
		wanted: map[slot][]int{}, wanting: map[string][]slot{},
	}
	var parts []search.Searcher
	for _, sl := range p.slots {
		if _, again := f.wanted[sl]; again || sl.term == "" {
			continue
		}
		f.wanted[sl] = []int{}
		part, err := f.openSlot(p.field, sl)
		if err = errors.Join(err, s.step()); err != nil {
			return nil, errors.Join(err, closeAll(parts))
		}
		parts = append(parts, part)
	}
	words, err := s.allOf(parts, s.placed())
	if err != nil {
		return nil, err
	}
	return s.filter(words, f.accept), nil
}

// placed is how words are searched whose positions matter.
func (s *session) placed() search.SearcherOptions {
	options := s.options()
	options.IncludeTermVectors = true
	return options
}

// openSlot finds the documents that have what one slot wants.
func (f *phraseFinder) openSlot(field string, sl slot) (search.Searcher, error) {
	terms := []string{sl.term}
	if sl.prefix {
		var err error
		if terms, err = f.s.beginning(field, sl.term); err != nil {
			return nil, err
		}
	}
	var parts []search.Searcher
	for _, term := range terms {
		f.wanting[term] = append(f.wanting[term], sl)
		part, err := searcher.NewTermSearcher(f.s.ctx, f.s.reader, term, field, f.s.boost, f.s.placed())
		if err = errors.Join(err, f.s.step()); err != nil {
			return nil, errors.Join(err, closeAll(parts))
		}
		parts = append(parts, part)
	}
	return f.s.anyOf(parts, f.s.placed())
}

// accept reports whether a document that has the words has the phrase. The
// nearer the words stand, the more it counts.
func (f *phraseFinder) accept(d *search.DocumentMatch) bool {
	f.read(d)
	best := -1
	f.s.err = f.places.each(f.slop, f.s.step, func(_ []int, width int) bool {
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

// read takes the positions of a document's words.
func (f *phraseFinder) read(d *search.DocumentMatch) {
	for sl, positions := range f.wanted {
		f.wanted[sl] = positions[:0]
	}
	for _, l := range d.FieldTermLocations {
		for _, sl := range f.wanting[l.Term] {
			f.wanted[sl] = append(f.wanted[sl], int(l.Location.Pos))
		}
	}
	d.FieldTermLocations = d.FieldTermLocations[:0]
	for sl, positions := range f.wanted {
		if sl.prefix || len(f.wanting[sl.term]) > 1 { // several terms have them, or several searchers found them
			slices.Sort(positions)
			f.wanted[sl] = slices.Compact(positions)
		}
	}
	for i, sl := range f.slots {
		f.places[i] = f.wanted[sl] // nil for any word
	}
}
