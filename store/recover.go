package store

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// openSegments opens the value files in order, and removes what a crash left:
// temporary files, segments whose records an earlier one has taken over, and a
// last one that was still in the making.
func (m *FileMap) openSegments() error {
	numbers, err := m.listSegments()
	if err != nil {
		return err
	}
	var order []*segment
	for i, number := range numbers {
		if n := len(order); n > 0 && number <= order[n-1].last {
			if err := m.fs.Remove(segmentName(m.dir, number)); err != nil {
				return err
			}
			continue
		}
		s, err := openSegment(m.fs, m.dir, number)
		if err != nil {
			return err
		}
		order = append(order, s)
		m.order.Store(&order)
		if i == len(numbers)-1 && s.damaged && s.end.Load() <= segmentHeaderSize {
			order = order[:len(order)-1]
			m.order.Store(&order)
			if err := join(s.close(), m.fs.Remove(segmentName(m.dir, number))); err != nil {
				return err
			}
		}
	}
	return m.fs.SyncDir(m.dir)
}

// listSegments returns the numbers of the value files, and removes temporary
// files on its way.
func (m *FileMap) listSegments() ([]uint32, error) {
	entries, err := m.fs.ReadDir(m.dir)
	if err != nil {
		return nil, err
	}
	var numbers []uint32
	for _, e := range entries {
		if n, ok := segmentNumber(e.Name()); ok {
			numbers = append(numbers, n)
		}
		if strings.HasSuffix(e.Name(), ".tmp") {
			if err := m.fs.Remove(filepath.Join(m.dir, e.Name())); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// recover brings the index up to the log: from address.idx, then from what
// key.dat has beyond it, then from the values. When it returns, everything
// that readers can see is durable.
func (m *FileMap) recover() error {
	open := openKeys
	if m.options.ReadOnly {
		open = viewKeys
	}
	keys, err := open(m.fs, m.dir)
	if err != nil {
		return err
	}
	m.keys = keys
	from, err := m.loadIndex()
	if err != nil {
		return err
	}
	m.seq = from.seq
	if err := m.readySegments(); err != nil {
		return err
	}
	w := &walk{segments: *m.order.Load(), at: from.at, cut: keysHeaderSize}
	if len(w.segments) > 0 {
		for e, err := range w.covered(keys, from.keys) {
			if err != nil {
				return err
			}
			m.replay(&e)
		}
	}
	m.keysStale = w.stale
	if w.cut < keys.end.Load() {
		if err := m.cutKeys(w.cut); err != nil {
			return err
		}
	}
	if err := m.replayTail(w.at); err != nil || m.options.ReadOnly {
		return err
	}
	return m.activate()
}

// cutKeys leaves out what key.dat has behind off.
func (m *FileMap) cutKeys(off int64) error {
	if m.options.ReadOnly {
		m.keys.end.Store(off)
		return nil
	}
	return m.keys.truncate(off)
}

// readySegments gives every segment its place among the others.
func (m *FileMap) readySegments() error {
	for _, s := range *m.order.Load() {
		if m.segments[s.id].Load() != s {
			id, err := m.freeID()
			if err != nil {
				return err
			}
			s.id = id
			m.segments[id].Store(s)
		}
		if err := m.mapSegment(s, s.end.Load()); err != nil {
			return err
		}
	}
	return nil
}

// replay applies one record that recovery has met.
func (m *FileMap) replay(e *entry) {
	if e.lost > 0 {
		m.damage.Add(1)
		e.seg.dead.Add(e.lost)
		return
	}
	m.seq = max(m.seq, e.head.seq)
	hash := xxh3.HashSeed(e.key(), uint64(e.head.family))
	m.apply(&e.head, hash, e.key(), e.address())
	if e.bad {
		m.damage.Add(1)
		m.markCorrupt(hash, makeSlot(hash, classOf(e.head.size()), e.address()))
	}
}

// replayTail applies what the values have beyond key.dat, and brings key.dat
// up to them.
func (m *FileMap) replayTail(at position) error {
	order := *m.order.Load()
	for i, s := range order {
		if s.number < at.segment {
			continue
		}
		from := int64(0)
		if s.number == at.segment {
			from = int64(at.place) * unit
		}
		if err := m.replayValues(s, from, i == len(order)-1 && s.rewrite == 0); err != nil {
			return err
		}
	}
	return nil
}

// replayValues applies the records of a segment from an offset on. Only the
// segment that was being written can end in a torn batch. Of that the whole
// records before the first bad one are kept: each is a true page, and who put
// the batch was not told that it is stored, so puts it again.
func (m *FileMap) replayValues(s *segment, from int64, growing bool) error {
	c := newScan(s, from, s.end.Load())
	frames := newFramer(m.keys)
	defer func() {
		frames.flush()
		m.keysStale = m.keysStale || frames.err != nil // as in keepKeys
	}()
	for {
		found, err := c.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if found.err != nil && growing {
			torn, err := c.torn(found.at)
			if err != nil {
				return err
			}
			if torn {
				return m.truncate(s, found.at)
			}
		}
		e := found.entry(s)
		m.replay(&e)
		if !m.options.ReadOnly {
			frames.add(&e)
		}
	}
}

// truncate cuts the torn tail off the log, durably, before anything is written
// behind it.
func (m *FileMap) truncate(s *segment, end int64) error {
	if !m.options.ReadOnly {
		if err := s.file.Truncate(end); err != nil {
			return fmt.Errorf("cut the torn tail of %s: %w", s.file.Name(), err)
		}
	}
	s.end.Store(end)
	return nil
}

// activate readies the last segment for writing, or begins one. It is synced:
// its last records may have been written by a process that died before its
// sync, and whoever sees them must be able to rely on them.
func (m *FileMap) activate() error {
	order := *m.order.Load()
	if len(order) == 0 {
		return m.begin(0)
	}
	last := order[len(order)-1]
	if last.rewrite > 0 || last.damaged {
		return m.begin(last.last + 1)
	}
	// The mapping made for reading ends at the file's end.
	if err := last.unmap(); err != nil {
		return err
	}
	if err := m.mapSegment(last, m.options.SegmentBytes); err != nil {
		return err
	}
	m.active = last
	return m.sync(last)
}

// begin starts a new active segment.
func (m *FileMap) begin(number uint32) error {
	id, err := m.freeID()
	if err != nil {
		return err
	}
	s, err := m.newSegment(number, id)
	if err != nil {
		return err
	}
	order := append(slices.Clone(*m.order.Load()), s)
	m.segments[id].Store(s)
	m.order.Store(&order)
	m.active = s
	return nil
}
