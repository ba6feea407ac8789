package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
)

// A Compression selects the codec of new values. Every record stores its codec,
// so the compression of a map can change whenever it is opened; stored values
// stay as they are. A value that would not get smaller is stored uncompressed.
type Compression uint8

const (
	// S2 takes 4 µs to write a page of 1.4 KB and 1 µs to read it.
	S2 Compression = iota
	// Zstd, with a dictionary trained on the first large batch, takes half the
	// space of S2 and about ten times as long: for archives.
	Zstd
	// None stores values as they are.
	None
)

// A codec is the encoding of one stored value.
type codec uint8

const (
	codecNone codec = iota
	codecS2
	codecZstd
	codecZstdDict
	codecLast = codecZstdDict
)

// codecs encodes and decodes values. It is immutable: training a dictionary
// creates another one. Its methods may be called concurrently.
type codecs struct {
	compression Compression
	dict        []byte                    // or nil
	zstd        func() (zstdCodec, error) // that of dict
}

// newCodecs returns the codecs of a map with a dictionary, which may be nil.
func newCodecs(c Compression, dictionary []byte) (*codecs, error) {
	k := &codecs{c, dictionary, withoutDict}
	if dictionary == nil {
		return k, nil
	}
	k.zstd = sync.OnceValues(func() (zstdCodec, error) { return newZstd(dictionary) })
	_, err := k.zstd()
	return k, err
}

// A zstdCodec encodes and decodes values with one dictionary, or none. It is not closed.
type zstdCodec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// withoutDict is the codec of all maps without a dictionary. It is made when one needs it:
// a thousand of them would take 7 MB.
var withoutDict = sync.OnceValues(func() (zstdCodec, error) { return newZstd(nil) })

func newZstd(dictionary []byte) (z zstdCodec, err error) {
	workers := runtime.GOMAXPROCS(0)
	dec := []zstd.DOption{zstd.WithDecoderConcurrency(workers), zstd.WithDecoderMaxMemory(MaxValue), zstd.WithDecoderLowmem(true)}
	enc := []zstd.EOption{zstd.WithEncoderConcurrency(workers), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false)}
	if dictionary != nil {
		dec = append(dec, zstd.WithDecoderDicts(dictionary))
		enc = append(enc, zstd.WithEncoderDict(dictionary))
	}
	if z.dec, err = zstd.NewReader(nil, dec...); err != nil {
		return z, fmt.Errorf("zstd: %w", err)
	}
	if z.enc, err = zstd.NewWriter(nil, enc...); err != nil {
		return z, fmt.Errorf("zstd: %w", err)
	}
	return z, nil
}

// append appends the encoded value.
func (k *codecs) append(dst, value []byte) ([]byte, codec) {
	start := len(dst)
	used := codecNone
	switch {
	case k.compression == S2:
		room := s2.MaxEncodedLen(len(value))
		dst = slices.Grow(dst, room)
		out := s2.Encode(dst[start:start+room], value)
		dst, used = dst[:start+len(out)], codecS2
	case k.compression == Zstd:
		z, _ := k.zstd() // no error: newZstd has constant options
		dst, used = z.enc.EncodeAll(value, dst), codecZstd
		if k.dict != nil {
			used = codecZstdDict
		}
	}
	if used == codecNone || len(dst)-start >= len(value) {
		return append(dst[:start], value...), codecNone
	}
	return dst, used
}

