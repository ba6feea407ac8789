package store

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/scrub"
)

// scrubBytes is how much of a file Scrub reads before it lets compactions run.
const scrubBytes = 4 << 20

// Scrub reads all files of the map. A damaged page is absent from then on, so that its
// row is fetched again. The other files are written again from what is in memory or in
// the values. Damage of what no page needs is not reported.
func (m *FileMap) Scrub(r *scrub.Run) error {
	for _, check := range []func(*scrub.Run) error{m.scrubValues, m.scrubKeys, m.scrubIndex, m.scrubDict} {
		if err := check(r); err != nil {
			return fmt.Errorf("check %s: %w", m.dir, err)
		}
	}
	return r.Rest()
}

// scrubValues checks the segments one after another. One that is rewritten meanwhile is
// read again.
func (m *FileMap) scrubValues(r *scrub.Run) error {
	var at position
	var rewrite uint32
	for {
		read, next, seg, err := m.scrubPart(r, at, rewrite)
		if err != nil || seg == nil {
			return err
		}
		at, rewrite = next, seg.rewrite
		if err := r.Read(read); err != nil {
			return err
		}
	}
}

// scrubPart checks the records from a position on, and returns where the next part
// begins. It returns no segment at the end of the log.
func (m *FileMap) scrubPart(r *scrub.Run, at position, rewrite uint32) (read int, next position, seg *segment, err error) {
	m.layout.RLock()
	defer m.layout.RUnlock()
	if m.closed.Load() {
		return 0, next, nil, errClosed
	}
	for _, s := range *m.order.Load() {
		from := int64(at.place) * unit
		if s.number < at.segment || s.number == at.segment && s.rewrite == rewrite && from >= s.end.Load() {
			continue
		}
		if s.number != at.segment || s.rewrite != rewrite || at.place == 0 {
			from = 0
			r.Files++
			if err := m.scrubHeader(r, s); err != nil {
				return 0, next, nil, err
			}
		}
		read, next, err = m.scrubRecords(r, s, from)
		return read, next, s, err
	}
	return 0, next, nil, nil
}

// scrubHeader checks the header of a segment. It writes a damaged one again, unless it was
// damaged already when the map was opened: then only its figures are lost.
func (m *FileMap) scrubHeader(r *scrub.Run, s *segment) error {
	b := make([]byte, segmentHeaderSize)
	if _, err := s.file.ReadAt(b, 0); err != nil {
		return err
	}
	if slices.Equal(b, s.encode()) {
		return nil
	}
	r.Found(segmentName(m.dir, s.number), errHeadSum)
	if m.options.ReadOnly {
		return nil
	}
	if _, err := s.file.WriteAt(s.encode(), 0); err != nil {
		return err
	}
	return s.file.Sync()
}

// scrubRecords checks records of a segment, up to scrubBytes.
func (m *FileMap) scrubRecords(r *scrub.Run, s *segment, from int64) (int, position, error) {
	c := newScan(s, from, s.end.Load())
	start := c.at
	for c.at-start < scrubBytes {
		found, err := c.next()
		if err == io.EOF {
			c.at = max(c.at, c.end)
			break
		}
		if err != nil {
			return 0, position{}, err
		}
		if found.err == nil || !m.markDamaged(s, &found) {
			continue
		}
		what := fmt.Errorf("page at %d: %w", found.at, found.err)
		if found.rec != nil {
			e := found.entry(s)
			what = fmt.Errorf("page %v at %d: %w", doc.OID(e.key()), found.at, found.err)
		}
		r.Found(segmentName(m.dir, s.number), what)
	}
	return int(c.at - start), position{s.number, placeAt(roundUp(c.at, unit))}, nil
}

// markDamaged marks the slots of damaged records, and reports whether there are any: a
// record without a slot is garbage. Without a key no later record of the page would
// replace the slot, so it is removed.
func (m *FileMap) markDamaged(s *segment, found *scanned) (any bool) {
	if found.rec != nil {
		e := found.entry(s)
		slot, ok := m.index.at(e.hash(), e.address())
		if ok {
			m.markCorrupt(e.hash(), slot)
		}
		return ok
	}
	for sh := range m.index.locked() {
		if m.removeSlots(sh, s, found) {
			m.recount(sh)
			any = true
		}
	}
	if any {
		s.dead.Add(found.size)
	}
	return any
}

