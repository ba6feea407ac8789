package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"indexerd/internal/atomicfile"
)

// A segment is one file of the log, value<number>.dat: this header, then
// records. Only the one with the highest number grows; the others change as
// wholes, when a compaction renames a rewritten one over them.
//
//	 0  magic            "fmvalue\n"
//	 8  version u32      1
//	12  checksum u32     crc32c of bytes 16 to 64
//	16  number u32       as in the name; order of number is order of writing
//	20  last u32         highest number whose records are in this file
//	24  rewrite u32      how often it was rewritten
//	28  0
//	32  cleaned u64      no record lies here that was dead at this seq
//	40  0 up to 64
type segment struct {
	segmentHeader
	id   uint32 // its place in the table of segments, and in addresses
	file atomicfile.File
	data []byte       // the mapped file, where it is mapped
	end  atomic.Int64 // readers never look beyond it
	dead atomic.Int64 // bytes of records that nothing points at, and of damage
	// tombs is the bytes of tombstones, dead as soon as nothing older is left.
	tombs   atomic.Int64
	damaged bool // its header could not be read
}

type segmentHeader struct {
	number  uint32
	last    uint32
	rewrite uint32
	cleaned uint64
}

const (
	segmentMagic      = "fmvalue\n"
	segmentVersion    = 1
	segmentHeaderSize = 64
	// maxSegment is what a place can address.
	maxSegment = 1 << placeBits * unit
)

func (h *segmentHeader) encode() []byte {
	b := make([]byte, segmentHeaderSize)
	le := binary.LittleEndian
	copy(b, segmentMagic)
	le.PutUint32(b[8:], segmentVersion)
	le.PutUint32(b[16:], h.number)
	le.PutUint32(b[20:], h.last)
	le.PutUint32(b[24:], h.rewrite)
	le.PutUint64(b[32:], h.cleaned)
	le.PutUint32(b[12:], checksum(b[16:]))
	return b
}

// decodeSegmentHeader reads a segment's header. ErrCorrupt means damage;
// another error, that this is no file of ours to touch.
func decodeSegmentHeader(b []byte) (segmentHeader, error) {
	le := binary.LittleEndian
	if len(b) < segmentHeaderSize {
		return segmentHeader{}, errCut
	}
	if [segmentHeaderSize]byte(b) == [segmentHeaderSize]byte{} {
		return segmentHeader{}, errMagic // created, and lost in a crash before it was synced
	}
	if string(b[:8]) != segmentMagic {
		return segmentHeader{}, errors.New("not a file of values: move it out of the directory")
	}
	if v := le.Uint32(b[8:]); v != segmentVersion {
		return segmentHeader{}, fmt.Errorf("format %d: this program reads %d", v, segmentVersion)
	}
	if le.Uint32(b[12:]) != checksum(b[16:segmentHeaderSize]) {
		return segmentHeader{}, errHeadSum
	}
	return segmentHeader{
		number:  le.Uint32(b[16:]),
		last:    le.Uint32(b[20:]),
		rewrite: le.Uint32(b[24:]),
		cleaned: le.Uint64(b[32:]),
	}, nil
}

func segmentName(dir string, number uint32) string {
	return filepath.Join(dir, fmt.Sprintf("value%d.dat", number))
}

// segmentNumber reads the number from a file's name.
func segmentNumber(name string) (uint32, bool) {
	digits, ok := strings.CutPrefix(name, "value")
	digits, ok2 := strings.CutSuffix(digits, ".dat")
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), ok && ok2 && err == nil && strconv.FormatUint(n, 10) == digits
}

// createSegment makes an empty, durable file. What is written before the last
// sync is in no use yet: a crash leaves a file without records.
func createSegment(fsys atomicfile.FS, name string, h segmentHeader) (atomicfile.File, error) {
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteAt(h.encode(), 0); err != nil {
		return nil, join(err, f.Close(), fsys.Remove(name))
	}
	return f, nil
}

// openSegment opens a file of values. A damaged header costs only the
// bookkeeping in it: the records say themselves where they belong.
func openSegment(fsys atomicfile.FS, dir string, number uint32) (*segment, error) {
	name := segmentName(dir, number)
	f, err := fsys.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	s := &segment{file: f, segmentHeader: segmentHeader{number: number, last: number}}
	if err := s.load(); err != nil {
		return nil, join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return s, nil
}

func (s *segment) load() error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	s.end.Store(info.Size())
	b := make([]byte, segmentHeaderSize)
	n, err := s.file.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return err
	}
	h, err := decodeSegmentHeader(b[:n])
	switch {
	case errors.Is(err, ErrCorrupt):
		s.damaged = true
		return nil
	case err != nil:
		return err
	case h.number != s.number || h.last < h.number:
		return fmt.Errorf("its header says value%d.dat: it was renamed", h.number)
	}
	s.segmentHeader = h
	return nil
}

// read returns up to n bytes at off, fewer where the segment ends sooner: the
// mapping's own, or those of buf, into which they are read. They are valid
// while the reader holds its pin and does not use buf again.
func (s *segment) read(off int64, n int, buf *buffer) ([]byte, error) {
	n = max(int(min(int64(n), s.end.Load()-off)), 0)
	if end := off + int64(n); end <= int64(len(s.data)) {
		return s.data[off:end:end], nil
	}
	b := buf.take(n)
	got, err := s.file.ReadAt(b, off)
	if got == n || err == io.EOF {
		err = nil
	}
	return b[:got], err
}

// fetch asks for all cache lines of a record at once, where checking it would
// wait for its header and then for its value; a longer one than this streams.
//
//go:noinline
func fetch(b []byte) (all byte) {
	for i := 0; i < min(len(b), 4096); i += 64 {
		all |= b[i]
	}
	return all
}

// A buffer is what a record is read into. It takes its bytes from the pool only
// when it is read into: a mapped record is not.
type buffer struct {
	pool  *sync.Pool
	bytes *[]byte
}

// take returns n bytes, in place of those it returned before.
func (b *buffer) take(n int) []byte {
	if b.bytes == nil {
		b.bytes, _ = b.pool.Get().(*[]byte)
	}
	if b.bytes == nil {
		b.bytes = new([]byte)
	}
	*b.bytes = slices.Grow((*b.bytes)[:0], n)[:n]
	return *b.bytes
}

func (b *buffer) release() {
	if b.bytes != nil && cap(*b.bytes) <= int(2*classLen(classLast)) { // not what one huge page needed
		b.pool.Put(b.bytes)
	}
}

// garbage is what a rewrite would free; tombstones count when nothing older
// can need them.
func (s *segment) garbage(tombstones bool) int64 {
	n := s.dead.Load()
	if tombstones {
		n += s.tombs.Load()
	}
	return n
}

func (s *segment) close() error {
	return join(s.unmap(), s.file.Close())
}
