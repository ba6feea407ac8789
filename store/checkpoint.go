package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"unsafe"

	"indexerd/internal/base/atomicfile"
)

// A mark is a position of the log. address.idx stores one, and has everything
// before it.
type mark struct {
	at   position
	keys int64
	seq  uint64
}

// mark returns the end of the log. The caller holds writing.
func (m *FileMap) mark() mark {
	return mark{position{m.active.number, placeAt(m.active.end.Load())}, m.keys.end.Load(), m.seq}
}

// durableMark returns the end of the log and its segments at one moment. After a
// failed sync it returns the error of that sync: what the disk has is unknown.
func (m *FileMap) durableMark() (mark, []*segment, error) {
	m.writing.Lock()
	defer m.writing.Unlock()
	switch {
	case m.options.ReadOnly:
		return mark{}, nil, ErrReadOnly
	case m.failed != nil:
		return mark{}, nil, m.failed
	}
	return m.mark(), *m.order.Load(), nil
}

// writeIndex replaces address.idx in dir by the present index. Writers continue
// while it copies the shards one by one, so the file may cover more than its
// mark, and never less. The caller keeps the segments in place.
func (m *FileMap) writeIndex(dir string, from mark) error {
	name := indexName(dir)
	tmp := name + ".tmp"
	f, err := m.fs.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := join(m.copyIndex(f, from), f.Close()); err != nil {
		return join(fmt.Errorf("write %s: %w", name, err), m.fs.Remove(tmp))
	}
	if err := m.fs.Rename(tmp, name); err != nil {
		return join(err, m.fs.Remove(tmp))
	}
	return m.fs.SyncDir(dir)
}

