package segment

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Bits are a set of the documents of one segment, a bit for each.
type Bits []uint64

const wordBits = 64

// NewBits returns an empty set for a segment of so many documents.
func NewBits(docs int) Bits { return make(Bits, (docs+wordBits-1)/wordBits) }

// AllBits returns the set of all documents of a segment.
func AllBits(docs int) Bits {
	b := NewBits(docs)
	for i := range b {
		b[i] = math.MaxUint64
	}
	if over := docs % wordBits; over > 0 {
		b[len(b)-1] = 1<<over - 1
	}
	return b
}

// Has reports whether a document is in the set.
func (b Bits) Has(doc uint32) bool { return b[doc/wordBits]>>(doc%wordBits)&1 != 0 }

// Set adds a document.
func (b Bits) Set(doc uint32) { b[doc/wordBits] |= 1 << (doc % wordBits) }

// Clear removes a document.
func (b Bits) Clear(doc uint32) { b[doc/wordBits] &^= 1 << (doc % wordBits) }

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

// hasAny reports whether a document from from on and before to is in the set.
func (b Bits) hasAny(from, to uint32) bool {
	to = min(to, uint32(len(b)*wordBits))
	any := false
	if from < to {
		eachWord(from, to-1, func(word int, mask uint64) { any = any || b[word]&mask != 0 })
	}
	return any
}

// All iterates over the documents in order.
func (b Bits) All(yield func(doc uint32) bool) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			if !yield(uint32(i*wordBits + bits.TrailingZeros64(w))) {
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

// A docSink takes the documents of a postings list.
type docSink interface {
	addRun(first, last uint32)
	addBits(high uint32, data []byte) // one bit for each document from high on
	addArray(high uint32, data []byte)
}

// An adder adds documents to a set.
type adder struct {
	to     Bits
	broken bool // a document is not one of the segment
}

func (a *adder) addRun(first, last uint32) {
	if int(last/wordBits) >= len(a.to) {
		a.broken = true
		return
	}
	eachWord(first, last, func(word int, mask uint64) { a.to[word] |= mask })
}

func (a *adder) addBits(high uint32, data []byte) {
	to := a.to[min(len(a.to), int(high/wordBits)):]
	for i := 0; i < len(data); i += 8 {
		w := binary.LittleEndian.Uint64(data[i:])
		if i/8 < len(to) {
			to[i/8] |= w
		} else if w != 0 {
			a.broken = true
		}
	}
}

func (a *adder) addArray(high uint32, data []byte) {
	for ; len(data) > 1; data = data[2:] {
		doc := high | uint32(data[0]) | uint32(data[1])<<8
		if int(doc/wordBits) >= len(a.to) {
			a.broken = true
			return
		}
		a.to.Set(doc)
	}
}

// A counter counts the documents that are in a set.
type counter struct {
	in Bits
	n  int
}

func (c *counter) addRun(first, last uint32) {
	last = min(last, uint32(len(c.in)*wordBits-1))
	if first <= last {
		eachWord(first, last, func(word int, mask uint64) { c.n += bits.OnesCount64(c.in[word] & mask) })
	}
}

func (c *counter) addBits(high uint32, data []byte) {
	in := c.in[min(len(c.in), int(high/wordBits)):]
	for i := 0; i < len(data) && i/8 < len(in); i += 8 {
		c.n += bits.OnesCount64(in[i/8] & binary.LittleEndian.Uint64(data[i:]))
	}
}

func (c *counter) addArray(high uint32, data []byte) {
	for ; len(data) > 1; data = data[2:] {
		doc := high | uint32(data[0]) | uint32(data[1])<<8
		if int(doc/wordBits) < len(c.in) && c.in.Has(doc) {
			c.n++
		}
	}
}

// eachWord calls f with the words that hold the documents from first to last, and
// with their bits.
func eachWord(first, last uint32, f func(word int, mask uint64)) {
	for word := first / wordBits; word <= last/wordBits; word++ {
		mask := ^uint64(0)
		if word == first/wordBits {
			mask <<= first % wordBits
		}
		if word == last/wordBits {
			mask &= ^uint64(0) >> (wordBits - 1 - last%wordBits)
		}
		f(int(word), mask)
	}
}
