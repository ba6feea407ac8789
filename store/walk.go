package store

import (
	"cmp"
	"io"
	"iter"
	"slices"

	"github.com/zeebo/xxh3"
)

// An entry is the header and the key of one record in a walk.
type entry struct {
	head  header
	bytes []byte // header and key, valid until the next entry
	seg   *segment
	place uint32
	bad   bool  // the value is damaged
	lost  int64 // if not 0: so many bytes of damage, and no record
}

func (e *entry) key() []byte { return e.bytes[headerSize:] }

func (e *entry) hash() uint64 { return xxh3.Hash(e.key()) }

func (e *entry) address() address { return makeAddress(e.seg.id, e.place) }

// A position is a place in the log. Positions are in the order of writing.
type position struct {
	segment uint32 // number
	place   uint32
}

func (p position) before(q position) bool {
	return p.segment < q.segment || p.segment == q.segment && p.place < q.place
}

// A walk reads the headers of the log's records in the order of writing: those
// that the frames of key.dat cover from key.dat, and the others from the values.
type walk struct {
	segments []*segment // by number
	at       position
	// cut is where the usable part of key.dat ends: at its end, at a damaged
	// frame, or at one that covers more than the log has.
	cut   int64
	stale bool // some frames are of segments that were rewritten or removed
}

// covered walks to the end of the last valid frame. It reads frames from off on.
func (w *walk) covered(keys *keyLog, off int64) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		w.cut = off
		for f, err := range keys.frames(off) {
			if err != nil || f.segment > w.segments[len(w.segments)-1].number {
				return // the caller reads the rest from the values
			}
			s := w.segment(f.segment)
			void := s == nil || s.rewrite != f.rewrite
			if !void && int64(f.to)*unit > s.end.Load() {
				return
			}
			w.cut = f.off + frameHeaderSize + int64(f.length)
			w.stale = w.stale || void
			from := position{f.segment, f.from}
			if void || from.before(w.at) {
				continue
			}
			for e, err := range w.gap(from) {
				if !yield(e, err) || err != nil {
					return
				}
			}
			for e := range f.entries() {
				e.seg = s
				if !yield(e, nil) {
					return
				}
			}
			w.at = position{f.segment, f.to}
		}
	}
}

// gap walks the values from the walk's position to another one.
func (w *walk) gap(to position) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		for _, s := range w.segments {
			if s.number < w.at.segment || s.number > to.segment {
				continue
			}
			from, end := int64(0), s.end.Load()
			if s.number == w.at.segment {
				from = int64(w.at.place) * unit
			}
			if s.number == to.segment {
				end = min(end, int64(to.place)*unit)
			}
			if !w.values(s, from, end, yield) {
				return
			}
		}
	}
}

// values yields the records in a part of a segment. It reports whether to go
// on.
func (w *walk) values(s *segment, from, end int64, yield func(entry, error) bool) bool {
	c := newScan(s, from, end)
	for {
		found, err := c.next()
		if err == io.EOF {
			return true
		}
		if err != nil {
			yield(entry{}, err)
			return false
		}
		if !yield(found.entry(s), nil) {
			return false
		}
	}
}

func (f *scanned) entry(s *segment) entry {
	e := entry{head: f.head, seg: s, place: placeAt(f.at), bad: f.err != nil}
	if f.rec == nil {
		e.lost = f.size
		return e
	}
	e.bytes = f.rec[:f.head.headLen()]
	return e
}

// segment finds a segment by its number.
func (w *walk) segment(number uint32) *segment {
	i, found := slices.BinarySearchFunc(w.segments, number, func(s *segment, n uint32) int { return cmp.Compare(s.number, n) })
	if !found {
		return nil
	}
	return w.segments[i]
}
