package store

import (
	"cmp"
	"iter"
	"sync/atomic"
)

// spreadAt is the number of slots from which on they are spread over all shards. Of a
// map with fewer, the shards would take a hundred times as much memory as the slots.
const spreadAt = 4096

// A table is the shards of an index: one while the map is small, else shardCount. The
// number is a power of two, and the low bits of a hash choose the shard. A small map
// keeps these bits of each slot, so that its slots can be spread without reading a key.
//
// A spread builds another table, and replaces the small one while it holds its shard.
// A caller that takes a shard therefore looks whether its table is the index's still: index.lock
// and index.locked do.
type table struct {
	// Eight to a cache line: readers use nothing else of a shard, and with the
	// writers' figures in between most reads would miss the cache.
	slots   []atomic.Pointer[[]atomic.Uint64]
	figures []figures
	lows    []uint16 // of the slots of the only shard, which guards it; nil: there are more
}

func newTable(shards int) *table {
	t := &table{slots: make([]atomic.Pointer[[]atomic.Uint64], shards), figures: make([]figures, shards)}
	if shards == 1 {
		t.lows = []uint16{}
	}
	return t
}

func (t *table) shard(hash uint64) shard {
	i := hash & uint64(len(t.slots)-1)
	return shard{&t.slots[i], &t.figures[i], t}
}

// current returns the table. That of a new index is small.
func (x *index) current() *table {
	if t := x.shards.Load(); t != nil {
		return t
	}
	x.shards.CompareAndSwap(nil, newTable(1))
	return x.shards.Load()
}

// lock returns the shard of a hash. The caller unlocks it.
func (x *index) lock(hash uint64) shard {
	for {
		t := x.current()
		sh := t.shard(hash)
		sh.mu.Lock()
		if x.shards.Load() == t {
			return sh
		}
		sh.mu.Unlock()
	}
}

// locked lists the shards that ever had a slot, each locked while the caller has it. The
// one shard of a small map can't be spread before the list ends.
func (x *index) locked() iter.Seq[shard] {
	return func(yield func(shard) bool) {
		t := x.shards.Load()
		if t == nil {
			return
		}
		if len(t.slots) == 1 {
			first := x.lock(0)
			if first.of == t {
				defer first.mu.Unlock()
				yield(first)
				return
			}
			first.mu.Unlock()
			t = first.of
		}
		for i := range t.slots {
			if t.slots[i].Load() != nil && !yieldLocked(t.shard(uint64(i)), yield) {
				return
			}
		}
	}
}

func yieldLocked(sh shard, yield func(shard) bool) bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return yield(sh)
}

// isFull reports whether a shard is the only one and has to be spread before another slot
// is added. The caller holds it.
func (x *index) isFull(sh shard) bool {
	return sh.of.lows != nil && sh.live >= x.limit()
}

func (x *index) limit() int { return cmp.Or(x.spreadAt, spreadAt) }

// spread returns the slots of the only shard in shardCount shards. exact reports whether
// their numbers of pages are right: they are if each page has one slot. The caller holds
// the shard.
func (sh shard) spread() (t *table, exact bool) {
	t = newTable(shardCount)
	if old := sh.slots.Load(); old != nil {
		for i := range *old {
			if s := slot((*old)[i].Load()); s != empty && s != gone {
				low := uint64(sh.of.lows[i])
				to := t.shard(low)
				to.insert(s, low)
				to.pages++
			}
		}
	}
	return t, sh.pages == sh.live
}

// lockShard returns the shard of a hash, with room for another slot. The caller unlocks
// it.
func (m *FileMap) lockShard(hash uint64) shard {
	sh := m.index.lock(hash)
	if !m.index.isFull(sh) {
		return sh
	}
	t := m.spread(sh)
	m.index.shards.Store(t)
	sh.mu.Unlock()
	return m.index.lock(hash)
}

// spread returns the slots of the only shard, which the caller holds, in shardCount
// shards.
func (m *FileMap) spread(only shard) *table {
	t, exact := only.spread()
	for i := range t.slots {
		if !exact && t.slots[i].Load() != nil {
			m.recount(t.shard(uint64(i)))
		}
	}
	return t
}

// gather fills an empty index with the slots of all shards, if these are few.
func (x *index) gather(tables *indexTables, slots []atomic.Uint64) bool {
	live := 0
	for _, t := range tables.shards {
		live += int(t.live)
	}
	if live >= x.limit() {
		return false
	}
	sh := x.lock(0)
	defer sh.mu.Unlock()
	for i, t := range tables.shards {
		for n := range slots[:t.slots] {
			if s := slot(slots[n].Load()); s != empty && s != gone {
				sh.insert(s, uint64(i))
			}
		}
		slots = slots[t.slots:]
		sh.pages += int(t.pages)
	}
	return true
}
