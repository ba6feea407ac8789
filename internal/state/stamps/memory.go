package stamps

import (
	"bytes"
	"cmp"
	"iter"

	"github.com/google/btree"
)

const (
	// degree gives nodes of up to 127 entries, 4 KiB. With 16, a tree takes 11 %
	// more memory, and a Put twice the time. More than 64 gains little, and a write
	// during a snapshot copies larger nodes.
	degree = 64
	// entryBytes is the most that an entry takes, in a node that is half full, as
	// nodes are when keys are put in order.
	entryBytes = 68
)

// memory is the part of a Tree in memory: an ordered tree of entries and the arena
// of their long keys. It is not safe for concurrent use.
type memory struct {
	longKeys
	tree *btree.BTreeG[entry]
	dead int64 // bytes of the arena that no entry uses
}

func newMemory() *memory {
	m := &memory{}
	m.tree = btree.NewG(degree, func(a, b entry) bool { return m.compare(a, b) < 0 })
	return m
}

// longKeys holds the bytes of long keys, and compares entries.
type longKeys struct {
	arena arena
	probe []byte // bytes after the head of the long key that is looked up
}

// compare compares keys in byte order.
func (k *longKeys) compare(a, b entry) int {
	switch {
	case a.head != b.head:
		return cmp.Compare(a.head, b.head)
	case (a.tail|b.tail)&inArena == 0:
		return cmp.Compare(a.tail, b.tail)
	}
	var bufA, bufB [4]byte
	return bytes.Compare(k.rest(a, &bufA), k.rest(b, &bufB))
}

func (k *longKeys) rest(e entry, buf *[4]byte) []byte {
	switch {
	case e.tail == probed:
		return k.probe
	case e.tail&inArena != 0:
		return k.arena.rest(e.tail)
	}
	rest, n := e.inline()
	*buf = rest
	return buf[:n]
}

// key returns an entry that equals the one with the same key in the tree.
func (m *memory) key(r record) entry {
	e := newEntry(r)
	if len(r.key) > inlineBytes {
		e.tail, m.probe = probed, r.key[headBytes:]
	}
	return e
}

// put sets the version of a key.
func (m *memory) put(r record) {
	e := m.key(r)
	if e.tail == probed {
		if old, ok := m.tree.Get(e); ok {
			e.tail = old.tail
		} else {
			e.tail = m.arena.add(m.probe)
		}
	}
	m.tree.ReplaceOrInsert(e)
}

// remove removes a key.
func (m *memory) remove(key []byte) {
	m.drop(m.key(record{key: key}))
}

func (m *memory) drop(e entry) {
	old, ok := m.tree.Delete(e)
	if ok && old.tail&inArena != 0 {
		m.dead += 2 + int64(len(m.arena.rest(old.tail)))
	}
}

func (m *memory) get(key []byte) (record, bool) {
	e, ok := m.tree.Get(m.key(record{key: key}))
	return e.record(key), ok
}

// all returns the records in key order.
func (m *memory) all() iter.Seq[record] {
	return func(yield func(record) bool) {
		var key []byte
		m.tree.Ascend(func(e entry) bool {
			key = m.arena.appendKey(key[:0], e)
			return yield(e.record(key))
		})
	}
}

// freeze returns the current content, which stays as it is while m changes. Only all
// may be called on it: a lookup needs m's probe.
func (m *memory) freeze() *memory {
	return &memory{tree: m.tree.Clone(), longKeys: longKeys{arena: m.arena}}
}

func (m *memory) len() int64   { return int64(m.tree.Len()) }
func (m *memory) bytes() int64 { return m.len()*entryBytes + m.arena.size() }
