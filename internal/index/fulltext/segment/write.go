package segment

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	index "github.com/blevesearch/bleve_index_api"
	"github.com/blevesearch/zapx/v17"
	"github.com/golang/snappy"

	"indexerd/internal/base/giveway"
	"indexerd/internal/index/fulltext/numbers"
	"indexerd/internal/index/fulltext/segment/fst"
)

// A builder writes segments, one after another.
type builder struct {
	exact bool // write what zapx writes, byte by byte: for tests, with a dictionary of vellum
	dict  dictionary

	out        []byte    // what is not in the file yet
	base       uint64    // bytes that are in the file
	file       io.Writer // nil for a segment in memory
	crc        uint32    // of the bytes in the file
	failed     error     // of a write to the file
	offsets    []uint64
	compressed []byte
	list       list
	runs       []byte // a bit for each container of a bitmap: 1 for runs
	docValues  docValues
	words      []words
	values     []words
	docTerms   [][]byte

	work  *giveway.Work // nil: it gives no way
	steps int
}

// step gives way to searches now and then. Loops over rows and terms call it.
func (b *builder) step() {
	const every = 16
	if b.steps++; b.steps%every == 0 {
		b.work.Step()
	}
}

// begin has the builder give way until end is called.
func (b *builder) begin() (end func()) {
	work := giveway.Background()
	b.work = work
	return func() { b.work = nil; work.End() }
}

func newBuilder() *builder { return &builder{dict: &fst.Builder{}} }

// A dictionary maps the terms of one field, which come in order, to numbers.
type dictionary interface {
	Start(size int) // about that of the bytes that Finish returns
	Insert(term []byte, v uint64) error
	Finish() ([]byte, error)
}

// A field is a field of a segment.
type field struct {
	name    string
	options index.FieldIndexingOptions
	record  uint64 // where its record is
	end     uint64 // of its entry in a file that is read
}

// reset prepares for a new segment.
func (b *builder) reset(file io.Writer) {
	b.out, b.base, b.file, b.crc, b.failed = b.out[:0], 0, file, 0, nil
}

// at is the offset of the next byte.
func (b *builder) at() uint64 { return b.base + uint64(len(b.out)) }

// flush moves what is written to the file. It returns the first error of any write.
func (b *builder) flush() error {
	if b.failed == nil {
		b.crc = crc32.Update(b.crc, crc32.IEEETable, b.out)
		_, b.failed = b.file.Write(b.out)
	}
	b.base += uint64(len(b.out))
	b.out = b.out[:0]
	return b.failed
}

// put writes bytes. A merge of millions of rows has tens of megabytes at once, which go to
// its file without a copy. The next flush returns its error.
func (b *builder) put(data []byte) {
	if b.file == nil || len(data) < flushFrom {
		b.out = append(b.out, data...)
		return
	}
	_ = b.flush()
	own := b.out
	b.out = data
	_ = b.flush()
	b.out = own
}

// flushFrom is the size from which a merge writes to its file.
const flushFrom = 1 << 20

func (b *builder) flushLarge() error {
	if len(b.out) < flushFrom {
		return nil
	}
	return b.flush()
}

// uvarint appends a number. Most are below 128.
func uvarint(dst []byte, v uint64) []byte {
	if v < 1<<7 {
		return append(dst, byte(v))
	}
	return binary.AppendUvarint(dst, v)
}

// writeStoredIndex writes the offsets of the stored fields. It keeps the memory of few.
func (b *builder) writeStoredIndex() (at uint64) {
	at = b.at()
	for _, o := range b.offsets {
		b.out = binary.BigEndian.AppendUint64(b.out, o)
		if b.file != nil {
			_ = b.flushLarge() // the next flush returns its error
		}
	}
	b.out = append(b.out, 0) // no nested documents
	if len(b.offsets) > flushFrom/8 {
		b.offsets = nil
	}
	return at
}

// sections are the kinds of data that zapx keeps of a field.
var sections = [...]uint16{zap.SectionInvertedTextIndex, zap.SectionSynonymIndex, zap.SectionGeoShapeV2Index}

// writeFields writes the fields and their index.
func (b *builder) writeFields(fields []field) (at uint64) {
	b.offsets = b.offsets[:0]
	for _, f := range fields {
		b.offsets = append(b.offsets, b.at())
		b.out = uvarint(b.out, uint64(len(f.name)))
		b.out = append(b.out, f.name...)
		b.out = uvarint(b.out, uint64(f.options))
		b.out = append(b.out, byte(len(sections)))
		for i, section := range sections {
			b.out = binary.BigEndian.AppendUint16(b.out, section)
			record := uint64(0)
			if i == 0 {
				record = f.record
			}
			b.out = binary.BigEndian.AppendUint64(b.out, record)
		}
	}
	at = b.at()
	b.out = uvarint(b.out, uint64(len(fields)))
	for _, o := range b.offsets {
		b.out = binary.BigEndian.AppendUint64(b.out, o)
	}
	return at
}

