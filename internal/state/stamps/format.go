package stamps

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A run is a file of records in key order, each key once:
//
//	block ...   the records
//	index       offsets and first keys of the blocks
//	footer      48 bytes
//
//	block    0  crc32c of the rest of the block   u32
//	         4  records in it                     u32
//	         8  record ...
//
//	record   length of the key (uvarint) | key | u i64 | digest u64 | epoch u32
//
//	index    0  crc32c of the rest of the index   u32
//	         4  for each block: its length u32 | its first record's u i64 |
//	            length of its first key (uvarint) | key
//
//	footer   0  crc32c of the rest of the footer  u32
//	         4  version                           u32
//	         8  magic                             8 bytes
//	        16  offset of the index               u64
//	        24  length of the index               u64
//	        32  records in the file               u64
//	        40  greatest u, gone if none          i64
//
// Numbers are little-endian. Blocks follow each other from offset 0, so every byte
// of the file is covered by a checksum.
const (
	magic       = "ixstamps"
	version     = 1
	footerBytes = 48
	blockBytes  = 32 << 10                            // a block ends with the record that reaches it
	recordBytes = binary.MaxVarintLen32 + maxKey + 20 // the longest record
	maxBlock    = 8 + blockBytes + recordBytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errCut      = errors.New("cut off")
	errChecksum = errors.New("wrong checksum")
	errOrder    = errors.New("keys out of order")
)

// seal writes the checksum of b[4:] to b[:4].
func seal(b []byte) []byte {
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
	return b
}

// unseal checks the checksum, and returns the bytes that it covers.
func unseal(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, errCut
	}
	if crc32.Checksum(b[4:], castagnoli) != binary.LittleEndian.Uint32(b) {
		return nil, errChecksum
	}
	return b[4:], nil
}

func appendRecord(dst []byte, r record) []byte {
	dst = appendKey(dst, r.key)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.u))
	dst = binary.LittleEndian.AppendUint64(dst, r.digest)
	return binary.LittleEndian.AppendUint32(dst, r.epoch)
}

// cutRecord decodes the record at the beginning of b.
func cutRecord(b []byte) (r record, rest []byte, err error) {
	key, b, err := cutKey(b)
	if err != nil {
		return record{}, nil, err
	}
	if len(b) < 20 {
		return record{}, nil, errCut
	}
	return record{
		key:    key,
		u:      int64(binary.LittleEndian.Uint64(b)),
		digest: binary.LittleEndian.Uint64(b[8:]),
		epoch:  binary.LittleEndian.Uint32(b[16:]),
	}, b[20:], nil
}

func appendKey(dst, key []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(key))), key...)
}

func cutKey(b []byte) (key, rest []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, errCut
	}
	if n == 0 || n > maxKey {
		return nil, nil, fmt.Errorf("key of %d bytes", n)
	}
	end := size + int(n)
	return b[size:end], b[end:], nil
}

// A blockReader reads the records of one block.
type blockReader struct {
	rest []byte
	left uint32
	key  []byte // of the last record
}

func openBlock(b []byte) (blockReader, error) {
	b, err := unseal(b)
	if err != nil {
		return blockReader{}, err
	}
	if len(b) < 4 {
		return blockReader{}, errCut
	}
	return blockReader{rest: b[4:], left: binary.LittleEndian.Uint32(b)}, nil
}

// next returns the next record. ok is false at the end.
func (b *blockReader) next() (r record, ok bool, err error) {
	if b.left == 0 {
		if len(b.rest) > 0 {
			return record{}, false, fmt.Errorf("%d bytes after the last record", len(b.rest))
		}
		return record{}, false, nil
	}
	r, b.rest, err = cutRecord(b.rest)
	if err != nil {
		return record{}, false, err
	}
	if bytes.Compare(r.key, b.key) <= 0 {
		return record{}, false, errOrder
	}
	b.left--
	b.key = r.key
	return r, true, nil
}

// A block is the entry of a block in the index.
type block struct {
	offset int64
	length int
	u      int64  // of the first record
	first  string // first key
}

func appendIndex(dst []byte, b block) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b.length))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(b.u))
	return appendKey(dst, []byte(b.first))
}

// parseIndex decodes an index whose blocks fill the file up to end.
func parseIndex(b []byte, end int64) ([]block, error) {
	b, err := unseal(b)
	if err != nil {
		return nil, err
	}
	var blocks []block
	var offset int64
	var last []byte
	for len(b) > 0 {
		if len(b) < 12 {
			return nil, errCut
		}
		length := binary.LittleEndian.Uint32(b)
		u := int64(binary.LittleEndian.Uint64(b[4:]))
		var key []byte
		if key, b, err = cutKey(b[12:]); err != nil {
			return nil, err
		}
		if length > maxBlock {
			return nil, fmt.Errorf("block of %d bytes", length)
		}
		if bytes.Compare(key, last) <= 0 {
			return nil, errOrder
		}
		blocks = append(blocks, block{offset: offset, length: int(length), u: u, first: string(key)})
		offset += int64(length)
		last = key
	}
	if offset != end {
		return nil, fmt.Errorf("blocks end at %d, not at %d", offset, end)
	}
	return blocks, nil
}

// A footer locates the index.
type footer struct {
	index, length, records uint64
	newest                 int64
}

func appendFooter(dst []byte, f footer) []byte {
	b := make([]byte, 4, footerBytes)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint64(b, f.index)
	b = binary.LittleEndian.AppendUint64(b, f.length)
	b = binary.LittleEndian.AppendUint64(b, f.records)
	b = binary.LittleEndian.AppendUint64(b, uint64(f.newest))
	return append(dst, seal(b)...)
}

// parseFooter decodes the footer of a file whose blocks and index have size bytes.
func parseFooter(b []byte, size int64) (footer, error) {
	if len(b) != footerBytes {
		return footer{}, errCut
	}
	if got := string(b[8:16]); got != magic {
		return footer{}, fmt.Errorf("magic is %q, not %q", got, magic)
	}
	if got := binary.LittleEndian.Uint32(b[4:]); got != version {
		return footer{}, fmt.Errorf("version is %d, not %d", got, version)
	}
	if _, err := unseal(b); err != nil {
		return footer{}, err
	}
	f := footer{
		index:   binary.LittleEndian.Uint64(b[16:]),
		length:  binary.LittleEndian.Uint64(b[24:]),
		records: binary.LittleEndian.Uint64(b[32:]),
		newest:  int64(binary.LittleEndian.Uint64(b[40:])),
	}
	if f.index > uint64(size) || f.length != uint64(size)-f.index {
		return footer{}, errors.New("index outside the file")
	}
	return f, nil
}
