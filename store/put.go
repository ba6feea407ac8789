package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/giveway"
	"indexerd/internal/base/recovered"
)

// chunkSize is the maximum size of one write, unless it is a single record. A
// larger batch is put in several chunks, each durable before the next.
const chunkSize = 32 << 20

// Put stores pages durably: they are on disk when it returns. Of several pages
// with the same OID the last one counts. After an error some pages may be stored,
// each of them whole, and the caller may put them again.
func (m *FileMap) Put(pages []doc.Page) error {
	for i := range pages {
		if err := checkPage(&pages[i]); err != nil {
			return err
		}
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	m.takeParts()
	defer m.releaseParts()
	for len(pages) > 0 {
		n := chunkOf(len(pages), func(i int) int { return len(pages[i].OID) + len(pages[i].Body) })
		if err := m.write(m.encode(pages[:n])); err != nil {
			return fmt.Errorf("put %d pages in %s: %w", n, m.dir, err)
		}
		pages = pages[n:]
	}
	return nil
}

// Delete removes pages and all their versions durably, in the order of the calls,
// so the versions of the removals do not matter. A page that does not exist costs
// nothing.
func (m *FileMap) Delete(gone []doc.Removal) error {
	oids := doc.OIDs(gone)
	m.writing.Lock()
	defer m.writing.Unlock()
	m.takeParts()
	defer m.releaseParts()
	for len(oids) > 0 {
		n := chunkOf(len(oids), func(i int) int { return len(oids[i]) })
		if err := m.write(m.tombstones(oids[:n])); err != nil {
			return fmt.Errorf("delete %d pages in %s: %w", n, m.dir, err)
		}
		oids = oids[n:]
	}
	return nil
}

func checkPage(p *doc.Page) error {
	switch {
	case p.OID == "":
		return errors.New("put a page: the key is empty")
	case len(p.OID) > MaxKey:
		return fmt.Errorf("put page %.40s...: %w: the key has %d bytes, the maximum is %d", p.OID.String(), ErrTooLarge, len(p.OID), MaxKey)
	case len(p.Body) > MaxValue:
		return fmt.Errorf("put page %.40s: %w: the content has %d bytes, the maximum is %d", p.OID.String(), ErrTooLarge, len(p.Body), MaxValue)
	}
	return nil
}

// chunkOf returns how many of n records go into the next chunk. size(i) is the
// length of the key and the value of record i.
func chunkOf(n int, size func(i int) int) int {
	total := 0
	for i := range n {
		total += headerSize + size(i)
		if total > chunkSize {
			return max(i, 1)
		}
	}
	return n
}

// A part is a run of encoded records without a place yet.
type part struct {
	buf     []byte
	records []encoded
}

type encoded struct {
	hash uint64
	head header
	off  int // in the part's buf
}

// encode encodes the pages, on all cores if there are enough pages.
func (m *FileMap) encode(pages []doc.Page) []part {
	m.trainOn(pages)
	workers := runtime.GOMAXPROCS(0)
	if len(pages) < 16*workers {
		workers = 1
	}
	m.parts = growTo(m.parts, workers)
	var wg sync.WaitGroup
	failed := make([]error, workers)
	for w := range workers {
		from, to := len(pages)*w/workers, len(pages)*(w+1)/workers
		work := func() { m.parts[w].encode(m.codecs.Load(), pages[from:to]) }
		if w == workers-1 {
			work()
		} else {
			wg.Go(func() {
				defer recovered.Into(&failed[w])
				work()
			})
		}
	}
	wg.Wait()
	recovered.Again(failed)
	return m.parts[:workers]
}

func growTo(parts []part, n int) []part {
	for len(parts) < n {
		parts = append(parts, part{})
	}
	return parts
}

func (p *part) reset() { p.buf, p.records = p.buf[:0], p.records[:0] }

// keptBuffer is the largest buffer that is used again: that of half of a batch of large rows.
const keptBuffer = 8 << 20

// freeParts has the buffers of finished writes of all maps. A process has hundreds
// of maps open, most of which are not written: a map has no buffers between writes.
var freeParts sync.Pool

func (m *FileMap) takeParts() {
	if parts, ok := freeParts.Get().(*[]part); ok {
		m.parts = *parts
	}
}

func (m *FileMap) releaseParts() {
	parts := m.parts
	if m.parts = nil; !slices.ContainsFunc(parts, func(p part) bool { return cap(p.buf) > keptBuffer }) {
		freeParts.Put(&parts)
	}
}

func (p *part) encode(k *codecs, pages []doc.Page) {
	work := giveway.Background()
	defer work.End()
	p.reset()
	size := 0
	for i := range pages {
		size += headerSize + len(pages[i].OID) + len(pages[i].Body)
	}
	p.buf, p.records = slices.Grow(p.buf, size), slices.Grow(p.records, len(pages))
	for i := range pages {
		page := &pages[i]
		h := newHeader(&page.Meta)
		off := len(p.buf)
		p.buf = append(p.buf, make([]byte, headerSize)...)
		p.buf = append(p.buf, page.OID...)
		body := len(p.buf)
		p.buf, h.codec = k.append(p.buf, page.Body)
		h.raw, h.stored = uint32(len(page.Body)), uint32(len(p.buf)-body)
		h.bodySum = checksum(p.buf[body:])
		p.pad(off, h)
		p.records = append(p.records, encoded{hashOf(page.OID), h, off})
		work.Step()
	}
}

// pad fills the record that begins at off up to its size.
func (p *part) pad(off int, h header) {
	var zeros [unit]byte
	p.buf = append(p.buf, zeros[:off+int(h.size())-len(p.buf)]...)
}

// tombstones encodes the removal of those pages that may exist.
func (m *FileMap) tombstones(oids []doc.OID) []part {
	m.parts = growTo(m.parts, 1)
	p := &m.parts[0]
	p.reset()
	for _, oid := range oids {
		hash := hashOf(oid)
		if len(m.index.lookup(hash, nil)) == 0 || len(oid) > MaxKey || oid == "" {
			continue
		}
		h := header{kind: kindDelete, keyLen: uint32(len(oid)), updated: noTime, fetched: noTime}
		off := len(p.buf)
		p.buf = append(p.buf, make([]byte, headerSize)...)
		p.buf = append(p.buf, oid...)
		p.pad(off, h)
		p.records = append(p.records, encoded{hash, h, off})
	}
	return m.parts[:1]
}

// A chunk is the records of one write, with their place at the end of the active
// segment.
type chunk struct {
	parts []part
	seg   *segment
	from  int64
	size  int64
}

func newChunk(parts []part) chunk {
	c := chunk{parts: parts}
	for i := range parts {
		c.size += int64(len(parts[i].buf))
	}
	return c
}

// write makes the records durable and then visible. Readers rely on this order:
// what they have seen survives a crash.
func (m *FileMap) write(parts []part) error {
	if err := m.writable(); err != nil {
		return err
	}
	c := newChunk(parts)
	if c.size == 0 {
		return nil
	}
	if err := m.makeRoom(c.size); err != nil {
		return err
	}
	m.seal(&c)
	if err := m.append(&c); err != nil {
		return err
	}
	if err := m.sync(c.seg); err != nil {
		return err
	}
	m.publish(&c)
	m.appendKeys(&c)
	return nil
}

func (m *FileMap) writable() error {
	switch {
	case m.options.ReadOnly:
		return ErrReadOnly
	case m.closed.Load():
		return errClosed
	}
	return m.failed
}

// makeRoom prepares the active segment for size more bytes.
func (m *FileMap) makeRoom(size int64) error {
	if err := m.cutTorn(); err != nil {
		return err
	}
	end := m.active.end.Load()
	if end+size > m.options.SegmentBytes && end > segmentHeaderSize {
		return m.roll()
	}
	return nil
}

// cutTorn removes what a failed write left behind the end of the active segment.
// If a shorter batch overwrote only a part of it, its other records would return
// when the log is read again.
func (m *FileMap) cutTorn() error {
	if !m.torn {
		return nil
	}
	if err := m.active.file.Truncate(m.active.end.Load()); err != nil {
		return err
	}
	m.torn = false
	return nil
}

// seal gives every record its place, batch and seq.
func (m *FileMap) seal(c *chunk) {
	c.seg, c.from = m.active, m.active.end.Load()
	at := c.from
	for i := range c.parts {
		p := &c.parts[i]
		for j := range p.records {
			r := &p.records[j]
			m.seq++
			r.head.seq, r.head.batch = m.seq, placeAt(c.from)
			r.head.encode(p.buf[r.off:])
			seal(p.buf[r.off:], int(r.head.keyLen), c.seg.number, placeAt(at+int64(r.off)))
		}
		at += int64(len(p.buf))
	}
}

// append writes the chunk behind the segment's end, and does not change the end.
func (m *FileMap) append(c *chunk) error {
	at := c.from
	for i := range c.parts {
		if _, err := c.seg.file.WriteAt(c.parts[i].buf, at); err != nil {
			m.torn = true
			return join(fmt.Errorf("nothing was stored: %w", err), m.cutTorn())
		}
		at += int64(len(c.parts[i].buf))
	}
	return nil
}

// sync makes a segment durable. After a failed sync what is on disk is unknown,
// and the kernel may report success for the next one: the map rejects all writes
// until it is opened again.
func (m *FileMap) sync(s *segment) error {
	if err := syncData(s.file); err != nil {
		return m.fail(fmt.Errorf("sync %s: %w", s.file.Name(), err))
	}
	return nil
}

func (m *FileMap) fail(err error) error {
	if m.failed == nil {
		m.failed = fmt.Errorf("the map must be opened again: %w", err)
	}
	return m.failed
}

// publish makes the records of a durable chunk visible to readers.
func (m *FileMap) publish(c *chunk) {
	c.seg.end.Store(c.from + c.size)
	at := c.from
	for i := range c.parts {
		p := &c.parts[i]
		for j := range p.records {
			r := &p.records[j]
			key := p.buf[r.off+headerSize : r.off+r.head.headLen()]
			m.apply(&r.head, r.hash, key, makeAddress(c.seg.id, placeAt(at+int64(r.off))))
		}
		at += int64(len(p.buf))
	}
}

// appendKeys writes the chunk's frame to key.dat. It reports no error, for
// example of a full disk: the values have everything, and the next compaction
// rewrites key.dat.
func (m *FileMap) appendKeys(c *chunk) {
	size := 0
	for i := range c.parts {
		for _, r := range c.parts[i].records {
			size += r.head.headLen()
		}
	}
	m.keys.begin(size)
	for i := range c.parts {
		p := &c.parts[i]
		for _, r := range p.records {
			m.keys.add(p.buf[r.off : r.off+r.head.headLen()])
		}
	}
	if err := m.keys.finish(c.seg, placeAt(c.from), placeAt(c.from+c.size)); err != nil {
		m.keysStale = true
	}
}

// roll closes the active segment and begins the next one.
func (m *FileMap) roll() error {
	if err := m.begin(m.active.last + 1); err != nil {
		return err
	}
	m.keeper.wake()
	return nil
}

// newSegment creates an empty segment with a durable name. If a crash removed the
// name, records synced into the file would be lost.
func (m *FileMap) newSegment(number, id uint32) (*segment, error) {
	name := segmentName(m.dir, number)
	s := &segment{id: id, segmentHeader: segmentHeader{number: number, last: number}}
	var err error
	if s.file, err = createSegment(m.fs, name, s.segmentHeader); err != nil {
		return nil, err
	}
	if err := m.sync(s); err != nil {
		return nil, join(err, s.file.Close())
	}
	if err := m.fs.SyncDir(m.dir); err != nil {
		return nil, join(m.fail(fmt.Errorf("sync %s: %w", filepath.Clean(m.dir), err)), s.file.Close())
	}
	s.end.Store(segmentHeaderSize)
	return s, nil
}
