package store

import "errors"

// apply updates the index for one record of the log. Put, Delete and recovery
// apply the log in order. Applying a record again, or one that is older than
// what the index has, changes nothing.
func (m *FileMap) apply(h *header, hash uint64, key []byte, at address) {
	sh := m.lockShard(hash)
	defer sh.mu.Unlock()
	var room [4]version
	versions := m.versions(sh, hash, key, room[:0])
	if h.kind == kindDelete {
		m.applyDelete(sh, h, versions, at)
		return
	}
	m.applyPut(sh, h, hash, versions, at)
}

// A version is a record of a page that is kept.
type version struct {
	slot slot
	size int64
}

// versions appends the records of a page that the index has. It skips a damaged
// record, whose slot goes when its segment is rewritten. It reads a record again
// that the disk does not return, because the slot of a removed page must not
// outlive a temporary fault; if the second read fails too, versions removes the
// slot, and with the last slot the page. The caller holds the shard.
func (m *FileMap) versions(sh shard, hash uint64, key []byte, found []version) []version {
	var room [4]slot
	candidates := m.index.lookup(hash, room[:0])
	if len(candidates) == 0 {
		return found
	}
	unread := false
	for _, s := range candidates {
		h, mine, err := m.head(s, string(key))
		if err != nil && !errors.Is(err, ErrCorrupt) {
			h, mine, err = m.head(s, string(key))
		}
		switch {
		case err == nil && mine:
			found = append(found, version{s, h.size()})
		case err != nil && !errors.Is(err, ErrCorrupt):
			m.replace(sh, version{s, m.maxSize(s)}, gone)
			unread = true
		}
	}
	if unread && len(found) == 0 && sh.pages > 0 {
		sh.pages--
	}
	return found
}

// maxSize returns an upper bound for the size of a record that cannot be read:
// garbage may be counted too high, but not too low.
func (m *FileMap) maxSize(s slot) int64 {
	at := s.address()
	left := m.segments.at(at.id()).end.Load() - at.offset()
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
		sh.pages++
	}
	if len(versions) < m.options.Versions {
		sh.insert(added.slot, hash)
		return
	}
	// Options.Versions may be lower than when the map was last open.
	for len(versions) > m.options.Versions {
		oldest := m.oldest(versions)
		m.replace(sh, versions[oldest], gone)
		versions = append(versions[:oldest], versions[oldest+1:]...)
	}
	oldest := versions[m.oldest(versions)]
	if m.older(at, oldest.slot.address()) {
		m.countGarbage(added)
		return
	}
	m.replace(sh, oldest, added.slot)
}

func (m *FileMap) applyDelete(sh shard, h *header, versions []version, at address) {
	m.segments.at(at.id()).tombs.Add(h.size())
	left := len(versions)
	for _, v := range versions {
		if m.older(v.slot.address(), at) {
			m.replace(sh, v, gone)
			left--
		}
	}
	if len(versions) > 0 && left == 0 {
		sh.pages--
	}
}

// oldest returns the position of the oldest version.
func (m *FileMap) oldest(versions []version) int {
	oldest := 0
	for i := range versions {
		if m.older(versions[i].slot.address(), versions[oldest].slot.address()) {
			oldest = i
		}
	}
	return oldest
}

// replace replaces the slot of a record by another slot or by gone, and counts
// the record as garbage.
func (m *FileMap) replace(sh shard, v version, to slot) {
	sh.replace(v.slot, to)
	m.countGarbage(v)
}

func (m *FileMap) countGarbage(v version) {
	m.segments.at(v.slot.address().id()).dead.Add(v.size)
}

// recount counts the pages of a shard from scratch, after slots were removed
// whose records, and so whose pages, are unknown. The caller holds the shard.
func (m *FileMap) recount(sh shard) {
	keys := make(map[string]bool)
	buf := m.buffer()
	defer buf.release()
	for _, s := range sh.all() {
		seg, off := m.segments.at(s.address().id()), s.address().offset()
		b, err := seg.read(off, headerSize+MaxKey, &buf)
		if err != nil || len(b) < headerSize {
			continue
		}
		var h header
		if err := h.decode(b); err != nil || len(b) < h.headLen() || !checkHead(b[:h.headLen()], seg.number, s.address().place()) {
			continue
		}
		keys[string(b[headerSize:h.headLen()])] = true
	}
	sh.pages = len(keys)
}
