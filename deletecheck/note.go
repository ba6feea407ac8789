package deletecheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"indexerd/internal/doc"
)

// A note is what is to be looked at again.
type note struct {
	stamp doc.Stamp
	there bool         // its row was there when it was last asked for
	fetch doc.FetchSeq // that found it gone
}

// On disk a note is, little-endian:
//
//	4 bytes  length n of the key, at most maxKey
//	4 bytes  CRC-32C of the length and of all that follows
//	1 byte   1: the row was there; 2: updateTime is not NULL
//	8 bytes  updateTime in microseconds
//	8 bytes  token's digest
//	4 bytes  token's epoch
//	8 bytes  number of the fetch
//	n bytes  key
const (
	noteHead = 8
	noteBody = 29 // without the key
	maxKey   = 1 << 20

	flagThere   = 1
	flagUpdated = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errSpool: what a spool holds can't be trusted. What it is for begins anew.
var errSpool = errors.New("damaged")

func (n note) append(b []byte) []byte {
	start := len(b)
	var flags byte
	if n.there {
		flags |= flagThere
	}
	if !n.stamp.Updated.IsZero() {
		flags |= flagUpdated
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(n.stamp.OID)))
	b = append(b, 0, 0, 0, 0, flags)
	b = binary.LittleEndian.AppendUint64(b, uint64(n.stamp.Updated.UnixMicro()))
	b = binary.LittleEndian.AppendUint64(b, n.stamp.Token.Digest)
	b = binary.LittleEndian.AppendUint32(b, n.stamp.Token.Epoch)
	b = binary.LittleEndian.AppendUint64(b, uint64(n.fetch))
	b = append(b, n.stamp.OID...)
	binary.LittleEndian.PutUint32(b[start+4:], sum(b[start:start+4], b[start+noteHead:]))
	return b
}

func sum(length, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(length, castagnoli), castagnoli, body)
}

// readNote reads one note; io.EOF where there is none.
func readNote(r io.Reader) (note, error) {
	var head [noteHead]byte
	if _, err := io.ReadFull(r, head[:]); errors.Is(err, io.EOF) {
		return note{}, io.EOF
	} else if err != nil {
		return note{}, short(err)
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size > maxKey {
		return note{}, fmt.Errorf("%w: a key of %d bytes", errSpool, size)
	}
	b := make([]byte, noteBody+size)
	if _, err := io.ReadFull(r, b); err != nil {
		return note{}, short(err)
	}
	if sum(head[:4], b) != binary.LittleEndian.Uint32(head[4:]) {
		return note{}, fmt.Errorf("%w: wrong checksum", errSpool)
	}
	n := note{
		stamp: doc.Stamp{
			OID:   doc.OID(b[noteBody:]),
			Token: doc.Token{Digest: binary.LittleEndian.Uint64(b[9:]), Epoch: binary.LittleEndian.Uint32(b[17:])},
		},
		there: b[0]&flagThere != 0,
		fetch: doc.FetchSeq(binary.LittleEndian.Uint64(b[21:])),
	}
	if b[0]&flagUpdated != 0 {
		n.stamp.Updated = time.UnixMicro(int64(binary.LittleEndian.Uint64(b[1:]))).UTC()
	}
	return n, nil
}

// short says what a note's missing end means.
func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: cut short", errSpool)
	}
	return err
}