// writeFooter writes the footer. zapx writes it for a segment in memory.
func (b *builder) writeFooter(docs, stored, fields uint64) error {
	b.out = binary.BigEndian.AppendUint32(b.out, 0) // no id of a writer
	b.out = binary.BigEndian.AppendUint64(b.out, docs)
	b.out = binary.BigEndian.AppendUint64(b.out, stored)
	b.out = binary.BigEndian.AppendUint64(b.out, fields)
	b.out = binary.BigEndian.AppendUint32(b.out, chunkMode)
	b.out = binary.BigEndian.AppendUint32(b.out, zap.Version)
	crc := crc32.Update(b.crc, crc32.IEEETable, b.out)
	b.out = binary.BigEndian.AppendUint32(b.out, crc)
	return b.flush()
}

// finishField writes the dictionary, the docvalues and the column of the documents that
// eachTerms passes on, if it is not nil, and the record of a field.
func (b *builder) finishField(f *field, docs int, eachTerms func(add addTerms) error) error {
	terms, err := b.dict.Finish()
	if err != nil {
		return err
	}
	dict := b.at()
	b.out = uvarint(b.out, uint64(len(terms)))
	b.put(terms)
	start, end := uint64(math.MaxUint64), uint64(math.MaxUint64)
	if eachTerms != nil {
		start = b.at()
		shape, err := b.writeDocValues(docs, eachTerms)
		if err != nil {
			return err
		}
		end = b.at()
		if !b.exact {
			column, err := numbers.AppendColumn(nil, docs, shape, eachTerms) // which may flush
			if err != nil {
				return err
			}
			b.put(column)
		}
	}
	f.record = b.at()
	b.out = uvarint(b.out, start)
	b.out = uvarint(b.out, end)
	b.out = uvarint(b.out, dict)
	return nil
}

// addTerms adds the terms of a document, with separators. Documents come in order.
type addTerms = func(doc int, terms []byte)

// writeDocValues writes the docvalues of a field, and returns the shape of its column.
func (b *builder) writeDocValues(docs int, each func(addTerms) error) (shape numbers.Shape, err error) {
	b.docValues.start(b, docs)
	err = each(func(doc int, terms []byte) {
		b.docValues.add(doc, terms)
		shape.Add(terms)
	})
	if err == nil {
		b.docValues.finish()
	}
	return shape, err
}

// docValues writes the docvalues of a field, the documents in order.
type docValues struct {
	b       *builder
	ends    []uint64 // of the chunks
	docs    int
	current int // chunk
	from    uint64
	numbers []uint64 // for each document of the chunk, its number and the end of its terms
	terms   []byte
}

// ValuesChunk is the number of documents whose docvalues are compressed together.
const ValuesChunk = 1024

func (v *docValues) start(b *builder, docs int) {
	v.b, v.docs, v.current, v.from, v.ends = b, docs, 0, b.at(), v.ends[:0]
}

func (v *docValues) add(doc int, terms []byte) {
	if chunk := doc / ValuesChunk; chunk != v.current {
		v.flush()
		for v.current++; v.current < chunk; v.current++ {
			v.ends = append(v.ends, v.b.at()-v.from)
		}
	}
	v.terms = append(v.terms, terms...)
	v.numbers = append(v.numbers, uint64(doc), uint64(len(v.terms)))
}

// flush writes the current chunk.
func (v *docValues) flush() {
	b := v.b
	b.out = uvarint(b.out, uint64(len(v.numbers)/2))
	for _, n := range v.numbers {
		b.out = uvarint(b.out, n)
	}
	b.compressed = snappy.Encode(b.compressed[:cap(b.compressed)], v.terms)
	b.out = append(b.out, b.compressed...)
	v.ends = append(v.ends, b.at()-v.from)
	v.numbers, v.terms = v.numbers[:0], v.terms[:0]
}

func (v *docValues) finish() {
	v.flush()
	for len(v.ends) <= (v.docs-1)/ValuesChunk {
		v.ends = append(v.ends, v.ends[len(v.ends)-1])
	}
	b := v.b
	at := b.at()
	for _, end := range v.ends {
		b.out = uvarint(b.out, end)
	}
	b.out = binary.BigEndian.AppendUint64(b.out, b.at()-at)
	b.out = binary.BigEndian.AppendUint64(b.out, uint64(len(v.ends)))
}
