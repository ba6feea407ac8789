package segment

import (
	"encoding/binary"
	"math/bits"

	"indexerd/internal/index/fulltext/bitset"
)

// Bits are a set of the documents of one segment.
type Bits = bitset.Bits

// WordBits is the number of documents of a word of a set.
const WordBits = bitset.WordBits

const wordBits = WordBits

// NewBits returns an empty set for a segment of so many documents.
func NewBits(docs int) Bits { return bitset.New(docs) }

// AllBits returns the set of all documents of a segment.
func AllBits(docs int) Bits { return bitset.All(docs) }

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
	bitset.EachWord(first, last, func(word int, mask uint64) { a.to[word] |= mask })
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
	to := a.to[min(len(a.to), int(high/wordBits)):]
	for ; len(data) >= 8; data = data[8:] {
		four := binary.LittleEndian.Uint64(data)
		one, two, three, last := four>>6&0x3ff, four>>22&0x3ff, four>>38&0x3ff, four>>54
		if n := uint64(len(to)); one >= n || two >= n || three >= n || last >= n {
			a.broken = true
			return
		}
		to[one] |= 1 << (four & 63)
		to[two] |= 1 << (four >> 16 & 63)
		to[three] |= 1 << (four >> 32 & 63)
		to[last] |= 1 << (four >> 48 & 63)
	}
	for ; len(data) > 1; data = data[2:] {
		doc := uint32(binary.LittleEndian.Uint16(data))
		if int(doc/wordBits) >= len(to) {
			a.broken = true
			return
		}
		to.Set(doc)
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
		bitset.EachWord(first, last, func(word int, mask uint64) { c.n += bits.OnesCount64(c.in[word] & mask) })
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
