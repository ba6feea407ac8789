package store

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/zeebo/xxh3"
)

// Compaction rewrites segments without their garbage, in place: the records
// that are left keep their order, so the log still reads from old to new.
//
// Steps, for a group of neighbouring closed segments:
//
//  1. copy what is alive to value<first>.dat.tmp, sync it
//  2. rename it over value<first>.dat, sync the directory: done
//  3. let the slots point into the new file
//  4. when no reader can be in the old files any more, close them and remove
//     those of the other segments of the group
//  5. after the last group, write key.dat and address.idx anew
//
// A crash before 2 leaves the old segments and a temporary file. After 2 the
// new header says which numbers it stands for, so Open removes the others;
// key.dat's frames and address.idx name the old rewrite, so both are void, and
// the values serve until they are written.
//
// A tombstone outlives every older record of its page: it is dropped only when
// each earlier segment is free of garbage, or was freed of it after the
// tombstone was written. Else the log, read again, would bring the page back.

// Compact rewrites every segment that has garbage, at the rate of the options.
// Reading and writing go on; Close ends it.
func (m *FileMap) Compact(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.life, cancel)()
	if err := m.closeSegment(); err != nil {
		return fmt.Errorf("compact %s: %w", m.dir, err)
	}
	if err := m.compact(ctx, anyGarbage); err != nil {
		return fmt.Errorf("compact %s: %w", m.dir, err)
	}
	return nil
}

// closeSegment begins a new active segment when the present one has garbage.
func (m *FileMap) closeSegment() error {
	m.writing.Lock()
	defer m.writing.Unlock()
	if err := m.writable(); err != nil {
		return err
	}
	if m.active.garbage(true) == 0 {
		return nil
	}
	if err := m.cutTorn(); err != nil {
		return err
	}
	return m.roll()
}

// compact rewrites the segments that have enough garbage.
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

// A rewriting is one group on its way into one new segment.
type rewriting struct {
	m     *FileMap
	group []*segment
	seg   *segment
	tmp   string
	keep  uint64 // tombstones after this seq are kept
	buf   []byte
	end   int64 // of what is in the file
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
	if err := m.takeLayout(ctx); err != nil {
		return r.abandon(err)
	}
	defer m.layout.Unlock()
	if err := r.commit(); err != nil {
		return err
	}
	return r.retire()
}

// cleanedBefore returns the seq up to which no tombstone is needed any more by
// the segments before s.
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

// abandon gives a rewriting up before it is committed.
func (r *rewriting) abandon(err error) error {
	if r.seg.file != nil {
		err = join(err, r.seg.close(), r.m.fs.Remove(r.tmp))
	}
	return err
}

// copy writes what is alive to the temporary file, durably.
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
	if err := r.seg.file.Sync(); err != nil {
		return err
	}
	return r.m.mapSegment(r.seg, r.end)
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
			r.take(s, &found)
		}
		if len(r.buf) > windowSize {
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
	}
}

// take copies a record that is alive. One with a damaged value stays as it is:
// without it an older version would seem to be the newest.
func (r *rewriting) take(s *segment, found *scanned) {
	place := placeAt(r.end + int64(len(r.buf)))
	switch found.head.kind {
	case kindDelete:
		if found.head.seq <= r.keep {
			return
		}
		r.seg.tombs.Add(found.size)
	case kindPut:
		e := found.entry(s)
		hash := xxh3.HashSeed(e.key(), uint64(found.head.family))
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

// commit puts the new segment in the group's place. The caller has layout.
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
		return join(m.fail(fmt.Errorf("sync %s: %w", m.dir, err)), r.seg.close())
	}
	r.seg.id = id
	m.segments[id].Store(r.seg)
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

// retire moves the slots and gives the old files up. Slots move from old to
// new records, so that of two versions of a page the newer stays the newer.
func (r *rewriting) retire() error {
	m := r.m
	for _, v := range r.moves {
		sh := m.index.shard(v.hash)
		sh.mu.Lock()
		if !m.moveSlot(sh, v, makeAddress(r.seg.id, v.place)) {
			r.seg.dead.Add(int64(v.size)) // put again or deleted meanwhile
		}
		sh.mu.Unlock()
	}
	ids := make(map[uint32]bool)
	for _, s := range r.group {
		ids[s.id] = true
	}
	for _, sh := range m.index.removeSegments(ids) {
		m.recount(sh)
	}
	m.epochs.drain()
	var faults []error
	for i, s := range r.group {
		m.segments[s.id].Store(nil)
		faults = append(faults, s.close())
		if i > 0 {
			faults = append(faults, m.fs.Remove(segmentName(m.dir, s.number)))
		}
	}
	return join(faults...)
}

// moveSlot lets the slot of a record point at its copy, unless it is no longer
// there. It may have been marked as damaged since it was seen.
func (m *FileMap) moveSlot(sh shard, v move, to address) bool {
	return sh.replace(v.from, v.from.moved(to)) || sh.replace(v.from.corrupt(), v.from.corrupt().moved(to))
}
