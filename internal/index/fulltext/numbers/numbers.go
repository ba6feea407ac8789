// Package numbers reads and writes the terms of numbers, and columns: these have the numbers
// of a field by document, so that one is read without the others, and sorting a million
// documents takes a few milliseconds. A field of a segment has a column if each of its terms
// is a number.
package numbers

import (
	"encoding/binary"
	"math"
	"math/bits"

	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/index/fulltext/bitset"
)

// A column is written as
//
//	for each document its least number, and in a column of several numbers its greatest,
//	    in width bytes: 0 for none, or 1 and the number less the base
//	7 bytes 0, u64 base, width, numbers of a document: 1 or 2, u32 magic
//
// Numbers of width bytes are little-endian. Segments of earlier versions have no columns. A
// merge writes them again.
const (
	columnMagic = 0x636c6d6e
	columnPad   = 7 // so that 8 bytes can be read at each number
	columnTail  = columnPad + 8 + 1 + 1 + 4
	maxWidth    = 8
)

// The term of a number is a byte and the number, seven bits in each of ten bytes, as package
// schema makes it. The order of terms is that of numbers.
const (
	numberMark   = 0x20
	numberDigits = 10
	TermSize     = 1 + numberDigits // bytes of a term
)

// Of returns the number of a term, false if it is not one of a number.
func Of(term []byte) (n uint64, ok bool) {
	if len(term) != TermSize || term[0] != numberMark || term[1] > 1 {
		return 0, false
	}
	for _, c := range term[1:] {
		if c > 0x7f {
			return 0, false
		}
		n = n<<7 | uint64(c)
	}
	return n, true
}

// Append appends the term of a number.
func Append(dst []byte, n uint64) []byte {
	dst = append(dst, numberMark)
	for shift := 7 * (numberDigits - 1); shift >= 0; shift -= 7 {
		dst = append(dst, byte(n>>shift)&0x7f)
	}
	return dst
}

// A Column has the numbers of one field by document.
type Column struct {
	data          []byte
	base, mask    uint64
	width, stride int
}

// Has reports whether a segment has the column.
func (c Column) Has() bool { return c.data != nil }

// Several reports whether a document may have more than one number.
func (c Column) Several() bool { return c.stride > c.width }

// Least returns the least number of a document, false if it has none.
func (c Column) Least(doc uint32) (n uint64, ok bool) { return c.at(int(doc) * c.stride) }

// Greatest returns the greatest number of a document, false if it has none.
func (c Column) Greatest(doc uint32) (n uint64, ok bool) {
	return c.at(int(doc)*c.stride + c.stride - c.width)
}

func (c Column) at(at int) (n uint64, ok bool) {
	n = binary.LittleEndian.Uint64(c.data[at:]) & c.mask
	return c.base + n - 1, n > 0
}

// Places put the documents of a column in an order: each has a place, and none is behind
// another one whose place is not before its own.
type Places struct {
	Column
	Greatest   bool   // of several numbers, else the least
	Descending bool   // the greatest number is first
	Absent     uint64 // place of a document without a number
}

// Of returns the place of a number.
func (p *Places) Of(number uint64) uint64 {
	if p.Descending {
		return ^number
	}
	return number
}

// UpTo calls f with the documents of a set whose place is not behind last, which f may
// lower.
func (p *Places) UpTo(docs bitset.Bits, last *uint64, f func(doc uint32, place uint64)) {
	data, stride, mask, base, flip := p.data, p.stride, p.mask, p.base-1, p.Of(0)
	if p.Greatest {
		data = data[p.stride-p.width:]
	}
	for i, w := range docs {
		for ; w != 0; w &= w - 1 {
			doc := i*bitset.WordBits + bits.TrailingZeros64(w)
			place := p.Absent
			if n := binary.LittleEndian.Uint64(data[doc*stride:]) & mask; n != 0 {
				place = (base + n) ^ flip
			}
			if place <= *last {
				f(uint32(doc), place)
			}
		}
	}
}

// A Range has the numbers from one to another.
type Range struct {
	From, Before uint64
	NoEnd        bool // without Before
}

// In adds the documents of a set that have a number in a range to found, and to unsure those
// with a number on both sides of it, which may have others in it.
func (c Column) In(r Range, docs, found, unsure bitset.Bits) {
	last := r.Before - 1
	if r.NoEnd {
		last = math.MaxUint64
	}
	if last < r.From || !r.NoEnd && r.Before == 0 {
		return
	}
	data, stride, mask, base, width := c.data, c.stride, c.mask, c.base-1-r.From, last-r.From
	for i, w := range docs {
		in := uint64(0)
		for ; w != 0; w &= w - 1 {
			bit := bits.TrailingZeros64(w)
			n := binary.LittleEndian.Uint64(data[(i*bitset.WordBits+bit)*stride:]) & mask
			if n != 0 && base+n <= width {
				in |= 1 << bit
			}
		}
		found[i] |= in
	}
	if c.Several() {
		c.several(r.From, last, docs, found, unsure)
	}
}

