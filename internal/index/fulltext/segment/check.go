package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/zapx/v17"
)

// ErrDamaged is the error of a segment that is not as it was written.
var ErrDamaged = errors.New("the checksum of the segment is wrong")

// A BrokenError is the error of a search that found in a segment what no segment has.
type BrokenError struct{ File string }

// Error implements error.
func (e *BrokenError) Error() string { return fmt.Sprintf("%s: %v", e.File, errBroken) }

// Unwrap returns the error of a segment whose file is not known.
func (e *BrokenError) Unwrap() error { return errBroken }

// name adds the file of a source to errBroken. What a search takes for data of zapx is
// broken too: the source was one that it reads.
func (s *source) name(err error) error {
	if (err == errBroken || err == errForeign) && s.file != "" {
		return &BrokenError{s.file}
	}
	return err
}

// DamageKey is the value of the configuration of segments that is called with the
// error of a damaged one, a func(error).
const DamageKey = "indexerd.damage"

// CheckKey is the value of the configuration of segments that checks a file before it is
// opened, a func(path string) error.
const CheckKey = "indexerd.check"

// Path returns the file of a segment, "" for one in memory.
func Path(s segment.Segment) string {
	if s, ok := s.(segment.PersistedSegment); ok {
		return s.Path()
	}
	return ""
}

// crcSize is the length of the checksum at the end of a file.
const crcSize = 4

// chunkBytes is how much of a segment is read at once.
const chunkBytes = 1 << 20

// Check reads a whole segment as it is in memory, and returns ErrDamaged if its checksum
// is wrong. Bytes of its file that can't be read raise a fault.
func Check(s segment.Segment) error {
	z, ok := unwrap([]segment.Segment{s})[0].(*zap.Segment)
	if !ok {
		return nil
	}
	data := z.Data()
	if len(data) < crcSize || crc32.ChecksumIEEE(data[:len(data)-crcSize]) != binary.BigEndian.Uint32(data[len(data)-crcSize:]) {
		return ErrDamaged
	}
	return nil
}

// CheckFile reads the file of a segment, and returns ErrDamaged if its checksum is wrong.
// read is called after each part of up to a megabyte; its error ends CheckFile.
func CheckFile(path string, read func(bytes int) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	sum, left := uint32(0), info.Size()-crcSize
	if left < 0 {
		return ErrDamaged
	}
	for buf := make([]byte, chunkBytes); left > 0; {
		n, err := io.ReadFull(file, buf[:min(left, chunkBytes)])
		if err != nil {
			return err
		}
		sum, left = crc32.Update(sum, crc32.IEEETable, buf[:n]), left-int64(n)
		if err := read(n); err != nil {
			return err
		}
	}
	var want [crcSize]byte
	if _, err := io.ReadFull(file, want[:]); err != nil {
		return err
	}
	if sum != binary.BigEndian.Uint32(want[:]) {
		return ErrDamaged
	}
	return nil
}

// checkSources checks the segments of a merge. The merged one has a checksum of its own,
// which would cover their damage.
func checkSources(segments []segment.Segment, config map[string]any) error {
	for _, s := range segments {
		if err := Check(s); err != nil {
			err = fmt.Errorf("%s: %w", filepath.Base(Path(s)), err)
			if report, ok := config[DamageKey].(func(error)); ok && report != nil {
				report(err)
			}
			return err
		}
	}
	return nil
}