// decode returns a copy of a stored value, which has raw bytes when decoded. It
// uses room if that is large enough.
func (k *codecs) decode(room []byte, c codec, stored []byte, raw int) ([]byte, error) {
	var value []byte
	var err error
	switch c {
	case codecNone:
		value = append(room[:0], stored...)
	case codecS2:
		var n int
		if n, err = s2.DecodedLen(stored); err == nil && n == raw {
			value, err = s2.Decode(slices.Grow(room[:0], raw)[:raw], stored)
		}
	default:
		var z zstdCodec
		if z, err = k.zstd(); err == nil {
			value, err = z.dec.DecodeAll(stored, slices.Grow(room[:0], raw))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	if len(value) != raw {
		return nil, fmt.Errorf("%w: the value has %d bytes, want %d", ErrCorrupt, len(value), raw)
	}
	return value, nil
}

// A dictionary trained on fewer pages compresses too little; training on more
// takes longer and gains nothing.
const (
	minSamples = 256
	maxSamples = 2000
	dictSize   = 64 << 10
	dictID     = 1
)

// train returns a dictionary for values, or nil if there are too few.
func train(samples [][]byte) []byte {
	samples = slices.DeleteFunc(samples, func(b []byte) bool { return len(b) < 64 || len(b) > dictSize })
	if len(samples) < minSamples {
		return nil
	}
	d, err := dict.BuildZstdDict(samples[:min(len(samples), maxSamples)], dict.Options{
		MaxDictSize: dictSize,
		HashBytes:   6,
		ZstdDictID:  dictID,
		ZstdLevel:   zstd.SpeedFastest,
	})
	if err != nil {
		return nil // the values have nothing in common: zstd alone compresses as well
	}
	return d
}

// zstd.dict is the dictionary of Compression Zstd. It is trained once and never
// changes: values compressed with it cannot be read without it, so it is durable
// before the first of them.
//
//	 0  magic "fmdict\r\n"
//	 8  version u32      1
//	12  length u32       at most 1 MiB
//	16  checksum u32     crc32c of the dictionary
//	20  dictionary
const (
	dictMagic      = "fmdict\r\n"
	dictVersion    = 1
	dictHeaderSize = 20
	maxDict        = 1 << 20
)

func dictName(dir string) string { return filepath.Join(dir, "zstd.dict") }

func encodeDict(dictionary []byte) []byte {
	b := make([]byte, dictHeaderSize, dictHeaderSize+len(dictionary))
	copy(b, dictMagic)
	binary.LittleEndian.PutUint32(b[8:], dictVersion)
	binary.LittleEndian.PutUint32(b[12:], uint32(len(dictionary)))
	binary.LittleEndian.PutUint32(b[16:], checksum(dictionary))
	return append(b, dictionary...)
}

func decodeDict(b []byte) ([]byte, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < dictHeaderSize || string(b[:8]) != dictMagic:
		return nil, errMagic
	case le.Uint32(b[8:]) != dictVersion:
		return nil, errFormat(le.Uint32(b[8:]), dictVersion)
	case le.Uint32(b[12:]) > maxDict || int(le.Uint32(b[12:])) != len(b)-dictHeaderSize:
		return nil, errBounds
	case le.Uint32(b[16:]) != checksum(b[dictHeaderSize:]):
		return nil, errBodySum
	}
	return b[dictHeaderSize:], nil
}

// readDict returns the map's dictionary, or nil if it is missing or damaged:
// the pages that need a damaged dictionary are damaged too.
func readDict(fsys atomicfile.FS, dir string) ([]byte, error) {
	b, err := atomicfile.Read(fsys, dictName(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	dictionary, err := decodeDict(b)
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return nil, fmt.Errorf("%s: %w", dictName(dir), err)
	}
	return dictionary, nil
}

// trainOn trains the map's dictionary on the first batch that is large enough.
// It ignores errors: zstd works without a dictionary.
func (m *FileMap) trainOn(pages []doc.Page) {
	k := m.codecs.Load()
	if m.options.Compression != Zstd || k.dict != nil || len(pages) < minSamples {
		return
	}
	samples := make([][]byte, len(pages))
	for i := range pages {
		samples[i] = pages[i].Body
	}
	dictionary := train(samples)
	if dictionary == nil {
		return
	}
	trained, err := newCodecs(k.compression, dictionary)
	if err != nil {
		return
	}
	if err := atomicfile.Write(m.fs, dictName(m.dir), encodeDict(dictionary)); err != nil {
		return
	}
	m.codecs.Store(trained) // readers may still use the old ones, so they are not closed
}
