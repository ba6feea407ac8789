package segment

import (
	"encoding/binary"
	"math"
	"math/bits"

	index "github.com/blevesearch/bleve_index_api"
)

// A column has the numbers of a field by document, so that one is read without the others:
// sorting a million documents takes a few milliseconds. A field has one if each of its terms
// is a number; zapx passes over it. It is between the docvalues and the record:
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
	NumberSize   = 1 + numberDigits // bytes of a term
)

// NumberOf returns the number of a term, false if it is not one of a number.
func NumberOf(term []byte) (n uint64, ok bool) {
	if len(term) != NumberSize || term[0] != numberMark || term[1] > 1 {
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

// AppendNumber appends the term of a number.
func AppendNumber(dst []byte, n uint64) []byte {
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
func (p *Places) UpTo(docs Bits, last *uint64, f func(doc uint32, place uint64)) {
	data, stride, mask, base, flip := p.data, p.stride, p.mask, p.base-1, p.Of(0)
	if p.Greatest {
		data = data[p.stride-p.width:]
	}
	for i, w := range docs {
		for ; w != 0; w &= w - 1 {
			doc := i*wordBits + bits.TrailingZeros64(w)
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

// Numbers are those of a range.
type Numbers struct {
	From, Before uint64
	NoEnd        bool // without Before
}

// In adds the documents of a set that have a number in a range to found, and to unsure those
// with a number on both sides of it, which may have others in it.
func (c Column) In(r Numbers, docs, found, unsure Bits) {
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
			n := binary.LittleEndian.Uint64(data[(i*wordBits+bit)*stride:]) & mask
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
func (c Column) several(from, last uint64, docs, found, unsure Bits) {
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

// Column returns the column of a field. The segment may have none.
func (r *Reader) Column(field string) (Column, error) {
	for _, f := range r.src.fields {
		if f.name == field {
			c, err := r.src.column(f)
			return c, r.src.name(err)
		}
	}
	return Column{}, nil
}

// column returns the column of a field: what is between its docvalues and its record.
func (s *source) column(f field) (c Column, err error) {
	d := decoder{data: s.data, at: f.record}
	_, end := d.uvarint(), d.uvarint()
	if d.broken || end == math.MaxUint64 || end == f.record {
		return Column{}, nil
	}
	if end > f.record || f.record-end < columnTail {
		return Column{}, errBroken
	}
	data := s.data[end:f.record]
	tail := data[len(data)-columnTail+columnPad:]
	c.base, c.width = binary.BigEndian.Uint64(tail), int(tail[8])
	c.stride = c.width * int(tail[9])
	switch {
	case binary.BigEndian.Uint32(tail[10:]) != columnMagic, c.width < 1, c.width > maxWidth, tail[9] < 1, tail[9] > 2,
		len(data) != s.docs*c.stride+columnTail:
		return Column{}, errBroken
	}
	c.data, c.mask = data, math.MaxUint64>>(64-8*c.width)
	return c, nil
}

// A columnShape is what the documents of a column have in common.
type columnShape struct {
	least, greatest uint64
	any, several    bool
	bad             bool // a term is not that of a number
}

// add adds the terms of a document, each of which the separator of docvalues follows.
func (s *columnShape) add(terms []byte) {
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
	const size = NumberSize + 1
	if len(terms) == 0 || len(terms)%size != 0 {
		return 0, 0, false
	}
	for i := 0; i < len(terms); i += size {
		n, ok := NumberOf(terms[i : i+NumberSize])
		if !ok || terms[i+NumberSize] != index.DocValueTermSeparator {
			return 0, 0, false
		}
		if i == 0 {
			least, greatest = n, n
		}
		least, greatest = min(least, n), max(greatest, n)
	}
	return least, greatest, true
}

// A columnWriter writes the column of a field, the documents in order.
type columnWriter struct {
	b     *builder
	base  uint64
	width int
	each  int // numbers of a document
	next  int // document
}

// writeColumn writes the column of a field, if it has one.
func (b *builder) writeColumn(docs int, s columnShape, each func(addTerms) error) error {
	if b.exact || !s.any || s.bad || s.greatest-s.least == math.MaxUint64 {
		return nil
	}
	w := &columnWriter{b: b, base: s.least, width: (bits.Len64(s.greatest-s.least+1) + 7) / 8, each: 1}
	if s.several {
		w.each = 2
	}
	if err := each(w.add); err != nil {
		return err
	}
	w.finish(docs)
	return nil
}

// add adds the terms of a document.
func (w *columnWriter) add(doc int, terms []byte) {
	least, greatest, _ := numbersOf(terms)
	w.skipTo(doc)
	w.put(least)
	if w.each > 1 {
		w.put(greatest)
	}
	w.next++
}

func (w *columnWriter) put(n uint64) {
	var buf [8]byte
	binary.LittleEndian.PutUint64(buf[:], n-w.base+1)
	w.b.out = append(w.b.out, buf[:w.width]...)
}

// skipTo writes the documents before one that have no number.
func (w *columnWriter) skipTo(doc int) {
	w.b.out = append(w.b.out, make([]byte, (doc-w.next)*w.width*w.each)...)
	w.next = doc
}

// finish ends the column of so many documents.
func (w *columnWriter) finish(docs int) {
	w.skipTo(docs)
	b := w.b
	b.out = append(b.out, make([]byte, columnPad)...)
	b.out = binary.BigEndian.AppendUint64(b.out, w.base)
	b.out = append(b.out, byte(w.width), byte(w.each))
	b.out = binary.BigEndian.AppendUint32(b.out, columnMagic)
}
