package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum"
	"github.com/blevesearch/zapx/v17"
)

var (
	// errForeign is the error of a segment that zapx may write and this package does
	// not read. zapx merges it.
	errForeign = errors.New("the segment has data that only zapx merges")

	errBroken = errors.New("the segment has what no segment has")
)

// A source is a segment that is merged.
type source struct {
	file    string // "": in memory
	data    []byte
	docs    int
	stored  uint64 // offset of the stored index
	index   uint64 // offset of the fields index
	fields  []field
	numbers []uint64 // of its documents in the merged segment, or dropped
	drops   bool     // any document is dropped

	terms     vellum.Iterator // of the current field, nil at the end
	termBytes int             // of its dictionary
	term      []byte
	value     uint64 // what the dictionary has for the term
	post      postings
}

// dropped is the number of a document that is not in the merged segment.
const dropped = math.MaxUint64

// openSource opens a segment of zapx.
func openSource(s segment.Segment) (*source, error) {
	var data []byte
	switch s := s.(type) {
	case *opened:
		if len(s.GetUpdatedFields()) > 0 {
			return nil, errForeign
		}
		src := *s.src
		return &src, nil
	case *zap.Segment:
		if len(s.GetUpdatedFields()) > 0 {
			return nil, errForeign
		}
		data = s.Data()
	case *zap.SegmentBase: // in memory: it writes its bytes to a writer only
		var buf bytes.Buffer
		buf.Grow(s.Size() + zap.FooterSize)
		if _, err := s.WriteTo(&buf); err != nil {
			return nil, err
		}
		data = buf.Bytes()
	default:
		return nil, errForeign
	}
	src, err := readSource(data)
	if path := Path(s); path != "" {
		if errors.Is(err, errBroken) {
			return nil, &BrokenError{filepath.Base(path)}
		}
		if src != nil {
			src.file = filepath.Base(path)
		}
	}
	return src, err
}

func readSource(data []byte) (*source, error) {
	if len(data) < zap.FooterSize {
		return nil, errBroken
	}
	foot := data[len(data)-zap.FooterSize:]
	if binary.BigEndian.Uint32(foot) != 0 || binary.BigEndian.Uint32(foot[28:]) != chunkMode || binary.BigEndian.Uint32(foot[32:]) != zap.Version {
		return nil, errForeign
	}
	docs, stored, fields := binary.BigEndian.Uint64(foot[4:]), binary.BigEndian.Uint64(foot[12:]), binary.BigEndian.Uint64(foot[20:])
	s := &source{data: data, stored: stored, index: fields}
	d := decoder{data: data, at: stored}
	if docs > uint64(len(data))/8 || d.bytes(8*docs) == nil {
		return nil, errBroken
	}
	s.docs = int(docs)
	if nested := d.uvarint(); nested != 0 || docs == 0 {
		return nil, errForeign
	}
	return s, s.readFields(fields)
}

func (s *source) readFields(at uint64) error {
	list := decoder{data: s.data, at: at}
	n := list.uvarint()
	if n > math.MaxUint16 {
		return errBroken
	}
	for i := uint64(0); i < n && !list.broken; i++ {
		d := decoder{data: s.data, at: list.uint64()}
		f := field{name: string(d.bytes(d.uvarint()))}
		f.options = index.FieldIndexingOptions(d.uvarint())
		var kinds []uint16
		for range min(d.uvarint(), zap.NumSections+1) {
			kind, record := d.bytes(2), d.uint64()
			if d.broken {
				return errBroken
			}
			kinds = append(kinds, binary.BigEndian.Uint16(kind))
			switch {
			case kinds[len(kinds)-1] == zap.SectionInvertedTextIndex:
				f.record = record
			case record != 0:
				return errForeign
			}
		}
		if slices.Sort(kinds); !slices.Equal(kinds, sections[:]) {
			return errForeign
		}
		f.end = d.at
		if f.record == 0 || f.options&(index.SkipDVCompression|index.SkipDVChunking) != 0 {
			return errForeign
		}
		s.fields = append(s.fields, f)
	}
	if list.broken {
		return errBroken
	}
	return nil
}

// sameFields reports whether two segments have equal fields, so that numbers of
// fields mean the same in both.
func sameFields(a, b *source) bool {
	if len(a.fields) != len(b.fields) {
		return false
	}
	for i := range a.fields {
		if a.fields[i].name != b.fields[i].name || a.fields[i].options != b.fields[i].options {
			return false
		}
	}
	return true
}

// number gives the documents that are not dropped numbers from next on, and
// returns the number that follows them.
func (s *source) number(next uint64, drops *roaring.Bitmap) uint64 {
	s.numbers = make([]uint64, s.docs)
	if drops != nil {
		for it := drops.Iterator(); it.HasNext(); {
			if doc := int(it.Next()); doc < s.docs {
				s.numbers[doc], s.drops = dropped, true
			}
		}
	}
	for doc, n := range s.numbers {
		if n != dropped {
			s.numbers[doc] = next
			next++
		}
	}
	return next
}

// storedFields returns the bytes of a document's stored fields.
func (s *source) storedFields(doc int) ([]byte, error) {
	at := binary.BigEndian.Uint64(s.data[s.stored+8*uint64(doc):])
	d := decoder{data: s.data, at: at}
	meta, data := d.uvarint(), d.uvarint()
	d.bytes(meta)
	d.bytes(data)
	if d.broken {
		return nil, errBroken
	}
	return s.data[at:d.at], nil
}

// openField goes to the first term of a field and returns its docvalues, nil if
// it has none.
func (s *source) openField(f int) (values []byte, err error) {
	values, terms, err := s.record(s.fields[f])
	if err != nil {
		return nil, err
	}
	s.termBytes = len(terms)
	fst, err := vellum.Load(terms)
	if err != nil {
		return nil, errBroken
	}
	s.terms, err = fst.Iterator(nil, nil)
	return values, s.current(err)
}

// record returns the docvalues, nil if there are none, and the dictionary of a
// field.
func (s *source) record(f field) (values, terms []byte, err error) {
	d := decoder{data: s.data, at: f.record}
	start, end, dict := d.uvarint(), d.uvarint(), d.uvarint()
	if start != math.MaxUint64 {
		d.at = start
		values = d.bytes(end - start)
	}
	d.at = dict
	terms = d.bytes(d.uvarint())
	if d.broken {
		return nil, nil, errBroken
	}
	return values, terms, nil
}

// next goes to the next term.
func (s *source) next() error { return s.current(s.terms.Next()) }

func (s *source) current(err error) error {
	if errors.Is(err, vellum.ErrIteratorDone) {
		s.terms = nil
		return nil
	}
	if err != nil {
		return errBroken
	}
	s.term, s.value = s.terms.Current()
	return nil
}
