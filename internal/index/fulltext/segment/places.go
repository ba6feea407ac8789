package segment

import (
	"math/bits"
	"slices"
)

// A place is where a term occurs: a row and below it a position, in as many bits as
// those of a segment need. Most have 32, which keeps more places in the CPU's cache.
type place interface{ uint32 | uint64 }

// places are those of all terms, by term, row and position. One of the lists is in use.
type places struct {
	narrow   []uint32
	wide     []uint64
	isNarrow bool
	shift    int // bits of a position
}

// order puts the occurrences in order. The words have where those of each term begin.
func (p *places) order(w *words) {
	p.shift = bits.Len32(w.allPos)
	if p.isNarrow = p.shift+bits.Len(uint(len(w.ends))) <= 32; p.isNarrow {
		p.narrow = slices.Grow(p.narrow[:0], w.total)[:w.total]
		scatter(w, p.narrow, p.shift)
	} else {
		p.wide = slices.Grow(p.wide[:0], w.total)[:w.total]
		scatter(w, p.wide, p.shift)
	}
}

func scatter[P place](w *words, to []P, shift int) {
	next := w.next
	from := 0
	for row, end := range w.ends {
		high, pos := P(row)<<shift, uint32(0)
		for occs := w.occs[from:end]; len(occs) > 0; {
			id := occs[0]
			if pos++; id >= jump {
				id, pos = id&^jump, occs[1]
				occs = occs[1:]
			}
			occs = occs[1:]
			at := next[id]
			to[at] = high | P(pos)
			next[id] = at + 1
		}
		from = end
	}
}

// A placesOf is the places of one term.
type placesOf[P place] struct {
	places []P
	shift  int
}

func (p placesOf[P]) doc(i int) uint32 { return uint32(p.places[i] >> p.shift) }

// docs returns the number of documents of a term, where it matters for the number of
// chunks.
func (p placesOf[P]) docs() int {
	n := len(p.places)
	if n < perChunk {
		return n
	}
	for i := 1; i < len(p.places); i++ {
		if p.doc(i) == p.doc(i-1) {
			n--
		}
	}
	return n
}

// writeTerms writes the terms of field id, whose places are all.
func writeTerms[P place](b *builder, w *words, all []P, id, docs int, positions bool) error {
	from := uint32(0)
	for _, t := range w.sorted {
		p := placesOf[P]{all[from:t.end], w.places.shift}
		from = t.end
		b.list.start(p.docs(), docs)
		addPlaces(&b.list, w.lengths, p, id, positions)
		if err := b.dict.Insert(w.text(t.id), b.writeList()); err != nil {
			return err
		}
		b.step()
	}
	return nil
}

// addPlaces adds the places of a term of field id, in documents of some lengths. The
// lists are variables while it runs, which the CPU keeps in registers.
func addPlaces[P place](l *list, lengths []uint32, p placesOf[P], id int, positions bool) {
	n := len(p.places)
	docs, tf, loc := slices.Grow(l.docs, n), slices.Grow(l.tf, 2*n), l.loc
	hasLoc := uint64(0)
	if positions {
		hasLoc = 1
		loc = slices.Grow(loc, (1+placeSize)*n) // usual
	}
	for from := 0; from < n; {
		doc, to := p.doc(from), from+1
		for to < n && p.doc(to) == doc {
			to++
		}
		if doc >= l.next {
			l.tf, l.loc = tf, loc
			l.reach(doc)
		}
		docs = append(docs, doc)
		tf = uvarint(uvarint(tf, uint64(to-from)<<1|hasLoc), uint64(lengths[doc]))
		if positions {
			loc = appendPositions(loc, uint64(id), p.places[from:to], 1<<p.shift-1)
		}
		from = to
	}
	l.docs, l.tf, l.loc = docs, tf, loc
}

const (
	placeSize = 5      // bytes of most positions
	oneByte   = 1 << 7 // numbers below have one byte
)

// appendPositions appends the positions in one document, which are the bits of a mask.
func appendPositions[P place](loc []byte, id uint64, places []P, mask P) []byte {
	if p := places[0] & mask; len(places) == 1 && p < oneByte && id < oneByte {
		return append(loc, placeSize, byte(id), byte(p), 0, 0, 0)
	}
	size := len(places) * (uvarintSize(id) + 3)
	for _, p := range places {
		size += uvarintSize(uint64(p & mask))
	}
	loc = uvarint(loc, uint64(size))
	for _, p := range places {
		loc = uvarint(loc, id)
		loc = uvarint(loc, uint64(p&mask))
		loc = append(loc, 0, 0, 0) // no offsets in the text, no positions in lists
	}
	return loc
}

func uvarintSize(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }
