package store

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// compact rewrites the closed segments that have enough garbage, at the rate of
// Options.CompactRate. Readers and writers continue. The remaining records keep
// their order, so the log stays in the order of writing.
//
// Steps, for a group of neighbouring closed segments:
//
//  1. copy the live records to value<first>.dat.tmp, sync it
//  2. rename it over value<first>.dat, sync the directory: committed
//  3. change the slots to the new file
//  4. when no reader can be in the old files any more, close them and remove
//     those of the other segments of the group
//  5. after the last group, rewrite key.dat and address.idx
//
// A crash before 2 leaves the old segments and a temporary file. After 2 the new
// header has the range of numbers that it replaces, so Open removes the other
// files; the frames of key.dat and address.idx have the old rewrite number, so
// they are void, and Open reads the values.
//
// A tombstone must outlive every older record of its page: otherwise the page
// would return when the log is read again. So a tombstone is dropped only when
// each earlier segment has no garbage, or lost it after the tombstone was
// written.
func (m *FileMap) compact(ctx context.Context, enough func(garbage, size int64) bool) error {
	m.compacting.Lock()
	defer m.compacting.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	groups := m.plan(enough)
	pace := pacer{rate: m.options.CompactRate, start: time.Now()}
	for _, group := range groups {
		if err := m.rewrite(ctx, group, &pace); err != nil {
			return err
		}
	}
	m.writing.Lock()
	stale := m.keysStale
	m.writing.Unlock()
	if !stale {
		return nil
	}
	if err := m.rewriteKeys(ctx); err != nil {
		return err
	}
	return m.saveIndex()
}

// A rewriting copies one group of segments into one new segment.
type rewriting struct {
	m     *FileMap
	group []*segment
	seg   *segment
	tmp   string
	keep  uint64 // tombstones with a higher seq are kept
	buf   []byte
	end   int64 // of the file
	moves []move
	pace  *pacer
}

// A move is a live record's old slot and its place in the new segment.
type move struct {
	hash  uint64
	from  slot
	place uint32
	size  uint32
}

func (m *FileMap) rewrite(ctx context.Context, group []*segment, pace *pacer) error {
	m.writing.Lock()
	seq, failed := m.seq, m.failed
	m.writing.Unlock()
	if failed != nil {
		return failed
	}
	first := group[0]
	r := &rewriting{m: m, group: group, pace: pace, keep: m.cleanedBefore(first)}
	r.seg = &segment{segmentHeader: segmentHeader{
		number: first.number, last: group[len(group)-1].last, rewrite: first.rewrite + 1, cleaned: seq,
	}}
	r.tmp = segmentName(m.dir, first.number) + ".tmp"
	if err := r.copy(ctx); err != nil {
		return r.abandon(err)
	}
	if err := m.lockLayout(ctx); err != nil {
		return r.abandon(err)
	}
	defer m.layout.Unlock()
	if err := r.commit(); err != nil {
		return err
	}
	return r.retire()
}

// cleanedBefore returns the seq up to which the segments before s need no
// tombstone.
func (m *FileMap) cleanedBefore(s *segment) uint64 {
	cleaned := uint64(math.MaxUint64)
	for _, earlier := range *m.order.Load() {
		if earlier.number >= s.number {
			break
		}
		if earlier.dead.Load() > 0 {
			cleaned = min(cleaned, earlier.cleaned)
		}
	}
	return cleaned
}

// abandon removes the new file after an error before the commit.
func (r *rewriting) abandon(err error) error {
	if r.seg.file != nil {
		err = join(err, r.seg.file.Close(), r.m.fs.Remove(r.tmp))
	}
	return err
}

// copy writes the live records to the temporary file, and syncs it.
func (r *rewriting) copy(ctx context.Context) error {
	var err error
	if r.seg.file, err = createSegment(r.m.fs, r.tmp, r.seg.segmentHeader); err != nil {
		return err
	}
	r.end = segmentHeaderSize
	for _, s := range r.group {
		if err := r.copySegment(ctx, s); err != nil {
			return err
		}
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	r.seg.end.Store(r.end)
	return r.seg.file.Sync()
}

func (r *rewriting) copySegment(ctx context.Context, s *segment) error {
	c := newScan(s, 0, s.end.Load())
	for {
		found, err := c.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if found.rec != nil {
			r.add(s, &found)
		}
		if len(r.buf) > windowSize {
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
	}
}

// add copies a live record to the buffer. It copies a damaged value too: without
// it an older version would seem to be the newest.
func (r *rewriting) add(s *segment, found *scanned) {
	place := placeAt(r.end + int64(len(r.buf)))
	switch found.head.kind {
	case kindDelete:
		if found.head.seq <= r.keep {
			return
		}
		r.seg.tombs.Add(found.size)
	case kindPut:
		e := found.entry(s)
		hash := e.hash()
		from, ok := r.m.index.at(hash, e.address())
		if !ok {
			return
		}
		r.moves = append(r.moves, move{hash, from, place, uint32(found.size)})
	}
	start := len(r.buf)
	r.buf = append(r.buf, found.rec...)
	found.head.batch = 0
	found.head.encode(r.buf[start:])
	seal(r.buf[start:], int(found.head.keyLen), r.seg.number, place)
}

func (r *rewriting) flush(ctx context.Context) error {
	if _, err := r.seg.file.WriteAt(r.buf, r.end); err != nil {
		return err
	}
	r.end += int64(len(r.buf))
	n := len(r.buf)
	r.buf = r.buf[:0]
	return r.pace.wait(ctx, n)
}

// commit replaces the group by the new segment. The caller holds layout.
func (r *rewriting) commit() error {
	m := r.m
	m.writing.Lock()
	defer m.writing.Unlock()
	id, err := m.freeID()
	if err != nil {
		return r.abandon(err)
	}
	if err := m.fs.Rename(r.tmp, segmentName(m.dir, r.seg.number)); err != nil {
		return r.abandon(err)
	}
	if err := m.fs.SyncDir(m.dir); err != nil {
		return join(m.fail(fmt.Errorf("sync %s: %w", m.dir, err)), r.seg.file.Close())
	}
	r.seg.id = id
	m.segments.set(id, r.seg)
	old := *m.order.Load()
	order := make([]*segment, 0, len(old))
	for _, s := range old {
		switch {
		case s == r.group[0]:
			order = append(order, r.seg)
		case !slices.Contains(r.group, s):
			order = append(order, s)
		}
	}
	m.order.Store(&order)
	m.keysStale = true
	return nil
}

// retire changes the slots and removes the old files. It changes the slots in
// the order of writing, so that the newer of two versions of a page stays newer.
func (r *rewriting) retire() error {
	m := r.m
	for _, v := range r.moves {
		sh := m.index.lock(v.hash)
		if !m.moveSlot(sh, v, makeAddress(r.seg.id, v.place)) {
			r.seg.dead.Add(int64(v.size)) // replaced or deleted since the copy
		}
		sh.mu.Unlock()
	}
	ids := make(map[uint32]bool)
	for _, s := range r.group {
		ids[s.id] = true
	}
	for sh := range m.index.locked() {
		if sh.removeSegments(ids) {
			m.recount(sh)
		}
	}
	m.epochs.drain()
	var faults []error
	for i, s := range r.group {
		m.segments.set(s.id, nil)
		faults = append(faults, s.file.Close())
		if i > 0 {
			faults = append(faults, m.fs.Remove(segmentName(m.dir, s.number)))
		}
	}
	return join(faults...)
}

// moveSlot changes the slot of a record to its copy, and reports whether there
// was a slot. The slot may have been marked as damaged since the copy.
func (m *FileMap) moveSlot(sh shard, v move, to address) bool {
	return sh.replace(v.from, v.from.moved(to)) || sh.replace(v.from.corrupt(), v.from.corrupt().moved(to))
}

// rewriteKeys replaces key.dat by one in the order of the log and without void
// frames. Writers wait only while it adds what was put in the meantime.
func (m *FileMap) rewriteKeys(ctx context.Context) error {
	next, err := createKeys(m.fs, m.keys.name)
	if err != nil {
		return err
	}
	err = m.fillKeys(ctx, next)
	if err != nil && m.keys != next {
		return join(err, next.file.Close(), m.fs.Remove(next.name+".tmp"))
	}
	return err
}

func (m *FileMap) fillKeys(ctx context.Context, next *keyLog) error {
	w := &walk{cut: keysHeaderSize}
	m.layout.RLock()
	err := m.copyKeys(next, w)
	m.layout.RUnlock()
	if err != nil {
		return err
	}
	// swapKeys syncs again while writers wait: this sync makes that one short.
	if err := next.file.Sync(); err != nil {
		return err
	}
	if err := m.lockLayout(ctx); err != nil {
		return err
	}
	defer m.layout.Unlock()
	m.writing.Lock()
	defer m.writing.Unlock()
	if err := m.copyKeys(next, w); err != nil {
		return err
	}
	return m.swapKeys(next)
}

// copyKeys adds frames for the log from the walk's position to its end.
func (m *FileMap) copyKeys(next *keyLog, w *walk) error {
	frames := newFramer(next)
	for e, err := range m.follow(w) {
		if err != nil {
			return err
		}
		frames.add(&e)
	}
	frames.flush()
	return frames.err
}

// swapKeys replaces key.dat by a complete key log. The caller holds layout and
// writing.
func (m *FileMap) swapKeys(next *keyLog) error {
	if err := next.file.Sync(); err != nil {
		return err
	}
	// address.idx stores a length of the old key.dat.
	if err := m.dropIndex(); err != nil {
		return err
	}
	if err := m.fs.Rename(next.name+".tmp", next.name); err != nil {
		return err
	}
	old := m.keys
	m.keys, m.keysStale = next, false
	if err := m.fs.SyncDir(m.dir); err != nil {
		return m.fail(fmt.Errorf("sync %s: %w", m.dir, err))
	}
	return old.file.Close()
}
