package store

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"indexerd/internal/doc"
)

// Get returns the newest version of a page: ErrNotFound when there is none,
// ErrCorrupt when what is stored is damaged.
func (f Family) Get(oid doc.OID) (doc.Page, error) {
	m, hash := f.m, f.hash(oid)
	pin, err := m.enter(hash)
	if err != nil {
		return doc.Page{}, err
	}
	defer pin.leave()
	var room [4]slot
	for _, s := range m.newestFirst(m.index.lookup(hash, room[:0])) {
		page, mine, err := f.page(s, oid)
		if mine || err != nil {
			return page, m.blame(hash, s, oid, err)
		}
	}
	return doc.Page{}, ErrNotFound
}

// Versions returns the kept versions of a page, newest first; none is
// ErrNotFound. A damaged one is left out, and named by the error that comes
// with the others.
func (f Family) Versions(oid doc.OID) ([]doc.Page, error) {
	m, hash := f.m, f.hash(oid)
	pin, err := m.enter(hash)
	if err != nil {
		return nil, err
	}
	defer pin.leave()
	var pages []doc.Page
	var faults []error
	for _, s := range m.newestFirst(m.index.lookup(hash, nil)) {
		page, mine, err := f.page(s, oid)
		switch {
		case err != nil:
			faults = append(faults, m.blame(hash, s, oid, err))
		case mine:
			pages = append(pages, page)
		}
	}
	if len(pages) == 0 && len(faults) == 0 {
		return nil, ErrNotFound
	}
	return pages, join(faults...)
}

// At returns the version that was the newest at a time, by when pages were
// fetched: what a reader was told then, as far as it is kept.
func (f Family) At(oid doc.OID, at time.Time) (doc.Page, error) {
	pages, err := f.Versions(oid)
	for _, p := range pages {
		if !p.Fetched.After(at) {
			return p, nil
		}
	}
	if err == nil {
		err = ErrNotFound
	}
	return doc.Page{}, err
}

// Meta returns what is known of a page beside its content, without reading the
// content. A page that is known to be damaged is absent here and to Has, so
// that it is fetched again.
func (f Family) Meta(oid doc.OID) (doc.Meta, bool, error) {
	m, hash := f.m, f.hash(oid)
	pin, err := m.enter(hash)
	if err != nil {
		return doc.Meta{}, false, err
	}
	defer pin.leave()
	var room [4]slot
	for _, s := range m.newestFirst(m.index.lookup(hash, room[:0])) {
		h, mine, err := f.head(s, string(oid))
		switch {
		case errors.Is(err, ErrCorrupt):
			return doc.Meta{}, false, nil
		case err != nil:
			return doc.Meta{}, false, fmt.Errorf("page %v: %w", oid, err)
		case mine && s.class() == classCorrupt:
			return doc.Meta{}, false, nil
		case mine:
			return h.meta(oid), true, nil
		}
	}
	return doc.Meta{}, false, nil
}

// Has reports whether there is a page.
func (f Family) Has(oid doc.OID) (bool, error) {
	_, ok, err := f.Meta(oid)
	return ok, err
}

func (f Family) hash(oid doc.OID) uint64 {
	return xxh3.HashStringSeed(string(oid), uint64(f.id))
}

// enter pins what the index points at, until the pin is left.
func (m *FileMap) enter(hash uint64) (*pin, error) {
	p := m.epochs.enter(hash)
	if m.closed.Load() {
		p.leave()
		return nil, errClosed
	}
	return p, nil
}

// newestFirst sorts the candidates of a key, of which there are few.
func (m *FileMap) newestFirst(slots []slot) []slot {
	for i := 1; i < len(slots); i++ {
		for j := i; j > 0 && m.older(slots[j-1].address(), slots[j].address()); j-- {
			slots[j-1], slots[j] = slots[j], slots[j-1]
		}
	}
	return slots
}

