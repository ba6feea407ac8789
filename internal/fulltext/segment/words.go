package segment

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"indexerd/internal/analysis"
)

// words are the terms of one field of words in all rows of a segment, and their
// occurrences in the order of rows.
type words struct {
	present bool   // any row has a text
	slots   []slot // hash table of terms; its length is a power of two
	terms   []term
	bytes   []byte // letters of all terms
	occs    []occurrence
	ends    []int // of each row in occs
	sorted  []sortedTerm
	places  []place
	tokens  []analysis.Token
	token   []byte
}

// A term is a word in lower case: as the index has it, or as a text has it.
type term struct {
	prefix   uint64 // of its letters
	at, size uint32
	occs     uint32
	means    int32 // as a word of a text: the number of its term plus 1, stopped, or 0 while unknown
}

// stopped is the meaning of a word that is not indexed.
const stopped = -1

// An occurrence is a term at a position of a row.
type occurrence struct{ term, pos uint32 }

// A place is where a term occurs.
type place struct{ doc, pos uint32 }

// bytesPerWord is less than usual, so that most texts have room for their words.
const bytesPerWord = 6

// reset prepares for texts of so many bytes.
func (w *words) reset(size int) {
	if len(w.slots) == 0 || len(w.slots) > 16*(len(w.terms)+1024) {
		w.slots = make([]slot, 1<<12)
	}
	clear(w.slots)
	w.present = false
	w.terms, w.bytes, w.occs, w.ends = w.terms[:0], w.bytes[:0], slices.Grow(w.occs[:0], size/bytesPerWord), w.ends[:0]
}

// add appends the texts of the next row. The positions of two texts are gap
// apart.
func (w *words) add(a *analysis.Analyzer, texts []string, gap int) {
	first := len(w.occs)
	w.present = w.present || len(texts) > 0
	for _, text := range texts {
		before := 0
		if n := len(w.occs); n > first {
			before = int(w.occs[n-1].pos) + gap
		}
		if letters := a.ASCIIWords(); letters != nil && isASCII(text) {
			w.addASCII(a, letters, text, before)
		} else {
			w.addTokens(a, text, before)
		}
	}
	w.ends = append(w.ends, len(w.occs))
}

// length returns the number of words of a row.
func (w *words) length(row int) int {
	if row == 0 {
		return w.ends[0]
	}
	return w.ends[row] - w.ends[row-1]
}

func (w *words) addTokens(a *analysis.Analyzer, text string, before int) {
	w.tokens = a.Tokens(w.tokens[:0], text)
	for _, t := range w.tokens {
		w.token = append(w.token[:0], t.Term...)
		w.occur(w.find(w.token), before+t.Pos)
	}
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
	w.terms[id].occs++
	w.occs = append(w.occs, occurrence{id, uint32(min(pos, math.MaxUint32))})
}

func (w *words) text(id uint32) []byte {
	t := &w.terms[id]
	return w.bytes[t.at : t.at+t.size]
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
	w.sorted = w.sorted[:0]
	for id := range w.terms {
		if w.terms[id].occs > 0 {
			w.sorted = append(w.sorted, sortedTerm{prefix: w.terms[id].prefix, id: uint32(id)})
		}
	}
	slices.SortFunc(w.sorted, func(a, b sortedTerm) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(w.text(a.id), w.text(b.id))
	})
	next := uint32(0)
	for i, s := range w.sorted {
		n := w.terms[s.id].occs
		w.terms[s.id].occs = next // from here on, where its next occurrence goes
		next += n
		w.sorted[i].end = next
	}
	w.places = slices.Grow(w.places[:0], len(w.occs))[:len(w.occs)]
	from := 0
	for row, end := range w.ends {
		for _, o := range w.occs[from:end] {
			at := &w.terms[o.term].occs
			w.places[*at] = place{uint32(row), o.pos}
			*at++
		}
		from = end
	}
}
