package stamps

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"sync/atomic"

	"indexerd/internal/atomicfile"
)

const blockCost = 40 // bytes of a block in the index, without its key

// A run is an open file of sorted records that never changes. Its index and
// its filter are in memory. The tree and every snapshot that can see the run
// hold it; the last one to let go removes the file.
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
	broken  atomic.Bool // it could not be read
}

// openRun reads what is kept in memory of a run. The caller holds the run.
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

// read returns n bytes of the file, in buf if they fit.
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

// fault marks the run as one that can't be read.
func (r *run) fault(i int, err error) error {
	r.broken.Store(true)
	return fmt.Errorf("read run %s: block %d: %w", r.file.Name(), i, err)
}

// mayHold is false only for a key that the run does not have.
func (r *run) mayHold(key []byte) bool { return r.filter.mayHold(key) }

// get looks a key up: one filter, one search in memory, one read of a block.
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

// bytes is what the run takes in memory.
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
