package store

import (
	"fmt"
	"hash/crc32"
	"slices"

	"indexerd/internal/doc"
)

// maxFaults is how many faults a Check names; there may be millions.
const maxFaults = 10

// Check reads the whole map and compares what it keeps twice: values with
// their checksums, the index with what the values give when they are applied
// anew, key.dat with the values, the figures of garbage with what is garbage.
// Writing waits meanwhile, reading does not. Pages found damaged are absent to
// Meta and Has from then on, so that they are fetched again.
func (m *FileMap) Check() error {
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

type checking struct {
	m      *FileMap
	shadow *FileMap // the same segments under an index of their own
	heads  uint32   // checksum of all heads, in order
	faults []error
}

// shadow is a map over the same files with an empty index. It is never closed
// and never written.
func (m *FileMap) shadow() *FileMap {
	o := &FileMap{dir: m.dir, options: m.options}
	order := make([]*segment, 0, len(*m.order.Load()))
	for _, s := range *m.order.Load() {
		same := &segment{segmentHeader: s.segmentHeader, id: s.id, file: s.file, data: s.data}
		same.end.Store(s.end.Load())
		o.segments[s.id].Store(same)
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

// damage reports a record or stretch that is damaged.
func (c *checking) damage(e *entry) {
	at := int64(e.place) * unit
	switch {
	case e.lost > 0:
		c.fault("value%d.dat at %d: %w: %d bytes without a record", e.seg.number, at, ErrCorrupt, e.lost)
	case e.bad:
		c.fault("value%d.dat at %d: page %v: %w", e.seg.number, at, doc.OID(e.key()), errBodySum)
		hash := Family{c.m, e.head.family}.hash(doc.OID(e.key()))
		if s, ok := c.m.index.at(hash, e.address()); ok {
			c.m.markCorrupt(hash, s)
		}
	}
}

func (c *checking) add(e *entry) { c.heads = crc32.Update(c.heads, castagnoli, e.bytes) }

// keys walks the log as All does, and must meet the same heads.
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
		c.fault("key.dat lists other records than the values have")
	}
	return nil
}

// index compares the slots with those of the shadow.
func (c *checking) index() error {
	for i, sh := range c.m.index.shards() {
		got, cells := sh.content()
		want, wantCells := c.shadow.index.shard(uint64(i)).content()
		if !slices.Equal(got, want) {
			c.fault("address.idx, shard %d: its %d slots are not the %d that the values give", i, len(got), len(want))
		}
		if cells != wantCells {
			c.fault("address.idx, shard %d: it counts %v pages, the values give %v", i, cells, wantCells)
		}
	}
	return nil
}

// content is what a shard says, in an order of its own: tags and addresses.
func (sh shard) content() ([]slot, [Families]uint32) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	all := sh.all()
	for i := range all {
		all[i] = all[i].corrupt() // which ones are known to be damaged may differ
	}
	slices.Sort(all)
	return all, sh.cells
}

// garbage makes sure that no segment counts less garbage than it has: it would
// let a tombstone go too soon. After a crash it may count more.
func (c *checking) garbage() error {
	for _, s := range *c.m.order.Load() {
		want := c.shadow.segments[s.id].Load()
		if s.dead.Load() < want.dead.Load() || s.tombs.Load() < want.tombs.Load() {
			c.fault("value%d.dat: it counts %d bytes of garbage and %d of tombstones, and has %d and %d",
				s.number, s.dead.Load(), s.tombs.Load(), want.dead.Load(), want.tombs.Load())
		}
	}
	return nil
}
