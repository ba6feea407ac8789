package stamps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"sync/atomic"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/store/bloom"
)

const blockCost = 40 // bytes of a block in the index, without its key

// A run is an open file of sorted records that never changes. Its index and its
// filter are in memory. The tree and its snapshots hold the run; the last release
// removes the file.
type run struct {
	fsys    atomicfile.FS
	file    atomicfile.File
	blocks  []block
	records int64
	newest  int64 // greatest u, gone if none
	size    int64 // of the file
	index   int64 // bytes of blocks
	filter  *filter
	holders atomic.Int32
	broken  atomic.Bool // a read failed
}

// openRun reads the index of a run. The caller holds the run.
func openRun(fsys atomicfile.FS, file atomicfile.File) (*run, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	r := &run{fsys: fsys, file: file, size: info.Size()}
	body := r.size - footerBytes
	if body < 0 {
		return nil, fmt.Errorf("read run %s: %w", file.Name(), errCut)
	}
	b, err := r.read(body, footerBytes, nil)
	if err != nil {
		return nil, err
	}
	f, err := parseFooter(b, body)
	if err != nil {
		return nil, fmt.Errorf("read run %s: footer: %w", file.Name(), err)
	}
	if b, err = r.read(int64(f.index), int(f.length), nil); err != nil {
		return nil, err
	}
	if r.blocks, err = parseIndex(b, int64(f.index)); err != nil {
		return nil, fmt.Errorf("read run %s: index: %w", file.Name(), err)
	}
	for _, b := range r.blocks {
		r.index += blockCost + int64(len(b.first))
	}
	r.records, r.newest = int64(f.records), f.newest
	r.holders.Store(1)
	return r, nil
}

// read reads n bytes of the file, into buf if they fit.
func (r *run) read(offset int64, n int, buf []byte) ([]byte, error) {
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	got, err := r.file.ReadAt(buf[:n], offset)
	if got == n {
		return buf[:n], nil
	}
	if errors.Is(err, io.EOF) {
		err = errCut
	}
	return nil, fmt.Errorf("read run %s: %w", r.file.Name(), err)
}

// block reads a block, into buf if it fits.
func (r *run) block(i int, buf []byte) (blockReader, []byte, error) {
	b := r.blocks[i]
	buf, err := r.read(b.offset, b.length, buf)
	if err != nil {
		r.broken.Store(true)
		return blockReader{}, nil, err
	}
	reader, err := openBlock(buf)
	if err != nil {
		return blockReader{}, nil, r.fault(i, err)
	}
	return reader, buf, nil
}

// fault marks the run as broken.
func (r *run) fault(i int, err error) error {
	r.broken.Store(true)
	return fmt.Errorf("read run %s: block %d: %w", r.file.Name(), i, err)
}

// mayHold returns false only for a key that the run does not have.
func (r *run) mayHold(key []byte) bool { return r.filter.mayHold(key) }

// get looks a key up, with one read of a block at most.
func (r *run) get(key []byte) (record, bool, error) {
	if !r.mayHold(key) {
		return record{}, false, nil
	}
	i := sort.Search(len(r.blocks), func(i int) bool { return r.blocks[i].first > string(key) }) - 1
	if i < 0 {
		return record{}, false, nil
	}
	b, _, err := r.block(i, nil)
	if err != nil {
		return record{}, false, err
	}
	for {
		rec, ok, err := b.next()
		switch {
		case err != nil:
			return record{}, false, r.fault(i, err)
		case !ok || string(rec.key) > string(key):
			return record{}, false, nil
		case string(rec.key) == string(key):
			return rec, true, nil
		}
	}
}

// bytes returns the size of the run in memory.
func (r *run) bytes() int64 { return r.index + r.filter.bytes() }

func (r *run) hold() { r.holders.Add(1) }

func (r *run) release() error {
	if r.holders.Add(-1) > 0 {
		return nil
	}
	return discard(r.fsys, r.file)
}

// discard closes and removes a run's file.
func discard(fsys atomicfile.FS, file atomicfile.File) error {
	err := file.Close()
	if removeErr := fsys.Remove(file.Name()); err == nil {
		err = removeErr
	}
	if err != nil {
		return fmt.Errorf("remove run %s: %w", file.Name(), err)
	}
	return nil
}

// falsePositives is the share of lookups that read a block in vain. At 1 % a filter
// takes 1.2 bytes for each key.
const falsePositives = 0.01

// A filter excludes most keys that a run does not have. A nil filter excludes none.
type filter struct {
	local *bloom.Local
}

// newFilter returns a filter for n keys. It returns nil if that would take more than
// most bytes; each lookup then reads the run.
func newFilter(n, most int64) (*filter, error) {
	if n == 0 {
		return nil, nil
	}
	size, err := bloom.SizeFor(uint64(n), falsePositives)
	if err != nil || int64(size.Bits/8) > most {
		return nil, err
	}
	return &filter{bloom.NewLocal(size)}, nil
}

func (f *filter) add(keys []doc.OID) error {
	if f == nil {
		return nil
	}
	return f.local.Add(context.Background(), keys)
}

func (f *filter) mayHold(key []byte) bool {
	if f == nil {
		return true
	}
	maybe, err := f.local.Maybe(context.Background(), []doc.OID{doc.OID(key)})
	return err != nil || maybe[0]
}

func (f *filter) bytes() int64 {
	if f == nil {
		return 0
	}
	return int64(f.local.Size().Bits / 8)
}
