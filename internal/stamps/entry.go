package stamps

import (
	"encoding/binary"
	"math"
	"time"

	"indexerd/internal/doc"
)

// gone is the updateTime of a removal: the key is not here, and what an older
// run has of it does not count. It is below every time and every floor.
const (
	gone   int64 = math.MinInt64
	lowest int64 = gone + 1
)

// maxKey is the longest key that is kept, in bytes.
const maxKey = 1 << 16

// A record is one version of one key, or its removal. The key is valid until
// whoever returned the record is asked for the next one.
type record struct {
	key    []byte
	u      int64 // microseconds since 1970, or gone
	digest uint64
	epoch  uint32
}

func newRecord(s doc.Stamp) record {
	r := record{key: []byte(s.OID), u: gone, digest: s.Token.Digest, epoch: s.Token.Epoch}
	if !s.Updated.IsZero() {
		r.u = micros(s.Updated)
	}
	return r
}

func (r record) stamp() doc.Stamp {
	return doc.Stamp{
		OID:     doc.OID(r.key),
		Updated: time.UnixMicro(r.u).UTC(),
		Token:   doc.Token{Digest: r.digest, Epoch: r.epoch},
	}
}

// micros is the first whole microsecond that is not before t, so that u < t
// and u < micros(t) say the same of every u in microseconds.
func micros(t time.Time) int64 {
	u := t.UnixMicro()
	if time.UnixMicro(u).Before(t) {
		u++
	}
	return u
}

// An entry is a record as it lies in the tree: 32 bytes without a pointer, so
// that nodes are 2 KiB, two entries share a cache line, and the garbage
// collector has nothing to follow. Integer keys are whole inside it.
//
//	head  the first 8 bytes of the key, big-endian, filled up with 0
//	tail  of a key of up to 11 bytes: bytes 9 to 11 << 4 | length
//	      of a longer key: inArena | where the rest of it lies in the arena
type entry struct {
	head   uint64
	u      int64
	digest uint64
	epoch  uint32
	tail   uint32
}

const (
	headBytes   = 8
	inlineBytes = 11
	inArena     = uint32(1) << 31
	probed      = ^uint32(0) // the rest of the key is the memory's probe
)

// newEntry leaves the tail of a key longer than inlineBytes to the caller.
func newEntry(r record) entry {
	var k [headBytes + 4]byte
	n := copy(k[:inlineBytes], r.key)
	e := entry{head: binary.BigEndian.Uint64(k[:]), u: r.u, digest: r.digest, epoch: r.epoch}
	if len(r.key) <= inlineBytes {
		e.tail = binary.BigEndian.Uint32(k[headBytes:])>>4 | uint32(n)
	}
	return e
}

// inline returns what the tail of a short key holds of it beyond the head.
func (e entry) inline() (rest [4]byte, n int) {
	binary.BigEndian.PutUint32(rest[:], e.tail<<4)
	return rest, max(0, int(e.tail&0xf)-headBytes)
}

// An arena holds the rests of long keys, one behind the other: a length of 2
// bytes and the rest. What was written never changes, so a copy of the arena
// stays valid while more is added to the original.
type arena struct {
	chunks [][]byte
	free   int // where the last chunk is free
}

const chunkBytes = 256 << 10

// size is the number of bytes in use.
func (a *arena) size() int64 {
	if len(a.chunks) == 0 {
		return 0
	}
	return int64(len(a.chunks)-1)*chunkBytes + int64(a.free)
}

func (a *arena) add(rest []byte) uint32 {
	if len(a.chunks) == 0 || a.free+2+len(rest) > chunkBytes {
		a.chunks = append(a.chunks, make([]byte, chunkBytes))
		a.free = 0
	}
	at := a.size()
	b := a.chunks[len(a.chunks)-1][a.free:]
	binary.LittleEndian.PutUint16(b, uint16(len(rest)))
	copy(b[2:], rest)
	a.free += 2 + len(rest)
	return inArena | uint32(at)
}

func (a *arena) rest(tail uint32) []byte {
	at := tail &^ inArena
	b := a.chunks[at/chunkBytes][at%chunkBytes:]
	return b[2 : 2+binary.LittleEndian.Uint16(b)]
}

// appendKey appends the whole key of an entry.
func (a *arena) appendKey(dst []byte, e entry) []byte {
	dst = binary.BigEndian.AppendUint64(dst, e.head)
	if e.tail&inArena != 0 {
		return append(dst, a.rest(e.tail)...)
	}
	rest, n := e.inline()
	if n == 0 {
		return dst[:len(dst)-headBytes+int(e.tail&0xf)]
	}
	return append(dst, rest[:n]...)
}
