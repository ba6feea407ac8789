package fulltext

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/semaphore"

	"indexerd/internal/analysis"
	"indexerd/internal/doc"
)

// The memory that indexing needs, in bytes: measured, including zap's share, and
// rounded up. It is many times the size of the text. So a batch is written in
// parts of bounded cost, and all indexes of the process share one budget. A
// document that costs more than the budget is written alone.
const (
	wordCost     = 80  // per word, with frequencies or without
	positionCost = 130 // per position of a word
	distinctCost = 500 // per word that is new in the document
	textCost     = 4   // per byte: texts are copied, folded and hashed
	shortCost    = 64  // per byte of a short text, with words of ordinary length
	shortText    = 32 << 10

	partCost       = 128 << 20 // limit of one part of a batch
	maxBudget      = 256 << 20 // limit of all writes in progress
	budgetFraction = 4         // the budget is at most 1/4 of Go's memory limit
)

// collectAfter is the cost of a part after which the garbage is collected before
// another part uses the budget. Otherwise Go would let the heap grow to twice
// the size of the part.
const collectAfter = 64 << 20

// sharedBudget returns the budget of the process. Its size is fixed by the first
// batch, after main has set the memory limit.
var sharedBudget = sync.OnceValue(func() *budget {
	limit := debug.SetMemoryLimit(-1)
	return newBudget(min(maxBudget, limit/budgetFraction))
})

// A budget limits the total cost of concurrent writes.
type budget struct {
	size int64
	free *semaphore.Weighted
}

func newBudget(size int64) *budget { return &budget{size, semaphore.NewWeighted(size)} }

// run waits until the cost is free in the budget, and calls f.
func (b *budget) run(cost int64, f func() error) error {
	cost = min(cost, b.size)
	_ = b.free.Acquire(context.Background(), cost) // fails only if the context ends
	defer b.free.Release(cost)
	err := f()
	if cost >= collectAfter {
		runtime.GC()
	}
	return err
}

// Fits reports an error if a row has more searched words than the limits allow.
func (s *Schema) Fits(row doc.Row, l doc.Limits) error {
	words, distinct := l.Words, l.Distinct
	if words == 0 {
		words = math.MaxInt
	}
	if distinct == 0 {
		distinct = math.MaxInt
	}
	b, err := s.buildTexts(row)
	if err != nil || b.textSize() <= min(words, distinct) {
		return err // a word has at least one byte
	}
	return l.CheckWords(s.count(b, words, distinct))
}

// textSize returns the bytes of all texts with searched words.
func (b indexedDoc) textSize() int {
	n := 0
	for _, text := range b.content {
		n += len(text)
	}
	for _, texts := range b.children {
		for _, text := range texts {
			n += len(text)
		}
	}
	return n
}

// count counts the words, and the distinct words of each field. It stops when
// either count exceeds its limit.
func (s *Schema) count(b indexedDoc, maxWords, maxDistinct int) (words, distinct int) {
	seen := map[uint64]struct{}{}
	fits := func() bool { return words <= maxWords && distinct <= maxDistinct }
	for _, texts := range b.texts() {
		clear(seen)
		for _, text := range texts {
			s.analyzer.Each(text, func(t analysis.Token) bool {
				words++
				hash := xxh3.HashString(t.Term)
				if _, ok := seen[hash]; !ok {
					seen[hash] = struct{}{}
					distinct++
				}
				return fits()
			})
			if !fits() {
				return words, distinct
			}
		}
	}
	return words, distinct
}

// cost estimates the memory needed to index a document.
func (s *Schema) cost(b indexedDoc) int64 {
	size := b.textSize()
	if size < shortText {
		return int64(size) * shortCost
	}
	words, distinct := s.count(b, math.MaxInt, math.MaxInt)
	perWord := int64(wordCost)
	if s.Positions {
		perWord += positionCost
	}
	return int64(words)*perWord + int64(distinct)*distinctCost + int64(size)*textCost
}
