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

	"indexerd/internal/base/atomicfile"
)

// A segment is one file of the log, value<number>.dat: this header, then
// records. Only the segment with the highest number grows; a compaction replaces
// the others as a whole by a rename.
//
//	 0  magic            "fmvalue\n"
//	 8  version u32      1
//	12  checksum u32     crc32c of bytes 16 to 64
//	16  number u32       as in the name, in the order of writing
//	20  last u32         highest number of the segments whose records are in this file
//	24  rewrite u32      number of rewrites
//	28  0
//	32  cleaned u64      the file has no record that was dead at this seq
//	40  0 up to 64
type segment struct {
	segmentHeader
	id   uint32 // position in FileMap.segments, and part of an address
	file atomicfile.File
	end  atomic.Int64 // readers read nothing behind it
	dead atomic.Int64 // bytes of records without a slot, and of damage
	// tombs is the bytes of tombstones. They are garbage when no older segment
	// has garbage.
	tombs   atomic.Int64
	damaged bool // the header is damaged
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
	// maxSegment is the highest offset that a place can address.
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

// decodeSegmentHeader decodes a segment's header. It returns ErrCorrupt for a
// damaged one, and another error for a file that is no segment of this format,
// which must stay as it is.
func decodeSegmentHeader(b []byte) (segmentHeader, error) {
	le := binary.LittleEndian
	if len(b) < segmentHeaderSize {
		return segmentHeader{}, errCut
	}
	if [segmentHeaderSize]byte(b) == [segmentHeaderSize]byte{} {
		return segmentHeader{}, errMagic // a crash came between create and sync
	}
	if string(b[:8]) != segmentMagic {
		return segmentHeader{}, errors.New("not a value file: move it out of the directory")
	}
	if v := le.Uint32(b[8:]); v != segmentVersion {
		return segmentHeader{}, errFormat(v, segmentVersion)
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

// createSegment creates a segment without records. The caller syncs it.
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

// openSegment opens a value file. If its header is damaged only the header's
// figures are lost: each record is sealed with its own place.
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
		return fmt.Errorf("the header is of value%d.dat: the file was renamed", h.number)
	}
	s.segmentHeader = h
	return nil
}

// read reads up to n bytes at off into buf, fewer if the segment ends before.
// They are valid until the next use of buf.
func (s *segment) read(off int64, n int, buf *buffer) ([]byte, error) {
	n = max(int(min(int64(n), s.end.Load()-off)), 0)
	b := buf.take(n)
	got, err := s.file.ReadAt(b, off)
	if got == n || err == io.EOF {
		err = nil
	}
	return b[:got], err
}

// A buffer holds the bytes of a record. They come from a pool.
type buffer struct {
	pool  *sync.Pool
	bytes *[]byte
}

// take returns n bytes, and reuses those that it returned before.
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
	if b.bytes != nil && cap(*b.bytes) <= int(2*classLen(classLast)) { // a larger one is rare
		b.pool.Put(b.bytes)
	}
}

// garbage returns the bytes that a rewrite would free, with the tombstones if no
// older segment needs them.
func (s *segment) garbage(tombstones bool) int64 {
	n := s.dead.Load()
	if tombstones {
		n += s.tombs.Load()
	}
	return n
}

// segments has the segments of a map by id. Most maps have few: the pointers are made a
// group at a time.
type segments struct {
	groups [maxSegments/segmentGroup + 1]atomic.Pointer[[segmentGroup]atomic.Pointer[segment]]
}

const segmentGroup = 128

// at returns the segment with an id; nil: there is none.
func (s *segments) at(id uint32) *segment {
	g := s.groups[id/segmentGroup].Load()
	if g == nil {
		return nil
	}
	return g[id%segmentGroup].Load()
}

// set makes a segment that of an id.
func (s *segments) set(id uint32, to *segment) {
	group := &s.groups[id/segmentGroup]
	if group.Load() == nil {
		group.CompareAndSwap(nil, new([segmentGroup]atomic.Pointer[segment]))
	}
	group.Load()[id%segmentGroup].Store(to)
}
