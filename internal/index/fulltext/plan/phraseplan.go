package plan

import (
	"cmp"
	"container/heap"
	"slices"

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
	candidates, err := m.candidates(p, among)
	if err != nil {
		return nil, err
	}
	m.found[p.number] = m.found[p.number][:0]
	switch {
	case !candidates.Any():
		return candidates, nil
	case m.loose:
		return candidates, m.matchLoose(p, candidates)
	}
	found := p.Set()
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

// candidates returns the documents that have all words. It matches no word in vain: most
// phrases of a text that is pasted are nowhere.
func (m *phraseMatcher) candidates(p *Part, among segment.Bits) (_ segment.Bits, err error) {
	for _, w := range m.words {
		if !w.isIn(p) {
			return p.Set(), nil
		}
	}
	for i, w := range m.words {
		if i > 0 && !among.Any() {
			break
		}
		if among, err = w.Match(p, among); err != nil {
			return nil, err
		}
	}
	return among, nil
}

// matchLoose sets the matches of a part to the documents that have all words.
func (m *phraseMatcher) matchLoose(p *Part, docs segment.Bits) error {
	seen := p.Set()
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

// A termHeap has cursors of the terms of a word, the one with the first document on top. So
// a document takes time for the terms that it has, and not for all: a prefix may have
// thousands.
type termHeap []*segment.Cursor

// openTerms opens the terms before the first document of a set.
func openTerms(terms []weightedTerm, among segment.Bits) (h termHeap, err error) {
	for _, t := range terms {
		c := t.Cursor(among)
		if c.Next() {
			h = append(h, c)
		} else if err = c.Err(); err != nil {
			return nil, err
		}
	}
	heap.Init(&h)
	return h, nil
}

// read appends the positions of the terms in a document to places, in order. Documents come
// in order. length is the number of words of the field, 0 if the document has none of the terms.
func (h *termHeap) read(doc uint32, places []int) (_ []int, length int, err error) {
	if len(*h) == 1 { // most words have one term: it is not read ahead
		c := (*h)[0]
		if c.SkipTo(doc) && c.Doc == doc {
			places, length = c.AppendPositions(places), c.Length
		}
		return places, length, c.Err()
	}
	terms := 0
	for len(*h) > 0 && (*h)[0].Doc <= doc {
		c, more := (*h)[0], false
		if c.Doc < doc {
			more = c.SkipTo(doc)
		} else {
			places, length = c.AppendPositions(places), c.Length
			terms++
			more = c.Next()
		}
		if err := c.Err(); err != nil {
			return nil, 0, err
		}
		if more {
			heap.Fix(h, 0)
		} else {
			heap.Pop(h)
		}
	}
	if terms > 1 {
		slices.Sort(places)
		places = slices.Compact(places)
	}
	return places, length, nil
}

// Len implements heap.Interface, as the other methods.
func (h termHeap) Len() int           { return len(h) }
func (h termHeap) Less(i, j int) bool { return h[i].Doc < h[j].Doc }
func (h termHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *termHeap) Push(x any)        { *h = append(*h, x.(*segment.Cursor)) }

// Pop implements heap.Interface.
func (h *termHeap) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	*h = (*h)[:last]
	return c
}
