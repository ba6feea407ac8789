package bitset

import (
	"encoding/binary"
	"math/bits"
	"sort"
)

// Documents that follow one another in a segment are stored as a run, as a bitmap or as an
// array, whichever is the shortest.

// A Run has all documents from the first to the last.
type Run [2]uint32

// Last returns the last document.
func (r Run) Last() uint32 { return r[1] }

// Has reports whether a document up to the last is in the run.
func (r Run) Has(doc uint32) bool { return r[0] <= doc }

// Count returns the number of documents from from on and before to, both in the run.
func (r Run) Count(from, to uint32) int { return int(to - from) }

// A Bitmap has a bit for each document from the first on.
type Bitmap struct {
	First uint32
	Data  []byte // words, of which the last is not 0
}

func (b Bitmap) word(at uint32) uint64 { return binary.LittleEndian.Uint64(b.Data[8*at:]) }

// Last returns the last document.
func (b Bitmap) Last() uint32 {
	words := uint32(len(b.Data) / 8)
	return b.First + words*WordBits - 1 - uint32(bits.LeadingZeros64(b.word(words-1)))
}

// Has reports whether a document up to the last is in the bitmap.
func (b Bitmap) Has(doc uint32) bool {
	return doc >= b.First && b.word((doc-b.First)/WordBits)>>((doc-b.First)%WordBits)&1 != 0
}

// Count returns the number of documents from from on and before to, both up to the last.
func (b Bitmap) Count(from, to uint32) (n int) {
	if from < to {
		EachWord(from-b.First, to-1-b.First, func(word int, mask uint64) { n += bits.OnesCount64(b.word(uint32(word)) & mask) })
	}
	return n
}

// An Array has two bytes for each document, what it is behind the first that there could be.
type Array struct {
	First uint32
	Data  []byte
}

func (a Array) at(i int) uint32 { return a.First | uint32(binary.LittleEndian.Uint16(a.Data[2*i:])) }

// search returns the place of the first document from one on.
func (a Array) search(doc uint32) int {
	return sort.Search(len(a.Data)/2, func(i int) bool { return a.at(i) >= doc })
}

// Last returns the last document.
func (a Array) Last() uint32 { return a.at(len(a.Data)/2 - 1) }

// Has reports whether a document is in the array.
func (a Array) Has(doc uint32) bool {
	i := a.search(doc)
	return 2*i < len(a.Data) && a.at(i) == doc
}

// Count returns the number of documents from from on and before to.
func (a Array) Count(from, to uint32) int { return max(0, a.search(to)-a.search(from)) }
