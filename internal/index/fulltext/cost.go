package fulltext

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
)

// The memory that indexing needs, in bytes: the most that building a segment has
// allocated in TestCostBoundsMemory, rounded up. It can be many times the size of the
// text. So a batch is written in parts of bounded cost, and all indexes of the process
// share one budget. A document that costs more than the budget is written alone.
const (
	docCost      = 400 // per document without text
	wordCost     = 45  // per word, with frequencies or without
	positionCost = 20  // per position of a word
	distinctCost = 350 // per word that is new in the document
	textCost     = 4   // per byte: texts are copied, folded and hashed
	shortCost    = 64  // per byte of a short text, with words of ordinary length
	shortText    = 32 << 10

	partCost       = 128 << 20 // limit of one part of a batch
	maxBudget      = 256 << 20 // limit of all writes in progress
	budgetFraction = 4         // the budget is at most 1/4 of Go's memory limit
)

// collectAfter is the cost of a part after which the garbage is collected before
// another part uses the budget. Otherwise Go would let the heap grow to twice
// the size of the part. Texts of a full batch cost less.
const collectAfter = partCost / 8 * 7

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

// costOf estimates the memory needed to index a document. A byte of a short text costs
// perByte.
func costOf(s *schema.Schema, b schema.Indexed, perByte int64) int64 {
	size := b.TextSize()
	if size < shortText {
		return docCost + int64(size)*perByte
	}
	words, distinct := s.Count(b, math.MaxInt, math.MaxInt)
	return docCost + int64(words)*costOfWord(s) + int64(distinct)*distinctCost + int64(size)*textCost
}

func costOfWord(s *schema.Schema) int64 {
	if s.Positions {
		return wordCost + positionCost
	}
	return wordCost
}

const (
	inSample      = 64  // documents of the sample of a batch
	fewPuts       = 512 // documents for which there is no sample
	leastExponent = 0.5 // by which the number of distinct words grows
)

// costOfByte returns what a byte of the short texts of a batch costs, from the words of
// a sample of them. Of n times as many words, n^k times as many are distinct, where k
// is taken from the sample and a half of it (Heaps, Information Retrieval, 1978).
func costOfByte(s *schema.Schema, puts []doc.Doc) (int64, error) {
	if len(puts) < fewPuts {
		return shortCost, nil
	}
	var all, half schema.Vocabulary
	complete := func() bool { return true }
	var in schema.Lists
	step := len(puts) / inSample
	for n := range inSample {
		i := n*step + step/2
		b, err := s.Built(&puts[i], &in)
		if err != nil {
			return 0, fmt.Errorf("document %s: %w", puts[i].OID, err)
		}
		if b.TextSize() >= shortText {
			continue
		}
		all.Add(s, b, complete)
		if n%2 == 0 {
			half.Add(s, b, complete)
		}
	}
	if all.Words == 0 || half.Words == 0 || half.Words == all.Words {
		return shortCost, nil
	}
	k := math.Log(float64(all.Distinct())/float64(half.Distinct())) / math.Log(float64(all.Words)/float64(half.Words))
	k = min(max(k, leastExponent), 1)
	share := float64(all.Distinct()) * math.Pow(float64(step), k-1) // of the distinct words of the batch
	return int64(float64(all.Words)*float64(costOfWord(s))+share*distinctCost)/int64(all.Size) + 1, nil
}
