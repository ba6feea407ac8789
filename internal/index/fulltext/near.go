package fulltext

import (
	"slices"

	"indexerd/internal/index/fulltext/segment"
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
	plan  plan
	words []*columnsPlan
	pairs [][2]int // numbers of words
}

type nearMatcher struct {
	matcher
	nearPlan
	s     *session
	words []*columnsMatcher
	bound float64 // the pairs add at most this share of a score
}

// near returns the plan for the pairs of a query, nil if there are none. Its own plan is
// not set.
func (c compiler) near(n query.Node) *nearPlan {
	if c.shared == nil || !c.Positions {
		return nil
	}
	var words []slot // as they follow each other
	for _, w := range freeWords(n) {
		if sl, ok := c.nearSlot(w); ok && len(words) < nearWords {
			words = append(words, sl)
		}
	}
	p, numbers, seen := &nearPlan{}, map[slot]int{}, map[[2]int]bool{}
	for _, w := range words {
		if _, again := numbers[w]; !again {
			numbers[w] = len(p.words)
			p.words = append(p.words, c.anywhere(w))
		}
	}
	for i, a := range words {
		for _, b := range words[i+1 : min(len(words), i+1+nearQuery)] {
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
func (c compiler) nearSlot(n query.Node) (slot, bool) {
	switch n := n.(type) {
	case query.Word:
		if p := c.analyzer.phrase(n.Text); len(p) == 1 {
			return p[0], !p[0].prefix
		}
	case query.Synonym:
		sl := c.slotOf(n)
		return sl, sl.one != nil
	}
	return slot{}, false
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

func (p *nearPlan) open(s *session) (matcher, error) {
	inner, err := p.plan.open(s)
	if err != nil {
		return nil, err
	}
	m := &nearMatcher{matcher: inner, nearPlan: *p, s: s}
	for _, w := range p.words {
		word, err := w.openWord(s)
		if err != nil {
			return nil, err
		}
		m.words = append(m.words, word)
	}
	pairs := make([]int, len(m.words))
	for _, pair := range p.pairs {
		pairs[pair[0]]++
		pairs[pair[1]]++
	}
	m.bound = nearWeight * float64(slices.Max(pairs))
	return m, nil
}

// most returns the most that a score can be with the pairs. It allows for a score being
// rounded.
func (m *nearMatcher) most(score float32) float64 { return float64(score) * (1 + m.bound) * (1 + 1e-6) }

// least returns a score that is not above the least that the pairs can bring to another.
func (m *nearMatcher) least(score float32) float32 {
	return float32(float64(score) / (1 + m.bound) * (1 - 1e-5))
}

// addPairs adds the pairs to all scores that they can bring among the want best below a
// score, and to the best of all.
func (m *nearMatcher) addPairs(all []*found, want int, below float64) error {
	best := float32(0)
	for _, f := range all {
		f.complete = segment.NewBits(f.count)
		best = max(best, f.best())
	}
	bar := m.last(all, want, below)
	reaches := func(score float32) bool {
		most := m.most(score)
		return most >= float64(best) || most >= float64(bar) && float64(score) <= below
	}
	if m.count(all, min(bar, best), reaches) > fewPairs {
		err := m.addTo(all, min(bar, best), func(score float32) bool { return score >= bar && float64(score) <= below })
		if err != nil {
			return err
		}
		bar = m.last(all, want, below) // with the pairs of the first
	}
	return m.addTo(all, min(bar, best), reaches)
}

// fewPairs is the number of documents up to which the positions of all are read at once.
// Of more, the best are read first, which leaves fewer of the others.
const fewPairs = 2000

// count returns the number of chosen scores, which the pairs bring to bar at least.
func (m *nearMatcher) count(all []*found, bar float32, chosen func(score float32) bool) (n int) {
	for _, f := range all {
		least := m.least(bar)
		f.scan(&least, func(_ int, score float32) {
			if chosen(score) {
				n++
			}
		})
	}
	return n
}

// last returns the least that the last of the want best scores below a score can be, 0 if
// there are fewer.
func (m *nearMatcher) last(all []*found, want int, below float64) float32 {
	var best scoreHeap
	for _, f := range all {
		least := best.least(want)
		f.scan(&least, func(at int, score float32) {
			if f.complete.Has(uint32(at)) && float64(score) < below || m.most(score) < below {
				best.keep(score, want)
				least = best.least(want)
			}
		})
	}
	if len(best) < want {
		return 0
	}
	return best[0]
}

// addTo adds the pairs to those chosen scores that are incomplete.
func (m *nearMatcher) addTo(all []*found, bar float32, chosen func(score float32) bool) error {
	for _, f := range all {
		if f.scores == nil {
			continue
		}
		docs, least := segment.NewBits(f.part.Docs()), m.least(bar)
		var places []int // of the chosen in scores
		f.scan(&least, func(at int, score float32) {
			if chosen(score) && !f.complete.Has(uint32(at)) {
				docs.Set(f.doc(at))
				places = append(places, at)
			}
		})
		if len(places) == 0 {
			continue
		}
		i := 0
		err := m.read(f.part, docs, func(r *nearReader) error {
			sum := 0.0
			r.each(func(_ [2]int, _, _ int, score float64) { sum += score })
			f.addScore(places[i], sum)
			f.complete.Set(uint32(places[i]))
			i++
			return m.s.step()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// explain adds a part for each pair.
func (m *nearMatcher) explain(p *view, to *scores) error {
	to.open()
	at := 0
	return m.read(p, to.docs, func(r *nearReader) error {
		r.each(func(pair [2]int, column, distance int, score float64) {
			a, b := m.words[pair[0]].parts[column], m.words[pair[1]].parts[column]
			to.explain(at, query.ScorePart{Word: a.text + " " + b.text, Field: columnOf(a.field), Distance: distance, Score: score})
		})
		at++
		return m.s.step()
	})
}