// several is In for the greatest numbers of those documents that are not found yet.
func (c Column) several(from, last uint64, docs, found, unsure bitset.Bits) {
	for doc := range docs.All {
		if found.Has(doc) {
			continue
		}
		greatest, ok := c.Greatest(doc)
		least, _ := c.Least(doc)
		switch {
		case !ok:
		case from <= greatest && greatest <= last:
			found.Set(doc)
		case least < from && last < greatest:
			unsure.Set(doc)
		}
	}
}

// OpenColumn opens the column of a segment with so many documents, false if it is damaged.
func OpenColumn(data []byte, docs int) (c Column, ok bool) {
	if len(data) < columnTail {
		return Column{}, false
	}
	tail := data[len(data)-columnTail+columnPad:]
	c.base, c.width = binary.BigEndian.Uint64(tail), int(tail[8])
	c.stride = c.width * int(tail[9])
	switch {
	case binary.BigEndian.Uint32(tail[10:]) != columnMagic, c.width < 1, c.width > maxWidth, tail[9] < 1, tail[9] > 2,
		len(data) != docs*c.stride+columnTail:
		return Column{}, false
	}
	c.data, c.mask = data, math.MaxUint64>>(64-8*c.width)
	return c, true
}

// A Shape is what the documents of a column have in common.
type Shape struct {
	least, greatest uint64
	any, several    bool
	bad             bool // a term is not that of a number
}

// Add adds the terms of a document, each of which the separator of docvalues follows.
func (s *Shape) Add(terms []byte) {
	least, greatest, ok := numbersOf(terms)
	if !ok {
		s.bad = true
		return
	}
	if !s.any {
		s.least, s.greatest, s.any = least, greatest, true
	}
	s.least, s.greatest, s.several = min(s.least, least), max(s.greatest, greatest), s.several || least != greatest
}

// numbersOf returns the least and the greatest number of a document, false if one of its
// terms is not that of a number.
func numbersOf(terms []byte) (least, greatest uint64, ok bool) {
	const size = TermSize + 1
	if len(terms) == 0 || len(terms)%size != 0 {
		return 0, 0, false
	}
	for i := 0; i < len(terms); i += size {
		n, ok := Of(terms[i : i+TermSize])
		if !ok || terms[i+TermSize] != index.DocValueTermSeparator {
			return 0, 0, false
		}
		if i == 0 {
			least, greatest = n, n
		}
		least, greatest = min(least, n), max(greatest, n)
	}
	return least, greatest, true
}

// A writer writes the column of a field, the documents in order.
type writer struct {
	out   []byte
	base  uint64
	width int
	each  int // numbers of a document
	next  int // document
}

// AppendColumn appends the column of a field with so many documents, if it has one. each passes on
// the terms of its documents, in order.
func AppendColumn(out []byte, docs int, s Shape, each func(add func(doc int, terms []byte)) error) ([]byte, error) {
	if !s.any || s.bad || s.greatest-s.least == math.MaxUint64 {
		return out, nil
	}
	w := &writer{out: out, base: s.least, width: (bits.Len64(s.greatest-s.least+1) + 7) / 8, each: 1}
	if s.several {
		w.each = 2
	}
	if err := each(w.add); err != nil {
		return nil, err
	}
	w.finish(docs)
	return w.out, nil
}

// add adds the terms of a document.
func (w *writer) add(doc int, terms []byte) {
	least, greatest, _ := numbersOf(terms)
	w.skipTo(doc)
	w.put(least)
	if w.each > 1 {
		w.put(greatest)
	}
	w.next++
}

func (w *writer) put(n uint64) {
	var buf [8]byte
	binary.LittleEndian.PutUint64(buf[:], n-w.base+1)
	w.out = append(w.out, buf[:w.width]...)
}

// skipTo writes the documents before one that have no number.
func (w *writer) skipTo(doc int) {
	w.out = append(w.out, make([]byte, (doc-w.next)*w.width*w.each)...)
	w.next = doc
}

// finish ends the column of so many documents.
func (w *writer) finish(docs int) {
	w.skipTo(docs)
	w.out = append(w.out, make([]byte, columnPad)...)
	w.out = binary.BigEndian.AppendUint64(w.out, w.base)
	w.out = append(w.out, byte(w.width), byte(w.each))
	w.out = binary.BigEndian.AppendUint32(w.out, columnMagic)
}
