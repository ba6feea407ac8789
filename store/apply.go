package store

import "errors"

// apply lets the index say what a record of the log says. The log is applied
// in order, by Put and Delete as by recovery; applying a record that the index
// knows already, or knows better, changes nothing.
func (m *FileMap) apply(h *header, hash uint64, key []byte, at address) {
	sh := m.index.shard(hash)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	var room [4]version
	versions := m.versions(sh, h.family, hash, key, room[:0])
	if h.kind == kindDelete {
		m.applyDelete(sh, h, versions, at)
		return
	}
	m.applyPut(sh, h, hash, versions, at)
}

// A version is one kept record of a page.
type version struct {
	slot slot
	size int64
}

// versions appends the records of a page, as the index has them. A damaged
// candidate is nobody's: its slot goes when its segment is rewritten. One that
// the disk does not give is asked for again, since a slot that stays behind for
// a fault that passes is a removed page that is back; if the disk still does
// not, its slot goes at once, and with the last one the page.
// The caller holds the shard.
func (m *FileMap) versions(sh shard, family uint8, hash uint64, key []byte, found []version) []version {
	var room [4]slot
	candidates := m.index.lookup(hash, room[:0])
	if len(candidates) == 0 {
		return found
	}
	f := Family{m, family}
	unread := false
	for _, s := range candidates {
		h, mine, err := f.head(s, string(key))
		if err != nil && !errors.Is(err, ErrCorrupt) {
			h, mine, err = f.head(s, string(key))
		}
		switch {
		case err == nil && mine:
			found = append(found, version{s, h.size()})
		case err != nil && !errors.Is(err, ErrCorrupt):
			m.forget(sh, version{s, m.atMost(s)}, gone)
			unread = true
		}
	}
	if unread && len(found) == 0 && sh.cells[family] > 0 {
		sh.cells[family]--
	}
	return found
}

// atMost is how long the record of an unreadable slot can be: garbage
// may be counted too high, and not too low.
func (m *FileMap) atMost(s slot) int64 {
	at := s.address()
	left := m.segments[at.id()].Load().end.Load() - at.offset()
	if s.class() < classLast {
		return min(left, classLen(s.class()))
	}
	return left
}

func (m *FileMap) applyPut(sh shard, h *header, hash uint64, versions []version, at address) {
	for _, v := range versions {
		if v.slot.address() == at {
			return
		}
	}
	added := version{makeSlot(hash, classOf(h.size()), at), h.size()}
	if len(versions) == 0 {
		sh.cells[h.family]++
	}
	if len(versions) < m.options.Versions {
		sh.insert(added.slot)
		return
	}
	// Fewer versions may be kept than when the map was last open.
	for len(versions) > m.options.Versions {
		oldest := m.oldest(versions)
		m.forget(sh, versions[oldest], gone)
		versions = append(versions[:oldest], versions[oldest+1:]...)
	}
	oldest := versions[m.oldest(versions)]
	if m.older(at, oldest.slot.address()) {
		m.bury(added)
		return
	}
	m.forget(sh, oldest, added.slot)
}

func (m *FileMap) applyDelete(sh shard, h *header, versions []version, at address) {
	m.segments[at.id()].Load().tombs.Add(h.size())
	left := len(versions)
	for _, v := range versions {
		if m.older(v.slot.address(), at) {
			m.forget(sh, v, gone)
			left--
		}
	}
	if len(versions) > 0 && left == 0 {
		sh.cells[h.family]--
	}
}

// oldest is the position of the oldest of some versions.
func (m *FileMap) oldest(versions []version) int {
	oldest := 0
	for i := range versions {
		if m.older(versions[i].slot.address(), versions[oldest].slot.address()) {
			oldest = i
		}
	}
	return oldest
}

// forget takes a record out of the index, in favour of another or none.
func (m *FileMap) forget(sh shard, v version, to slot) {
	sh.replace(v.slot, to)
	m.bury(v)
}

// bury counts a record as dead.
func (m *FileMap) bury(v version) {
	m.segments[v.slot.address().id()].Load().dead.Add(v.size)
}

// recount counts the pages of a shard anew after slots whose records could not
// be read were taken away: nobody knows whose they were.
func (m *FileMap) recount(sh shard) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	type page struct {
		family uint8
		key    string
	}
	pages := make(map[page]bool)
	sh.cells = [Families]uint32{}
	buf := m.buffer()
	defer buf.release()
	for _, s := range sh.all() {
		seg, off := m.segments[s.address().id()].Load(), s.address().offset()
		b, err := seg.read(off, headerSize+MaxKey, &buf)
		if err != nil || len(b) < headerSize {
			continue
		}
		var h header
		if err := h.decode(b); err != nil || len(b) < h.headLen() || !checkHead(b[:h.headLen()], seg.number, s.address().place()) {
			continue
		}
		p := page{h.family, string(b[headerSize:h.headLen()])}
		if !pages[p] {
			pages[p] = true
			sh.cells[p.family]++
		}
	}
}
