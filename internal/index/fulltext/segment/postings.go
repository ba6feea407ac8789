package segment

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A decoder reads numbers and bytes. A read beyond the end returns 0 or nil, and
// sets broken.
type decoder struct {
	data   []byte
	at     uint64
	broken bool
}

func (d *decoder) uvarint() uint64 {
	if d.at < uint64(len(d.data)) {
		c := d.data[d.at]
		if c < 1<<7 {
			d.at++
			return uint64(c)
		}
		if p := d.data[d.at:]; len(p) > 2 { // most offsets have two bytes or three
			v := uint64(c&0x7f) | uint64(p[1]&0x7f)<<7
			if p[1] < 1<<7 {
				d.at += 2
				return v
			}
			if p[2] < 1<<7 {
				d.at += 3
				return v | uint64(p[2])<<14
			}
		}
		if v, n := binary.Uvarint(d.data[d.at:]); n > 0 {
			d.at += uint64(n)
			return v
		}
	}
	d.broken = true
	return 0
}

// skip passes over bytes.
func (d *decoder) skip(n uint64) {
	if d.at > uint64(len(d.data)) || n > uint64(len(d.data))-d.at {
		d.broken = true
		return
	}
	d.at += n
}

func (d *decoder) bytes(n uint64) []byte {
	from := d.at
	if d.skip(n); d.broken {
		return nil
	}
	return d.data[from:d.at]
}