// removeSlots removes the slots of a shard that point into a damaged range. The caller
// holds the shard.
func (m *FileMap) removeSlots(sh shard, s *segment, found *scanned) (any bool) {
	for _, slot := range sh.all() {
		a := slot.address()
		if a.id() == s.id && found.at <= a.offset() && a.offset() < found.at+found.size {
			any = sh.replace(slot, gone) || any
		}
	}
	return any
}

// scrubKeys checks key.dat, and has it written again from the values if it is damaged.
func (m *FileMap) scrubKeys(r *scrub.Run) error {
	r.Files++
	var buf []byte
	var first *keyLog
	for off, more := int64(keysHeaderSize), true; more; {
		read, err := 0, error(nil)
		m.layout.RLock()
		k := m.keys
		if first == nil {
			first = k
		}
		if more = k == first && k.file != nil && !m.closed.Load(); more {
			end := k.end.Load()
			if off == keysHeaderSize {
				err = k.checkHeader()
			}
			for read < scrubBytes && err == nil && off < end {
				var f framed
				if f, buf, err = readFrame(io.NewSectionReader(k.file, off, end-off), buf); err == nil {
					size := frameHeaderSize + int(f.length)
					off, read = off+int64(size), read+size
				}
			}
			more = off < end
		}
		m.layout.RUnlock()
		if errors.Is(err, ErrCorrupt) {
			r.Found(first.name, err)
			return m.renewKeys()
		}
		if err != nil && err != io.EOF {
			return err
		}
		if err := r.Read(read); err != nil {
			return err
		}
	}
	return nil
}

// checkHeader returns ErrCorrupt if the header on the disk is damaged.
func (k *keyLog) checkHeader() error {
	b := make([]byte, keysHeaderSize)
	if _, err := k.file.ReadAt(b, 0); err != nil {
		return err
	}
	if !slices.Equal(b, keysHeader()) {
		return errHeadSum
	}
	return nil
}

// renewKeys writes key.dat from the values.
func (m *FileMap) renewKeys() error {
	if m.options.ReadOnly {
		return nil
	}
	m.writing.Lock()
	m.keysStale = true
	m.writing.Unlock()
	return m.compact(m.life, func(int64, int64) bool { return false })
}

// scrubIndex checks address.idx, and writes it again if it is damaged.
func (m *FileMap) scrubIndex(r *scrub.Run) error {
	r.Files++
	f, err := m.fs.OpenFile(indexName(m.dir), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	sum := uint32(0)
	head, _, err := readIndex(f)
	if err == nil {
		b := make([]byte, windowSize)
		for off, end := int64(indexSlotsAt), indexSlotsAt+head.slots*8; off < end && err == nil; off += int64(len(b)) {
			b = b[:min(int64(len(b)), end-off)]
			if _, err = f.ReadAt(b, off); err == nil {
				sum = crc32.Update(sum, castagnoli, b)
				err = r.Read(len(b))
			}
		}
		if err == nil && sum != head.slotsSum {
			err = errBodySum
		}
	}
	err = join(err, f.Close())
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	r.Found(indexName(m.dir), err)
	if m.options.ReadOnly {
		return nil
	}
	return m.saveIndex()
}

// scrubDict checks the dictionary, and writes it again if it is damaged.
func (m *FileMap) scrubDict(r *scrub.Run) error {
	b, err := atomicfile.Read(m.fs, dictName(m.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r.Files++
	if err == nil {
		_, err = decodeDict(b)
	}
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	r.Found(dictName(m.dir), err)
	if k := m.codecs.Load(); !m.options.ReadOnly && k.dict != nil {
		return atomicfile.Write(m.fs, dictName(m.dir), encodeDict(k.dict))
	}
	return nil
}
