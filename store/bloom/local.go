package bloom

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"iter"
	"sync"

	"github.com/bits-and-blooms/bloom/v3"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
)

// A Local filter is in memory. Its methods may be called concurrently. The file
// that Save writes:
//
//	 0  magic "bloomflt"
//	 8  version u32      1
//	12  checksum u32     crc32c of bytes 16 to the end
//	16  length u64       of the filter
//	24  filter           bits u64, hashes u64, words, as the library writes them
//
// with little-endian numbers in the header.
type Local struct {
	mu     sync.RWMutex
	filter *bloom.BloomFilter
}

const (
	magic      = "bloomflt"
	version    = 1
	headerSize = 24
)

// NewLocal returns an empty filter.
func NewLocal(size Size) *Local {
	return &Local{filter: bloom.New(uint(size.Bits), uint(size.Hashes))}
}

// Size returns the filter's size.
func (l *Local) Size() Size { return Size{uint64(l.filter.Cap()), int(l.filter.K())} }

// Add adds keys. The error is always nil.
func (l *Local) Add(_ context.Context, keys []doc.OID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range keys {
		l.filter.AddString(string(key))
	}
	return nil
}

// Rebuild adds every key of the store. A filter in memory is never lost: what was
// added stays.
func (l *Local) Rebuild(ctx context.Context, keys iter.Seq2[[]doc.OID, error]) error {
	for batch, err := range keys {
		if err == nil {
			err = l.Add(ctx, batch)
		}
		if err != nil {
			return fmt.Errorf("bloom filter in memory: %w", err)
		}
	}
	return nil
}

// Name returns "": no other process has the filter.
func (l *Local) Name() string { return "" }

// Maybe reports for each key whether it may have been added. The error is always
// nil.
func (l *Local) Maybe(_ context.Context, keys []doc.OID) ([]bool, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	maybe := make([]bool, len(keys))
	for i, key := range keys {
		maybe[i] = l.filter.TestString(string(key))
	}
	return maybe, nil
}

// Save writes the filter to a file durably. A filter loaded from it lacks the keys
// that are added later.
func (l *Local) Save(fsys atomicfile.FS, name string) error {
	buf := bytes.NewBuffer(make([]byte, headerSize))
	l.mu.RLock()
	_, err := l.filter.WriteTo(buf)
	l.mu.RUnlock()
	if err != nil {
		return fmt.Errorf("save bloom filter %s: %w", name, err)
	}
	b := buf.Bytes()
	le := binary.LittleEndian
	copy(b, magic)
	le.PutUint32(b[8:], version)
	le.PutUint64(b[16:], uint64(len(b)-headerSize))
	le.PutUint32(b[12:], checksum(b[16:]))
	return atomicfile.Write(fsys, name, b)
}

// Load reads a saved filter. It returns ErrLost if the file is missing, damaged or
// of another size.
func Load(fsys atomicfile.FS, name string, size Size) (*Local, error) {
	b, err := atomicfile.Read(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is missing", ErrLost, name)
	}
	if err != nil {
		return nil, fmt.Errorf("load bloom filter: %w", err)
	}
	l, err := decode(b, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %v", ErrLost, name, err)
	}
	return l, nil
}

func decode(b []byte, size Size) (*Local, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < headerSize || string(b[:8]) != magic:
		return nil, errors.New("not a bloom filter")
	case le.Uint32(b[8:]) != version:
		return nil, fmt.Errorf("format %d: this program reads %d", le.Uint32(b[8:]), version)
	case le.Uint64(b[16:]) != uint64(len(b)-headerSize):
		return nil, errors.New("cut short")
	case le.Uint32(b[12:]) != checksum(b[16:]):
		return nil, errors.New("wrong checksum")
	}
	// The library trusts the lengths in the file: check them first.
	be := binary.BigEndian
	if len(b) < headerSize+16 || be.Uint64(b[headerSize:]) != size.Bits || be.Uint64(b[headerSize+8:]) != uint64(size.Hashes) {
		return nil, errors.New("the filter has another size")
	}
	if words := (size.Bits + 63) / 64; uint64(len(b)) != headerSize+16+8+8*words || be.Uint64(b[headerSize+16:]) != size.Bits {
		return nil, errors.New("the length does not match the size")
	}
	l := &Local{filter: &bloom.BloomFilter{}}
	if _, err := l.filter.ReadFrom(bytes.NewReader(b[headerSize:])); err != nil {
		return nil, err
	}
	return l, nil
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
