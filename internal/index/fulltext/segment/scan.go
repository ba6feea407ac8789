package segment

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"

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

// ScanPositions calls f with those of some documents, which are in order, that have the term,
// and with their places in the list. It reads the positions too, which are most of the bytes of
// a term, and skips the chunks and containers of other documents.
func (p Postings) ScanPositions(docs []uint32, step func() error, f func(at int, p *Posting)) error {
	s := scanner{wanted: docs, f: f, now: Posting{src: p.src}}
	return p.src.name(p.scan(&s, step))
}

func (p Postings) scan(s *scanner, step func() error) error {
	if doc, length, ok := p.single(); ok {
		if int(doc) >= p.src.docs {
			return errBroken
		}
		if at, ok := slices.BinarySearch(s.wanted, doc); ok {
			s.now.Doc, s.now.Freq, s.now.Length = doc, 1, int(length)
			s.f(at, &s.now)
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
	for s.at < len(s.wanted) && b.read(s) {
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
	wanted []uint32
	at     int // of the next in wanted
	f      func(at int, p *Posting)
	placed bool
	now    Posting

	tf, loc         decoder
	tfEnds, locEnds []uint64 // of chunks
	size            uint32   // documents that a chunk stands for
	start, end      uint32   // first document of this chunk, and of the next
	pending         int      // documents of the chunk that were not read and precede the next
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

// documents are some of a term that follow one another.
type documents interface {
	last() uint32
	has(doc uint32) bool
	count(from, to uint32) int // of those from from on and before to
}

// addRun implements docSink.
func (s *scanner) addRun(first, last uint32) { addDocs(s, first, runOf{first, last}) }

// addBits implements docSink.
func (s *scanner) addBits(high uint32, data []byte) {
	for ; len(data) > 0 && binary.LittleEndian.Uint64(data[len(data)-8:]) == 0; data = data[:len(data)-8] {
	}
	if len(data) > 0 {
		addDocs(s, high, bitmapOf{high, data})
	}
}

// addArray implements docSink.
func (s *scanner) addArray(high uint32, data []byte) {
	if len(data) > 1 {
		addDocs(s, high, arrayOf{high, data})
	}
}

// addDocs reads those of some documents from first on that are wanted.
func addDocs[D documents](s *scanner, first uint32, of D) {
	last := of.last()
	for ; s.at < len(s.wanted) && s.wanted[s.at] <= last && !s.broken; s.at++ {
		if doc := s.wanted[s.at]; of.has(doc) {
			passOver(s, first, doc, of)
			s.read(doc)
			first = doc + 1
		}
	}
	if first <= last && s.at < len(s.wanted) {
		passOver(s, first, last, of)
		s.pending++
	}
}

// passOver passes over documents up to one of them.
func passOver[D documents](s *scanner, first, doc uint32, of D) {
	if doc >= s.end {
		s.goTo(doc)
		first = max(first, s.start)
	}
	s.pending += of.count(first, doc)
}

// A runOf has all documents from the first to the last.
type runOf [2]uint32

func (r runOf) last() uint32              { return r[1] }
func (r runOf) has(doc uint32) bool       { return r[0] <= doc }
func (r runOf) count(from, to uint32) int { return int(to - from) }

// A bitmapOf has a bit for each document from high on.
type bitmapOf struct {
	high uint32
	data []byte // without zeros at the end
}

func (b bitmapOf) word(at uint32) uint64 { return binary.LittleEndian.Uint64(b.data[8*at:]) }

func (b bitmapOf) last() uint32 {
	words := uint32(len(b.data) / 8)
	return b.high + words*wordBits - 1 - uint32(bits.LeadingZeros64(b.word(words-1)))
}

func (b bitmapOf) has(doc uint32) bool {
	return doc >= b.high && b.word((doc-b.high)/wordBits)>>((doc-b.high)%wordBits)&1 != 0
}

func (b bitmapOf) count(from, to uint32) (n int) {
	if from < to {
		bitset.EachWord(from-b.high, to-1-b.high, func(word int, mask uint64) { n += bits.OnesCount64(b.word(uint32(word)) & mask) })
	}
	return n
}

// An arrayOf has two bytes for each document.
type arrayOf struct {
	high uint32
	data []byte
}

func (a arrayOf) at(i int) uint32 { return a.high | uint32(binary.LittleEndian.Uint16(a.data[2*i:])) }

// search returns the place of the first document from one on.
func (a arrayOf) search(doc uint32) int {
	return sort.Search(len(a.data)/2, func(i int) bool { return a.at(i) >= doc })
}

func (a arrayOf) last() uint32 { return a.at(len(a.data)/2 - 1) }

func (a arrayOf) has(doc uint32) bool {
	i := a.search(doc)
	return 2*i < len(a.data) && a.at(i) == doc
}

func (a arrayOf) count(from, to uint32) int { return max(0, a.search(to)-a.search(from)) }

// goTo goes to the chunk of a document.
func (s *scanner) goTo(doc uint32) {
	if s.size == 0 || int(doc/s.size) > len(s.tfEnds) || len(s.tfEnds) > 0 && doc < s.size {
		s.broken = true // beyond the segment
		return
	}
	chunk := doc / s.size
	s.start, s.end, s.pending = chunk*s.size, (chunk+1)*s.size, 0
	s.tf.at = s.tfEnds[chunk-1]
	if s.placed && int(chunk) <= len(s.locEnds) {
		s.loc.at = s.locEnds[chunk-1]
	}
}

// read reads the posting of a document and passes it on.
func (s *scanner) read(doc uint32) {
	if s.broken {
		return
	}
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
		s.f(s.at, &s.now)
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
