package fulltext

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
	if err != nil || b.textSize() <= min(words, distinct) {
		return err // a word has at least one byte
	}
	return l.CheckWords(s.count(b, words, distinct))
}

// longest is how many times as long as its size a row's texts may be: numbers are
// longer.
const longest = 3

// textSize returns the bytes of all texts with searched words.
func (b indexedDoc) textSize() int {
	n := 0
	for _, texts := range b.texts {
		for _, text := range texts {
			n += len(text)
		}
	}
	return n
}

// count counts the words, and the distinct words of each field. It stops when
// either count exceeds its limit.
func (s *Schema) count(b indexedDoc, maxWords, maxDistinct int) (words, distinct int) {
	var v vocabulary
	v.add(s, b, func() bool { return v.words <= maxWords && len(v.seen) <= maxDistinct })
	return v.words, v.distinct()
}

// A vocabulary is the distinct words of each field of documents.
type vocabulary struct {
	size, words int // bytes of texts, and words
	seen        map[uint64]struct{}
}

func (v *vocabulary) distinct() int { return len(v.seen) }

// add adds the words of a document, until one after which more returns false.
func (v *vocabulary) add(s *Schema, b indexedDoc, more func() bool) {
	if v.seen == nil {
		v.seen = map[uint64]struct{}{}
	}
	v.size += b.textSize()
	for field, texts := range b.texts {
		for _, text := range texts {
			s.Analysis.Each(text, func(t analysis.Token) bool {
				v.words++
				v.seen[xxh3.HashStringSeed(t.Term, uint64(field))] = struct{}{}
				return more()
			})
			if !more() {
				return
			}
		}
	}
}
