package segment

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A table gives words numbers, in the order in which it finds them. It has the letters of
// all of them.
type table struct {
	slots []slot // their number is a power of two; a quarter is free
	shift int    // of the tag of a slot, to where it belongs
	terms []term
	bytes []byte // letters of all terms
}

// A term is a word: its letters, and the first of them as a prefix.
type term struct {
	prefix   uint64
	at, size uint32
	means    int32 // of version First: the number of the term of the word plus 1, stopped, or 0 while unknown; of Latest: the number of its stem
}

// A slot is free, or has what most comparisons need of a term: a word is found without a
// look at its letters, if they are all in the prefix.
type slot struct {
	prefix uint64
	tag    uint32 // hash, with the size in the low bits: see sizeBits
	id     uint32 // number of the term plus 1, 0 if it is free
}

// sizeBits of a tag have the size of a word of up to eight bytes, and longer of others. So
// a prefix and a tag are those of one word only, unless it is longer.
const (
	sizeBits = 1<<4 - 1
	longer   = prefixSize + 1
)

// reset empties the table, and frees memory that it used too little of.
func (t *table) reset() {
	if len(t.slots) == 0 || len(t.slots) > 16*(len(t.terms)+1024) {
		t.resize(1 << 12)
	}
	clear(t.slots)
	t.terms, t.bytes = t.terms[:0], t.bytes[:0]
}

func (t *table) resize(slots int) {
	t.slots, t.shift = make([]slot, slots), 32-bits.TrailingZeros(uint(slots))
}

// prefixSize is the number of bytes of a prefix.
const prefixSize = 8

// prefix returns the first eight bytes of a term as a number that orders like
// the term.
func prefix[T string | []byte](term T) (p uint64) {
	for i := range min(prefixSize, len(term)) {
		p |= uint64(term[i]) << (56 - 8*i)
	}
	return p
}

// oddFactor makes the high bits of a product depend on all bits.
const oddFactor = 0x9e3779b97f4a7c15

// shortTag returns the tag of a word of up to eight bytes. The high bits of a hash are the
// best.
func shortTag(prefix uint64, size int) uint32 {
	return uint32((prefix^prefix>>32^uint64(size))*oddFactor>>32)&^sizeBits | uint32(size)
}

// longTag returns the tag of a longer word.
func longTag(word []byte, prefix uint64) uint32 {
	h := (prefix ^ prefix>>32 ^ uint64(len(word))) * oddFactor
	for rest := word[prefixSize:]; len(rest) > prefixSize; rest = rest[prefixSize:] {
		h = (bits.RotateLeft64(h, 29) ^ binary.LittleEndian.Uint64(rest)) * oddFactor
	}
	h = (bits.RotateLeft64(h, 29) ^ binary.LittleEndian.Uint64(word[len(word)-prefixSize:])) * oddFactor
	return uint32(h>>32)&^sizeBits | longer
}

// find returns the number of a word, which it adds if it is new.
func (t *table) find(word []byte) uint32 {
	if len(word) <= prefixSize {
		return t.findShort(prefix(word), len(word))
	}
	return t.findLong(word, binary.BigEndian.Uint64(word))
}

// findShort is find for a word of up to eight bytes, which are its prefix.
func (t *table) findShort(prefix uint64, size int) uint32 {
	tag := shortTag(prefix, size)
	mask := uint32(len(t.slots) - 1)
	for i := tag >> t.shift; ; i++ {
		s := &t.slots[i&mask]
		if s.prefix == prefix && s.tag == tag && s.id != 0 {
			return s.id - 1
		}
		if s.id == 0 {
			var word [prefixSize]byte
			binary.BigEndian.PutUint64(word[:], prefix)
			return t.insert(s, slot{prefix: prefix, tag: tag}, word[:size])
		}
	}
}

func (t *table) findLong(word []byte, prefix uint64) uint32 {
	tag := longTag(word, prefix)
	mask := uint32(len(t.slots) - 1)
	for i := tag >> t.shift; ; i++ {
		s := &t.slots[i&mask]
		if s.id == 0 {
			return t.insert(s, slot{prefix: prefix, tag: tag}, word)
		}
		if s.prefix == prefix && s.tag == tag && bytes.Equal(t.text(s.id-1), word) {
			return s.id - 1
		}
	}
}

// insert adds a word, whose free slot is known.
func (t *table) insert(at *slot, s slot, word []byte) uint32 {
	id := uint32(len(t.terms))
	s.id = id + 1
	*at = s
	t.terms, t.bytes = double(t.terms, 1), double(t.bytes, len(word))
	t.terms = append(t.terms, term{prefix: s.prefix, at: uint32(len(t.bytes)), size: uint32(len(word))})
	t.bytes = append(t.bytes, word...)
	if 4*len(t.terms) > 3*len(t.slots) {
		t.grow()
	}
	return id
}

func (t *table) text(id uint32) []byte {
	one := &t.terms[id]
	return t.bytes[one.at : one.at+one.size]
}

// double makes room for n more elements. append would make a large list longer by a
// quarter only, and leave five times as much garbage as there are elements.
func double[T any](list []T, n int) []T {
	if len(list)+n <= cap(list) {
		return list
	}
	return slices.Grow(list, len(list)+n)
}

func (t *table) grow() {
	old := t.slots
	t.resize(2 * len(old))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		i := s.tag >> t.shift
		for t.slots[i].id != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}
