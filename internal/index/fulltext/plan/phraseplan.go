package plan

import (
	"cmp"

	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/fulltext/words"
)

// A phrasePlan matches documents that have the phrase.
type phrasePlan struct {
	field string
	slots words.Phrase
	slop  int
}

// A phraseMatcher looks for a phrase in the positions of one document after
// another. Equal slots share their positions, because a phrase may repeat one
// word four thousand times.
type phraseMatcher struct {
	phrasePlan
	s     *Session
	rank  rank
	words []*wordMatcher // of the distinct slots
	word  []int          // number of the word of each slot, -1 for any word
	times []int          // how often the phrase has each word: a match has as many places of it
	found [][]phraseMatch
	loose bool // the words may be anywhere in the field
}

// A phraseMatch is a document that has a phrase.
type phraseMatch struct {
	doc    uint32
	length uint32
	freq   float64
}

func (p phrasePlan) Open(s *Session) (Matcher, error) {
	m := &phraseMatcher{phrasePlan: p, s: s, rank: s.rank, word: make([]int, len(p.slots)), found: make([][]phraseMatch, len(s.Parts))}
	numbers := map[words.Slot]int{}
	for i, sl := range p.slots {
		n, again := numbers[sl]
		if sl.Term == "" {
			n = -1
		} else if !again {
			n = len(m.words)
			numbers[sl] = n
			w, err := s.openSlot(p.field, sl)
			if err != nil {
				return nil, err
			}
			m.words = append(m.words, w)
			m.times = append(m.times, 0)
		}
		if m.word[i] = n; n >= 0 {
			m.times[n]++
		}
	}
	return m, nil
}

// openSlot returns the word of a slot.
func (s *Session) openSlot(field string, sl words.Slot) (*wordMatcher, error) {
	if sl.Prefix {
		return prefixPlan{field, sl.Term, sl.Most}.word(s)
	}
	m := s.newWord(field, sl.Term)
	forms := []words.Slot{sl}
	if sl.One != nil {
		forms = sl.One.Words
	}
	for _, f := range forms {
		if err := m.add(f.Term, cmp.Or(f.Weight, 1)); err != nil {
			return nil, err
		}
	}
	return m, s.Step()
}

func (m *phraseMatcher) Match(p *Part, among segment.Bits) (segment.Bits, error) {
	candidates := among
	for _, w := range m.words {
		var err error
		if candidates, err = w.Match(p, candidates); err != nil {
			return nil, err
		}
	}
	m.found[p.number] = m.found[p.number][:0]
	if m.loose {
		return candidates, m.matchLoose(p, candidates)
	}
	found := segment.NewBits(p.Docs())
	r, err := m.openPositions(p, candidates)
	if err != nil {
		return nil, err
	}
	for doc := range candidates.All {
		length, err := r.read(doc)
		if err != nil {
			return nil, err
		}
		if !r.enough() {
			continue
		}
		freq, err := m.freq(r)
		if err != nil {
			return nil, err
		}
		if freq == 0 {
			continue
		}
		found.Set(doc)
		if m.s.Scored {
			m.found[p.number] = append(m.found[p.number], phraseMatch{doc, uint32(length), freq})
		}
	}
	return found, nil
}

// matchLoose sets the matches of a part to the documents that have all words.
func (m *phraseMatcher) matchLoose(p *Part, docs segment.Bits) error {
	seen := segment.NewBits(p.Docs())
	for _, t := range m.words[0].terms[p.number] {
		err := t.Scan(docs, m.s.Check, func(batch []segment.Freq) {
			for _, of := range batch {
				if !seen.Has(of.Doc) {
					seen.Set(of.Doc)
					m.found[p.number] = append(m.found[p.number], phraseMatch{of.Doc, of.Length, 1})
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// freq returns how often the phrase occurs. A place counts the less, the more slop
// it needs. Without scores the first place is enough.
func (m *phraseMatcher) freq(r *positionReader) (freq float64, err error) {
	if m.slop == 0 {
		return float64(r.positions.Adjacent(r.from, !m.s.Scored)), nil
	}
	err = r.positions.Each(m.slop, m.s.Step, func(_ []int, width int) bool {
		freq += 1 / float64(1+width)
		return m.s.Scored
	})
	return freq, err
}

func (m *phraseMatcher) Score(p *Part, to *Scores) error {
	if len(m.found[p.number]) == 0 {
		return nil
	}
	idf := 0.0
	docs, err := m.s.docsOf(m.field)
	if err != nil {
		return err
	}
	for _, n := range m.word {
		if n < 0 {
			continue
		}
		of, err := m.s.idf(m.words[n].number, docs, m.words[n].having)
		if err != nil {
			return err
		}
		idf += of
	}
	w, err := m.s.scorer(m.text(), m.field, m.rank, idf)
	if err != nil {
		return err
	}
	to.Open()
	eachPhrase(m.found[p.number], to, to.adder(w))
	return nil
}

// eachPhrase calls f with the documents that are scored.
func eachPhrase(found []phraseMatch, to *Scores, f func([]match)) {
	for _, of := range found {
		if at, ok := to.Place(of.doc); ok {
			f([]match{{at, int(of.length), of.freq}})
		}
	}
}

// A positionReader reads the positions of the slots of a phrase in one document
// after another.
type positionReader struct {
	m         *phraseMatcher
	words     []termHeap
	places    [][]int // of each word
	positions words.Positions
	from      []int // memory of Adjacent
}

func (m *phraseMatcher) openPositions(p *Part, candidates segment.Bits) (*positionReader, error) {
	r := &positionReader{m, make([]termHeap, len(m.words)), make([][]int, len(m.words)), make(words.Positions, len(m.slots)), make([]int, len(m.slots))}
	for i, w := range m.words {
		r.places[i] = []int{} // not nil, which is any word
		var err error
		if r.words[i], err = openTerms(w.terms[p.number], candidates); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// read sets the positions of each slot in a document, and returns the number of
// words of the field.
func (r *positionReader) read(doc uint32) (length int, err error) {
	for i := range r.words {
		if r.places[i], length, err = r.words[i].read(doc, r.places[i][:0]); err != nil {
			return 0, err
		}
	}
	for i, n := range r.m.word {
		if n >= 0 {
			r.positions[i] = r.places[n]
		}
	}
	return length, r.m.s.Step()
}

// enough reports whether a document has each word as often as the phrase.
func (r *positionReader) enough() bool {
	for i, places := range r.places {
		if len(places) < r.m.times[i] {
			return false
		}
	}
	return true
}
