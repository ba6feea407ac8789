package segment

import (
	"encoding/binary"
	"math/bits"

	"indexerd/internal/index/fulltext/bitset"
)

// A Posting is a document of a term.
type Posting struct {
	Doc    uint32
	Freq   int // how often the document has the term
	Length int // number of words of the field in the document

	src *source
	loc []byte
}

// AppendPositions appends the positions of the term in the document.
func (p *Posting) AppendPositions(dst []int) ([]int, error) {
	d := decoder{data: p.loc[:min(cap(p.loc), len(p.loc)+8)]} // 8 bytes can be read at each position
	for d.at < uint64(len(p.loc)) && !d.broken {
		dst = d.appendPosition(dst)
	}
	if d.broken || d.at > uint64(len(p.loc)) {
		return dst, p.src.name(errBroken)
	}
	return dst, nil
}

// Of eight bytes: the bytes of a position below 128, and of one below 16384. Field and
// position have a byte each, or the position has two, and three zeros follow.
const (
	shortPlace = 0x000000ffffff8080
	longPlace  = 0x0000ffffff808080
	twoBytes   = 0x0000000000008000
)

// appendPosition reads one position from the bytes of loc.
func (d *decoder) appendPosition(dst []int) []int {
	if at := d.at; at+8 <= uint64(len(d.data)) {
		switch w := binary.LittleEndian.Uint64(d.data[at:]); {
		case w&shortPlace == 0:
			d.at += 5
			return append(dst, int(w>>8&0x7f))
		case w&longPlace == twoBytes:
			d.at += 6
			return append(dst, int(w>>8&0x7f|w>>9&0x3f80))
		}
	}
	d.uvarint() // field
	dst = append(dst, int(d.uvarint()))
	d.uvarint() // offsets in the text, which this package does not write
	d.uvarint()
	for n := d.uvarint(); n > 0 && !d.broken; n-- {
		d.uvarint()
	}
	return dst
}

// ScanPositions calls f with those documents of a term that are in a set, in order. It reads
// the positions too, which are most of the bytes of a term.
func (p Postings) ScanPositions(in Bits, step func() error, f func(*Posting)) error {
	s := scanner{in: in, f: f, now: Posting{src: p.src}}
	return p.src.name(p.scan(&s, step))
}

func (p Postings) scan(s *scanner, step func() error) error {
	if doc, length, ok := p.single(); ok {
		if int(doc) >= p.src.docs {
			return errBroken
		}
		if s.in.Has(doc) {
			s.now.Doc, s.now.Freq, s.now.Length = doc, 1, int(length)
			s.f(&s.now)
		}
		return step()
	}
	tf, loc, docs, err := p.parts()
	if err != nil {
		return err
	}
	s.tf.data, s.end = tf, uint32(p.src.docs)
	b, err := openBitmap(docs, p.src.docs)
	if err != nil {
		return err
	}
	n := b.count()
	s.openChunks(p, n)
	s.loc.data, s.placed = loc, len(loc) > 0
	for b.read(s) {
		if s.broken || s.tf.broken || s.loc.broken {
			return errBroken
		}
		if err := step(); err != nil {
			return err
		}
	}
	if s.broken || s.tf.broken || s.loc.broken {
		return errBroken
	}
	return b.err()
}

// A scanner reads the documents of a term that are wanted.
type scanner struct {
	in     Bits
	f      func(*Posting)
	placed bool
	now    Posting

	tf, loc         decoder
	tfEnds, locEnds []uint64 // of chunks
	chunk           int
	size, end       uint32 // documents that a chunk stands for, and the first after this one
	pending         int    // documents of the chunk that were not read and precede the next
	next            uint32 // documents come in order
	broken          bool
}

// openChunks reads where the chunks of n documents are. A list of one chunk needs none.
func (s *scanner) openChunks(p Postings, n int) {
	if n < perChunk {
		return
	}
	d := decoder{data: p.src.data, at: p.value}
	tfAt, locAt := d.uvarint(), d.uvarint()
	s.tfEnds, s.locEnds = d.chunkEnds(tfAt, p.src.docs), d.chunkEnds(locAt, p.src.docs)
	s.size = uint32(p.src.docs / (n/perChunk + 1))
	s.end = s.size
}

// addRun implements docSink.
func (s *scanner) addRun(first, last uint32) {
	if int(last/wordBits) >= len(s.in) {
		s.broken = true
		return
	}
	bitset.EachWord(first, last, func(word int, mask uint64) { s.add(uint32(word*wordBits), mask) })
}

// addBits implements docSink.
func (s *scanner) addBits(high uint32, data []byte) {
	for i := 0; i < len(data); i += 8 {
		if w := binary.LittleEndian.Uint64(data[i:]); w != 0 {
			s.add(high+uint32(8*i), w)
		}
	}
}

