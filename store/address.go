package store

import (
	"sync"
	"sync/atomic"
)

// The index is the hash table in memory: 4096 shards, each an array of slots of
// 8 bytes with linear probing. A small map has one shard: see table.
//
//	slot u64  | tag 22 | size class 4 | address + 1: 38 |     0 is empty
//
// The low 12 bits of a key's hash choose the shard, its high 22 bits are the
// tag, and probing begins at tag x slots / 2^22. So the home of a slot follows
// from the slot alone, and a shard grows without reading a key. An address is
// | segment id 12 | place 26 |, in units of 16 bytes: 4 TiB.
//
// Different keys may have the same tag: the key in the record decides. Every
// kept version of a page has its own slot; the address shows which one is newer,
// since segments and places are in the order of writing. So no record points at
// another version, and a compaction that moves a record changes one slot.
//
// Readers take no lock. A slot changes in one atomic store, after the record
// that it points at is durable. A removed slot becomes gone, so that probing
// continues behind it. A full shard is copied without the gone slots and
// replaced as a whole.
//
// Cost: a shard is up to 82 % full and grows by an eighth, so an entry takes 9.8
// to 11 bytes in large maps.
type index struct {
	spreadAt int                   // slots of one shard that are spread over all; 0: spreadAt
	shards   atomic.Pointer[table] // nil: there was no page yet
}

// A shard is one shard of the index with its figures, for writers.
type shard struct {
	slots *atomic.Pointer[[]atomic.Uint64]
	*figures
	of *table
}

type figures struct {
	mu    sync.Mutex // held to change the shard
	used  int        // slots that are not empty
	live  int        // slots that point at a record
	pages int
}

const (
	shardBits  = 12
	shardCount = 1 << shardBits
	tagBits    = 22

	placeBits   = 26
	idBits      = 12
	addressBits = placeBits + idBits
	addressMask = 1<<addressBits - 1
	maxSegments = 1<<idBits - 1 // the last address of one more id would equal gone

	classBits    = 4
	classCorrupt = 1<<classBits - 1 // the record is known to be damaged
	classLast    = classCorrupt - 1 // of this size or larger
)

// A slot is one entry of the index; an address is the place of its record.
type (
	slot    uint64
	address uint64
)

const (
	empty slot = 0
	gone  slot = addressMask
)

func makeSlot(hash uint64, class uint64, a address) slot {
	return slot(tagOf(hash)<<(classBits+addressBits) | class<<addressBits | uint64(a) + 1)
}

func tagOf(hash uint64) uint64 { return hash >> (64 - tagBits) }

func (s slot) tag() uint64      { return uint64(s >> (classBits + addressBits)) }
func (s slot) class() uint64    { return uint64(s>>addressBits) & (1<<classBits - 1) }
func (s slot) address() address { return address(s&addressMask) - 1 }

// moved returns the slot with another address.
func (s slot) moved(a address) slot { return s&^addressMask | slot(a+1) }

// corrupt returns the slot, marked as that of a damaged record.
func (s slot) corrupt() slot { return s | classCorrupt<<addressBits }

func makeAddress(id, place uint32) address { return address(id)<<placeBits | address(place) }

func (a address) id() uint32      { return uint32(a >> placeBits) }
func (a address) place() uint32   { return uint32(a & (1<<placeBits - 1)) }
func (a address) offset() int64   { return int64(a.place()) * unit }
func placeAt(offset int64) uint32 { return uint32(offset / unit) }

// classLens are the lengths of the size classes. With the class, Get reads the
// record at once and little more; a record above the largest class takes two
// reads.
var classLens = [classCorrupt + 1]uint16{256, 512, 768, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 4096, 6144, 8192, 16384, 32768, 32768}

// classOf returns the smallest class for a record of this size.
func classOf(size int64) uint64 {
	class := uint64(0)
	for class < classLast && classLen(class) < size {
		class++
	}
	return class
}

func classLen(class uint64) int64 { return int64(classLens[class]) }

// count returns the number of pages and of records.
func (x *index) count() (pages, records int) {
	for sh := range x.locked() {
		pages, records = pages+sh.pages, records+sh.live
	}
	return pages, records
}

