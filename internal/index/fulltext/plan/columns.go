package plan

import (
	"math"
	"slices"

	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/fulltext/words"
	"indexerd/internal/index/query"
)

// A columnsPlan matches documents that have a word in any of the columns that are
// searched. Its score is tuned: the columns count as one text. A word that occurs in two
// columns is not worth twice as much, and a short column, such as a title, counts more
// than a long one. The formula is BM25F (Robertson, Zaragoza and Taylor, 2004):
//
//	idf * weight*(2*k1+1) / (weight + 2*k1)
//	weight = sum of boost*freq / (1-b + b*length/average) in each column
//
// idf counts the documents that have the word in any of the columns. k1 is doubled: weights
// of several columns add up, and boosts raise them, so that with k1 itself a second
// occurrence would hardly count. With one column and no boost it is the plain formula with
// that k1.
type columnsPlan struct {
	plans  []Plan // of one word each
	fields []string
	boosts []float64 // 0: as its length says
}

type columnsMatcher struct {
	*columnsPlan
	s       *Session
	number  int // of the word in any of the columns
	rank    rank
	parts   []*wordMatcher
	counts  []int          // of the live documents of each part of the index, -1 while unknown
	kept    []segment.Bits // see bounded; nil: not needed
	columns []columnWeight // nil while unknown
	tables  tables
}

// tunedK1 is how many times higher k1 is in the tuned order.
const tunedK1 = 2

// word matches a word in any of some columns.
func (c compiler) word(columns []string, sl words.Slot) Plan {
	if c.shared == nil || len(columns) < len(c.Texts) {
		return c.anyColumn(columns, func(field string) Plan { return slotPlan(field, sl) })
	}
	return c.anywhere(sl)
}

// anywhere matches a word in any column, with a tuned score. It returns the same plan
// for the same word.
func (c compiler) anywhere(sl words.Slot) *columnsPlan {
	p := c.shared[sl]
	if p == nil {
		p = &columnsPlan{}
		for _, name := range c.Texts {
			p.plans, p.fields, p.boosts = append(p.plans, slotPlan(schema.ContentField(name), sl)), append(p.fields, schema.ContentField(name)), append(p.boosts, c.boosts[name])
		}
		c.shared[sl] = p
	}
	return p
}

func (p *columnsPlan) Open(s *Session) (Matcher, error) { return p.openWord(s) }

// openWord opens the word, or returns its matcher if it is open.
func (p *columnsPlan) openWord(s *Session) (*columnsMatcher, error) {
	if m := s.opened[p]; m != nil {
		return m, nil
	}
	m := &columnsMatcher{columnsPlan: p, s: s, number: s.newNumber(), rank: s.rank, counts: s.unknownCounts()}
	m.rank.K1 *= tunedK1
	all, err := openAll(s, p.plans)
	if err != nil {
		return nil, err
	}
	for _, part := range all {
		m.parts = append(m.parts, part.(*wordMatcher))
	}
	s.opened[p] = m
	return m, nil
}

func (m *columnsMatcher) Match(p *Part, among segment.Bits) (segment.Bits, error) {
	return matchFound(m, p, among)
}

func (m *columnsMatcher) find(p *Part) (segment.Bits, error) {
	found := p.setOf(m.kept)
	for _, part := range m.parts {
		if err := part.addTo(p, found); err != nil {
			return nil, err
		}
	}
	if m.s.Scored {
		var err error
		if m.counts[p.number], err = m.countIn(p, found); err != nil {
			return nil, err
		}
	}
	if m.kept != nil {
		m.kept[p.number] = found
	}
	return found, p.Check()
}

// countIn removes the documents of a part that are not visible, and counts the others. The
// number of documents of a term is known.
func (m *columnsMatcher) countIn(p *Part, found segment.Bits) (int, error) {
	if terms, phrases := m.count(p); p.counted() == nil && phrases == 0 && terms < 2 {
		for _, part := range m.parts {
			for _, t := range part.terms[p.number] {
				return t.CountIn(nil)
			}
		}
		return 0, nil
	}
	return found.AndCount(p.Live), nil
}

// having returns how many visible documents have the word in any of the columns.
func (m *columnsMatcher) having() (int, error) {
	all := 0
	for i, p := range m.s.Parts {
		if m.counts[i] < 0 {
			if _, err := m.Match(p, p.Live); err != nil {
				return 0, err
			}
		}
		all += m.counts[i]
	}
	return all, nil
}

