package store

import (
	"encoding/binary"
	"path/filepath"
)

// address.idx is the index as it was at some position of the log, or shortly
// after: applying the log from that position on gives the present index. It is
// replaced as a whole, and void if it names a segment that was removed or
// rewritten.
//
//	 0  magic "fmindex\n"
//	 8  version u32      1
//	12  head checksum    crc32c of bytes 16 to 72
//	16  segments u32     up to 4095
//	20  shards u32       4096
//	24  slots u64        up to 2^40
//	32  position         segment u32, place u32
//	40  key.dat u64      length at the position
//	48  seq u64          of the last record
//	56  slots checksum   crc32c
//	60  tables checksum  crc32c
//	64  versions u32     kept of each page
//	68  0
//	4096   the slots of all shards, u64 each
//	then   per segment: number u32, id u32, rewrite u32, 0 u32, end u64, dead u64, tombstones u64
//	       per shard: slots u32, used u32, live u32, pages u32, 0 3 x u32
//
// Open maps the file privately and reads it once for its checksums. A slot that
// changes costs a page of memory and does not change the file.
const (
	indexMagic       = "fmindex\n"
	indexVersion     = 1
	indexHeaderSize  = 72
	indexSlotsAt     = 4096
	indexSegmentSize = 40
	indexShardSize   = 28
	maxSlots         = 1 << 40
)

// An indexHead is the header of address.idx.
type indexHead struct {
	segments  uint32
	slots     int64
	at        position
	keys      int64
	seq       uint64
	slotsSum  uint32
	tablesSum uint32
	versions  uint32
}

// An indexTables holds the tables of segments and shards in address.idx.
type indexTables struct {
	segments []indexSegment
	shards   []indexShard
}

type indexSegment struct {
	number, id, rewrite uint32
	end, dead, tombs    int64
}

type indexShard struct {
	slots, used, live, pages uint32
}

func indexName(dir string) string { return filepath.Join(dir, "address.idx") }

func (h *indexHead) tablesLen() int64 {
	return int64(h.segments)*indexSegmentSize + shardCount*indexShardSize
}

func (h *indexHead) fileLen() int64 { return indexSlotsAt + h.slots*8 + h.tablesLen() }

func (h *indexHead) encode() []byte {
	le := binary.LittleEndian
	b := make([]byte, indexHeaderSize)
	copy(b, indexMagic)
	le.PutUint32(b[8:], indexVersion)
	le.PutUint32(b[16:], h.segments)
	le.PutUint32(b[20:], shardCount)
	le.PutUint64(b[24:], uint64(h.slots))
	le.PutUint32(b[32:], h.at.segment)
	le.PutUint32(b[36:], h.at.place)
	le.PutUint64(b[40:], uint64(h.keys))
	le.PutUint64(b[48:], h.seq)
	le.PutUint32(b[56:], h.slotsSum)
	le.PutUint32(b[60:], h.tablesSum)
	le.PutUint32(b[64:], h.versions)
	le.PutUint32(b[12:], checksum(b[16:]))
	return b
}

func decodeIndexHead(b []byte) (indexHead, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < indexHeaderSize:
		return indexHead{}, errCut
	case string(b[:8]) != indexMagic:
		return indexHead{}, errMagic
	case le.Uint32(b[8:]) != indexVersion:
		return indexHead{}, errFormat(le.Uint32(b[8:]), indexVersion)
	case le.Uint32(b[12:]) != checksum(b[16:indexHeaderSize]):
		return indexHead{}, errHeadSum
	case le.Uint32(b[16:]) > maxSegments, le.Uint32(b[20:]) != shardCount, le.Uint64(b[24:]) > maxSlots:
		return indexHead{}, errBounds
	}
	return indexHead{
		segments:  le.Uint32(b[16:]),
		slots:     int64(le.Uint64(b[24:])),
		at:        position{le.Uint32(b[32:]), le.Uint32(b[36:])},
		keys:      int64(le.Uint64(b[40:])),
		seq:       le.Uint64(b[48:]),
		slotsSum:  le.Uint32(b[56:]),
		tablesSum: le.Uint32(b[60:]),
		versions:  le.Uint32(b[64:]),
	}, nil
}

func (t *indexTables) encode() []byte {
	le := binary.LittleEndian
	var b []byte
	for _, s := range t.segments {
		for _, n := range []uint32{s.number, s.id, s.rewrite, 0} {
			b = le.AppendUint32(b, n)
		}
		for _, n := range []int64{s.end, s.dead, s.tombs} {
			b = le.AppendUint64(b, uint64(n))
		}
	}
	for _, s := range t.shards {
		for _, n := range []uint32{s.slots, s.used, s.live, s.pages, 0, 0, 0} {
			b = le.AppendUint32(b, n)
		}
	}
	return b
}

// decodeIndexTables decodes the tables that belong to a head, and checks all
// that can be checked without the log.
func decodeIndexTables(h *indexHead, b []byte) (*indexTables, error) {
	le := binary.LittleEndian
	if int64(len(b)) != h.tablesLen() {
		return nil, errCut
	}
	if checksum(b) != h.tablesSum {
		return nil, errBodySum
	}
	t := &indexTables{segments: make([]indexSegment, h.segments), shards: make([]indexShard, shardCount)}
	for i := range t.segments {
		t.segments[i] = indexSegment{
			number: le.Uint32(b), id: le.Uint32(b[4:]), rewrite: le.Uint32(b[8:]),
			end: int64(le.Uint64(b[16:])), dead: int64(le.Uint64(b[24:])), tombs: int64(le.Uint64(b[32:])),
		}
		if t.segments[i].id >= maxSegments {
			return nil, errBounds
		}
		b = b[indexSegmentSize:]
	}
	slots := int64(0)
	for i := range t.shards {
		s := &t.shards[i]
		s.slots, s.used, s.live, s.pages = le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:])
		// Probing an array without an empty slot would never end.
		if s.live > s.used || s.used > 0 && s.used >= s.slots || le.Uint32(b[16:])|le.Uint32(b[20:])|le.Uint32(b[24:]) != 0 {
			return nil, errBounds
		}
		slots += int64(s.slots)
		b = b[indexShardSize:]
	}
	if slots != h.slots {
		return nil, errBounds
	}
	return t, nil
}
