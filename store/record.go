package store

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"indexerd/internal/doc"
)

// A record is one version of one page, or the tombstone of one:
//
//	 0  magic u32        "rec1"
//	 4  head checksum    crc32c of bytes 8 to the key's end, begun as headSum says
//	 8  body checksum    crc32c of the value as stored
//	12  kind u8          1 page, 2 tombstone
//	13  codec u8         how the value is stored: see codec
//	14  family u8
//	15  0
//	16  stored u32       length of the value as stored, at most raw
//	20  raw u32          length of the value, at most 256 MiB
//	24  key length u32   1 to 64 KiB
//	28  batch u32        place where the batch of this record begins; 0 in a rewritten segment
//	32  seq u64          rises along the log
//	40  updated i64      microseconds; the least number is NULL
//	48  token digest u64
//	56  token epoch u32
//	60  generation u32
//	64  fetch u64
//	72  fetched i64      microseconds
//	80  docHash u64
//	88  v u64
//	96  key, value, zeros up to a multiple of 16
//
// Numbers are little-endian; a place is an offset in units of 16 bytes. The
// head's checksum covers where the record lies, so a block that was copied or
// written elsewhere is not taken for a record, and the key is trusted without
// reading the value.
const (
	unit        = 16
	headerSize  = 96
	recordMagic = 0x31636572
)

// What a map takes. A larger key or value is ErrTooLarge.
const (
	MaxKey   = 64 << 10
	MaxValue = 256 << 20
)

type kind uint8

const (
	kindPut    kind = 1
	kindDelete kind = 2
)

// A header is the fixed part of a record without its magic and head checksum.
type header struct {
	bodySum uint32
	kind    kind
	codec   codec
	family  uint8
	stored  uint32
	raw     uint32
	keyLen  uint32
	batch   uint32
	seq     uint64
	updated int64
	token   doc.Token
	gen     doc.Generation
	fetch   doc.FetchSeq
	fetched int64
	hash    doc.DocHash
	v       doc.Version
}

// newHeader returns the head of a page's record; its place, batch and seq are
// not known yet.
func newHeader(meta *doc.Meta, family uint8) header {
	return header{
		kind:    kindPut,
		family:  family,
		keyLen:  uint32(len(meta.OID)),
		updated: micros(meta.Updated),
		token:   meta.Token,
		gen:     meta.Gen,
		fetch:   meta.Fetch,
		fetched: micros(meta.Fetched),
		hash:    meta.Hash,
		v:       meta.V,
	}
}

func (h *header) meta(oid doc.OID) (m doc.Meta) {
	h.describe(&m, oid)
	return m
}

// describe fills m in where it lies: see newest.
func (h *header) describe(m *doc.Meta, oid doc.OID) {
	m.OID, m.Updated, m.Token = oid, fromMicros(h.updated), h.token
	m.Fetch, m.Fetched = h.fetch, fromMicros(h.fetched)
	m.Hash, m.V, m.Gen = h.hash, h.v, h.gen
}

// noTime stands for the zero time, which is NULL.
const noTime = math.MinInt64

func micros(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.UnixMicro()
}

func fromMicros(us int64) time.Time {
	if us == noTime {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// headLen is the length of the header and the key.
func (h *header) headLen() int { return headerSize + int(h.keyLen) }

// size is the length of the record in its segment.
func (h *header) size() int64 {
	return roundUp(int64(h.headLen())+int64(h.stored), unit)
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// encode writes the header but for the magic and the head checksum, which
// seal adds once the record's place is known.
func (h *header) encode(b []byte) {
	le := binary.LittleEndian
	le.PutUint32(b[8:], h.bodySum)
	b[12], b[13], b[14], b[15] = byte(h.kind), byte(h.codec), h.family, 0
	le.PutUint32(b[16:], h.stored)
	le.PutUint32(b[20:], h.raw)
	le.PutUint32(b[24:], h.keyLen)
	le.PutUint32(b[28:], h.batch)
	le.PutUint64(b[32:], h.seq)
	le.PutUint64(b[40:], uint64(h.updated))
	le.PutUint64(b[48:], h.token.Digest)
	le.PutUint32(b[56:], h.token.Epoch)
	le.PutUint32(b[60:], uint32(h.gen))
	le.PutUint64(b[64:], uint64(h.fetch))
	le.PutUint64(b[72:], uint64(h.fetched))
	le.PutUint64(b[80:], uint64(h.hash))
	le.PutUint64(b[88:], uint64(h.v))
}

// decode reads what encode wrote and checks every bound; the checksum is
// checkHead's. It needs headerSize bytes. Field by field, since the compiler
// makes a literal elsewhere and copies it.
func (h *header) decode(b []byte) error {
	le := binary.LittleEndian
	h.bodySum = le.Uint32(b[8:])
	h.kind = kind(b[12])
	h.codec = codec(b[13])
	h.family = b[14]
	h.stored = le.Uint32(b[16:])
	h.raw = le.Uint32(b[20:])
	h.keyLen = le.Uint32(b[24:])
	h.batch = le.Uint32(b[28:])
	h.seq = le.Uint64(b[32:])
	h.updated = int64(le.Uint64(b[40:]))
	h.token.Digest = le.Uint64(b[48:])
	h.token.Epoch = le.Uint32(b[56:])
	h.gen = doc.Generation(le.Uint32(b[60:]))
	h.fetch = doc.FetchSeq(le.Uint64(b[64:]))
	h.fetched = int64(le.Uint64(b[72:]))
	h.hash = doc.DocHash(le.Uint64(b[80:]))
	h.v = doc.Version(le.Uint64(b[88:]))
	if le.Uint32(b) != recordMagic {
		return errMagic
	}
	if b[15] != 0 || !h.plausible() {
		return errBounds
	}
	return nil
}

func (h *header) plausible() bool {
	switch {
	case h.keyLen == 0 || h.keyLen > MaxKey:
		return false
	case h.family >= Families || h.codec > codecLast:
		return false
	case h.kind == kindDelete:
		return h.stored == 0 && h.raw == 0
	}
	// A value is never stored in more bytes than it has.
	return h.kind == kindPut && h.raw <= MaxValue && h.stored <= h.raw
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// seal completes a record that has found its place. rec begins with the header
// and the key; the value is not touched.
func seal(rec []byte, keyLen int, number, place uint32) {
	binary.LittleEndian.PutUint32(rec, recordMagic)
	binary.LittleEndian.PutUint32(rec[4:], headSum(rec[:headerSize+keyLen], number, place))
}

// checkHead reports whether rec, a header and its key, was sealed at this
// place.
func checkHead(rec []byte, number, place uint32) bool {
	return binary.LittleEndian.Uint32(rec[4:]) == headSum(rec, number, place)
}

// headSum begins with where the record lies: two places of a segment never
// begin alike.
func headSum(rec []byte, number, place uint32) uint32 {
	return crc32.Update(place*0x9e3779b1^number*0x85ebca6b, castagnoli, rec[8:])
}

// body is the stored value of a whole record.
func (h *header) body(rec []byte) []byte {
	return rec[h.headLen() : h.headLen()+int(h.stored)]
}
