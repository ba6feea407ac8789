package stamps

import (
	"encoding/binary"
	"math"
	"time"

	"indexerd/internal/base/doc"
)

// gone is the updateTime of a removal, which hides the key in older runs. It is
// below every time and every floor.
const (
	gone   int64 = math.MinInt64
	lowest int64 = gone + 1
)

// maxKey is the longest key that is kept, in bytes.
const maxKey = 1 << 16

// A record is one version of one key, or its removal. The key is valid until the
// next record is read.
type record struct {
	key    []byte
	u      int64 // microseconds since 1970, or gone
	digest uint64
	epoch  uint32
}

func newRecord(s doc.Stamp) record { return recordOf([]byte(s.OID), s) }

// recordOf returns the record of a stamp whose key has been copied.
func recordOf(key []byte, s doc.Stamp) record {
	r := record{key: key, u: gone, digest: s.Token.Digest, epoch: s.Token.Epoch}
	if !s.Updated.IsZero() {
		r.u = micros(s.Updated)
	}
	return r
}

func (r record) stamp() doc.Stamp {
	s := doc.Stamp{OID: doc.OID(r.key), Token: doc.Token{Digest: r.digest, Epoch: r.epoch}}
	if r.u != gone {
		s.Updated = time.UnixMicro(r.u).UTC()
	}
	return s
}

// micros returns t in microseconds, rounded up, so that u < t and u < micros(t) are
// equivalent for every u in microseconds.
func micros(t time.Time) int64 {
	u := t.UnixMicro()
	if time.UnixMicro(u).Before(t) {
		u++
	}
	return u
}

// An entry is a record in the tree: 32 bytes without a pointer, so that nodes are
// 2 KiB, two entries share a cache line, and the garbage collector skips them.
//
//	head  the first 8 bytes of the key, big-endian, padded with 0
//	tail  of a key of up to 11 bytes: bytes 9 to 11 << 4 | length
//	      of a longer key: inArena | offset of the other bytes in the arena
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
	probed      = ^uint32(0) // the other bytes of the key are the memory's probe
)

// newEntry makes an entry. The caller sets the tail of a key longer than
// inlineBytes.
func newEntry(r record) entry {
	var k [headBytes + 4]byte
	n := copy(k[:inlineBytes], r.key)
	e := entry{head: binary.BigEndian.Uint64(k[:]), u: r.u, digest: r.digest, epoch: r.epoch}
	if len(r.key) <= inlineBytes {
		e.tail = binary.BigEndian.Uint32(k[headBytes:])>>4 | uint32(n)
	}
	return e
}

// record returns the record of an entry with this key.
func (e entry) record(key []byte) record {
	return record{key: key, u: e.u, digest: e.digest, epoch: e.epoch}
}

// inline returns the bytes of a short key that are in the tail.
func (e entry) inline() (rest [4]byte, n int) {
	binary.BigEndian.PutUint32(rest[:], e.tail<<4)
	return rest, max(0, int(e.tail&0xf)-headBytes)
}

// An arena holds the bytes of long keys after the head, each with a length of 2
// bytes before it. Written bytes never change, so a copy of the arena stays valid
// while the original grows.
type arena struct {
	chunks [][]byte
	free   int // offset of the free bytes in the last chunk
}

const chunkBytes = 256 << 10

// size returns the number of bytes in use.
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

// appendKey appends the key of an entry.
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
