package plan

import (
	"math/bits"
	"slices"
	"sync"

	"indexerd/internal/index/fulltext/segment"
)

// A Bounded matcher adds at most its bound to a score, and only to that of documents that
// it matches.
type Bounded interface {
	Matcher
	Bound() (float64, error)
	// Keep has match keep the documents of each part of the index.
	Keep()
	// KeptIn returns the documents of a part that have the word.
	KeptIn(p *Part) segment.Bits
	// Listed reports whether the scores in a part are computed window by window.
	Listed(p *Part) bool
	// ScoresIn opens the scores of some documents of a part in the word, and reports whether
	// the part has it. It computes them where that takes all documents together.
	ScoresIn(p *Part, docs segment.Bits, to *WordScores) (ok bool, err error)
}

// BoundedWords returns the words of a query whose score is the sum of theirs, false for
// another query.
func BoundedWords(m Matcher) (words []Bounded, ok bool) {
	switch m := m.(type) {
	case *columnsMatcher:
		return []Bounded{m}, true
	case *wordMatcher:
		return []Bounded{m}, true
	case *filterMatcher, unscoredMatcher:
		return nil, true
	case *Near:
		return BoundedWords(m.Matcher)
	case boolMatcher:
		return boundedSum(m.must)
	case orMatcher:
		parts := slices.Clone(m.parts)
		for i, part := range parts {
			if one, ok := part.(boolMatcher); ok && len(one.must) == 1 && len(one.not) == 0 {
				parts[i] = one.must[0]
			}
			if needsSeveral(parts[i]) {
				return nil, false
			}
		}
		return boundedSum(parts)
	}
	return nil, false
}

func boundedSum(parts []Matcher) (words []Bounded, ok bool) {
	for _, part := range parts {
		more, ok := BoundedWords(part)
		if !ok {
			return nil, false
		}
		words = append(words, more...)
	}
	return words, true
}

// setOf returns an empty set for a word that keeps those of all parts, or nil. A query can have
// more words than there is room for the sets of: those that are not kept are garbage at once.
func (p *Part) setOf(kept []segment.Bits) segment.Bits {
	if kept == nil {
		return segment.NewBits(p.Docs())
	}
	return p.Set()
}

// Concurrent reports whether a matcher can find the matches of several parts at once, each in
// a goroutine of its own.
func Concurrent(m Matcher) bool {
	switch m := m.(type) {
	case *wordMatcher:
		return len(m.phrases) == 0
	case *columnsMatcher:
		return !slices.ContainsFunc(m.parts, func(part *wordMatcher) bool { return len(part.phrases) > 0 })
	case orMatcher:
		return allConcurrent(m.parts)
	case boolMatcher:
		return allConcurrent(m.must) && allConcurrent(m.not)
	case *Near:
		return Concurrent(m.Matcher)
	}
	return false
}

func allConcurrent(parts []Matcher) bool {
	return !slices.ContainsFunc(parts, func(part Matcher) bool { return !Concurrent(part) })
}

// A Window has the scores of some documents that follow one another. One goroutine uses it.
type Window struct {
	From, To uint32       // the documents before To
	Docs     segment.Bits // those of the part that are scored
	All      bool         // the others may get scores too, where that takes less time
	Sums     []float64    // of each document from From on

	weights []float64             // of those in touched, else 0
	touched []uint32              // documents, less From
	tables  []*segment.ScoreTable // of each term of the query, nil until it is read
}

var windows = sync.Pool{New: func() any { return new(Window) }}

// OpenWindow returns a window of up to size documents.
func OpenWindow(size int) *Window {
	w := windows.Get().(*Window)
	w.Sums = slices.Grow(w.Sums[:0], size)[:size]
	if len(w.weights) < size {
		w.weights = make([]float64, size)
	}
	return w
}

// Start goes before a document of a part, a multiple of 64.
func (w *Window) Start(docs segment.Bits, from uint32) { w.From, w.To, w.Docs = from, from, docs }

// Next goes to the next documents. All scores must be 0, and are.
func (w *Window) Next() {
	w.From = w.To
	w.To += uint32(len(w.Sums))
}

