package segment

import (
	"encoding/binary"
	"math/bits"
)

// Most documents have a frequency and a length that a table has: a posting costs a look-up.
const (
	tableFreqs   = 1 << 4
	tableLengths = 1 << 7
)

// A ScoreTable has the scores of a term by its frequency and the length of the field, 0
// for those that are not known.
type ScoreTable [tableLengths * tableFreqs]float64

// tableBits are the bits of a posting of two bytes whose score no table has.
const tableBits = 0x80e0

// tableAt returns the place in a table of a posting of two bytes.
func tableAt(posting uint64) uint64 {
	return (posting>>4&0x7f0 | posting>>1&0xf) % (tableLengths * tableFreqs)
}

// Of returns the score of a posting, 0 if it is not known.
func (t *ScoreTable) Of(p *Freq) float64 {
	if p.Freq < tableFreqs && p.Length < tableLengths {
		return t[p.Length*tableFreqs+p.Freq]
	}
	return 0
}

// Set sets the score of a posting, if the table has room for it. A frequency of 0 has no
// length in its bytes.
func (t *ScoreTable) Set(p *Freq, score float64) {
	if 0 < p.Freq && p.Freq < tableFreqs && p.Length < tableLengths {
		t[p.Length*tableFreqs+p.Freq] = score
	}
}

// A ScoreSum has the scores of documents that follow one another.
type ScoreSum struct {
	From   uint32 // the first document, a multiple of 64
	Sums   []float64
	Table  *ScoreTable // of the term that is read
	Scorer Scorer      // of what the table lacks

	// Weights are what other terms of the word add to the weights of documents, 0 for most,
	// nil for none. Those that are added become 0.
	Weights []float64
}

// A Scorer scores the documents of a term.
type Scorer interface {
	Score(freq, length uint32) float64
	// Joined scores a document in which other terms have a weight.
	Joined(weight float64, freq, length uint32) float64
}

// AddScores adds the scores of all documents from the first on and before to, as Read with
// nil reads them. It takes about 2 ns a document.
func (s *Scan) AddScores(to uint32, a *ScoreSum) error {
	if s.single {
		if a.From <= s.base && s.base < to && s.err == nil {
			a.Add(s.base-a.From, &Freq{Freq: 1, Length: s.length})
		}
		return s.src.name(s.err)
	}
	s.containers(a.From, to, func(limit uint32) { s.addContainer(limit, a) })
	return s.src.name(s.broken())
}

// addContainer adds the scores of the documents of the container before to.
func (s *Scan) addContainer(to uint32, a *ScoreSum) {
	for s.err == nil && !s.tf.broken {
		limit := min(to, s.end)
		if s.pending > 0 && s.next < limit {
			s.skip(int(s.pending))
			s.pending = 0
		}
		if s.bits != nil {
			s.addBitScores(limit, a)
		} else {
			s.addArrayScores(limit, a)
		}
		if limit == to || !s.goOn(to) {
			return
		}
	}
}

// tableBits4 are the tableBits of four postings.
const tableBits4 = tableBits * 0x0001000100010001

// addArrayScores adds the scores of the documents of an array before a limit, four at a time
// where the table has all of them. What changes with each document is in variables, which the
// CPU keeps in registers.
func (s *Scan) addArrayScores(limit uint32, a *ScoreSum) {
	data, tf, sums, weights, table := s.array, s.tf.data, a.Sums, a.Weights, a.Table
	at, next, from, low := s.tf.at, s.next, a.From, s.base-a.From
	for len(data) > 1 {
		if len(data) >= 8 && at+8 <= uint64(len(tf)) {
			four, postings := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(tf[at:])
			one, two, three, last := uint32(four&0xffff), uint32(four>>16&0xffff), uint32(four>>32&0xffff), uint32(four>>48)
			if postings&tableBits4 == 0 && s.base+last < limit && s.base+one >= next && one < two && two < three && three < last {
				a, b, c, d := table[tableAt(postings)], table[tableAt(postings>>16)], table[tableAt(postings>>32)], table[tableAt(postings>>48)]
				alone := weights == nil || weights[low+one]+weights[low+two]+weights[low+three]+weights[low+last] == 0
				if alone && a != 0 && b != 0 && c != 0 && d != 0 {
					sums[low+one] += a
					sums[low+two] += b
					sums[low+three] += c
					sums[low+last] += d
					next, data, at = s.base+last+1, data[8:], at+8
					continue
				}
			}
		}
		doc := s.base + uint32(binary.LittleEndian.Uint16(data))
		if doc >= limit {
			break
		}
		if doc < next {
			s.err = errBroken
			return
		}
		s.tf.at = at
		s.addNext(doc-from, a)
		next, data, at = doc+1, data[2:], s.tf.at
	}
	s.array, s.next, s.tf.at = data, next, at
}

// addBitScores is addArrayScores for a bitmap.
func (s *Scan) addBitScores(limit uint32, a *ScoreSum) {
	tf, table, at, all, weights := s.tf.data, a.Table, s.tf.at, a.Sums, a.Weights
	for s.next < limit {
		first := s.next &^ (wordBits - 1)
		w := s.word(first, limit)
		s.next = min(limit, first+wordBits)
		if w == 0 {
			continue
		}
		sums := (*[wordBits]float64)(all[first-a.From:])
		for ; w != 0; w &= w - 1 {
			doc := bits.TrailingZeros64(w) % wordBits
			if at+2 <= uint64(len(tf)) {
				posting := uint64(binary.LittleEndian.Uint16(tf[at:]))
				if posting&tableBits == 0 && (weights == nil || weights[int(first-a.From)+doc] == 0) {
					if score := table[tableAt(posting)]; score != 0 {
						sums[doc] += score
						at += 2
						continue
					}
				}
			}
			s.tf.at = at
			s.addNext(first-a.From+uint32(doc), a)
			at = s.tf.at
		}
	}
	s.tf.at = at
}

// addNext reads the posting of a document and adds its score.
func (s *Scan) addNext(at uint32, a *ScoreSum) {
	var p Freq
	s.take(&p)
	a.Add(at, &p)
}

// Add adds the score of a posting to that of the document at a place.
func (a *ScoreSum) Add(at uint32, p *Freq) {
	if a.Weights != nil && a.Weights[at] != 0 {
		a.Sums[at] += a.Scorer.Joined(a.Weights[at], p.Freq, p.Length)
		a.Weights[at] = 0
		return
	}
	score := a.Table.Of(p)
	if score == 0 {
		score = a.Scorer.Score(p.Freq, p.Length)
		a.Table.Set(p, score)
	}
	a.Sums[at] += score
}
