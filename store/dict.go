package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
)

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
		return nil, fmt.Errorf("format %d: this program reads %d", le.Uint32(b[8:]), dictVersion)
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
	trained, err := newCodecs(k.compression, dictionary, runtime.GOMAXPROCS(0))
	if err != nil {
		return
	}
	if err := atomicfile.Write(m.fs, dictName(m.dir), encodeDict(dictionary)); err != nil {
		return
	}
	m.codecs.Store(trained) // readers may still use the old ones, so they are not closed
}
