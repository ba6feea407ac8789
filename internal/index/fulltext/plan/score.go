package plan

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"indexerd/internal/index/fulltext/schema"
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

// Stats are the numbers that scores depend on, besides the document. A cursor has
// those of the first page, so that rows that change between two pages move no hit
// from one to the other. A number is 0 while it is unknown, and else 1 too high.
type Stats struct {
	Docs   uint64
	Words  []uint64 // of all documents, for each searched field
	Having []uint64 // documents with each word of the query
	filled []uint64 // documents with words in each searched field; not in cursors
}

// average returns the mean number of words of a content field.
func (s *Session) average(field string) (float64, error) {
	i := slices.IndexFunc(s.texts, func(name string) bool { return schema.ContentField(name) == field })
	if i < 0 || i >= len(s.Stats.Words) {
		return 1, nil
	}
	if s.Stats.Words[i] == 0 {
		sum := uint64(0)
		for _, p := range s.Parts {
			n, err := s.wordsIn(p, field)
			if err != nil {
				return 0, err
			}
			sum += n
		}
		s.Stats.Words[i] = sum + 1
	}
	docs, err := s.docsOf(field)
	return float64(s.Stats.Words[i]-1) / max(1, docs), err
}

// docsOf returns the number of visible documents that count for a field.
func (s *Session) docsOf(field string) (float64, error) {
	i := slices.IndexFunc(s.texts, func(name string) bool { return schema.ContentField(name) == field })
	if !s.rank.lucene || !s.measured || i < 0 {
		return s.allDocs(), nil
	}
	if s.Stats.filled == nil {
		s.Stats.filled = make([]uint64, len(s.texts))
	}
	if n := &s.Stats.filled[i]; *n == 0 {
		m, err := rangePlan{schema.LengthField(field), schema.Range{}}.Open(s)
		if err != nil {
			return 0, err
		}
		for _, p := range s.Parts {
			docs, err := m.Match(p, p.Live)
			if err != nil {
				return 0, err
			}
			*n += uint64(docs.Count())
		}
		*n++
	}
	return float64(s.Stats.filled[i] - 1), nil
}

// allDocs returns the number of visible documents.
func (s *Session) allDocs() float64 {
	if s.Stats.Docs == 0 {
		s.Stats.Docs = uint64(s.docs) + 1
	}
	return float64(s.Stats.Docs - 1)
}

// Documents returns the number of visible documents.
func (s *Session) Documents() int { return s.docs }

// idf returns the weight of a word with a number, among some documents. count returns
// how many visible documents have it.
func (s *Session) idf(number int, docs float64, count func() (int, error)) (float64, error) {
	n := &s.Stats.Having[number]
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

// isNowhere reports whether no visible document has a word, after idf. Its field then is
// not looked at: the numbers in a cursor would show that a hidden document has the word.
func (s *Session) isNowhere(number int) bool { return s.Stats.Having[number] == 1 }

// A wordScorer computes the part of a score that one word in one field adds.
type wordScorer struct {
	weight, k1, b, average float64
	norms                  [256]float64 // of short fields
	rounded                bool         // lengths are those of Lucene
	part                   query.ScorePart
}

// scorer returns the scorer of a word in a field. text is the word as explanations
// show it.
func (s *Session) scorer(text, field string, r rank, idf float64) (*wordScorer, error) {
	w := &wordScorer{weight: r.most() * idf, k1: r.K1, b: r.B, average: 1}
	if !s.measured {
		w.b = 0
	} else if average, err := s.average(field); err != nil {
		return nil, err
	} else if average > 0 {
		w.average = average
		w.part.Average = average
	}
	w.part.Word, w.part.Field, w.part.Boost, w.part.IDF = text, schema.ColumnOf(field), r.boost, idf
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

// Scores are those of the matches of one part.
type Scores struct {
	Docs     segment.Bits
	Constant float64    // added to each score
	Sums     []float64  // by rank in docs; nil if only constants were added
	Ranks    []uint32   // see Bits.Ranks
	taken    *[]float64 // memory of sums

	explained *Explanation        // nil: no parts are needed
	parts     [][]query.ScorePart // of each of sums
}

// NewScores returns the scores of documents of one part, 0 until they are added.
func NewScores(docs segment.Bits) *Scores { return &Scores{Docs: docs} }

// Open makes room for a score of each document.
func (s *Scores) Open() {
	if s.Sums != nil {
		return
	}
	s.Ranks = s.Docs.Ranks()
	n := s.Docs.Count()
	s.taken = takeSums(n)
	s.Sums = *s.taken
	if s.explained != nil {
		s.parts = make([][]query.ScorePart, n)
	}
}

// Release makes the memory of the sums available again.
func (s *Scores) Release() {
	if s.taken != nil {
		giveSums(s.taken)
	}
	s.Sums, s.taken = nil, nil
}

// Place returns the rank of a document in docs, false if it is not there.
func (s *Scores) Place(doc uint32) (int, bool) {
	w := s.Docs[doc/64]
	if w>>(doc%64)&1 == 0 {
		return 0, false
	}
	return int(s.Ranks[doc/64]) + bits.OnesCount64(w&(1<<(doc%64)-1)), true
}

// addAll adds the scores of some of the documents.
func (s *Scores) addAll(more *Scores) {
	s.Open()
	i := 0
	for doc := range more.Docs.All {
		at, _ := s.Place(doc)
		s.Sums[at] += more.Constant
		if more.Sums != nil {
			s.Sums[at] += more.Sums[i]
		}
		if s.explained != nil {
			s.parts[at] = append(s.parts[at], more.PartsAt(i)...)
		}
		i++
	}
}

// AddSome adds the scores of documents of which some are scored.
func (s *Scores) AddSome(more *Scores) {
	i := 0
	for doc := range more.Docs.All {
		if at, ok := s.Place(doc); ok {
			s.Sums[at] += more.Sums[i]
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
