package fulltext

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

// The first two pages of a bbolt file each have, after a page header of 16 bytes:
//
//	0   magic, 4 bytes
//	8   page size, 4 bytes
//	40  number of pages in use, 8 bytes
//	48  transaction, 8 bytes
//
// The page of the last transaction holds. https://github.com/etcd-io/bbolt
const (
	boltHeader = 16
	boltMagic  = 0xED0CDAED
	boltMeta   = boltHeader + 64
)

// checkLength returns an error if root.bolt was cut off. bbolt maps the file into
// memory: reading a page beyond its end, which scorch does in goroutines of its
// own, would end the process.
func checkLength(dir string) error {
	name := filepath.Join(dir, "root.bolt")
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	var last, want uint64
	for _, page := range []int64{0, int64(os.Getpagesize())} {
		meta := make([]byte, boltMeta)
		if _, err := file.ReadAt(meta, page); err != nil {
			continue // bbolt reports a file that is shorter than this
		}
		meta = meta[boltHeader:]
		transaction := binary.NativeEndian.Uint64(meta[48:])
		if binary.NativeEndian.Uint32(meta) == boltMagic && transaction >= last {
			last, want = transaction, binary.NativeEndian.Uint64(meta[40:])*uint64(binary.NativeEndian.Uint32(meta[8:]))
		}
	}
	if uint64(info.Size()) < want {
		return fmt.Errorf("the index is broken: root.bolt has %d bytes of %d: build a new one from the pages", info.Size(), want)
	}
	return nil
}