// lookup appends the slots that have the hash's tag.
func (x *index) lookup(hash uint64, found []slot) []slot {
	t := x.shards.Load()
	if t == nil {
		return found
	}
	p := t.slots[hash&uint64(len(t.slots)-1)].Load()
	if p == nil {
		return found
	}
	slots, tag := *p, tagOf(hash)
	for i := home(tag, len(slots)); ; {
		s := slot(slots[i].Load())
		if s == empty {
			return found
		}
		if s.tag() == tag && s != gone {
			found = append(found, s)
		}
		if i++; i == len(slots) {
			i = 0
		}
	}
}

// at returns the slot that points at an address.
func (x *index) at(hash uint64, a address) (slot, bool) {
	var room [4]slot
	for _, s := range x.lookup(hash, room[:0]) {
		if s.address() == a {
			return s, true
		}
	}
	return empty, false
}

func home(tag uint64, n int) int { return int(tag * uint64(n) >> tagBits) }

// replace replaces the slot from by to, and reports whether from was found. The
// caller holds the shard.
func (sh shard) replace(from, to slot) bool {
	p := sh.slots.Load()
	if p == nil {
		return false
	}
	slots := *p
	for i := home(from.tag(), len(slots)); ; {
		s := slot(slots[i].Load())
		if s == empty {
			return false
		}
		if s == from {
			slots[i].Store(uint64(to))
			if to == gone {
				sh.live--
			}
			return true
		}
		if i++; i == len(slots) {
			i = 0
		}
	}
}

// insert adds a slot of a hash. The caller holds the shard.
func (sh shard) insert(s slot, hash uint64) {
	p := sh.slots.Load()
	if p == nil || (sh.used+1)*100 > len(*p)*maxFill {
		sh.grow()
		p = sh.slots.Load()
	}
	i := place(*p, s)
	if sh.of.lows != nil {
		sh.of.lows[i] = uint16(hash & (shardCount - 1))
	}
	sh.used++
	sh.live++
}

const (
	maxFill  = 82 // percent
	lineSize = 8  // slots in a cache line
)

// grow copies the live slots into a new array with room for an eighth more.
func (sh shard) grow() {
	want := (sh.live + sh.live/8 + 1) * 100 / maxFill
	slots := make([]atomic.Uint64, roundUp(int64(want)+1, lineSize))
	var lows []uint16
	if sh.of.lows != nil {
		lows = make([]uint16, len(slots))
	}
	if old := sh.slots.Load(); old != nil {
		for i := range *old {
			if s := slot((*old)[i].Load()); s != empty && s != gone {
				at := place(slots, s)
				if lows != nil {
					lows[at] = sh.of.lows[i]
				}
			}
		}
	}
	if lows != nil {
		sh.of.lows = lows
	}
	sh.used = sh.live
	sh.slots.Store(&slots) // readers may still use the old array
}

// place stores a slot in the first empty element from its home on, and returns which
// one that is.
func place(slots []atomic.Uint64, s slot) int {
	i := home(s.tag(), len(slots))
	for slots[i].Load() != uint64(empty) {
		if i++; i == len(slots) {
			i = 0
		}
	}
	slots[i].Store(uint64(s))
	return i
}

// removeSegments removes every slot that points into the segments with these ids, and
// reports whether there was one. The caller holds the shard.
func (sh shard) removeSegments(ids map[uint32]bool) (removed bool) {
	p := sh.slots.Load()
	if p == nil {
		return false
	}
	for i := range *p {
		s := slot((*p)[i].Load())
		if s != empty && s != gone && ids[s.address().id()] {
			(*p)[i].Store(uint64(gone))
			sh.live--
			removed = true
		}
	}
	return removed
}

// all returns the live slots. The caller holds the shard.
func (sh shard) all() []slot {
	p := sh.slots.Load()
	if p == nil {
		return nil
	}
	found := make([]slot, 0, sh.live)
	for i := range *p {
		if s := slot((*p)[i].Load()); s != empty && s != gone {
			found = append(found, s)
		}
	}
	return found
}

// bytes returns the memory of the slots.
func (x *index) bytes() (n int64) {
	t := x.shards.Load()
	if t == nil {
		return 0
	}
	for i := range t.slots {
		if p := t.slots[i].Load(); p != nil {
			n += int64(len(*p)) * 8
		}
	}
	return n
}
