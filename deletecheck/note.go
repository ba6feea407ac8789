package deletecheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"indexerd/internal/base/doc"
)

// A note is a key to check again: a candidate for removal, or a difference.
type note struct {
	stamp doc.Stamp
	there bool         // the row existed when it was last read
	fetch doc.FetchSeq // of the fetch that did not find the row
}

// Key returns the OID.
func (n note) Key() doc.OID { return n.stamp.OID }

// On disk a note is, little-endian:
//
//	4 bytes  length n of the key, at most maxKey
//	4 bytes  CRC-32C of the length and of everything after the checksum
//	1 byte   1: the row was there; 2: updateTime is not NULL
//	8 bytes  updateTime in microseconds
//	8 bytes  token's digest
//	4 bytes  token's epoch
//	8 bytes  FetchSeq
//	n bytes  key
const (
	noteHead = 8
	noteBody = 29 // without the key
	maxKey   = 1 << 20

	flagThere   = 1
	flagUpdated = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged is the error of a spool that is damaged. Its sweep starts from
// scratch.
var errDamaged = errors.New("damaged")

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

// readNote reads one note. It returns io.EOF at the end.
func readNote(r io.Reader) (note, error) {
	var head [noteHead]byte
	if _, err := io.ReadFull(r, head[:]); errors.Is(err, io.EOF) {
		return note{}, io.EOF
	} else if err != nil {
		return note{}, cutShort(err)
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size > maxKey {
		return note{}, fmt.Errorf("%w: key of %d bytes", errDamaged, size)
	}
	b := make([]byte, noteBody+size)
	if _, err := io.ReadFull(r, b); err != nil {
		return note{}, cutShort(err)
	}
	if sum(head[:4], b) != binary.LittleEndian.Uint32(head[4:]) {
		return note{}, fmt.Errorf("%w: wrong checksum", errDamaged)
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

// cutShort returns errDamaged for the end of the file within a note.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: cut short", errDamaged)
	}
	return err
}