// addArray implements docSink. Most documents of the lists of a prefix are not wanted.
func (s *scanner) addArray(high uint32, data []byte) {
	in, next, end, pending := s.in, s.next, s.end, s.pending
	for ; len(data) > 1; data = data[2:] {
		doc := high | uint32(data[0]) | uint32(data[1])<<8
		if doc < next || int(doc/wordBits) >= len(in) {
			s.broken = true
			return
		}
		next = doc + 1
		if doc >= end {
			s.goTo(doc)
			end, pending = s.end, s.pending
		}
		if in[doc/wordBits]>>(doc%wordBits)&1 == 0 {
			pending++
			continue
		}
		s.pending = pending
		s.read(doc)
		pending = s.pending
	}
	s.next, s.pending = next, pending
}

// add takes the documents of one word of a set.
func (s *scanner) add(first uint32, w uint64) {
	if int(first/wordBits) >= len(s.in) {
		s.broken = true
		return
	}
	for first+wordBits > s.end {
		here := uint64(0) // those before the end of the chunk
		if s.end > first {
			here = w & (1<<(s.end-first) - 1)
		}
		s.addChunk(first, here)
		if w &^= here; w == 0 {
			return
		}
		s.goTo(first + uint32(bits.TrailingZeros64(w)))
		if s.broken {
			return
		}
	}
	s.addChunk(first, w)
}

// addChunk takes documents of one chunk.
func (s *scanner) addChunk(first uint32, w uint64) {
	for want := w & s.in[first/wordBits]; want != 0; want &= want - 1 {
		bit := want & -want
		s.pending += bits.OnesCount64(w & (bit - 1))
		w &^= bit | (bit - 1)
		s.read(first + uint32(bits.TrailingZeros64(bit)))
	}
	s.pending += bits.OnesCount64(w)
}

// goTo goes to the chunk of a document.
func (s *scanner) goTo(doc uint32) {
	if s.size == 0 || int(doc/s.size) > len(s.tfEnds) || len(s.tfEnds) > 0 && doc < s.size {
		s.broken = true // beyond the segment
		return
	}
	s.chunk = int(doc / s.size)
	s.end, s.pending = uint32(s.chunk+1)*s.size, 0
	s.tf.at = s.tfEnds[s.chunk-1]
	if s.placed && s.chunk <= len(s.locEnds) {
		s.loc.at = s.locEnds[s.chunk-1]
	}
}

// read reads the posting of a document and passes it on.
func (s *scanner) read(doc uint32) {
	if s.pending > 0 {
		s.skip()
	}
	freq := s.readFreq()
	s.now.Doc = doc
	if s.placed {
		s.now.loc = nil
		if freq&1 != 0 {
			s.now.loc = s.loc.bytes(s.loc.uvarint())
		}
	}
	if !s.tf.broken && !s.loc.broken {
		s.f(&s.now)
	}
}

// readFreq reads freq and length. Most numbers are below 128.
func (s *scanner) readFreq() (freq uint64) {
	if at := s.tf.at; at+1 < uint64(len(s.tf.data)) {
		if freq, length := s.tf.data[at], s.tf.data[at+1]; 1 < freq && freq < 1<<7 && length < 1<<7 {
			s.tf.at += 2
			s.now.Freq, s.now.Length = int(freq>>1), int(length)
			return uint64(freq)
		}
	}
	freq = s.tf.uvarint()
	s.now.Freq, s.now.Length = int(freq>>1), 0
	if freq>>1 > 0 {
		s.now.Length = int(s.tf.uvarint())
	}
	return freq
}

// placedBits are those of four freqs with positions.
const placedBits = 0x0001000100010001

// skip passes over the pending documents: four at a time, if all have positions and their
// numbers are below 128.
func (s *scanner) skip() {
	tf, loc := s.tf.data, s.loc.data
	for s.pending > 0 && !s.tf.broken {
		if at := s.tf.at; s.placed && s.pending >= 4 && at+8 <= uint64(len(tf)) {
			w := binary.LittleEndian.Uint64(tf[at:])
			if w&longBits == 0 && (w&freqBits+carry)&carried == carried && w&placedBits == placedBits {
				for range 4 {
					if at := s.loc.at; at < uint64(len(loc)) && loc[at] < oneByte {
						s.loc.at = at + 1 + uint64(loc[at])
					} else {
						s.loc.skip(s.loc.uvarint())
					}
				}
				s.tf.at = at + 8
				s.pending -= 4
				continue
			}
		}
		if freq := s.readFreq(); s.placed && freq&1 != 0 {
			s.loc.skip(s.loc.uvarint())
		}
		s.pending--
	}
}