// Release makes the memory of the window available again, also after an error amid a word.
func (w *Window) Release() {
	w.Docs = nil
	clear(w.Sums)
	for _, at := range w.touched {
		w.weights[at] = 0
	}
	w.touched = w.touched[:0]
	for _, table := range w.tables {
		if table != nil {
			clear(table[:])
		}
	}
	windows.Put(w)
}

// table returns the scores of a term of the query by its number.
func (w *Window) table(n int) *segment.ScoreTable {
	for len(w.tables) <= n {
		w.tables = append(w.tables, nil)
	}
	if w.tables[n] == nil {
		w.tables[n] = new(segment.ScoreTable)
	}
	return w.tables[n]
}

// WordScores score the documents of a part in one word, one window after another.
type WordScores struct {
	lists []scoreList // all but the last add weights
	last  scoreList   // most documents have no other
	scale float64     // of columns: a weight w is a score of scale*w/(w+k1)
	k1    float64

	whole *Scores // of a word that is scored at once, else nil
}

// A scoreList is a term of a word.
type scoreList struct {
	scan   segment.Scan
	counts float64       // what an occurrence counts
	column *columnWeight // that weighs the term, or nil
	scorer *wordScorer   // that scores it
	table  int           // number of its table in a window
}

// weight returns what the term adds to the weight of a document.
func (l *scoreList) weight(freq, length uint32) float64 {
	if l.column != nil {
		return l.column.weight(l.counts*float64(freq), int(length))
	}
	return l.scorer.score(l.counts*float64(freq), int(length))
}

// of returns the score of a weight.
func (w *WordScores) of(weight float64) float64 {
	if w.last.column == nil {
		return weight
	}
	return w.scale * weight / (weight + w.k1)
}

// Score implements segment.Scorer for documents that have the last term alone.
func (w *WordScores) Score(freq, length uint32) float64 { return w.of(w.last.weight(freq, length)) }

// Joined implements segment.Scorer for documents that have others too.
func (w *WordScores) Joined(weight float64, freq, length uint32) float64 {
	return w.of(weight + w.last.weight(freq, length))
}

// Docs returns about how many documents of the part have the word, before any is scored.
func (w *WordScores) Docs() (n int) {
	if w.whole != nil {
		return len(w.whole.Sums)
	}
	for i := range w.lists {
		n += w.lists[i].scan.Docs()
	}
	return n + w.last.scan.Docs()
}

// Add adds the scores in the word to those of the documents of a window.
func (w *WordScores) Add(to *Window) error {
	if w.whole != nil {
		w.addWhole(to)
		return nil
	}
	for i := range w.lists {
		if err := w.lists[i].weigh(to); err != nil {
			return err
		}
	}
	if err := w.addLast(to); err != nil {
		return err
	}
	for _, at := range to.touched {
		if weight := to.weights[at]; weight != 0 {
			to.Sums[at] += w.of(weight)
			to.weights[at] = 0
		}
	}
	to.touched = to.touched[:0]
	return nil
}

// weigh adds the weights of the term.
func (l *scoreList) weigh(to *Window) error {
	docs := to.Docs
	if to.All {
		docs = nil
	}
	return l.scan.Read(to.From, to.To, docs, func(batch []segment.Freq) {
		for _, p := range batch {
			at := p.Doc - to.From
			if to.weights[at] == 0 {
				to.touched = append(to.touched, at)
			}
			to.weights[at] += l.weight(p.Freq, p.Length)
		}
	})
}

// addLast adds the scores of documents of the last term.
func (w *WordScores) addLast(to *Window) error {
	if to.All {
		sum := w.sum(to)
		return w.last.scan.AddScores(to.To, &sum)
	}
	sum := w.sum(to)
	return w.last.scan.Read(to.From, to.To, to.Docs, func(batch []segment.Freq) {
		for i := range batch {
			sum.Add(batch[i].Doc-to.From, &batch[i])
		}
	})
}