// uint16 returns a little-endian number.
func (d *decoder) uint16() uint16 {
	if b := d.bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if b := d.bytes(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// postings are those of one term in one segment. Documents have their old
// numbers.
type postings struct {
	docs    docList
	tf, loc []byte
	single  []byte // tf of a term without postings
}

// read reads the postings of the current term.
func (s *source) read() error {
	p := &s.post
	p.docs = p.docs[:0]
	of := Postings{s, s.value}
	if doc, length, ok := of.single(); ok {
		p.single = uvarint(append(p.single[:0], 1<<1), length)
		p.docs, p.tf, p.loc = append(p.docs, doc), p.single, nil
	} else {
		var docs []byte
		var err error
		if p.tf, p.loc, docs, err = of.parts(); err != nil {
			return err
		}
		if err := readBitmap(docs, s.docs, &p.docs); err != nil {
			return err
		}
	}
	return p.docs.check(s.docs)
}

// chunks returns the data of all chunks at an offset.
func (d *decoder) chunks(at uint64) []byte {
	if at == 0 {
		return nil
	}
	d.at = at
	end := uint64(0)
	for n := d.uvarint(); n > 0 && !d.broken; n-- {
		end = d.uvarint()
	}
	return d.bytes(end)
}

// chunkEnds returns the ends of the chunks at an offset, not more than most.
func (d *decoder) chunkEnds(at uint64, most int) (ends []uint64) {
	if at == 0 {
		return nil
	}
	d.at = at
	for n := min(d.uvarint(), uint64(most)); n > 0 && !d.broken; n-- {
		ends = append(ends, d.uvarint())
	}
	return ends
}

// A bitmap is read container by container.
type bitmap struct {
	d          decoder
	keys, runs []byte
	i, limit   int
	next       uint64 // containers come in order
}

// openBitmap reads the head of a bitmap in a segment with so many documents.
func openBitmap(data []byte, limit int) (bitmap, error) {
	b := bitmap{d: decoder{data: data}, limit: limit}
	var n uint64
	switch magic := b.d.uint16(); magic {
	case bitmapMagic:
		b.d.uint16()
		n = uint64(b.d.uint16()) | uint64(b.d.uint16())<<16
	case runsMagic:
		n = uint64(b.d.uint16()) + 1
		b.runs = b.d.bytes((n + 7) / 8)
	default:
		return b, errForeign
	}
	b.keys = b.d.bytes(4 * n)
	if _, offsets := bitmapHead(int(n), b.runs != nil); offsets {
		b.d.bytes(4 * n) // containers follow one another
	}
	return b, b.err()
}

// count returns the number of documents in the containers that are not read yet.
func (b *bitmap) count() (n int) {
	for keys := b.keys; len(keys) > 0; keys = keys[4:] {
		n += int(binary.LittleEndian.Uint16(keys[2:])) + 1
	}
	return n
}

// inNext returns the number of documents in the next container.
func (b *bitmap) inNext() int { return int(binary.LittleEndian.Uint16(b.keys[2:])) + 1 }

func (b *bitmap) err() error {
	if b.d.broken {
		return errBroken
	}
	return nil
}

// read passes the documents of the next container on. It reports false at the end
// and at an error.
func (b *bitmap) read(to docSink) bool {
	if len(b.keys) == 0 || b.d.broken {
		return false
	}
	high, docs := uint32(binary.LittleEndian.Uint16(b.keys))<<16, b.inNext()
	if uint64(high) < b.next {
		b.d.broken = true
		return false
	}
	b.next = uint64(high) + allDocs
	switch {
	case b.runs != nil && b.runs[b.i/8]>>(b.i%8)&1 == 1:
		b.readRuns(high, to)
	case docs > maxArray:
		to.addBits(high, b.d.bytes(bitmapBytes))
	default:
		to.addArray(high, b.d.bytes(uint64(2*docs)))
	}
	b.i, b.keys = b.i+1, b.keys[4:]
	return !b.d.broken
}

func (b *bitmap) readRuns(high uint32, to docSink) {
	next := uint32(0)
	for n := b.d.uint16(); n > 0 && !b.d.broken; n-- {
		first, more := uint32(b.d.uint16()), uint32(b.d.uint16())
		if first < next || first+more >= allDocs || int(high+first+more) >= b.limit {
			b.d.broken = true // or damage could take any amount of memory
			return
		}
		to.addRun(high|first, high|(first+more))
		next = first + more + 1
	}
}

// readBitmap passes all documents of a bitmap on.
func readBitmap(data []byte, limit int, to docSink) error {
	b, err := openBitmap(data, limit)
	if err != nil {
		return err
	}
	for b.read(to) {
	}
	return b.err()
}

// A docList is a list of documents in the order of their numbers.
type docList []uint32

func (l *docList) addRun(first, last uint32) {
	for doc := first; doc <= last; doc++ {
		*l = append(*l, doc)
	}
}

func (l *docList) addArray(high uint32, data []byte) {
	from := len(*l)
	*l = slices.Grow(*l, len(data)/2)[:from+len(data)/2]
	for i := range (*l)[from:] {
		(*l)[from+i] = high | uint32(binary.LittleEndian.Uint16(data[2*i:]))
	}
}

func (l *docList) addBits(high uint32, data []byte) {
	for i := 0; i < len(data); i += 8 {
		for w := binary.LittleEndian.Uint64(data[i:]); w != 0; w &= w - 1 {
			*l = append(*l, high|uint32(8*i+bits.TrailingZeros64(w)))
		}
	}
}

// check reports documents that are not in order or not of the segment.
func (l docList) check(limit int) error {
	for i, doc := range l {
		if int(doc) >= limit || i > 0 && doc <= l[i-1] {
			return errBroken
		}
	}
	return nil
}

// eachPosting calls f with the number in the merged segment and the bytes of tf
// and loc of each document.
func (s *source) eachPosting(f func(doc uint64, tf, loc []byte)) error {
	p := s.postingBytes()
	for _, doc := range s.post.docs {
		from := p
		if p.skip(1); p.tf.broken || p.loc.broken {
			return errBroken
		}
		f(s.numbers[doc], p.tf.data[from.tf.at:p.tf.at], p.loc.data[from.loc.at:p.loc.at])
	}
	return nil
}

// postingBytes are tf and loc of a term, read up to some document.
type postingBytes struct{ tf, loc decoder }

func (s *source) postingBytes() postingBytes {
	return postingBytes{decoder{data: s.post.tf}, decoder{data: s.post.loc}}
}

// skip passes over the bytes of n documents.
func (p *postingBytes) skip(n int) {
	for ; n > 0 && !p.tf.broken; n-- {
		placed := p.tf.skipFreq()
		if !placed {
			continue
		}
		if loc, at := p.loc.data, p.loc.at; at < uint64(len(loc)) && loc[at] < oneByte {
			p.loc.at++
			p.loc.skip(uint64(loc[at]))
		} else {
			p.loc.skip(p.loc.uvarint())
		}
	}
}

// skipFreq passes over the tf of a document, and reports whether it has places. Most
// frequencies have one byte, and most lengths of fields one or two.
func (d *decoder) skipFreq() (placed bool) {
	if rest := d.data[min(d.at, uint64(len(d.data))):]; len(rest) > 2 && rest[0] < oneByte && rest[0] > 1 {
		switch {
		case rest[1] < oneByte:
			d.at += 2
			return rest[0]&1 != 0
		case rest[2] < oneByte:
			d.at += 3
			return rest[0]&1 != 0
		}
	}
	freq := d.uvarint()
	if freq>>1 > 0 {
		d.uvarint()
	}
	return freq&1 != 0
}

// eachValue calls f with the documents that have docvalues, by their old
// numbers.
func (s *source) eachValue(values []byte, f func(doc uint64, terms []byte)) error {
	all, ends, err := s.readEnds(values)
	if err != nil {
		return err
	}
	from := uint64(0)
	next := uint64(0) // documents must come in order
	var terms []byte
	for _, end := range ends {
		chunk := all[from:end]
		if from = end; len(chunk) == 0 {
			continue
		}
		if terms, err = s.eachInChunk(chunk, terms, &next, f); err != nil {
			return err
		}
	}
	return nil
}

// eachInChunk calls f with the documents of one chunk, from next on. It uses the
// memory of buf and returns it.
func (s *source) eachInChunk(chunk, buf []byte, next *uint64, f func(doc uint64, terms []byte)) ([]byte, error) {
	d := decoder{data: chunk}
	n := d.uvarint()
	numbers := d
	for k := 2 * n; k > 0 && !d.broken; k-- {
		d.uvarint()
	}
	if d.broken {
		return nil, errBroken
	}
	terms, err := decompress(buf, chunk[d.at:])
	if err != nil {
		return nil, err
	}
	values := decoder{data: terms}
	for ; n > 0; n-- {
		doc, end := numbers.uvarint(), numbers.uvarint()
		if doc < *next || doc >= uint64(s.docs) || end < values.at {
			return nil, errBroken
		}
		*next = doc + 1
		value := values.bytes(end - values.at)
		if values.broken {
			return nil, errBroken
		}
		f(doc, value)
	}
	return terms, nil
}
