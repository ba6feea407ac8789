package schema

import (
	"math"

	"github.com/zeebo/xxh3"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
)

// Fits reports an error if a row has more searched words than the limits allow.
func (s *Schema) Fits(row doc.Row, l doc.Limits) error {
	words, distinct := l.Words, l.Distinct
	if words == 0 {
		words = math.MaxInt
	}
	if distinct == 0 {
		distinct = math.MaxInt
	}
	if longest*row.Size() <= min(words, distinct) {
		return nil
	}
	b, err := s.buildTexts(row)
	if err != nil || b.TextSize() <= min(words, distinct) {
		return err // a word has at least one byte
	}
	v := Vocabulary{alone: true}
	v.Add(s, b, func() bool { return v.Words <= words && len(v.seen) <= distinct })
	return l.CheckWords(v.Words, v.Distinct())
}

// longest is how many times as long as its size a row's texts may be: numbers are
// longer.
const longest = 3

// TextSize returns the bytes of all texts with searched words.
func (b Indexed) TextSize() int {
	n := 0
	for _, texts := range b.Texts {
		for _, text := range texts {
			n += len(text)
		}
	}
	return n
}

// Count counts the words with their other forms, and the distinct ones of each field. It
// stops when either count exceeds its limit.
func (s *Schema) Count(b Indexed, maxWords, maxDistinct int) (words, distinct int) {
	var v Vocabulary
	v.Add(s, b, func() bool { return v.Words <= maxWords && len(v.seen) <= maxDistinct })
	return v.Words, v.Distinct()
}

// A Vocabulary is the distinct words of each field of documents.
type Vocabulary struct {
	Size, Words int // bytes of texts, and words
	seen        map[uint64]struct{}
	alone       bool // count words without the other forms that stand beside them
}

// Distinct returns the number of distinct words of all fields.
func (v *Vocabulary) Distinct() int { return len(v.seen) }

// Add adds the words of a document, until one after which more returns false.
func (v *Vocabulary) Add(s *Schema, b Indexed, more func() bool) {
	if v.seen == nil {
		v.seen = map[uint64]struct{}{}
	}
	v.Size += b.TextSize()
	for field, texts := range b.Texts {
		for _, text := range texts {
			s.Analysis.Each(text, func(t analysis.Token) bool {
				if v.alone && t.Form.Extra() {
					return true
				}
				v.Words++
				v.seen[xxh3.HashStringSeed(t.Term, uint64(field))] = struct{}{}
				return more()
			})
			if !more() {
				return
			}
		}
	}
}