// A columnWeight is what a column adds to the weight of a document.
type columnWeight struct {
	boost, b, average float64
	of                [256]float64 // freq 1 of short texts
}

func (w *columnWeight) norm(length int) float64 {
	return w.boost / (1 - w.b + w.b*float64(length)/w.average)
}

func (w *columnWeight) weight(freq float64, length int) float64 {
	if length < len(w.of) {
		return freq * w.of[length]
	}
	return freq * w.norm(length)
}

// maxShort limits how much more a word counts in a short column.
const maxShort = 3

// weights returns the weights of all columns. A column without a boost counts the more,
// the shorter its texts are: by the root of how many times the longest column is longer,
// 3 at most.
func (m *columnsMatcher) weights() ([]columnWeight, error) {
	if m.columns != nil {
		return m.columns, nil
	}
	all, longest := make([]columnWeight, len(m.fields)), 0.0
	for i, field := range m.fields {
		all[i].average = 1
		if !m.s.measured {
			continue
		}
		average, err := m.s.average(field)
		if err != nil {
			return nil, err
		}
		if average > 0 {
			all[i].average, all[i].b = average, m.rank.B
			longest = max(longest, average)
		}
	}
	for i := range all {
		w := &all[i]
		if w.boost = m.boosts[i]; w.boost == 0 {
			w.boost = max(1, min(maxShort, math.Sqrt(longest/w.average)))
		}
		for length := range w.of {
			w.of[length] = w.norm(length)
		}
	}
	m.columns = all
	return all, nil
}

// scale returns the most that the word adds to a score.
func (m *columnsMatcher) scale() (scale, idf float64, err error) {
	idf, err = m.s.idf(m.number, m.s.allDocs(), m.having)
	return m.rank.most() * idf, idf, err
}

// Bound implements bounded.
func (m *columnsMatcher) Bound() (float64, error) {
	scale, _, err := m.scale()
	return scale, err
}

func (m *columnsMatcher) Keep() { m.kept = make([]segment.Bits, len(m.s.Parts)) }

func (m *columnsMatcher) KeptIn(p *Part) segment.Bits { return m.kept[p.number] }

func (m *columnsMatcher) Score(p *Part, to *Scores) error {
	if !slices.ContainsFunc(m.parts, func(part *wordMatcher) bool { return part.isIn(p) }) {
		return nil
	}
	scale, idf, err := m.scale()
	if err != nil {
		return err
	}
	columns, err := m.weights()
	if err != nil {
		return err
	}
	to.Open()
	taken := takeSums(len(to.Sums))
	defer giveSums(taken)
	sums := *taken
	for i, part := range m.parts {
		w := &columns[i]
		err := part.eachOf(p, to, func(all []match) {
			for _, m := range all {
				sums[m.at] += w.weight(m.freq, m.length)
			}
		})
		if err != nil {
			return err
		}
	}
	for at, sum := range sums {
		if sum > 0 {
			to.Sums[at] += scale * sum / (sum + m.rank.K1)
		}
	}
	if to.explained == nil {
		return nil
	}
	return m.explain(p, to, idf, func(at int, weight float64) float64 { return scale * weight / (sums[at] + m.rank.K1) })
}

// explain adds a part for each column that has the word. share returns what a weight
// adds to the score of a document.
func (m *columnsMatcher) explain(p *Part, to *Scores, idf float64, share func(at int, weight float64) float64) error {
	for i, part := range m.parts {
		freqs, lengths := make([]float64, len(to.Sums)), make([]int, len(to.Sums))
		err := part.eachOf(p, to, func(all []match) {
			for _, m := range all {
				freqs[m.at] += m.freq
				lengths[m.at] = m.length
			}
		})
		if err != nil {
			return err
		}
		w := &m.columns[i]
		for at, freq := range freqs {
			if freq == 0 {
				continue
			}
			e := query.ScorePart{Word: part.text, Field: schema.ColumnOf(part.field), Boost: w.boost, IDF: idf, Freq: freq, Score: share(at, w.weight(freq, lengths[at]))}
			if m.s.measured {
				e.Length, e.Average = lengths[at], w.average
			}
			to.explain(at, e)
		}
	}
	return nil
}
