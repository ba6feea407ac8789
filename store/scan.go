package store

import (
	"encoding/binary"
	"fmt"
	"io"
)

// A scan reads the records of a segment in order, and checks each completely.
// After damage it continues at the next record that it finds.
type scan struct {
	seg    *segment
	at     int64 // offset of the next record
	end    int64
	last   uint64 // seq of the previous record
	window []byte // a part of the file
	base   int64  // offset of the window
}

// A scanned is a record, valid until the next one, or a range without a record.
type scanned struct {
	at   int64
	size int64
	head header
	rec  []byte // header, key, value and padding; nil: there is no record
	err  error  // the damage, if any
}

const windowSize = 1 << 20

func newScan(s *segment, from, end int64) *scan {
	return &scan{seg: s, at: max(from, segmentHeaderSize), end: end}
}

// next returns the next record or range of damage. For a record with a damaged
// value it returns the whole record with err set. Its error is io.EOF at the end
// of the segment, or an error of reading the file.
func (c *scan) next() (scanned, error) {
	if c.at >= c.end {
		return scanned{}, io.EOF
	}
	found, err := c.record(c.at)
	if err != nil {
		return scanned{}, err
	}
	if found.rec == nil {
		next, err := c.find(c.at + unit)
		if err != nil {
			return scanned{}, err
		}
		found.size = next - c.at
	} else {
		c.last = found.head.seq
	}
	c.at += found.size
	return found, nil
}

// record reads the record at off, and does not advance.
func (c *scan) record(off int64) (scanned, error) {
	found := scanned{at: off}
	b, err := c.bytes(off, headerSize)
	if err != nil {
		return found, err
	}
	if len(b) < headerSize {
		found.err = errCut
		return found, nil
	}
	// Check the header before using its lengths: a damaged one could ask for
	// 256 MiB.
	var h header
	if err := h.decode(b); err != nil {
		found.err = err
		return found, nil
	}
	b, err = c.bytes(off, int64(h.headLen()))
	if err != nil {
		return found, err
	}
	switch {
	case len(b) < h.headLen():
		found.err = errCut
		return found, nil
	case !checkHead(b, c.seg.number, placeAt(off)):
		found.err = errHeadSum
		return found, nil
	case h.seq <= c.last:
		// A failed write left it, and its numbers were used again.
		found.err = errOrder
		return found, nil
	}
	b, err = c.bytes(off, h.size())
	if err != nil {
		return found, err
	}
	if int64(len(b)) < h.size() {
		found.err = errCut
		return found, nil
	}
	found.head, found.rec, found.size = h, b, h.size()
	if checksum(h.body(b)) != h.bodySum {
		found.err = errBodySum
	}
	return found, nil
}

// find returns the offset of the next record with a valid header, or the end.
func (c *scan) find(off int64) (int64, error) {
	for ; off+headerSize <= c.end; off += unit {
		b, err := c.bytes(off, headerSize)
		if err != nil {
			return 0, err
		}
		if len(b) < headerSize {
			break
		}
		if binary.LittleEndian.Uint32(b) != recordMagic {
			continue
		}
		found, err := c.record(off)
		if err != nil {
			return 0, err
		}
		if found.rec != nil {
			return off, nil
		}
	}
	return c.end, nil
}

// torn reports whether the damage at off may be a torn batch, left by a crash.
// It is not if a later batch follows: that one was written only after everything
// before it was durable.
func (c *scan) torn(off int64) (bool, error) {
	ahead := &scan{seg: c.seg, at: off + unit, end: c.end}
	for {
		at, err := ahead.find(ahead.at)
		if err != nil || at >= c.end {
			return true, err
		}
		found, err := ahead.record(at)
		if err != nil {
			return false, err
		}
		if int64(found.head.batch)*unit > off {
			return false, nil
		}
		ahead.at = at + found.size
	}
}

// bytes returns n bytes at off, or fewer at the end.
func (c *scan) bytes(off, n int64) ([]byte, error) {
	n = min(n, c.end-off)
	if off < c.base || off+n > c.base+int64(len(c.window)) {
		if err := c.fill(off, n); err != nil {
			return nil, err
		}
	}
	from := off - c.base
	return c.window[from:min(from+n, int64(len(c.window)))], nil
}

// fill reads at least n bytes at off into the window.
func (c *scan) fill(off, n int64) error {
	want := min(max(n, windowSize), c.end-off)
	if int64(cap(c.window)) < want {
		c.window = make([]byte, want)
	}
	c.window = c.window[:want]
	got, err := c.seg.file.ReadAt(c.window, off)
	c.window, c.base = c.window[:got], off
	if err != nil && err != io.EOF {
		return fmt.Errorf("read %s: %w", c.seg.file.Name(), err)
	}
	return nil
}
