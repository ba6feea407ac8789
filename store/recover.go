package store

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// openSegments opens the value files in order, and removes what a crash left:
// temporary files, segments that a compaction has copied into an earlier one,
// and a last segment without a complete header.
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
			if err := join(s.file.Close(), m.fs.Remove(segmentName(m.dir, number))); err != nil {
				return err
			}
		}
	}
	return nil
}

// listSegments returns the numbers of the value files, and removes temporary
// files.
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

// recover builds the index from address.idx, then from the part of key.dat that
// address.idx does not cover, then from the values that key.dat does not cover.
// When it returns, everything that readers can see is durable.
func (m *FileMap) recover() error {
	keys, err := openKeys(m.fs, m.dir, m.options.ReadOnly)
	if err != nil {
		return err
	}
	m.keys = keys
	from, err := m.loadIndex()
	if err != nil {
		return err
	}
	m.seq = from.seq
	covered := m.isCovered(from)
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
	if err := m.replayTail(w.at); err != nil || m.options.ReadOnly || covered {
		return err
	}
	return join(m.activate(), m.fs.SyncDir(m.dir), m.fs.SyncDir(filepath.Dir(m.dir)))
}

// isCovered makes the last segment the active one if address.idx has all of the log. That
// is durable then, for address.idx is written later.
func (m *FileMap) isCovered(from mark) bool {
	order := *m.order.Load()
	if len(order) == 0 || m.options.ReadOnly {
		return false
	}
	m.active = order[len(order)-1]
	return m.active.rewrite == 0 && !m.active.damaged && m.active.end.Load()%unit == 0 && m.mark() == from
}

// cutKeys cuts key.dat at off, in read-only mode only in memory.
func (m *FileMap) cutKeys(off int64) error {
	if m.options.ReadOnly {
		m.keys.end.Store(off)
		return nil
	}
	return m.keys.truncate(off)
}

// readySegments gives every segment an id.
func (m *FileMap) readySegments() error {
	for _, s := range *m.order.Load() {
		if m.segments.at(s.id) != s {
			id, err := m.freeID()
			if err != nil {
				return err
			}
			s.id = id
			m.segments.set(id, s)
		}
	}
	return nil
}

// replay applies one record during recovery.
func (m *FileMap) replay(e *entry) {
	if e.lost > 0 {
		e.seg.dead.Add(e.lost)
		return
	}
	m.seq = max(m.seq, e.head.seq)
	hash := e.hash()
	m.apply(&e.head, hash, e.key(), e.address())
	if e.bad {
		m.markCorrupt(hash, makeSlot(hash, classOf(e.head.size()), e.address()))
	}
}

// replayTail applies the values that key.dat does not cover, and adds them to
// key.dat.
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
// segment that was growing can end in a torn batch. Its whole records before the
// damage are kept: each page is right, and the caller of Put, which has not
// returned, puts the batch again.
func (m *FileMap) replayValues(s *segment, from int64, growing bool) error {
	c := newScan(s, from, s.end.Load())
	frames := newFramer(m.keys)
	defer func() {
		frames.flush()
		m.keysStale = m.keysStale || frames.err != nil // as in appendKeys
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

// truncate cuts the torn tail off the log. activate makes it durable.
func (m *FileMap) truncate(s *segment, end int64) error {
	if !m.options.ReadOnly {
		if err := s.file.Truncate(end); err != nil {
			return fmt.Errorf("cut the torn tail of %s: %w", s.file.Name(), err)
		}
	}
	s.end.Store(end)
	return nil
}

// activate makes the last segment the active one, or begins a new one. It syncs
// the segment: the process that wrote its last records may have ended before its
// sync, and readers will rely on them.
func (m *FileMap) activate() error {
	order := *m.order.Load()
	if len(order) == 0 {
		return m.begin(0)
	}
	last := order[len(order)-1]
	if last.rewrite > 0 || last.damaged {
		return m.begin(last.last + 1)
	}
	m.active = last
	return m.sync(last)
}

// begin creates a new active segment.
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
	m.segments.set(id, s)
	m.order.Store(&order)
	m.active = s
	return nil
}
