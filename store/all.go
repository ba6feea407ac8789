package store

import (
	"iter"
	"math"

	"indexerd/internal/base/doc"
)

// All lists the Meta of every page in the order of writing. Other goroutines
// and the loop itself may write: a page that is put during the list is listed
// again, at the end, with its new stamp. Compactions wait for the list to end.
func (m *FileMap) All() iter.Seq2[doc.Meta, error] {
	return m.list(func() position { return position{math.MaxUint32, 0} })
}

// Present is All without the pages that are put during the list. So it ends however
// fast others write.
func (m *FileMap) Present() iter.Seq2[doc.Meta, error] {
	return m.list(func() position { return endOf(*m.order.Load()) })
}

// list lists the pages that were put before a position, which it asks for when it
// begins.
func (m *FileMap) list(until func() position) iter.Seq2[doc.Meta, error] {
	return func(yield func(doc.Meta, error) bool) {
		m.layout.RLock()
		defer m.layout.RUnlock()
		if m.closed.Load() {
			yield(doc.Meta{}, errClosed)
			return
		}
		end := until()
		for e, err := range m.follow(&walk{cut: keysHeaderSize}) {
			if err != nil {
				yield(doc.Meta{}, err)
				return
			}
			if e.seg != nil && !(position{e.seg.number, e.place}).before(end) {
				return
			}
			if m.isNewest(&e) && !yield(e.head.meta(doc.OID(e.key())), nil) {
				return
			}
		}
	}
}

// endOf returns the end of a log.
func endOf(segments []*segment) position {
	if len(segments) == 0 { // opened read-only, before anything was written
		return position{}
	}
	last := segments[len(segments)-1]
	return position{last.number, placeAt(last.end.Load())}
}

// follow walks the log from the walk's position to the end that the log has
// when the walk arrives there. The caller holds layout.
func (m *FileMap) follow(w *walk) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		for {
			w.segments = *m.order.Load()
			if len(w.segments) == 0 { // opened read-only, before anything was written
				return
			}
			before := w.at
			for e, err := range w.covered(m.keys, w.cut) {
				if !yield(e, err) || err != nil {
					return
				}
			}
			if w.at != before {
				continue // there may be more frames by now
			}
			w.segments = *m.order.Load()
			end := endOf(w.segments)
			if !w.at.before(end) {
				return
			}
			for e, err := range w.gap(end) {
				if !yield(e, err) || err != nil {
					return
				}
			}
			w.at = end
		}
	}
}

// isNewest reports whether the record is the newest version of its page, and
// not known to be damaged.
func (m *FileMap) isNewest(e *entry) bool {
	if e.lost > 0 || e.bad || e.head.kind != kindPut {
		return false
	}
	var room [4]slot
	for _, s := range m.newestFirst(m.index.lookup(e.hash(), room[:0])) {
		if s.address() == e.address() {
			return s.class() != classCorrupt
		}
		if m.options.Versions == 1 {
			continue // a record of another key, or a newer one, which is listed later
		}
		if _, mine, err := m.head(s, string(e.key())); mine && err == nil {
			return false
		}
	}
	return false
}
