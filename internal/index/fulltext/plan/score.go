package fulltext

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

// The score of a document is BM25, a sum over the words of the query and the fields
// that are searched:
//
//	boost * idf * freq*(k1+1) / (freq + k1*(1-b + b*length/average))
//	idf = ln(1 + (docs-having+0.5) / (having+0.5))
//
// freq is how often the field has the word, length the number of words of the
// field, and average its mean in all documents. docs are all documents and having
// those with the word in the field. Every number is exact and is one of the live
// documents that the caller may see. So a score depends on no merge, and on no
// document that is deleted or hidden.
//
// With query.Lucene the factor k1+1 is left out, and only documents with a word in the
// field count, as in Lucene, and lengths are rounded as there.
//
// A prefix or a fuzzy word is one word that has the freq of all its terms, a term
// that differs in d letters counting 1/(1+d). A phrase has the sum of the idf of its
// words, and its freq is the number of its places, one that needs a slop of n
// counting 1/(1+n).

// A rank is how documents are scored.
type rank struct {
	query.BM25
	boost  float64 // of the current field
	lucene bool    // without the factor k1+1
}

// most returns the most that a word with an idf of 1 adds to a score.
func (r rank) most() float64 {
	if r.lucene {
		return r.boost
	}
	return r.boost * (r.K1 + 1)
}

// stats are the numbers that scores depend on, besides the document. A cursor has
// those of the first page, so that rows that change between two pages move no hit
// from one to the other. A number is 0 while it is unknown, and else 1 too high.
type stats struct {
	docs   uint64
	words  []uint64 // of all documents, for each searched field
	having []uint64 // documents with each word of the query
	filled []uint64 // documents with words in each searched field; not in cursors
}

// average returns the mean number of words of a content field.
func (s *session) average(field string) (float64, error) {
	i := slices.IndexFunc(s.texts, func(name string) bool { return contentField(name) == field })
	if i < 0 || i >= len(s.stats.words) {
		return 1, nil
	}
	if s.stats.words[i] == 0 {
		sum := uint64(0)
		for _, p := range s.views {
			n, err := p.Words(lengthField(field), p.counted())
			if err != nil {
				return 0, err
			}
			sum += n
		}
		s.stats.words[i] = sum + 1
	}
	docs, err := s.docsOf(field)
	return float64(s.stats.words[i]-1) / max(1, docs), err
}

// docsOf returns the number of visible documents that count for a field.
func (s *session) docsOf(field string) (float64, error) {
	i := slices.IndexFunc(s.texts, func(name string) bool { return contentField(name) == field })
	if !s.rank.lucene || !s.measured || i < 0 {
		return s.allDocs(), nil
	}
	if s.stats.filled == nil {
		s.stats.filled = make([]uint64, len(s.texts))
	}
	if n := &s.stats.filled[i]; *n == 0 {
		m, err := rangePlan{lengthField(field), termRange{}}.open(s)
		if err != nil {
			return 0, err
		}
		for _, p := range s.views {
			docs, err := m.match(p, p.live)
			if err != nil {
				return 0, err
			}
			*n += uint64(docs.Count())
		}
		*n++
	}
	return float64(s.stats.filled[i] - 1), nil
}

// allDocs returns the number of visible documents.
func (s *session) allDocs() float64 {
	if s.stats.docs == 0 {
		s.stats.docs = uint64(s.docs) + 1
	}
	return float64(s.stats.docs - 1)
}

// idf returns the weight of a word with a number, among some documents. count returns
// how many visible documents have it.
func (s *session) idf(number int, docs float64, count func() (int, error)) (float64, error) {
	n := &s.stats.having[number]
	if *n == 0 {
		having, err := count()
		if err != nil {
			return 0, err
		}
		*n = uint64(having) + 1
	}
	having := float64(*n - 1)
	return math.Log1p((max(0, docs-having) + 0.5) / (having + 0.5)), nil
}

