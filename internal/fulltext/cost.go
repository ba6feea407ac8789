package fulltext

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/semaphore"

	"indexerd/internal/doc"
)

// What indexing takes in memory, in bytes: measured, with zap's share, and
// rounded up. It is many times the text, so a batch is written in parts whose
// cost is bounded, and all indexes of the process share one budget. A document
// that costs more than the budget has all of it to itself.
const (
	wordCost     = 80  // a word, with its frequency or without
	positionCost = 130 // a word's position
	distinctCost = 500 // a word that is not in the document yet
	textCost     = 4   // a byte: texts are copied, folded and hashed
	shortCost    = 64  // a byte of a short text: words of ordinary length
	short        = 32 << 10

	partCost = 128 << 20 // of one part of a batch
	budgeted = 256 << 20 // of all that is being written
	budgetOf = 4         // one in so many of Go's memory limit, where that is less
)

// collectAfter is the cost of a part whose garbage is collected before another
// part takes its place in the budget. Otherwise Go would let the heap grow to
// twice what the part took.
const collectAfter = 64 << 20

// analysing is the budget of the process. Its size is decided when the first
// batch is written: main sets the memory limit before.
var analysing = sync.OnceValue(func() *budget {
	limit := debug.SetMemoryLimit(-1)
	return newBudget(min(budgeted, limit/budgetOf))
})

// A budget bounds the cost of what is written at once.
type budget struct {
	size int64
	free *semaphore.Weighted
}

func newBudget(size int64) *budget { return &budget{size, semaphore.NewWeighted(size)} }

// spend waits until f's cost is within the budget, and calls f.
func (b *budget) spend(cost int64, f func() error) error {
	cost = min(cost, b.size)
	_ = b.free.Acquire(context.Background(), cost) // fails for a context that ends only
	defer b.free.Release(cost)
	err := f()
	if cost >= collectAfter {
		runtime.GC()
	}
	return err
}

// Fits reports a row of which more words are searched than the limits allow.
func (ix *Index) Fits(row doc.Row, l doc.Limits) error {
	words, distinct := l.Words, l.Distinct
	if words == 0 {
		words = math.MaxInt
	}
	if distinct == 0 {
		distinct = math.MaxInt
	}
	b, err := ix.schema.build(row)
	if err != nil || b.textSize() <= min(words, distinct) {
		return err // a word has a byte at least
	}
	return l.CheckWords(ix.schema.count(b, words, distinct))
}

// textSize is the bytes of all texts that words are searched in.
func (b built) textSize() int {
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

// count counts the words, and the different ones of each field. It ends where
// there are more of either than asked for.
func (s *schema) count(b built, words, distinct int) (n, different int) {
	seen := map[uint64]struct{}{}
	for _, f := range s.textFields(b) {
		clear(seen)
		f.each(func(t token) bool {
			n++
			hash := xxh3.HashString(t.term)
			if _, ok := seen[hash]; !ok {
				seen[hash] = struct{}{}
				different++
			}
			return n <= words && different <= distinct
		})
		if n > words || different > distinct {
			break
		}
	}
	return n, different
}

// cost is what indexing a document takes in memory, about.
func (s *schema) cost(b built) int64 {
	size := b.textSize()
	if size < short {
		return int64(size) * shortCost
	}
	words, distinct := s.count(b, math.MaxInt, math.MaxInt)
	perWord := int64(wordCost)
	if s.Positions {
		perWord += positionCost
	}
	return int64(words)*perWord + int64(distinct)*distinctCost + int64(size)*textCost
}
