package store

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/zeebo/xxh3"

	"indexerd/internal/base/doc"
)

// Get returns the newest version of a page. It returns ErrNotFound if there is
// none, and ErrCorrupt if it is damaged.
func (m *FileMap) Get(oid doc.OID) (page doc.Page, err error) {
	err = m.View(oid, func(p doc.Page) error {
		page = p
		page.Body = slices.Clone(p.Body)
		return nil
	})
	return page, err
}

// View calls see with the newest version of a page, and allocates nothing. It
// returns the error that Get would return, or the error of see.
//
// The body is valid until see returns, and must not be changed. Compactions and
// Close wait for see, so see should be short, and may call only Get, View, Meta
// and NewestVersions of this map.
func (m *FileMap) View(oid doc.OID, see func(doc.Page) error) error {
	hash := hashOf(oid)
	pin, err := m.enter(hash)
	if err != nil {
		return err
	}
	defer pin.leave()
	buf := m.buffer()
	defer buf.release()
	var r record
	if err := m.newest(hash, oid, &r, &buf); err != nil {
		return err
	}
	if r.codec == codecNone {
		return see(r.page(oid, r.stored))
	}
	room := m.buffer()
	defer room.release()
	body, err := m.codecs.Load().decode(room.take(int(r.raw)), r.codec, r.stored, int(r.raw))
	if err != nil {
		return m.recordError(hash, r.slot, oid, err)
	}
	return see(r.page(oid, body))
}

// NewestVersions returns the kept versions of a page, newest first, and reports
// whether there are older ones. It returns as many as have bytes of content, but
// always the newest. It returns ErrNotFound if there is none. For a damaged
// version it returns an error together with the other versions.
func (m *FileMap) NewestVersions(oid doc.OID, bytes int) (_ []doc.Page, more bool, _ error) {
	hash := hashOf(oid)
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
		mine, err := m.read(s, string(oid), &r, &buf)
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
			faults = append(faults, m.recordError(hash, s, oid, err))
		case mine:
			pages = append(pages, r.page(oid, body))
		}
	}
	if len(pages) == 0 && len(faults) == 0 {
		return nil, false, ErrNotFound
	}
	return pages, more, join(faults...)
}