// A wordScorer computes the part of a score that one word in one field adds.
type wordScorer struct {
	weight, k1, b, average float64
	norms                  [256]float64 // of short fields
	rounded                bool         // lengths are those of Lucene
	part                   query.ScorePart
}

// scorer returns the scorer of a word in a field. text is the word as explanations
// show it.
func (s *session) scorer(text, field string, r rank, idf float64) (*wordScorer, error) {
	w := &wordScorer{weight: r.most() * idf, k1: r.K1, b: r.B, average: 1}
	if !s.measured {
		w.b = 0
	} else if average, err := s.average(field); err != nil {
		return nil, err
	} else if average > 0 {
		w.average = average
		w.part.Average = average
	}
	w.part.Word, w.part.Field, w.part.Boost, w.part.IDF = text, columnOf(field), r.boost, idf
	w.rounded = r.lucene
	for length := range w.norms {
		w.norms[length] = w.norm(length)
	}
	return w, nil
}

// luceneLength returns the length that Lucene has for a field of some words: it keeps
// the 4 leading bits of those above 24.
func luceneLength(words int) int {
	if words < 24 {
		return words
	}
	lost := max(0, bits.Len(uint(words-24))-4)
	return 24 + (words-24)>>lost<<lost
}

func (w *wordScorer) norm(length int) float64 {
	if w.rounded {
		length = luceneLength(length)
	}
	return w.k1 * (1 - w.b + w.b*float64(length)/w.average)
}

func (w *wordScorer) score(freq float64, length int) float64 {
	if length < len(w.norms) {
		return w.weight * freq / (freq + w.norms[length])
	}
	return w.weight * freq / (freq + w.norm(length))
}

// scores are those of the matches of one part.
type scores struct {
	docs     segment.Bits
	constant float64    // added to each score
	sums     []float64  // by rank in docs; nil if only constants were added
	before   []uint32   // see Bits.Ranks
	taken    *[]float64 // memory of sums

	explained *explanation        // nil: no parts are needed
	parts     [][]query.ScorePart // of each of sums
}

func newScores(docs segment.Bits) *scores { return &scores{docs: docs} }

// open makes room for a score of each document.
func (s *scores) open() {
	if s.sums != nil {
		return
	}
	s.before = s.docs.Ranks()
	n := s.docs.Count()
	s.taken = takeSums(n)
	s.sums = *s.taken
	if s.explained != nil {
		s.parts = make([][]query.ScorePart, n)
	}
}

// release makes the memory of the sums available again.
func (s *scores) release() {
	if s.taken != nil {
		giveSums(s.taken)
	}
	s.sums, s.taken = nil, nil
}

// place returns the rank of a document in docs, false if it is not there.
func (s *scores) place(doc uint32) (int, bool) {
	w := s.docs[doc/64]
	if w>>(doc%64)&1 == 0 {
		return 0, false
	}
	return int(s.before[doc/64]) + bits.OnesCount64(w&(1<<(doc%64)-1)), true
}

// addAll adds the scores of some of the documents.
func (s *scores) addAll(more *scores) {
	s.open()
	i := 0
	for doc := range more.docs.All {
		at, _ := s.place(doc)
		s.sums[at] += more.constant
		if more.sums != nil {
			s.sums[at] += more.sums[i]
		}
		if s.explained != nil {
			s.parts[at] = append(s.parts[at], more.partsAt(i)...)
		}
		i++
	}
}

// addSome adds the scores of documents of which some are scored.
func (s *scores) addSome(more *scores) {
	i := 0
	for doc := range more.docs.All {
		if at, ok := s.place(doc); ok {
			s.sums[at] += more.sums[i]
		}
		i++
	}
}

// sumsMemory keeps the memory of scores while they are computed.
var sumsMemory = sync.Pool{New: func() any { return new([]float64) }}

// takeSums returns n times 0. giveSums makes the memory available again.
func takeSums(n int) *[]float64 {
	s := sumsMemory.Get().(*[]float64)
	*s = slices.Grow((*s)[:0], n)[:n]
	clear(*s)
	return s
}

func giveSums(s *[]float64) { sumsMemory.Put(s) }