// copyIndex writes slots, tables and, last, the header with their checksums.
func (m *FileMap) copyIndex(f atomicfile.File, from mark) error {
	head := indexHead{at: from.at, keys: from.keys, seq: from.seq, versions: uint32(m.options.Versions)}
	var tables indexTables
	var buf []byte
	off := int64(indexSlotsAt)
	flush := func() error {
		_, err := f.WriteAt(buf, off)
		head.slotsSum = crc32.Update(head.slotsSum, castagnoli, buf)
		off += int64(len(buf))
		buf = buf[:0]
		return err
	}
	shards := m.spreadShards()
	for i := range shards.slots {
		var t indexShard
		t, buf = shards.shard(uint64(i)).save(buf)
		tables.shards = append(tables.shards, t)
		head.slots += int64(t.slots)
		if len(buf) > windowSize {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	// The segments are read after the slots: a slot may point into a new segment.
	for _, s := range *m.order.Load() {
		tables.segments = append(tables.segments, indexSegment{s.number, s.id, s.rewrite, s.end.Load(), s.dead.Load(), s.tombs.Load()})
	}
	head.segments = uint32(len(tables.segments))
	b := tables.encode()
	head.tablesSum = checksum(b)
	if _, err := f.WriteAt(b, off); err != nil {
		return err
	}
	if _, err := f.WriteAt(head.encode(), 0); err != nil {
		return err
	}
	return f.Sync()
}

// spreadShards returns the shards of the index, those of a small map as a copy.
func (m *FileMap) spreadShards() *table {
	sh := m.index.lock(0)
	defer sh.mu.Unlock()
	if sh.of.lows == nil {
		return sh.of
	}
	return m.spread(sh)
}

// save appends the shard's slots to buf.
func (sh shard) save(buf []byte) (indexShard, []byte) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	t := indexShard{used: uint32(sh.used), live: uint32(sh.live), pages: uint32(sh.pages)}
	if p := sh.slots.Load(); p != nil {
		t.slots = uint32(len(*p))
		for i := range *p {
			buf = binary.LittleEndian.AppendUint64(buf, (*p)[i].Load())
		}
	}
	return t, buf
}

// loadIndex loads address.idx and returns its mark. If the file is missing,
// damaged or does not match the segments, loadIndex returns the mark of an empty
// index.
func (m *FileMap) loadIndex() (mark, error) {
	none := mark{keys: keysHeaderSize}
	f, err := m.fs.OpenFile(indexName(m.dir), os.O_RDONLY, 0)
	if err != nil {
		return none, nil
	}
	head, tables, err := readIndex(f)
	if err != nil || !m.fits(head, tables) {
		return none, join(f.Close(), m.dropIndex())
	}
	slots, err := m.readSlots(f, head)
	if err != nil {
		return none, join(f.Close(), m.dropIndex())
	}
	if m.install(tables, slots) {
		err, m.mapped = unmapPrivate(m.mapped), nil
	}
	return mark{head.at, head.keys, head.seq}, join(err, f.Close())
}

// dropIndex removes a void address.idx: after more writing its position could
// seem to match.
func (m *FileMap) dropIndex() error {
	if err := m.fs.Remove(indexName(m.dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return m.fs.SyncDir(m.dir)
}

func readIndex(f atomicfile.File) (*indexHead, *indexTables, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	b := make([]byte, indexHeaderSize)
	if _, err := f.ReadAt(b, 0); err != nil {
		return nil, nil, err
	}
	head, err := decodeIndexHead(b)
	if err != nil {
		return nil, nil, err
	}
	if info.Size() != head.fileLen() {
		return nil, nil, errCut
	}
	b = make([]byte, head.tablesLen())
	if _, err := f.ReadAt(b, head.fileLen()-head.tablesLen()); err != nil && err != io.EOF {
		return nil, nil, err
	}
	tables, err := decodeIndexTables(&head, b)
	return &head, tables, err
}

// fits reports whether the log has everything that address.idx covers.
func (m *FileMap) fits(head *indexHead, tables *indexTables) bool {
	listed := make(map[uint32]indexSegment, len(tables.segments))
	ids := make(map[uint32]bool, len(tables.segments))
	for _, t := range tables.segments {
		listed[t.number] = t
		ids[t.id] = true
	}
	if len(listed) != len(tables.segments) || len(ids) != len(listed) || head.keys > m.keys.end.Load() {
		return false
	}
	if head.versions != uint32(m.options.Versions) {
		return false // the index may lack versions, or have too many
	}
	found := 0
	for _, s := range *m.order.Load() {
		t, ok := listed[s.number]
		if !ok {
			if s.number < head.at.segment {
				return false
			}
			continue
		}
		found++
		if t.rewrite != s.rewrite || t.end > s.end.Load() {
			return false
		}
	}
	at, ok := listed[head.at.segment]
	return found == len(listed) && ok && int64(head.at.place)*unit <= at.end
}

// readSlots returns the slots, mapped if that is possible.
func (m *FileMap) readSlots(f atomicfile.File, head *indexHead) ([]atomic.Uint64, error) {
	if head.slots == 0 {
		return nil, nil
	}
	mapped, err := mapPrivate(f, head.fileLen())
	if err != nil {
		return nil, err
	}
	if mapped != nil {
		b := mapped[indexSlotsAt : indexSlotsAt+head.slots*8]
		if checksum(b) != head.slotsSum {
			return nil, join(errBodySum, unmapPrivate(mapped))
		}
		m.mapped = mapped
		return unsafe.Slice((*atomic.Uint64)(unsafe.Pointer(&b[0])), head.slots), nil
	}
	b := make([]byte, head.slots*8)
	if _, err := f.ReadAt(b, indexSlotsAt); err != nil {
		return nil, err
	}
	if checksum(b) != head.slotsSum {
		return nil, errBodySum
	}
	slots := make([]atomic.Uint64, head.slots)
	for i := range slots {
		slots[i].Store(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return slots, nil
}

// install fills the empty index with the content of address.idx, and reports whether it
// is a copy.
func (m *FileMap) install(tables *indexTables, slots []atomic.Uint64) (copied bool) {
	if copied = m.index.gather(tables, slots); !copied {
		m.index.shards.Store(installed(tables, slots))
	}
	byNumber := make(map[uint32]indexSegment, len(tables.segments))
	for _, t := range tables.segments {
		byNumber[t.number] = t
	}
	for _, s := range *m.order.Load() {
		if t, ok := byNumber[s.number]; ok {
			s.id = t.id
			s.dead.Store(t.dead)
			s.tombs.Store(t.tombs)
			m.segments.set(s.id, s)
		}
	}
	return copied
}

// installed returns shards with the content of address.idx.
func installed(tables *indexTables, slots []atomic.Uint64) *table {
	all := newTable(shardCount)
	for i, t := range tables.shards {
		sh := all.shard(uint64(i))
		own := slots[:t.slots:t.slots]
		slots = slots[t.slots:]
		if len(own) > 0 {
			sh.slots.Store(&own)
		}
		sh.used, sh.live, sh.pages = int(t.used), int(t.live), int(t.pages)
	}
	return all
}
