package store

import (
	"iter"

	"github.com/zeebo/xxh3"

	"indexerd/internal/doc"
)

// All lists what is known of every page, in the order of writing. Writing may
// go on, also by who reads the list: a page that is put meanwhile comes again,
// at the end, with its new stamp. Compactions wait until the list has ended.
func (f Family) All() iter.Seq2[doc.Meta, error] {
	return func(yield func(doc.Meta, error) bool) {
		m := f.m
		m.layout.RLock()
		defer m.layout.RUnlock()
		if m.closed.Load() {
			yield(doc.Meta{}, errClosed)
			return
		}
		for e, err := range m.follow(&walk{cut: keysHeaderSize}) {
			if err != nil {
				yield(doc.Meta{}, err)
				return
			}
			if f.current(&e) && !yield(e.head.meta(doc.OID(e.key())), nil) {
				return
			}
		}
	}
}

// follow walks the log from where the walk is up to where the log ends when
// the walk gets there. The caller holds layout.
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
				continue // more frames may have been written meanwhile
			}
			w.segments = *m.order.Load()
			last := w.segments[len(w.segments)-1]
			end := position{last.number, placeAt(last.end.Load())}
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

// current reports whether the record is the newest version of a page of the
// family, as far as is known undamaged.
func (f Family) current(e *entry) bool {
	if e.lost > 0 || e.bad || e.head.kind != kindPut || e.head.family != f.id {
		return false
	}
	m := f.m
	var room [4]slot
	hash := xxh3.HashSeed(e.key(), uint64(f.id))
	for _, s := range m.newestFirst(m.index.lookup(hash, room[:0])) {
		if s.address() == e.address() {
			return s.class() != classCorrupt
		}
		if m.options.Versions == 1 {
			continue // the other one is of another key, or newer and listed in its turn
		}
		if _, mine, err := f.head(s, string(e.key())); mine && err == nil {
			return false
		}
	}
	return false
}