// Meta returns the Meta of a page without reading the content, and reports
// whether there is a page. It reports a page that is known to be damaged as
// absent, so that the caller fetches the row again.
func (m *FileMap) Meta(oid doc.OID) (doc.Meta, bool, error) {
	hash := hashOf(oid)
	pin, err := m.enter(hash)
	if err != nil {
		return doc.Meta{}, false, err
	}
	defer pin.leave()
	var room [4]slot
	for _, s := range m.newestFirst(m.index.lookup(hash, room[:0])) {
		h, mine, err := m.head(s, string(oid))
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

// Metas returns the Meta of each page as Meta does, without an OID where there is
// none.
func (m *FileMap) Metas(oids []doc.OID) ([]doc.Meta, error) {
	metas := make([]doc.Meta, len(oids))
	for i, oid := range oids {
		var err error
		if metas[i], _, err = m.Meta(oid); err != nil {
			return nil, err
		}
	}
	return metas, nil
}

func hashOf(oid doc.OID) uint64 { return xxh3.HashString(string(oid)) }

// enter keeps the segments that the index points at open until the caller leaves
// the pin.
func (m *FileMap) enter(hash uint64) (*pin, error) {
	p := m.epochs.enter(hash)
	if m.closed.Load() {
		p.leave()
		return nil, errClosed
	}
	return p, nil
}

// newestFirst sorts the few slots of a key.
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
	if s := m.segments.at(a.id()); s != nil {
		return position{s.number, a.place()}
	}
	return position{} // of a damaged slot
}

// buffer returns an empty buffer. The caller releases it.
func (m *FileMap) buffer() buffer { return buffer{pool: &m.buffers} }

// A record is one stored version of a page. Its bytes are valid until the buffer
// that holds them is used again or released.
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

// newest reads and checks the newest version of a page, or returns ErrNotFound.
// The caller has entered. It fills r in place: a record returned by value would
// be copied four times.
func (m *FileMap) newest(hash uint64, oid doc.OID, r *record, buf *buffer) error {
	var room [4]slot
	for _, s := range m.newestFirst(m.index.lookup(hash, room[:0])) {
		mine, err := m.read(s, string(oid), r, buf)
		if err != nil {
			return m.recordError(hash, s, oid, err)
		}
		if mine {
			return nil
		}
	}
	return ErrNotFound
}

// read reads and checks the record that a slot points at. mine is false for a
// record of another key. The caller has entered.
func (m *FileMap) read(s slot, key string, r *record, buf *buffer) (mine bool, err error) {
	r.slot = s
	seg, off := m.segments.at(s.address().id()), s.address().offset()
	if seg == nil {
		return false, errSlot
	}
	b, err := seg.read(off, max(int(classLen(s.class())), headerSize+len(key)), buf)
	if err != nil {
		return false, err
	}
	mine, err = m.match(&r.header, b, seg, s, key, buf)
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

// head is read for the header and the key only.
func (m *FileMap) head(s slot, key string) (h header, mine bool, err error) {
	seg := m.segments.at(s.address().id())
	if seg == nil {
		return h, false, errSlot
	}
	buf := m.buffer()
	defer buf.release()
	b, err := seg.read(s.address().offset(), headerSize+len(key), &buf)
	if err != nil {
		return h, false, err
	}
	mine, err = m.match(&h, b, seg, s, key, &buf)
	return h, mine, err
}

// match checks the header at the start of b, and reports whether it is of this
// key.
func (m *FileMap) match(h *header, b []byte, seg *segment, s slot, key string, buf *buffer) (mine bool, err error) {
	if len(b) < headerSize {
		return false, errCut
	}
	if err := h.decode(b); err != nil {
		return false, err
	}
	if int(h.keyLen) != len(key) || len(b) < h.headLen() || string(b[headerSize:h.headLen()]) != key {
		return false, mismatch(h, seg, s, buf)
	}
	if !checkHead(b[:h.headLen()], seg.number, s.address().place()) {
		return false, errHeadSum
	}
	return true, nil
}

// mismatch returns nil for a record of another key with the same tag, and an error
// for a damaged one.
func mismatch(h *header, seg *segment, s slot, buf *buffer) error {
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

// recordError adds the page and the place to an error, and marks the slot of a
// damaged record, so that Meta reports the page as absent.
func (m *FileMap) recordError(hash uint64, s slot, oid doc.OID, err error) error {
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
	sh := m.index.lock(hash)
	sh.replace(s, s.corrupt())
	sh.mu.Unlock()
}

// epochs lets readers work without a lock: a reader pins the epoch while it
// uses an address. A compaction removes a segment from every slot and then
// calls drain: readers that may have seen an old slot have left when drain
// returns, and later readers find none.
type epochs struct {
	now  atomic.Uint32
	pins [2][]pin // by the epoch's parity
}

// begin makes four stripes for each processor, so that readers rarely share a cache line.
func (e *epochs) begin() {
	for parity := range e.pins {
		e.pins[parity] = make([]pin, 4*runtime.GOMAXPROCS(0))
	}
}

type pin struct {
	n atomic.Int32
	_ [60]byte // one pin per cache line
}

// enter pins the present epoch. The hash spreads readers over the stripes.
func (e *epochs) enter(hash uint64) *pin {
	for {
		now := e.now.Load()
		pins := e.pins[now&1]
		p := &pins[hash>>12%uint64(len(pins))]
		p.n.Add(1)
		// If the epoch ended between the two lines, drain may have missed this
		// pin.
		if e.now.Load() == now {
			return p
		}
		p.n.Add(-1)
	}
}

func (p *pin) leave() { p.n.Add(-1) }

// drain waits until every reader that entered before the call has left. Only
// one drain may run at a time: the two parities distinguish two epochs.
func (e *epochs) drain() {
	old := e.now.Add(1) - 1
	for i := range e.pins[old&1] {
		for p := &e.pins[old&1][i]; p.n.Load() != 0; {
			time.Sleep(50 * time.Microsecond)
		}
	}
}
