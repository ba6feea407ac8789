package segment

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sort"
	"sync"

	"indexerd/internal/index/fulltext/bitset"
)

// A Freq is a document of a term.
type Freq struct {
	Doc    uint32
	Freq   uint32 // how often the document has the term
	Length uint32 // number of words of the field in the document
}

// ScanBatch is the number of documents that a Scan passes on together at most.
const ScanBatch = 128

// A Scan reads the documents of a term without their positions, in order, some at a time.
// It reads the bytes of a document in about 3 ns.
type Scan struct {
	src *source
	err error

	docs   bitmap
	base   uint32 // first document that the current container can have
	array  []byte // rest of the current container, if it is an array
	bits   []byte // the current container, if it is a bitmap; the documents before next are read
	spread []byte // memory of bits for a container of runs
	next   uint32 // documents come in order

	tf         decoder
	tfEnds     []uint64 // of chunks
	size       uint32   // documents that a chunk stands for
	start, end uint32   // first document of this chunk, and of the next
	pending    uint32   // documents of the chunk that were not read and precede the next
	paired     bool     // each document has a length too
	single     bool     // without postings: the document is base
	length     uint32   // of a single document

	batch *[ScanBatch]Freq // lent by scanBatches while documents are read
}

var scanBatches = sync.Pool{New: func() any { return new([ScanBatch]Freq) }}

// OpenScan opens a scan before the first document.
func (p Postings) OpenScan(s *Scan) error {
	s.src = p.src
	s.err = s.open(p)
	return p.src.name(s.err)
}

func (s *Scan) open(p Postings) error {
	if doc, length, ok := p.single(); ok {
		s.base, s.single = doc, true
		s.length = uint32(length)
		return docList{doc}.check(p.src.docs)
	}
	docs, tf, _, err := p.head()
	if err != nil {
		return err
	}
	if s.docs, err = openBitmap(docs, p.src.docs); err != nil {
		return err
	}
	d, n := decoder{data: p.src.data}, s.docs.count()
	s.end = uint32(p.src.docs)
	if n >= perChunk { // a list of one chunk needs no ends
		s.tfEnds, s.size = d.chunkEnds(tf, p.src.docs), uint32(p.src.docs/(n/perChunk+1))
		s.end = s.size
	}
	s.tf.data = d.chunks(tf)
	s.paired = len(s.tf.data) > 0 && s.tf.data[0] > 1
	if d.broken {
		return errBroken
	}
	return nil
}

// Docs returns the number of documents of a term, before any is read.
func (s *Scan) Docs() int {
	if s.single {
		return 1
	}
	return s.docs.count()
}

// Read calls f with those documents from from on and before to that are in a set, nil for
// all. Calls come in order, and from and to are multiples of 64, or beyond the segment. To
// skip a document that is not in the set takes longer than to read it, unless there are many.
func (s *Scan) Read(from, to uint32, in Bits, f func([]Freq)) error {
	if s.single {
		if from <= s.base && s.base < to && s.err == nil && (in == nil || in.Has(s.base)) {
			f([]Freq{{s.base, 1, s.length}})
		}
		return s.src.name(s.err)
	}
	if !s.openContainer(to) {
		return s.src.name(s.broken())
	}
	s.batch = scanBatches.Get().(*[ScanBatch]Freq)
	s.containers(from, to, func(limit uint32) { s.readContainer(limit, in, f) })
	scanBatches.Put(s.batch)
	return s.src.name(s.broken())
}

// containers calls read for each container, up to the limit of what is to be read of it.
func (s *Scan) containers(from, to uint32, read func(limit uint32)) {
	for s.err == nil && s.openContainer(to) {
		limit := min(to, s.base+allDocs)
		if s.next < from {
			s.passOver(min(from, limit))
		}
		read(limit)
		if limit < s.base+allDocs {
			s.next = max(s.next, limit)
			return
		}
		s.array, s.bits = nil, nil
	}
}

func (s *Scan) broken() error {
	if s.err == nil && (s.tf.broken || s.docs.d.broken) {
		s.err = errBroken
	}
	return s.err
}

// Scan calls f with those documents of a term that are in a set, in order, some at a time.
// It calls step for every 65536 documents.
func (p Postings) Scan(in Bits, step func() error, f func([]Freq)) error {
	var s Scan
	err := p.OpenScan(&s)
	for from := 0; err == nil && from < p.src.docs; from += allDocs {
		if err = s.Read(uint32(from), uint32(from+allDocs), in, f); err == nil {
			err = step()
		}
	}
	return err
}

// openContainer goes to the next container, unless one is open or it begins at to or later.
func (s *Scan) openContainer(to uint32) bool {
	if s.array != nil || s.bits != nil {
		return s.base < to
	}
	if len(s.docs.keys) == 0 || s.docs.d.broken {
		return false
	}
	s.base = uint32(binary.LittleEndian.Uint16(s.docs.keys)) << 16
	if int(s.base) >= s.src.docs {
		s.err = errBroken
		return false
	}
	if s.base >= to {
		return false
	}
	s.next = s.base
	s.docs.read(s)
	return !s.docs.d.broken
}

// addArray implements docSink.
func (s *Scan) addArray(_ uint32, data []byte) { s.array = data }

// addBits implements docSink.
func (s *Scan) addBits(_ uint32, data []byte) { s.bits = data }

