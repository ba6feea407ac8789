package segment

import (
	"bytes"
	"math"
	"slices"

	"indexerd/internal/index/analysis"
)

// words are the terms of one field of words in all rows of a segment, and their
// occurrences in the order of rows.
type words struct {
	table        // the terms
	present bool // any row has a text

	occs    []uint32 // terms of all rows; one with jump is followed by its position
	ends    []int    // of each row in occs
	lengths []uint32 // number of words of each row
	total   int      // occurrences of all rows
	extra   int      // occurrences of the current row that are no words
	pos     uint32   // of the last word of the current row
	allPos  uint32   // bits of all positions

	sorted []sortedTerm
	spare  []sortedTerm // for sort
	places places
	next   []uint32 // for each term, its occurrences, then where its next place goes
	token  []byte

	// Of analyzers of version Latest.
	learned   []byte                    // what is known of each word, by number: a byte, since it is read for all words of a text
	compounds table                     // those that were read
	known     []knownCompound           // what they are, by number
	steps     []step                    // of all of them
	base      int                       // position before the text whose tokens are taken
	take      func(analysis.Token) bool // takeToken
	takeStep  func(analysis.Token) bool // addStep
}

// stopped is the meaning of a word that is not indexed.
const stopped = -1

// jump marks a term that is not at the position after the one before it in its row.
const jump = 1 << 31

// bytesPerWord is less than usual, so that most texts have room for their words.
const bytesPerWord = 6

// reset prepares for texts of so many bytes.
func (w *words) reset(size int) {
	w.table.reset()
	w.occs = slices.Grow(w.occs[:0], size/bytesPerWord)
	w.ends, w.lengths = w.ends[:0], w.lengths[:0]
	w.present, w.total, w.allPos = false, 0, 0
	w.known, w.steps = w.known[:0], w.steps[:0]
	w.learned, w.take, w.takeStep = w.learned[:0], w.takeToken, w.addStep // words may have moved since the last reset
}

// add appends the texts of the next row. The positions of two texts are gap
// apart.
func (w *words) add(a *analysis.Analyzer, texts []string, gap int) {
	first := w.total
	w.present, w.pos = w.present || len(texts) > 0, 0
	for _, text := range texts {
		before := 0
		if w.total > first {
			before = int(w.pos) + gap
		}
		w.occs = double(w.occs, len(text)/bytesPerWord)
		switch {
		case !a.ASCIIWords():
			w.addTokens(a, text, before)
		case a.IsLatest():
			w.addLatest(a, text, before)
		default:
			w.addText(a, text, before)
		}
	}
	w.endRow(first)
}

// endRow ends the row that began after so many words.
func (w *words) endRow(first int) {
	w.ends, w.lengths = append(w.ends, len(w.occs)), append(w.lengths, uint32(w.total-first-w.extra))
	w.extra = 0
}

// addTokens appends the tokens of a text behind a position, and returns the last
// position that the text takes.
func (w *words) addTokens(a *analysis.Analyzer, text string, pos int) int {
	w.base = pos
	return pos + a.Each(text, w.take)
}

// meaning returns the term of a word, or false for a stop word.
func (w *words) meaning(a *analysis.Analyzer, word uint32) (uint32, bool) {
	means := w.terms[word].means
	if means == 0 {
		means = stopped
		text := w.text(word)
		if t, ok := a.Term(string(text)); ok {
			means = int32(word) + 1
			if t != string(text) {
				w.token = append(w.token[:0], t...)
				means = int32(w.find(w.token)) + 1
			}
		}
		w.terms[word].means = means
	}
	return uint32(means - 1), means != stopped
}

// occur appends an occurrence. Positions that need more than 32 bits are all the
// same one: a phrase so far down in a text may not be found.
func (w *words) occur(id uint32, pos int) {
	w.total++
	p := uint32(min(pos, math.MaxUint32))
	if p == w.pos+1 {
		w.occs = append(w.occs, id)
	} else {
		w.occs = append(w.occs, id|jump, p)
	}
	w.pos, w.allPos = p, w.allPos|p
}

// A sortedTerm is a term with its first bytes, which decide most comparisons.
type sortedTerm struct {
	prefix uint64
	id     uint32
	end    uint32 // of its places
}

// order sorts the terms that occur, and the occurrences by term, row and
// position.
func (w *words) order() {
	w.count()
	w.sorted = slices.Grow(w.sorted[:0], len(w.terms))
	for id := range w.terms {
		if w.next[id] > 0 {
			w.sorted = append(w.sorted, sortedTerm{prefix: w.terms[id].prefix, id: uint32(id)})
		}
	}
	w.sort()
	next := uint32(0)
	for i, s := range w.sorted {
		occs := w.next[s.id]
		w.next[s.id] = next
		next += occs
		w.sorted[i].end = next
	}
	w.places.order(w)
}

// sort sorts the terms: by their prefixes, a byte at a time from the last, and then those
// with the same one. This takes a fifth of the time of slices.SortFunc.
func (w *words) sort() {
	var differ uint64 // bits in which prefixes differ
	for _, t := range w.sorted {
		differ |= t.prefix ^ w.sorted[0].prefix
	}
	w.spare = slices.Grow(w.spare[:0], len(w.sorted))[:len(w.sorted)]
	for shift := 0; shift < 8*prefixSize; shift += 8 {
		if byte(differ>>shift) == 0 {
			continue
		}
		var ends [257]int // of the terms before those with a byte
		for _, t := range w.sorted {
			ends[int(byte(t.prefix>>shift))+1]++
		}
		for i := 1; i < len(ends); i++ {
			ends[i] += ends[i-1]
		}
		for _, t := range w.sorted {
			at := &ends[byte(t.prefix>>shift)]
			w.spare[*at] = t
			*at++
		}
		w.sorted, w.spare = w.spare, w.sorted
	}
	for from := 0; from < len(w.sorted); {
		to := from + 1
		for to < len(w.sorted) && w.sorted[to].prefix == w.sorted[from].prefix {
			to++
		}
		if to > from+1 {
			slices.SortFunc(w.sorted[from:to], func(a, b sortedTerm) int { return bytes.Compare(w.text(a.id), w.text(b.id)) })
		}
		from = to
	}
}

// count sets next to the number of occurrences of each term. To count them as words are
// found would take a second place in memory for each word.
func (w *words) count() {
	w.next = slices.Grow(w.next[:0], len(w.terms))[:len(w.terms)]
	next := w.next
	clear(next)
	for i := 0; i < len(w.occs); i++ {
		id := w.occs[i]
		if id >= jump {
			id &^= jump
			i++
		}
		next[id]++
	}
}
