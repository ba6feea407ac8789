package fulltext

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
)

// root.bolt, a file of bbolt, has what is no segment: their names, which of their
// documents are deleted, and the record. Its pages have no checksums. The first two
// pages are meta pages, and each has, after a page header of 16 bytes:
//
//	0   magic, 4 bytes
//	8   page size, 4 bytes
//	16  root page, 8 bytes
//	32  page of the list of free pages, 8 bytes
//	40  number of pages in use, 8 bytes
//	48  transaction, 8 bytes
//	56  FNV-1a of the bytes before
//
// The meta page of the last transaction counts. https://github.com/etcd-io/bbolt
const (
	rootName = "root.bolt"

	boltHeader    = 16
	boltMagic     = 0xED0CDAED
	boltMeta      = boltHeader + 64
	boltSummed    = 56 // bytes of a meta that its checksum covers
	boltElement   = 16 // bytes of an element of a page
	maxPageBytes  = 1 << 30
	maxPage       = 1 << 16
	branchPage    = 1
	leafPage      = 2
	freelistPage  = 16
	bucketElement = 1
)

// A boltFile is the state of root.bolt after its last transaction. Its pages do not
// change before the transaction after the next one.
type boltFile struct {
	io.ReaderAt
	pageSize       int64
	root, freelist uint64
	pages          uint64
	transaction    uint64
}

// errBoltBroken is the error of pages that bbolt does not write.
var errBoltBroken = errors.New("a page of it is broken")

// openBolt reads the meta pages.
func openBolt(file io.ReaderAt) boltFile {
	last := boltFile{ReaderAt: file}
	for _, page := range []int64{0, int64(os.Getpagesize())} {
		meta := make([]byte, boltMeta)
		if _, err := file.ReadAt(meta, page); err != nil {
			continue // bbolt reports a file that is shorter than this
		}
		meta = meta[boltHeader:]
		u64 := func(at int) uint64 { return binary.NativeEndian.Uint64(meta[at:]) }
		if binary.NativeEndian.Uint32(meta) != boltMagic || u64(48) < last.transaction {
			continue
		}
		sum := fnv.New64a()
		_, _ = sum.Write(meta[:boltSummed]) // it returns no error
		if sum.Sum64() != u64(boltSummed) {
			continue // bbolt takes the other one
		}
		last.pageSize = int64(binary.NativeEndian.Uint32(meta[8:]))
		last.root, last.freelist, last.pages, last.transaction = u64(16), u64(32), u64(40), u64(48)
	}
	return last
}

// size returns the bytes that the file has at least.
func (b boltFile) size() int64 { return int64(b.pages) * b.pageSize }

// checksum returns the CRC-32C of all pages that the last transaction refers to, in the
// order of the tree.
func (b boltFile) checksum() (uint32, error) {
	if b.pageSize < boltMeta || b.pageSize > maxPage {
		return 0, errBoltBroken
	}
	s := boltSum{boltFile: b, seen: map[uint64]bool{}}
	if err := s.add(b.root); err != nil {
		return 0, err
	}
	if b.freelist < b.pages { // otherwise there is none
		if err := s.add(b.freelist); err != nil {
			return 0, err
		}
	}
	return s.sum, nil
}

// A boltSum adds pages to a checksum.
type boltSum struct {
	boltFile
	sum  uint32
	seen map[uint64]bool
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// add adds a page and those below it.
func (s *boltSum) add(page uint64) error {
	if page < 2 || page >= s.pages || s.seen[page] {
		return errBoltBroken
	}
	s.seen[page] = true
	data, err := s.read(page)
	if err != nil {
		return err
	}
	s.sum = crc32.Update(s.sum, castagnoli, data)
	kind, count := binary.NativeEndian.Uint16(data[8:]), int(binary.NativeEndian.Uint16(data[10:]))
	if kind == freelistPage {
		return nil
	}
	if (kind != branchPage && kind != leafPage) || boltHeader+count*boltElement > len(data) {
		return errBoltBroken
	}
	for i := range count {
		at := boltHeader + i*boltElement
		below := binary.NativeEndian.Uint64(data[at+8:])
		if kind == leafPage {
			if below, err = bucketRoot(data, at); err != nil {
				return err
			}
			if below == 0 { // a value, or a bucket within this page
				continue
			}
		}
		if err := s.add(below); err != nil {
			return err
		}
	}
	return nil
}

// bucketRoot returns the root page of the bucket of an element, 0 if it has none.
func bucketRoot(data []byte, at int) (uint64, error) {
	u32 := func(at int) int { return int(binary.NativeEndian.Uint32(data[at:])) }
	if u32(at) != bucketElement {
		return 0, nil
	}
	value := at + u32(at+4) + u32(at+8)
	if value+8 > len(data) {
		return 0, errBoltBroken
	}
	return binary.NativeEndian.Uint64(data[value:]), nil
}

// read reads a page with the pages that continue it.
func (s *boltSum) read(page uint64) ([]byte, error) {
	data := make([]byte, s.pageSize)
	if _, err := s.ReadAt(data, int64(page)*s.pageSize); err != nil {
		return nil, err
	}
	if binary.NativeEndian.Uint64(data) != page {
		return nil, errBoltBroken
	}
	more := int64(binary.NativeEndian.Uint32(data[12:])) * s.pageSize
	if more == 0 {
		return data, nil
	}
	if more > maxPageBytes || uint64(more/s.pageSize) >= s.pages {
		return nil, errBoltBroken
	}
	data = append(data, make([]byte, more)...)
	_, err := s.ReadAt(data[s.pageSize:], int64(page+1)*s.pageSize)
	return data, err
}

// checkRoot returns ErrDamaged if root.bolt is not as the index last saw it, and another
// error if it was cut off. bbolt maps the file into memory: reading a page beyond its
// end, which scorch does in goroutines of its own, would end the process.
func checkRoot(dir string) error {
	file, err := os.Open(filepath.Join(dir, rootName))
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	b := openBolt(file)
	if info.Size() < b.size() {
		return fmt.Errorf("%s: %w: it has %d bytes of %d", rootName, ErrDamaged, info.Size(), b.size())
	}
	want, ok := readRootSum(dir)
	if !ok || b.transaction > want.transaction {
		return nil // written by a release before this one, or the process was killed
	}
	if b.transaction < want.transaction {
		return fmt.Errorf("%s: %w: transaction %d can't be read, only %d", rootName, ErrDamaged, want.transaction, b.transaction)
	}
	sum, err := b.checksum()
	if err == nil && sum != want.sum {
		err = errors.New("its checksum is wrong")
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", rootName, ErrDamaged, err)
	}
	return nil
}
