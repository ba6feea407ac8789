package store

import (
	"fmt"
	"hash/crc32"
	"slices"

	"indexerd/internal/base/doc"
)

// check reads the whole map and compares everything that is stored twice: values
// with their checksums, the index with one rebuilt from the values, key.dat with
// the values, and the figures of garbage with the garbage. It reports up to
// maxFaults errors, and marks damaged pages as Get does. Writers wait, readers do
// not.
func (m *FileMap) check() error {
	m.layout.RLock()
	defer m.layout.RUnlock()
	m.writing.Lock()
	defer m.writing.Unlock()
	if m.closed.Load() {
		return errClosed
	}
	c := checking{m: m, shadow: m.shadow()}
	for _, step := range []func() error{c.values, c.keys, c.index, c.garbage} {
		if err := step(); err != nil {
			c.faults = append(c.faults, err)
			break
		}
	}
	if len(c.faults) == 0 {
		return nil
	}
	return fmt.Errorf("check %s: %w", m.dir, join(c.faults...))
}

const maxFaults = 10

type checking struct {
	m      *FileMap
	shadow *FileMap // the same segments with a rebuilt index
	heads  uint32   // checksum of all headers, in order
	faults []error
}

// shadow returns a map over the same files with an empty index. It is never
// closed and never written.
func (m *FileMap) shadow() *FileMap {
	o := &FileMap{dir: m.dir, options: m.options}
	order := make([]*segment, 0, len(*m.order.Load()))
	for _, s := range *m.order.Load() {
		same := &segment{segmentHeader: s.segmentHeader, id: s.id, file: s.file}
		same.end.Store(s.end.Load())
		o.segments.set(s.id, same)
		order = append(order, same)
	}
	o.order.Store(&order)
	return o
}

func (c *checking) fault(format string, args ...any) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, fmt.Errorf(format, args...))
	}
}

// values applies all records to the shadow.
func (c *checking) values() error {
	for _, s := range *c.shadow.order.Load() {
		w := &walk{segments: []*segment{s}, at: position{s.number, 0}}
		for e, err := range w.gap(position{s.number, placeAt(s.end.Load())}) {
			if err != nil {
				return err
			}
			c.shadow.replay(&e)
			c.damage(&e)
			c.add(&e)
		}
	}
	return nil
}

// damage reports a damaged record or range.
func (c *checking) damage(e *entry) {
	at := int64(e.place) * unit
	switch {
	case e.lost > 0:
		c.fault("value%d.dat at %d: %w: %d bytes without a record", e.seg.number, at, ErrCorrupt, e.lost)
	case e.bad:
		c.fault("value%d.dat at %d: page %v: %w", e.seg.number, at, doc.OID(e.key()), errBodySum)
		if s, ok := c.m.index.at(e.hash(), e.address()); ok {
			c.m.markCorrupt(e.hash(), s)
		}
	}
}

func (c *checking) add(e *entry) { c.heads = crc32.Update(c.heads, castagnoli, e.bytes) }

// keys walks the log as All does, and compares the headers.
func (c *checking) keys() error {
	want := c.heads
	c.heads = 0
	for e, err := range c.m.follow(&walk{cut: keysHeaderSize}) {
		if err != nil {
			return err
		}
		c.add(&e)
	}
	if c.heads != want {
		c.fault("key.dat: its records are not those of the values")
	}
	return nil
}

// index compares the slots, and their counts, with those of the shadow.
func (c *checking) index() error {
	allPages, allSlots := 0, 0
	present, rebuilt := c.m.spreadShards(), c.shadow.spreadShards()
	for i := range uint64(shardCount) {
		got, pages := present.shard(i).content()
		want, wantPages := rebuilt.shard(i).content()
		if !slices.Equal(got, want) {
			c.fault("index, shard %d: its %d slots are not the %d of the values", i, len(got), len(want))
		}
		if pages != wantPages {
			c.fault("index, shard %d: got %d pages, want %d", i, pages, wantPages)
		}
		allPages, allSlots = allPages+wantPages, allSlots+len(want)
	}
	if pages, records := c.m.index.count(); pages != allPages || records != allSlots {
		c.fault("index: got %d pages and %d records, want %d and %d", pages, records, allPages, allSlots)
	}
	return nil
}

// content returns the sorted slots and the number of pages.
func (sh shard) content() ([]slot, int) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	all := sh.all()
	for i := range all {
		all[i] = all[i].corrupt() // the marks of damage may differ
	}
	slices.Sort(all)
	return all, sh.pages
}

// garbage compares the figures of garbage. A figure may be too high after a crash,
// but not too low: a tombstone would be dropped too early.
func (c *checking) garbage() error {
	for _, s := range *c.m.order.Load() {
		want := c.shadow.segments.at(s.id)
		if s.dead.Load() < want.dead.Load() || s.tombs.Load() < want.tombs.Load() {
			c.fault("value%d.dat: got %d bytes of garbage and %d of tombstones, want at least %d and %d",
				s.number, s.dead.Load(), s.tombs.Load(), want.dead.Load(), want.tombs.Load())
		}
	}
	return nil
}