// older reports whether a's record was written before b's.
func (m *FileMap) older(a, b address) bool {
	return m.position(a).before(m.position(b))
}

func (m *FileMap) position(a address) position {
	return position{m.segments[a.id()].Load().number, a.place()}
}

// page reads the record a slot points at in one read. mine is false when it is
// another key's. The caller has entered.
func (f Family) page(s slot, oid doc.OID) (page doc.Page, mine bool, err error) {
	m := f.m
	seg, off := m.segments[s.address().id()].Load(), s.address().offset()
	buf, err := seg.read(off, max(int(classLen(s.class())), headerSize+len(oid)), &m.buffers)
	defer func() { m.buffers.put(buf) }()
	if err != nil {
		return page, false, err
	}
	h, mine, err := f.match(buf.bytes, seg, s, string(oid))
	if err != nil || !mine {
		return page, false, err
	}
	if h.size() > int64(len(buf.bytes)) {
		m.buffers.put(buf)
		if buf, err = seg.read(off, int(h.size()), &m.buffers); err != nil {
			return page, false, err
		}
		if h.size() > int64(len(buf.bytes)) {
			return page, false, errCut
		}
	}
	body := h.body(buf.bytes)
	if s.class() == classCorrupt || checksum(body) != h.bodySum {
		return page, true, errBodySum
	}
	page.Meta = h.meta(oid)
	if h.codec == codecNone {
		page.Body = slices.Clip(body) // with the buffer, which is not put back as it was
		buf.bytes = nil
		return page, true, nil
	}
	page.Body, err = m.codecs.Load().decode(h.codec, body, int(h.raw))
	return page, true, err
}

// head reads only the header and the key.
func (f Family) head(s slot, key string) (h header, mine bool, err error) {
	seg := f.m.segments[s.address().id()].Load()
	buf, err := seg.read(s.address().offset(), headerSize+len(key), &f.m.buffers)
	defer f.m.buffers.put(buf)
	if err != nil {
		return h, false, err
	}
	return f.match(buf.bytes, seg, s, key)
}

// match checks the head at the start of b and whether it is the key's.
func (f Family) match(b []byte, seg *segment, s slot, key string) (header, bool, error) {
	if len(b) < headerSize {
		return header{}, false, errCut
	}
	h, err := decodeHeader(b)
	if err != nil {
		return h, false, err
	}
	if int(h.keyLen) != len(key) || len(b) < h.headLen() || string(b[headerSize:h.headLen()]) != key || h.family != f.id {
		return f.mismatch(h, seg, s)
	}
	if !checkHead(b[:h.headLen()], seg.number, s.address().place()) {
		return h, false, errHeadSum
	}
	return h, true, nil
}

// mismatch tells another key, whose tag happens to be the same, from damage.
func (f Family) mismatch(h header, seg *segment, s slot) (header, bool, error) {
	buf, err := seg.read(s.address().offset(), h.headLen(), &f.m.buffers)
	defer f.m.buffers.put(buf)
	if err != nil {
		return h, false, err
	}
	if len(buf.bytes) < h.headLen() {
		return h, false, errCut
	}
	if !checkHead(buf.bytes, seg.number, s.address().place()) {
		return h, false, errHeadSum
	}
	return h, false, nil
}

// blame marks a damaged record, so that Meta no longer vouches for it, and
// names it in the error.
func (m *FileMap) blame(hash uint64, s slot, oid doc.OID, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrCorrupt) && s.class() != classCorrupt {
		m.markCorrupt(hash, s)
	}
	at := m.position(s.address())
	return fmt.Errorf("page %v: value%d.dat at %d: %w", oid, at.segment, s.address().offset(), err)
}

func (m *FileMap) markCorrupt(hash uint64, s slot) {
	sh := m.index.shard(hash)
	sh.mu.Lock()
	sh.replace(s, s.corrupt())
	sh.mu.Unlock()
}
