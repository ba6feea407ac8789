package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"indexerd/internal/base/atomicfile"
)

// A keyLog is key.dat: the headers and keys of the log's records, in the order
// of the log, without their values. To list stamps or rebuild slots from it
// takes a tenth of the reading.
//
//	 0  magic "fmkeys\r\n"
//	 8  version u32      1
//	12  checksum u32     crc32c of bytes 0 to 12
//
// then frames, one for each batch:
//
//	 0  magic u32        "keys"
//	 4  checksum u32     crc32c of bytes 8 to the frame's end
//	 8  segment u32      number
//	12  rewrite u32      of that segment
//	16  from u32         places of the records: [from, to)
//	20  to u32
//	24  length u32       of what follows: header and key of each record
//	28  0
//
// key.dat may lag behind the values: a frame is written after its records are
// durable, and synced later. So a whole frame is right, and readers take from the
// values what no frame covers. A frame with another rewrite number than its
// segment is void.
type keyLog struct {
	name string
	file atomicfile.File
	end  atomic.Int64
	buf  []byte
}

const (
	keysMagic       = "fmkeys\r\n"
	keysVersion     = 1
	keysHeaderSize  = 16
	frameMagic      = 0x7379656b
	frameHeaderSize = 32
	// maxFrame limits what a reader allocates for a damaged length. A frame has
	// the headers of a chunk, or one record with the longest key.
	maxFrame = 2 * chunkSize
)

func keysName(dir string) string { return filepath.Join(dir, "key.dat") }

// A frame is the header of a frame.
type frame struct {
	segment, rewrite uint32
	from, to         uint32
	length           uint32
}

func (f *frame) encode(b []byte) {
	le := binary.LittleEndian
	le.PutUint32(b, frameMagic)
	le.PutUint32(b[8:], f.segment)
	le.PutUint32(b[12:], f.rewrite)
	le.PutUint32(b[16:], f.from)
	le.PutUint32(b[20:], f.to)
	le.PutUint32(b[24:], f.length)
	le.PutUint32(b[28:], 0)
	le.PutUint32(b[4:], checksum(b[8:frameHeaderSize+int(f.length)]))
}

// decodeFrame decodes a frame's header. The caller checks the checksum when it
// has read the rest.
func decodeFrame(b []byte) (frame, error) {
	le := binary.LittleEndian
	f := frame{segment: le.Uint32(b[8:]), rewrite: le.Uint32(b[12:]), from: le.Uint32(b[16:]), to: le.Uint32(b[20:]), length: le.Uint32(b[24:])}
	switch {
	case le.Uint32(b) != frameMagic:
		return f, errMagic
	case f.length > maxFrame, f.to <= f.from, f.to > 1<<placeBits, f.from < segmentHeaderSize/unit:
		return f, errBounds
	}
	return f, nil
}

func keysHeader() []byte {
	b := make([]byte, keysHeaderSize)
	copy(b, keysMagic)
	binary.LittleEndian.PutUint32(b[8:], keysVersion)
	binary.LittleEndian.PutUint32(b[12:], checksum(b[:12]))
	return b
}

// openKeys opens the key log. If the file is missing or has no valid header,
// openKeys begins an empty one, in read-only mode only in memory: the values have
// everything that key.dat has.
func openKeys(fsys atomicfile.FS, dir string, readOnly bool) (*keyLog, error) {
	k := &keyLog{name: keysName(dir)}
	k.end.Store(keysHeaderSize)
	f, err := fsys.OpenFile(k.name, os.O_RDWR|os.O_CREATE, 0o600)
	if readOnly && errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, err
	}
	k.file = f
	valid, err := k.load()
	if err == nil && !valid && !readOnly {
		err = k.reset()
	}
	if err != nil {
		return nil, join(fmt.Errorf("%s: %w", k.name, err), f.Close())
	}
	return k, nil
}

// load reads the end of the key log, and reports whether the header is valid.
func (k *keyLog) load() (valid bool, err error) {
	info, err := k.file.Stat()
	if err != nil {
		return false, err
	}
	b := make([]byte, keysHeaderSize)
	if _, err := k.file.ReadAt(b, 0); err != nil && err != io.EOF {
		return false, err
	}
	if string(b) != string(keysHeader()) {
		return false, nil
	}
	k.end.Store(info.Size())
	return true, nil
}

// reset makes the key log an empty one.
func (k *keyLog) reset() error {
	if err := k.truncate(0); err != nil {
		return err
	}
	if _, err := k.file.WriteAt(keysHeader(), 0); err != nil {
		return err
	}
	k.end.Store(keysHeaderSize)
	return nil
}

