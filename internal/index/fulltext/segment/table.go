package segment

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// A slot is the hash of a term and, in the low bits, the number of the term plus 1.
type slot uint64

const slotHash = slot(math.MaxUint32) << 32

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

// shortHash digests a word of up to eight bytes. Its high bits are the best.
func shortHash(prefix uint64, size int) uint64 {
	return (prefix ^ prefix>>32 ^ uint64(size)) * oddFactor
}

// longHash digests a longer word.
func longHash(word []byte, prefix uint64) uint64 {
	h := shortHash(prefix, len(word))
	for rest := word[prefixSize:]; len(rest) > 0; rest = rest[min(len(rest), prefixSize):] {
		var part uint64
		for _, c := range rest[:min(len(rest), prefixSize)] {
			part = part<<8 | uint64(c)
		}
		h = (bits.RotateLeft64(h, 29) ^ part) * oddFactor
	}
	return h
}

// find returns the number of a word, which it adds if it is new.
func (w *words) find(word []byte) uint32 {
	p := prefix(word)
	if len(word) <= prefixSize {
		return w.findShort(p, len(word))
	}
	return w.findLong(word, p)
}

// findShort is find for a word of up to eight bytes, which are its prefix.
func (w *words) findShort(prefix uint64, size int) uint32 {
	h := slot(shortHash(prefix, size)) & slotHash
	mask := len(w.slots) - 1
	for i := h.home(mask); ; i = (i + 1) & mask {
		s := w.slots[i&mask]
		if s == 0 {
			var word [prefixSize]byte
			binary.BigEndian.PutUint64(word[:], prefix)
			return w.insert(i, h, prefix, word[:size])
		}
		if s&slotHash != h {
			continue
		}
		if t := &w.terms[uint32(s)-1]; t.prefix == prefix && int(t.size) == size {
			return uint32(s) - 1
		}
	}
}

func (w *words) findLong(word []byte, prefix uint64) uint32 {
	h := slot(longHash(word, prefix)) & slotHash
	mask := len(w.slots) - 1
	for i := h.home(mask); ; i = (i + 1) & mask {
		s := w.slots[i]
		if s == 0 {
			return w.insert(i, h, prefix, word)
		}
		if s&slotHash == h && bytes.Equal(w.text(uint32(s)-1), word) {
			return uint32(s) - 1
		}
	}
}

// insert adds a word, whose free slot is known.
func (w *words) insert(at int, h slot, prefix uint64, word []byte) uint32 {
	id := uint32(len(w.terms))
	w.slots[at] = h | slot(id+1)
	w.terms, w.bytes = double(w.terms, 1), double(w.bytes, len(word))
	w.terms = append(w.terms, term{prefix: prefix, at: uint32(len(w.bytes)), size: uint32(len(word))})
	w.bytes = append(w.bytes, word...)
	if 2*len(w.terms) > len(w.slots) {
		w.grow()
	}
	return id
}

// double makes room for n more elements. append would make a large list longer by a
// quarter only, and leave five times as much garbage as there are elements.
func double[T any](list []T, n int) []T {
	if len(list)+n <= cap(list) {
		return list
	}
	return slices.Grow(list, len(list)+n)
}

// home returns where a hash belongs in a table of mask+1 slots.
func (s slot) home(mask int) int { return int(s >> (64 - bits.Len(uint(mask)))) }

func (w *words) grow() {
	old := w.slots
	w.slots = make([]slot, 2*len(old))
	mask := len(w.slots) - 1
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := s.home(mask)
		for w.slots[i] != 0 {
			i = (i + 1) & mask
		}
		w.slots[i] = s
	}
}