// addRun implements docSink. Runs become a bitmap.
func (s *Scan) addRun(first, last uint32) {
	if s.bits == nil {
		if s.spread == nil {
			s.spread = make([]byte, bitmapBytes)
		}
		clear(s.spread)
		s.bits = s.spread
	}
	bitset.EachWord(first%allDocs, last%allDocs, func(word int, mask uint64) {
		at := s.bits[8*word:]
		binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)|mask)
	})
}

// readContainer reads the wanted documents of the container before to.
func (s *Scan) readContainer(to uint32, in Bits, f func([]Freq)) {
	for s.err == nil && !s.tf.broken {
		n, limit := 0, min(to, s.end)
		if s.bits != nil {
			n = s.fillBits(limit, in)
		} else {
			n = s.fillArray(limit, in)
		}
		if n > 0 {
			if s.decode(s.batch[:n], in == nil); !s.tf.broken {
				f(s.batch[:n])
			}
			continue
		}
		if !s.goOn(to) {
			return
		}
	}
}

// goOn goes to the chunk of the next document of the container. It returns false if there is
// none before to.
func (s *Scan) goOn(to uint32) bool {
	if s.bits == nil {
		if len(s.array) < 2 || s.at(0) >= to {
			return false
		}
		s.goTo(s.at(0))
		return true
	}
	for first := s.next &^ (wordBits - 1); first < to; first += wordBits {
		if w := s.word(first, to); w != 0 {
			s.goTo(first + uint32(bits.TrailingZeros64(w)))
			return true
		}
	}
	return false
}

// fillArray puts the next documents of an array into the batch, up to a limit, and in place
// of their freqs the number of documents before that are not wanted. What changes with each
// document is in variables, which the CPU keeps in registers.
func (s *Scan) fillArray(limit uint32, in Bits) (n int) {
	data, base, next, pending := s.array, s.base, s.next, s.pending
	for ; len(data) > 1 && n < len(s.batch); data = data[2:] {
		doc := base | uint32(data[0]) | uint32(data[1])<<8
		if doc >= limit {
			break
		}
		if doc < next {
			s.err = errBroken
			return 0
		}
		next = doc + 1
		if in != nil && in[doc/wordBits]>>(doc%wordBits)&1 == 0 {
			pending++
			continue
		}
		s.batch[n] = Freq{Doc: doc, Freq: pending}
		pending = 0
		n++
	}
	s.array, s.next, s.pending = data, next, pending
	return n
}

// fillBits is fillArray for a bitmap.
func (s *Scan) fillBits(limit uint32, in Bits) (n int) {
	for s.next < limit && n+wordBits <= len(s.batch) {
		first := s.next &^ (wordBits - 1)
		w := s.word(first, limit)
		s.next = min(limit, first+wordBits)
		if w == 0 {
			continue
		}
		want := w
		if in != nil {
			want &= in[first/wordBits]
		}
		for ; want != 0; want &= want - 1 {
			bit := want & -want
			s.batch[n] = Freq{Doc: first + uint32(bits.TrailingZeros64(want)), Freq: s.pending + uint32(bits.OnesCount64(w&(bit-1)))}
			w &^= bit | (bit - 1)
			s.pending = 0
			n++
		}
		s.pending += uint32(bits.OnesCount64(w))
	}
	return n
}

// word returns those of 64 documents of a bitmap that are not read and before a limit.
func (s *Scan) word(first, limit uint32) uint64 {
	w := binary.LittleEndian.Uint64(s.bits[(first-s.base)/8:])
	if first < s.next {
		w = w >> (s.next - first) << (s.next - first)
	}
	if limit-first < wordBits {
		w &= 1<<(limit-first) - 1
	}
	return w
}

// passOver passes over the documents of the container before to. It counts those of the chunk
// in which it ends.
func (s *Scan) passOver(to uint32) {
	if to >= s.end && int(to) < s.src.docs {
		s.goTo(to)
		if s.bits == nil {
			s.array = s.array[2*s.before(s.start):]
		}
		s.next = max(s.next, s.start)
	}
	n := s.before(to)
	s.pending += uint32(n)
	if s.bits == nil {
		s.array = s.array[2*n:]
	}
	s.next = to
}

// before returns the number of documents of the container that are not read and before to.
func (s *Scan) before(to uint32) (n int) {
	if s.bits == nil {
		return sort.Search(len(s.array)/2, func(i int) bool { return s.at(i) >= to })
	}
	for first := s.next &^ (wordBits - 1); first < min(to, s.base+allDocs); first += wordBits {
		n += bits.OnesCount64(s.word(first, to))
	}
	return n
}

// at returns one of the documents of the container that are not read.
func (s *Scan) at(i int) uint32 {
	if s.bits == nil {
		return s.base | uint32(binary.LittleEndian.Uint16(s.array[2*i:]))
	}
	first := s.next &^ (wordBits - 1)
	for w := s.word(first, math.MaxUint32); ; w = s.word(first, math.MaxUint32) {
		if n := bits.OnesCount64(w); i >= n {
			i, first = i-n, first+wordBits
			continue
		}
		for ; i > 0; i-- {
			w &= w - 1
		}
		return first + uint32(bits.TrailingZeros64(w))
	}
}

// goTo goes to the chunk of a document.
func (s *Scan) goTo(doc uint32) {
	if s.size == 0 || int(doc) >= s.src.docs || int(doc/s.size) > len(s.tfEnds) || doc < s.size {
		s.err = errBroken
		return
	}
	chunk := doc / s.size
	s.end, s.pending, s.tf.at = min((chunk+1)*s.size, uint32(s.src.docs)), 0, s.tfEnds[chunk-1]
	s.start = chunk * s.size
}