// createKeys creates an empty key log that is to replace the one with this name.
func createKeys(fsys atomicfile.FS, name string) (*keyLog, error) {
	f, err := fsys.OpenFile(name+".tmp", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	k := &keyLog{name: name, file: f}
	if err := k.reset(); err != nil {
		return nil, join(err, f.Close())
	}
	return k, nil
}

// truncate cuts the key log at off and syncs it: the frames behind off may cover
// records that no longer exist.
func (k *keyLog) truncate(off int64) error {
	if err := k.file.Truncate(off); err != nil {
		return err
	}
	k.end.Store(off)
	return k.file.Sync()
}

// keptKeys is the largest buffer that a log keeps between two writes.
const keptKeys = 16 << 10

// begin starts a frame with room for so many bytes; add and finish complete it.
func (k *keyLog) begin(size int) {
	k.buf = append(slices.Grow(k.buf[:0], frameHeaderSize+size), make([]byte, frameHeaderSize)...)
}

// add appends the header and key of the frame's next record.
func (k *keyLog) add(head []byte) { k.buf = append(k.buf, head...) }

// pending returns the length of the unfinished frame.
func (k *keyLog) pending() int { return len(k.buf) - frameHeaderSize }

// finish writes the frame for the records in [from, to) of a segment. After an
// error the key log ends as before.
func (k *keyLog) finish(s *segment, from, to uint32) error {
	f := frame{segment: s.number, rewrite: s.rewrite, from: from, to: to, length: uint32(k.pending())}
	f.encode(k.buf)
	end := k.end.Load()
	if _, err := k.file.WriteAt(k.buf, end); err != nil {
		return join(err, k.file.Truncate(end))
	}
	k.end.Store(end + int64(len(k.buf)))
	if cap(k.buf) > keptKeys {
		k.buf = nil
	}
	return nil
}

// A framer writes frames for the records of a walk, one for each run of adjacent
// records. It leaves out damaged records, so that a later walk finds the damage
// in the values.
type framer struct {
	keys     *keyLog
	seg      *segment
	from, to uint32
	err      error // the first error of writing
}

func newFramer(k *keyLog) *framer {
	k.begin(0)
	return &framer{keys: k}
}

func (f *framer) add(e *entry) {
	if e.lost > 0 || e.bad {
		return
	}
	if e.seg != f.seg || e.place != f.to || f.keys.pending() > windowSize {
		f.flush()
		f.seg, f.from = e.seg, e.place
	}
	f.keys.add(e.bytes)
	f.to = e.place + placeAt(e.head.size())
}

func (f *framer) flush() {
	if f.keys.pending() > 0 && f.err == nil {
		f.err = f.keys.finish(f.seg, f.from, f.to)
	}
	f.keys.begin(0)
}

// frames yields the frames from off to the present end of the key log, each with
// its offset and its content, which is valid until the next frame. It ends at the
// first damaged frame with an error.
func (k *keyLog) frames(off int64) iter.Seq2[framed, error] {
	return func(yield func(framed, error) bool) {
		r := io.NewSectionReader(k.file, off, k.end.Load()-off)
		var buf []byte
		for {
			got, b, err := readFrame(r, buf)
			buf = b
			if err == io.EOF {
				return
			}
			got.off = off
			if !yield(got, err) || err != nil {
				return
			}
			off += frameHeaderSize + int64(got.length)
		}
	}
}

type framed struct {
	frame
	off  int64  // in key.dat
	head []byte // headers and keys
}

// readFrame reads one frame into buf, or into a larger buffer, which it returns.
func readFrame(r io.Reader, buf []byte) (framed, []byte, error) {
	if cap(buf) < frameHeaderSize {
		buf = make([]byte, 1<<18)
	}
	buf = buf[:frameHeaderSize]
	if _, err := io.ReadFull(r, buf); err != nil {
		return framed{}, buf, cutShort(err)
	}
	f, err := decodeFrame(buf)
	if err != nil {
		return framed{}, buf, err
	}
	n := frameHeaderSize + int(f.length)
	if cap(buf) < n {
		buf = append(make([]byte, 0, n), buf...)
	}
	buf = buf[:n]
	if _, err := io.ReadFull(r, buf[frameHeaderSize:]); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return framed{}, buf, cutShort(err)
	}
	if binary.LittleEndian.Uint32(buf[4:]) != checksum(buf[8:]) {
		return framed{}, buf, errHeadSum
	}
	whole := framed{frame: f, head: buf[frameHeaderSize:]}
	if !whole.complete() {
		return framed{}, buf, errBounds
	}
	return whole, buf, nil
}

// entries yields the frame's records.
func (f *framed) entries() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		place := f.from
		for head := f.head; len(head) >= headerSize; {
			var h header
			if err := h.decode(head); err != nil || len(head) < h.headLen() {
				return
			}
			if !yield(entry{head: h, bytes: head[:h.headLen()], place: place}) {
				return
			}
			place += placeAt(h.size())
			head = head[h.headLen():]
		}
	}
}

// complete reports whether the frame's records lie side by side from its first
// place to its last, and fill the frame.
func (f *framed) complete() bool {
	place, length := f.from, 0
	for e := range f.entries() {
		place += placeAt(e.head.size())
		length += len(e.bytes)
	}
	return place == f.to && length == len(f.head)
}

func cutShort(err error) error {
	if err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}
