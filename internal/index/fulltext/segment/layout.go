package segment

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/blevesearch/mmap-go"
	"github.com/blevesearch/vellum"
	"github.com/blevesearch/zapx/v17"
)

// CheckLayout returns a *BrokenError if the parts of a segment are not where its footer,
// its fields and their records say. zapx trusts these when it opens a file, and may ask for
// any amount of memory if one bit of them flipped. The cost does not depend on the size of
// the file. A segment of another program or version is an error of another kind.
func CheckLayout(path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	data, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return fmt.Errorf("map %s: %w", filepath.Base(path), err)
	}
	defer func() { _ = data.Unmap() }() // nothing was written
	s := &source{file: filepath.Base(path)}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer s.caught(&err)
	checked, err := readSource(data)
	if err == nil {
		err = checked.checkLayout()
	}
	return s.name(err)
}

// caught makes a panic an error. Damaged bytes can make zapx and vellum panic, and a page
// that can't be read raises a fault.
func (s *source) caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", s.name(errBroken), p)
	}
}

// checkLayout checks that the parts of a segment follow one another without a gap, from the
// last stored fields on, but for the postings, which are not read.
func (s *source) checkLayout() error {
	foot := uint64(len(s.data) - zap.FooterSize)
	list := decoder{data: s.data[:foot], at: s.index}
	if n := list.uvarint(); list.broken || n != uint64(len(s.fields)) || foot-list.at != 8*n || n == 0 {
		return errBroken
	}
	first := list.uint64()
	for i := range s.fields[1:] {
		if list.uint64() != s.fields[i].end {
			return errBroken
		}
	}
	if s.fields[len(s.fields)-1].end != s.index {
		return errBroken
	}
	next := s.stored + 8*uint64(s.docs) + 1
	for _, f := range s.fields {
		var err error
		if next, err = s.checkRecord(f, next); err != nil {
			return err
		}
	}
	if next != first {
		return errBroken
	}
	return s.checkStored()
}

// checkRecord checks the record of a field, whose data begins at from or later, and
// returns where the record ends. The dictionary, the docvalues, the column and the record
// follow one another.
func (s *source) checkRecord(f field, from uint64) (end uint64, err error) {
	values, terms, err := s.record(f)
	if err != nil {
		return 0, err
	}
	d := decoder{data: s.data, at: f.record}
	start, stop, dict := d.uvarint(), d.uvarint(), d.uvarint()
	end = d.at
	d.at = dict
	d.skip(d.uvarint())
	switch {
	case d.broken || dict < from:
		return 0, errBroken
	case values == nil && (start != math.MaxUint64 || stop != math.MaxUint64 || d.at != f.record):
		return 0, errBroken
	case values != nil && d.at != start:
		return 0, errBroken
	}
	if _, err := s.column(f); err != nil {
		return 0, err
	}
	if values != nil {
		if _, _, err := s.valueEnds(values); err != nil {
			return 0, err
		}
	}
	if _, err := vellum.Load(terms); err != nil {
		return 0, errBroken
	}
	return end, nil
}

// valueEnds returns the docvalues of all chunks of a field, and the ends of the chunks,
// which are not read yet.
func (s *source) valueEnds(values []byte) (chunks, ends []byte, err error) {
	const tail = 16
	if len(values) < tail {
		return nil, nil, errBroken
	}
	rest := uint64(len(values) - tail)
	size, n := binary.BigEndian.Uint64(values[rest:]), binary.BigEndian.Uint64(values[rest+8:])
	if want := uint64(s.docs-1)/ValuesChunk + 1; n != want || size < want || size > want*binary.MaxVarintLen64 || size > rest {
		return nil, nil, errBroken
	}
	return values[:rest-size], values[rest-size : rest], nil
}

// checkStored checks that the stored fields of the last document end where the stored index
// begins.
func (s *source) checkStored() error {
	if binary.BigEndian.Uint64(s.data[s.stored:]) != 0 {
		return errBroken
	}
	last, err := s.storedFields(s.docs - 1)
	if err != nil {
		return err
	}
	if at := binary.BigEndian.Uint64(s.data[s.stored+8*uint64(s.docs-1):]); at+uint64(len(last)) != s.stored {
		return errBroken
	}
	return nil
}