func (w *WordScores) sum(to *Window) segment.ScoreSum {
	sum := segment.ScoreSum{From: to.From, Sums: to.Sums, Table: to.table(w.last.table), Scorer: w}
	if len(w.lists) > 0 {
		sum.Weights = to.weights[:len(to.Sums)]
	}
	return sum
}

// addWhole adds scores that are known.
func (w *WordScores) addWhole(to *Window) {
	for word := to.From / 64; word < min(to.To/64, uint32(len(to.Docs))); word++ {
		for left := to.Docs[word] & w.whole.Docs[word]; left != 0; left &= left - 1 {
			doc := word*64 + uint32(bits.TrailingZeros64(left))
			at, _ := w.whole.Place(doc)
			to.Sums[doc-to.From] += w.whole.Sums[at]
		}
	}
}

// Release makes memory available again.
func (w *WordScores) Release() {
	if w.whole != nil {
		w.whole.Release()
	}
}

// scoreWhole scores those of some documents that have a word at once.
func (w *WordScores) scoreWhole(m Bounded, p *Part, docs segment.Bits) error {
	with := slices.Clone(docs)
	with.And(m.KeptIn(p))
	w.whole = NewScores(with)
	w.whole.Open()
	return m.Score(p, w.whole)
}

// Listed implements Bounded.
func (m *wordMatcher) Listed(p *Part) bool { return len(m.terms[p.number]) < 2 && len(m.phrases) == 0 }

// ScoresIn implements Bounded.
func (m *wordMatcher) ScoresIn(p *Part, docs segment.Bits, to *WordScores) (ok bool, err error) {
	w, err := m.scorer(p)
	if w == nil || err != nil {
		return false, err
	}
	if !m.Listed(p) {
		return true, to.scoreWhole(m, p, docs)
	}
	t := m.terms[p.number][0]
	to.last.counts, to.last.scorer, to.last.table = t.weight, w, m.tables.of(m.s, tableKey{weight: t.weight})
	return true, t.OpenScan(&to.last.scan)
}

// mostLists is the number of terms from which on a word is scored at once.
const mostLists = 8

// count returns the numbers of terms and phrases of the word in a part.
func (m *columnsMatcher) count(p *Part) (terms, phrases int) {
	for _, part := range m.parts {
		terms, phrases = terms+len(part.terms[p.number]), phrases+len(part.phrases)
	}
	return terms, phrases
}

// Listed implements Bounded.
func (m *columnsMatcher) Listed(p *Part) bool {
	terms, phrases := m.count(p)
	return phrases == 0 && terms <= mostLists
}

// ScoresIn implements Bounded.
func (m *columnsMatcher) ScoresIn(p *Part, docs segment.Bits, to *WordScores) (ok bool, err error) {
	terms, phrases := m.count(p)
	if terms+phrases == 0 {
		return false, nil
	}
	columns, err := m.weights()
	if err != nil {
		return false, err
	}
	if to.scale, _, err = m.scale(); err != nil {
		return false, err
	}
	if !m.Listed(p) {
		return true, to.scoreWhole(m, p, docs)
	}
	if to.k1 = m.rank.K1; terms > 1 {
		to.lists = make([]scoreList, terms-1)
	}
	n := 0
	for i, part := range m.parts {
		for _, t := range part.terms[p.number] {
			list := &to.last
			if n < len(to.lists) {
				list = &to.lists[n]
			}
			n++
			list.counts, list.column, list.table = t.weight, &columns[i], m.tables.of(m.s, tableKey{i, t.weight})
			if err := t.OpenScan(&list.scan); err != nil {
				return false, err
			}
		}
	}
	if terms == 2 && to.lists[0].scan.Docs() > to.last.scan.Docs() { // a sum of two has no order
		to.lists[0], to.last = to.last, to.lists[0]
	}
	return true, nil
}

// A tableKey is a column of a word, and what a term counts.
type tableKey struct {
	column int
	weight float64
}

// tables has the numbers of the tables of a word.
type tables map[tableKey]int

func (all *tables) of(s *Session, k tableKey) int {
	if *all == nil {
		*all = tables{}
	}
	n, ok := (*all)[k]
	if !ok {
		n = s.tables
		s.tables++
		(*all)[k] = n
	}
	return n
}
