package store

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"indexerd/internal/base/doc"
)

// A record is one version of a page, or the tombstone of a page:
//
//	 0  magic u32        "rec1"
//	 4  head checksum    crc32c of bytes 8 to the end of the key, seeded by headSum
//	 8  body checksum    crc32c of the value as stored
//	12  kind u8          1 page, 2 tombstone
//	13  codec u8         of the value
//	14  0
//	16  stored u32       length of the value as stored, up to raw
//	20  raw u32          length of the value, up to 256 MiB
//	24  key length u32   1 to 64 KiB
//	28  batch u32        place where the batch of this record begins; 0 in a rewritten segment
//	32  seq u64          rises along the log
//	40  updated i64      microseconds; the lowest number is NULL
//	48  token digest u64
//	56  token epoch u32
//	60  generation u32
//	64  fetch u64
//	72  fetched i64      microseconds
//	80  docHash u64
//	88  v u64
//	96  key, value, zeros up to a multiple of 16
//
// Numbers are little-endian; a place is an offset in units of 16 bytes. The head
// checksum covers the record's place, so a block that was copied or written to a
// wrong place is not taken for a record. It makes the key reliable without
// reading the value.
const (
	unit        = 16
	headerSize  = 96
	recordMagic = 0x31636572
)

// Limits of a page: Put returns ErrTooLarge beyond them.
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

// newHeader returns the header of a page's record without batch and seq, which
// are not known yet.
func newHeader(meta *doc.Meta) header {
	return header{
		kind:    kindPut,
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

// describe fills m in place: see newest.
func (h *header) describe(m *doc.Meta, oid doc.OID) {
	m.OID, m.Updated, m.Token = oid, fromMicros(h.updated), h.token
	m.Fetch, m.Fetched = h.fetch, fromMicros(h.fetched)
	m.Hash, m.V, m.Gen = h.hash, h.v, h.gen
}

// noTime encodes the zero time, which is NULL.
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

// encode writes the header except for the magic and the head checksum, which
// seal adds when the record's place is known.
func (h *header) encode(b []byte) {
	le := binary.LittleEndian
	le.PutUint32(b[8:], h.bodySum)
	b[12], b[13], b[14], b[15] = byte(h.kind), byte(h.codec), 0, 0
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

// decode decodes headerSize bytes and checks every bound; checkHead checks the
// checksum. It sets field by field, since the compiler would copy a literal.
func (h *header) decode(b []byte) error {
	le := binary.LittleEndian
	h.bodySum = le.Uint32(b[8:])
	h.kind = kind(b[12])
	h.codec = codec(b[13])
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
	if b[14] != 0 || b[15] != 0 || !h.plausible() {
		return errBounds
	}
	return nil
}

func (h *header) plausible() bool {
	switch {
	case h.keyLen == 0 || h.keyLen > MaxKey:
		return false
	case h.codec > codecLast:
		return false
	case h.kind == kindDelete:
		return h.stored == 0 && h.raw == 0
	}
	// An encoded value is never longer than the value.
	return h.kind == kindPut && h.raw <= MaxValue && h.stored <= h.raw
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// seal completes a record when its place is known. rec begins with the header
// and the key; seal does not touch the value.
func seal(rec []byte, keyLen int, number, place uint32) {
	binary.LittleEndian.PutUint32(rec, recordMagic)
	binary.LittleEndian.PutUint32(rec[4:], headSum(rec[:headerSize+keyLen], number, place))
}

// checkHead reports whether rec, a header and its key, was sealed at this
// place.
func checkHead(rec []byte, number, place uint32) bool {
	return binary.LittleEndian.Uint32(rec[4:]) == headSum(rec, number, place)
}

// headSum seeds the checksum with the record's place: no two places of a segment
// have the same seed.
func headSum(rec []byte, number, place uint32) uint32 {
	return crc32.Update(place*0x9e3779b1^number*0x85ebca6b, castagnoli, rec[8:])
}

// body returns the stored value of a whole record.
func (h *header) body(rec []byte) []byte {
	return rec[h.headLen() : h.headLen()+int(h.stored)]
}
