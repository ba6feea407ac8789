package store

import (
	"math"

	"errors"
	"fmt"
	"time"

	"github.com/zeebo/xxh3"

	"indexerd/internal/doc"
)

// Get returns the newest version of a page, its body a copy: ErrNotFound when
// there is none, ErrCorrupt when what is stored is damaged.
func (f Family) Get(oid doc.OID) (doc.Page, error) {
	m, hash := f.m, f.hash(oid)
	pin, err := m.enter(hash)
	if err != nil {
		return doc.Page{}, err
	}
	defer pin.leave()
	buf := m.buffer()
	defer buf.release()
	var r record
	if err := f.newest(hash, oid, &r, &buf); err != nil {
		return doc.Page{}, err
	}
	body, err := m.codecs.Load().decode(nil, r.codec, r.stored, int(r.raw))
	if err != nil {
		return doc.Page{}, m.blame(hash, r.slot, oid, err)
	}
	return r.page(oid, body), nil
}

// View calls see with the newest version of a page, without a copy of its body
// where the values are mapped and not compressed. It returns what Get would, or
// the error of see.
//
// The body is valid until see returns: who keeps any of it clones it. It must
// not be written to. Meanwhile no compaction and no Close can end, so see is to be
// short, and of this map it may call Get, View, Meta, Has, Versions and At only.
func (f Family) View(oid doc.OID, see func(doc.Page) error) error {
	m, hash := f.m, f.hash(oid)
	pin, err := m.enter(hash)
	if err != nil {
		return err
	}
	defer pin.leave()
	buf := m.buffer()
	defer buf.release()
	var r record
	if err := f.newest(hash, oid, &r, &buf); err != nil {
		return err
	}
	if r.codec == codecNone {
		return see(r.page(oid, r.stored))
	}
	room := m.buffer()
	defer room.release()
	body, err := m.codecs.Load().decode(room.take(int(r.raw)), r.codec, r.stored, int(r.raw))
	if err != nil {
		return m.blame(hash, r.slot, oid, err)
	}
	return see(r.page(oid, body))
}

// Versions returns the kept versions of a page, newest first; none is
// ErrNotFound. A damaged one is left out, and named by the error that comes
// with the others.
func (f Family) Versions(oid doc.OID) ([]doc.Page, error) {
	pages, _, err := f.NewestVersions(oid, math.MaxInt)
	return pages, err
}

// NewestVersions is Versions as far as their content takes so many bytes, and
// the first one in any case. It reports whether there are older ones.
func (f Family) NewestVersions(oid doc.OID, bytes int) (_ []doc.Page, more bool, _ error) {
	m, hash := f.m, f.hash(oid)
	pin, err := m.enter(hash)
	if err != nil {
		return nil, false, err
	}
	defer pin.leave()
	buf := m.buffer()
	defer buf.release()
	var pages []doc.Page
	var faults []error
	for _, s := range m.newestFirst(m.index.lookup(hash, nil)) {
		var r record
		mine, err := f.read(s, string(oid), &r, &buf)
		if bytes -= int(r.raw); err == nil && mine && bytes < 0 && len(pages) > 0 {
			more = true
			break
		}
		var body []byte
		if err == nil && mine {
			body, err = m.codecs.Load().decode(nil, r.codec, r.stored, int(r.raw))
		}
		switch {
		case err != nil:
			faults = append(faults, m.blame(hash, s, oid, err))
		case mine:
			pages = append(pages, r.page(oid, body))
		}
	}
	if len(pages) == 0 && len(faults) == 0 {
		return nil, false, ErrNotFound
	}
	return pages, more, join(faults...)
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

// buffer returns one that is released when what was read is no longer needed.
func (m *FileMap) buffer() buffer { return buffer{pool: &m.buffers} }

// A record is one version of a page as it is stored. Its bytes are the
// mapping's or a buffer's: valid while the reader's pin and buffer are held.
type record struct {
	slot
	header
	stored []byte
}

func (r *record) page(oid doc.OID, body []byte) (p doc.Page) {
	r.describe(&p.Meta, oid)
	p.Body = body
	return p
}

// newest finds the newest version of a page and checks it; ErrNotFound when
// there is none. The caller has entered. It fills r in where it lies, and so on
// down: returned by value, a record would be copied four times.
func (f Family) newest(hash uint64, oid doc.OID, r *record, buf *buffer) error {
	m := f.m
	var room [4]slot
	for _, s := range m.newestFirst(m.index.lookup(hash, room[:0])) {
		mine, err := f.read(s, string(oid), r, buf)
		if err != nil {
			return m.blame(hash, s, oid, err)
		}
		if mine {
			return nil
		}
	}
	return ErrNotFound
}

// read reads the record a slot points at, and checks it. mine is false when it
// is another key's. The caller has entered.
func (f Family) read(s slot, key string, r *record, buf *buffer) (mine bool, err error) {
	r.slot = s
	seg, off := f.m.segments[s.address().id()].Load(), s.address().offset()
	b, err := seg.read(off, max(int(classLen(s.class())), headerSize+len(key)), buf)
	if err != nil {
		return false, err
	}
	fetch(b)
	mine, err = f.match(&r.header, b, seg, s, key, buf)
	if err != nil || !mine {
		return false, err
	}
	if r.size() > int64(len(b)) {
		if b, err = seg.read(off, int(r.size()), buf); err != nil {
			return false, err
		}
		if r.size() > int64(len(b)) {
			return false, errCut
		}
	}
	r.stored = r.body(b)
	if s.class() == classCorrupt || checksum(r.stored) != r.bodySum {
		return true, errBodySum
	}
	return true, nil
}

// head reads only the header and the key.
func (f Family) head(s slot, key string) (h header, mine bool, err error) {
	seg := f.m.segments[s.address().id()].Load()
	buf := f.m.buffer()
	defer buf.release()
	b, err := seg.read(s.address().offset(), headerSize+len(key), &buf)
	if err != nil {
		return h, false, err
	}
	mine, err = f.match(&h, b, seg, s, key, &buf)
	return h, mine, err
}

// match checks the head at the start of b and whether it is the key's.
func (f Family) match(h *header, b []byte, seg *segment, s slot, key string, buf *buffer) (mine bool, err error) {
	if len(b) < headerSize {
		return false, errCut
	}
	if err := h.decode(b); err != nil {
		return false, err
	}
	if int(h.keyLen) != len(key) || len(b) < h.headLen() || string(b[headerSize:h.headLen()]) != key || h.family != f.id {
		return false, f.mismatch(h, seg, s, buf)
	}
	if !checkHead(b[:h.headLen()], seg.number, s.address().place()) {
		return false, errHeadSum
	}
	return true, nil
}

// mismatch tells another key, whose tag happens to be the same, from damage.
func (f Family) mismatch(h *header, seg *segment, s slot, buf *buffer) error {
	b, err := seg.read(s.address().offset(), h.headLen(), buf)
	if err != nil {
		return err
	}
	if len(b) < h.headLen() {
		return errCut
	}
	if !checkHead(b, seg.number, s.address().place()) {
		return errHeadSum
	}
	return nil
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
