package segment

import (
	"encoding/binary"
	"slices"

	"github.com/blevesearch/zapx/v17"
)

// A list is the postings of one term while they are collected: documents in
// order, and for each the bytes of tf and loc.
type list struct {
	docs            []uint32
	tf, loc         []byte
	tfEnds, locEnds []int  // of the chunks but the last one
	chunks          int    // number of chunks
	size            uint32 // documents of the segment that a chunk stands for
	next            uint32 // first document of the next chunk
}

// perChunk is the number of postings from which a list has several chunks.
const perChunk = 1024

// start empties the list, for n postings in a segment of so many documents. zapx
// computes the chunks like this.
func (l *list) start(n, docs int) {
	l.docs, l.tf, l.loc, l.tfEnds, l.locEnds = l.docs[:0], l.tf[:0], l.loc[:0], l.tfEnds[:0], l.locEnds[:0]
	size := docs / (n/perChunk + 1)
	l.chunks, l.size, l.next = (docs-1)/size+1, uint32(size), uint32(size)
}

// add appends a document. The caller then appends its bytes.
func (l *list) add(doc uint32) {
	l.reach(doc)
	l.docs = append(l.docs, doc)
}

// reach ends the chunks before that of a document.
func (l *list) reach(doc uint32) {
	for doc >= l.next {
		l.tfEnds, l.locEnds = append(l.tfEnds, len(l.tf)), append(l.locEnds, len(l.loc))
		l.next += l.size
	}
}

// writeList writes the list and returns what the dictionary has for it.
func (b *builder) writeList() uint64 {
	l := &b.list
	tf := b.writeChunks(l.tf, l.tfEnds)
	loc := b.writeChunks(l.loc, l.locEnds)
	at := b.at()
	b.out = uvarint(b.out, tf)
	b.out = uvarint(b.out, loc)
	b.writeBitmap(l.docs)
	return at
}

// writeChunks writes tf or loc and returns its offset, 0 if there is none.
func (b *builder) writeChunks(data []byte, ends []int) (at uint64) {
	if len(data) == 0 {
		return 0
	}
	at = b.at()
	b.out = uvarint(b.out, uint64(b.list.chunks))
	for _, end := range ends {
		b.out = uvarint(b.out, uint64(end))
	}
	for range b.list.chunks - len(ends) {
		b.out = uvarint(b.out, uint64(len(data)))
	}
	b.put(data)
	return at
}

// single returns what the dictionary has for a list of one document that needs
// no postings, or false.
func (l *list) single() (uint64, bool) {
	const most = 1<<31 - 1
	if len(l.docs) != 1 || len(l.loc) > 0 || len(l.tf) == 0 || l.tf[0] != 1<<1 || l.docs[0] > most {
		return 0, false
	}
	length, n := binary.Uvarint(l.tf[1:])
	return zap.FSTValEncode1Hit(uint64(l.docs[0]), length), n > 0 && 0 < length && length <= most
}

// The bitmaps are those of roaring: for every 65536 documents with any, a container
// that is an array of the low bits, or a bitmap, or runs of low bits. Only a container
// of all 65536 documents is written as runs, as one.
//
//	u32 12346, u32 containers; with runs: u16 12347, u16 containers-1, a bit for each: 1 for runs
//	for each container u16 high bits, u16 documents-1
//	for each container u32 offset, but not with runs and less than 4 containers
//	containers: of runs u16 runs, for each u16 first, u16 length-1
//
// All numbers are little-endian.
const (
	bitmapMagic = 12346
	runsMagic   = 12347
	noOffsets   = 4     // containers, with runs, from which on offsets are written
	maxArray    = 4096  // documents of an array
	bitmapBytes = 8192  // of a container that is a bitmap
	allDocs     = 65536 // of a container
	allBytes    = 6     // of one run
)

func containerSize(docs int) int {
	switch {
	case docs == allDocs:
		return allBytes
	case docs > maxArray:
		return bitmapBytes
	}
	return 2 * docs
}

// writeBitmap writes the length of a bitmap and the bitmap.
func (b *builder) writeBitmap(docs []uint32) {
	n, size, runs := 0, 0, b.runs[:0]
	for rest := docs; len(rest) > 0; n++ {
		k := container(rest)
		size += containerSize(k)
		if n%8 == 0 {
			runs = append(runs, 0)
		}
		if k == allDocs {
			runs[n/8] |= 1 << (n % 8)
		}
		rest = rest[k:]
	}
	b.runs = runs
	if !slices.ContainsFunc(runs, func(bits byte) bool { return bits != 0 }) {
		runs = nil
	}
	header, offsets := bitmapHead(n, runs != nil)
	b.out = uvarint(b.out, uint64(header+size))
	if runs == nil {
		b.out = binary.LittleEndian.AppendUint32(b.out, bitmapMagic)
		b.out = binary.LittleEndian.AppendUint32(b.out, uint32(n))
	} else {
		b.out = binary.LittleEndian.AppendUint16(b.out, runsMagic)
		b.out = binary.LittleEndian.AppendUint16(b.out, uint16(n-1))
		b.out = append(b.out, runs...)
	}
	for rest := docs; len(rest) > 0; {
		k := container(rest)
		b.out = binary.LittleEndian.AppendUint16(b.out, uint16(rest[0]>>16))
		b.out = binary.LittleEndian.AppendUint16(b.out, uint16(k-1))
		rest = rest[k:]
	}
	offset := header
	for rest := docs; offsets && len(rest) > 0; {
		k := container(rest)
		b.out = binary.LittleEndian.AppendUint32(b.out, uint32(offset))
		offset += containerSize(k)
		rest = rest[k:]
	}
	for rest := docs; len(rest) > 0; {
		k := container(rest)
		b.writeContainer(rest[:k])
		rest = rest[k:]
	}
}

// bitmapHead returns the bytes before the first container, and whether there are
// offsets.
func bitmapHead(containers int, runs bool) (size int, offsets bool) {
	size, offsets = 8+4*containers, true
	if runs {
		size, offsets = 4+(containers+7)/8+4*containers, containers >= noOffsets
	}
	if offsets {
		size += 4 * containers
	}
	return size, offsets
}

// container returns how many of the first documents are in one container.
func container(docs []uint32) int {
	high := docs[0] >> 16
	if docs[len(docs)-1]>>16 == high {
		return len(docs)
	}
	n := 1
	for docs[n]>>16 == high {
		n++
	}
	return n
}

func (b *builder) writeContainer(docs []uint32) {
	if len(docs) <= maxArray {
		at := len(b.out)
		b.out = slices.Grow(b.out, 2*len(docs))[:at+2*len(docs)]
		for i, d := range docs {
			binary.LittleEndian.PutUint16(b.out[at+2*i:], uint16(d))
		}
		return
	}
	if len(docs) == allDocs {
		b.out = append(b.out, 1, 0, 0, 0, 0xff, 0xff)
		return
	}
	at := len(b.out)
	b.out = append(b.out, make([]byte, bitmapBytes)...)
	for _, d := range docs {
		b.out[at+int(d&0xffff)/8] |= 1 << (d & 7)
	}
}
