package plan

import (
	"math"
	"math/bits"
	"slices"

	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/words"
	"indexerd/internal/index/query"
)

// A tuned score counts more if words of the query are near each other in a column. Each
// pair of words that are at most 3 apart in the query adds
//
//	0.05 * (score of one word + score of the other) / distance
//
// where distance is that of their nearest occurrences, 8 positions at most. So the pairs
// add at most a known share of the score without them, and positions are read only of
// documents that this share can bring among the hits of a page.
const (
	nearWeight = 0.05
	nearQuery  = 3
	nearText   = 8
	nearWords  = 32 // of a query
)

// A nearPlan matches as its plan does. Its score has the pairs of the words, if hits are
// ordered by score only.
type nearPlan struct {
	plan  Plan
	words []*columnsPlan
	pairs [][2]int // numbers of words
}

// A Near matches as its plan does. Its scores lack the pairs of words that are near each
// other: see Sums.
type Near struct {
	Matcher
	s     *Session
	words []*columnsMatcher
	pairs [][2]int // numbers of words
	near  []uint32 // of each word, the bits of those that it has a pair with
	bound float64  // the pairs add at most this share of a score

	reader nearReader // its memory is used again
}

// near returns the plan for the pairs of a query, nil if there are none. Its own plan is
// not set.
func (c compiler) near(n query.Node) *nearPlan {
	if c.shared == nil || !c.Positions {
		return nil
	}
	var slots []words.Slot // as they follow each other
	for _, w := range freeWords(n) {
		if sl, ok := c.nearSlot(w); ok && len(slots) < nearWords {
			slots = append(slots, sl)
		}
	}
	p, numbers, seen := &nearPlan{}, map[words.Slot]int{}, map[[2]int]bool{}
	for _, w := range slots {
		if _, again := numbers[w]; !again {
			numbers[w] = len(p.words)
			p.words = append(p.words, c.anywhere(w))
		}
	}
	for i, a := range slots {
		for _, b := range slots[i+1 : min(len(slots), i+1+nearQuery)] {
			pair := [2]int{min(numbers[a], numbers[b]), max(numbers[a], numbers[b])}
			if a != b && !seen[pair] {
				seen[pair] = true
				p.pairs = append(p.pairs, pair)
			}
		}
	}
	if len(p.pairs) == 0 {
		return nil
	}
	return p
}

// nearSlot returns the slot of a word, false for none. Phrases among its synonyms are not
// near other words.
func (c compiler) nearSlot(n query.Node) (words.Slot, bool) {
	switch n := n.(type) {
	case query.Word:
		sl, ok := c.slot(c.analyzer.Word(n.Text))
		return sl, ok && !sl.Prefix
	case query.Synonym:
		sl := c.slotOf(n)
		return sl, sl.One != nil
	}
	return words.Slot{}, false
}

// freeWords returns the words without a field that count in each match that has them.
func freeWords(n query.Node) (words []query.Node) {
	for _, part := range alternatives(n) {
		words = append(words, wordsOf(part)...)
	}
	if and, ok := n.(query.And); ok {
		for _, part := range and.Nodes {
			words = append(words, wordsOf(part)...)
			for _, part := range alternatives(part) {
				words = append(words, wordsOf(part)...)
			}
		}
	}
	return words
}

func alternatives(n query.Node) []query.Node {
	switch n := n.(type) {
	case query.Or:
		return n.Nodes
	case query.Some:
		return n.Nodes
	}
	return nil
}

func wordsOf(n query.Node) []query.Node {
	switch n.(type) {
	case query.Word, query.Synonym:
		if query.FieldOf(n) == "" {
			return []query.Node{n}
		}
	}
	return nil
}

func (p *nearPlan) Open(s *Session) (Matcher, error) {
	inner, err := p.plan.Open(s)
	if err != nil {
		return nil, err
	}
	m := &Near{Matcher: inner, s: s, pairs: p.pairs}
	for _, w := range p.words {
		word, err := w.openWord(s)
		if err != nil {
			return nil, err
		}
		m.words = append(m.words, word)
	}
	m.near = make([]uint32, len(m.words))
	for _, pair := range p.pairs {
		m.near[pair[0]] |= 1 << pair[1]
		m.near[pair[1]] |= 1 << pair[0]
	}
	m.bound = m.shareOf(math.MaxUint32)
	return m, nil
}

// shareOf returns the share of a score that the pairs of some words add at most: each word
// counts once for each of its pairs.
func (m *Near) shareOf(words uint32) float64 {
	most := 0
	for i, near := range m.near {
		if words>>i&1 != 0 {
			most = max(most, bits.OnesCount32(near&words))
		}
	}
	return nearWeight * float64(most)
}

// ShareIn returns the share of the score of a document that the pairs of those words add at
// most that it has.
func (m *Near) ShareIn(p *Part, doc uint32) float64 {
	has := uint32(0)
	for i, w := range m.words {
		if w.kept == nil || w.kept[p.number] == nil || w.kept[p.number].Has(doc) {
			has |= 1 << i
		}
	}
	return m.shareOf(has)
}

// Share returns the share of a score that the pairs add at most.
func (m *Near) Share() float64 { return m.bound }

// Sums calls f with what the pairs add to the score of each of some documents, which are in
// order.
func (m *Near) Sums(p *Part, docs []uint32, f func(sum float64)) error {
	return m.read(p, docs, func(r *nearReader) error {
		sum := 0.0
		r.each(func(_ [2]int, _, _ int, score float64) { sum += score })
		f(sum)
		return m.s.Step()
	})
}

// explain adds a part for each pair.
func (m *Near) explain(p *Part, to *Scores) error {
	to.Open()
	at := 0
	return m.read(p, slices.Collect(to.Docs.All), func(r *nearReader) error {
		r.each(func(pair [2]int, column, distance int, score float64) {
			a, b := m.words[pair[0]].parts[column], m.words[pair[1]].parts[column]
			to.explain(at, query.ScorePart{Word: a.text + " " + b.text, Field: schema.ColumnOf(a.field), Distance: distance, Score: score})
		})
		at++
		return m.s.Step()
	})
}
