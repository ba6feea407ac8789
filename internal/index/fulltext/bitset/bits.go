// Package bitset has sets of the documents of one segment.
package bitset

import (
	"math"
	"math/bits"
)

// Bits are a set of the documents of one segment, a bit for each.
type Bits []uint64

// WordBits is the number of documents of a word of a set.
const WordBits = 64

// New returns an empty set for a segment of so many documents.
func New(docs int) Bits { return make(Bits, (docs+WordBits-1)/WordBits) }

// All returns the set of all documents of a segment.
func All(docs int) Bits {
	b := New(docs)
	b.SetAll(docs)
	return b
}

// SetAll adds all documents of a segment of so many.
func (b Bits) SetAll(docs int) {
	for i := range b {
		b[i] = math.MaxUint64
	}
	if over := docs % WordBits; over > 0 {
		b[len(b)-1] = 1<<over - 1
	}
}

// Has reports whether a document is in the set.
func (b Bits) Has(doc uint32) bool { return b[doc/WordBits]>>(doc%WordBits)&1 != 0 }

// Set adds a document.
func (b Bits) Set(doc uint32) { b[doc/WordBits] |= 1 << (doc % WordBits) }

// Clear removes a document.
func (b Bits) Clear(doc uint32) { b[doc/WordBits] &^= 1 << (doc % WordBits) }

// And removes the documents that are not in the other set.
func (b Bits) And(other Bits) {
	for i, w := range other {
		b[i] &= w
	}
}

// AndNot removes the documents of the other set.
func (b Bits) AndNot(other Bits) {
	for i, w := range other {
		b[i] &^= w
	}
}

// Or adds the documents of the other set.
func (b Bits) Or(other Bits) {
	for i, w := range other {
		b[i] |= w
	}
}

// OrAnd adds the documents that two other sets have.
func (b Bits) OrAnd(one, other Bits) {
	one, other = one[:len(b)], other[:len(b)]
	for i := range b {
		b[i] |= one[i] & other[i]
	}
}

// AndCount removes the documents that are not in the other set, and counts those that are.
func (b Bits) AndCount(other Bits) int {
	n := 0
	for i, w := range other[:len(b)] {
		w &= b[i]
		b[i] = w
		n += bits.OnesCount64(w)
	}
	return n
}

// CountAnd returns the number of documents that are in another set too.
func (b Bits) CountAnd(other Bits) int {
	n := 0
	for i, w := range other[:len(b)] {
		n += bits.OnesCount64(b[i] & w)
	}
	return n
}

// Any reports whether the set has documents.
func (b Bits) Any() bool {
	for _, w := range b {
		if w != 0 {
			return true
		}
	}
	return false
}

// Count returns the number of documents.
func (b Bits) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// HasAny reports whether a document from from on and before to is in the set.
func (b Bits) HasAny(from, to uint32) bool {
	to = min(to, uint32(len(b)*WordBits))
	any := false
	if from < to {
		EachWord(from, to-1, func(word int, mask uint64) { any = any || b[word]&mask != 0 })
	}
	return any
}

// All iterates over the documents in order.
func (b Bits) All(yield func(doc uint32) bool) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			if !yield(uint32(i*WordBits + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// Ranks returns, for each word of the set, the number of documents in the words before.
func (b Bits) Ranks() []uint32 {
	ranks, n := make([]uint32, len(b)), 0
	for i, w := range b {
		ranks[i] = uint32(n)
		n += bits.OnesCount64(w)
	}
	return ranks
}

// Batches divides the set into sets of so many documents, in order. A set is valid until
// the next one.
func (b Bits) Batches(size int) func(yield func(Bits) bool) {
	return func(yield func(Bits) bool) {
		n, batch := 0, make(Bits, len(b))
		for doc := range b.All {
			batch.Set(doc)
			if n++; n%size == 0 {
				if !yield(batch) {
					return
				}
				clear(batch)
			}
		}
		if n%size > 0 {
			yield(batch)
		}
	}
}

// EachWord calls f with the words that hold the documents from first to last, and
// with their bits.
func EachWord(first, last uint32, f func(word int, mask uint64)) {
	for word := first / WordBits; word <= last/WordBits; word++ {
		mask := ^uint64(0)
		if word == first/WordBits {
			mask <<= first % WordBits
		}
		if word == last/WordBits {
			mask &= ^uint64(0) >> (WordBits - 1 - last%WordBits)
		}
		f(int(word), mask)
	}
}
