package stamps

import (
	"encoding/binary"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
)

// writeRun writes records to a new file and opens it as a run. It returns nil if
// there are no records. The file is not synced, since it is not used after a
// restart. The filter must have room for all keys.
func writeRun(fsys atomicfile.FS, name string, filter *filter, records iter.Seq2[record, error]) (*run, error) {
	if err := fsys.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, fmt.Errorf("write run: %w", err)
	}
	file, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("write run: %w", err)
	}
	w := &writer{file: file, filter: filter, block: make([]byte, 8, blockBytes+recordBytes), newest: gone}
	r, err := w.write(fsys, records)
	if r == nil {
		if removeErr := discard(fsys, file); err == nil {
			err = removeErr
		}
	}
	return r, err
}

// A writer builds the file of a run.
type writer struct {
	file   atomicfile.File
	filter *filter

	block   []byte    // current block, with room for its header
	keys    []doc.OID // of the block
	u       int64     // of the block's first record
	index   []byte
	offset  int64 // end of the last block written
	records uint64
	newest  int64
}

func (w *writer) write(fsys atomicfile.FS, records iter.Seq2[record, error]) (*run, error) {
	for r, err := range records {
		if err == nil {
			err = w.add(r)
		}
		if err != nil {
			return nil, err
		}
	}
	if w.records == 0 {
		return nil, nil
	}
	if err := w.finish(); err != nil {
		return nil, err
	}
	// Read the file, to find what was not written.
	r, err := openRun(fsys, w.file)
	if err != nil {
		return nil, err
	}
	r.filter = w.filter
	return r, nil
}

func (w *writer) add(r record) error {
	if len(w.keys) == 0 {
		w.u = r.u
	}
	w.block = appendRecord(w.block, r)
	w.keys = append(w.keys, doc.OID(r.key))
	w.records++
	w.newest = max(w.newest, r.u)
	if len(w.block) >= blockBytes {
		return w.flush()
	}
	return nil
}

// flush writes the current block.
func (w *writer) flush() error {
	if len(w.keys) == 0 {
		return nil
	}
	if err := w.filter.add(w.keys); err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(w.block[4:], uint32(len(w.keys)))
	if err := w.append(seal(w.block)); err != nil {
		return err
	}
	w.index = appendIndex(w.index, block{length: len(w.block), u: w.u, first: string(w.keys[0])})
	w.offset += int64(len(w.block))
	w.block, w.keys = w.block[:8], w.keys[:0]
	return nil
}

// finish writes index and footer.
func (w *writer) finish() error {
	if err := w.flush(); err != nil {
		return err
	}
	index := seal(append(make([]byte, 4, 4+len(w.index)+footerBytes), w.index...))
	f := footer{index: uint64(w.offset), length: uint64(len(index)), records: w.records, newest: w.newest}
	return w.append(appendFooter(index, f))
}

func (w *writer) append(b []byte) error {
	if _, err := w.file.Write(b); err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	return nil
}

// runName returns the name of the n-th run in a directory.
func runName(dir string, n int64) string {
	return filepath.Join(dir, fmt.Sprintf("%06d%s", n, runSuffix))
}

func isRun(name string) bool { return filepath.Ext(name) == runSuffix }

const runSuffix = ".run"
