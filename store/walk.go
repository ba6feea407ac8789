package store

import (
	"io"
	"iter"
)

// An entry is one record's head, as a walk meets it.
type entry struct {
	head  header
	bytes []byte // header and key, valid until the next entry
	seg   *segment
	place uint32
	// bad: the value is known to be damaged. lost: there is no record here at
	// all, but size bytes of damage.
	bad  bool
	lost int64
}

func (e *entry) key() []byte { return e.bytes[headerSize:] }

func (e *entry) address() address { return makeAddress(e.seg.id, e.place) }

// A position is a place in the log; order of positions is order of writing.
type position struct {
	segment uint32 // number
	place   uint32
}

func (p position) before(q position) bool {
	return p.segment < q.segment || p.segment == q.segment && p.place < q.place
}

// A walk reads the heads of the log's records in the order of writing: from
// key.dat what its frames cover, from the values what they don't. segments are
// in order of number.
type walk struct {
	segments []*segment
	at       position // how far it has come
	// cut is where key.dat stops being of use: at its end, at a bad frame, or
	// at one that claims what the log does not have.
	cut   int64
	stale bool // some frames are of segments that were rewritten or are gone
}

// covered walks up to the end of the last frame that is right.
func (w *walk) covered(keys *keyLog, off int64) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		w.cut = off
		for f, err := range keys.frames(off) {
			if err != nil || f.segment > w.segments[len(w.segments)-1].number {
				return // what lies behind is read from the values
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

// gap walks the values from where the walk is up to a position.
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

// values yields the records of a part of a segment, read from the values.
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
	lo, hi := 0, len(w.segments)
	for lo < hi {
		mid := (lo + hi) / 2
		if w.segments[mid].number < number {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(w.segments) && w.segments[lo].number == number {
		return w.segments[lo]
	}
	return nil
}
