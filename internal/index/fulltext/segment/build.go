package segment

import (
	"hash/crc32"
	"slices"
	"strings"
	"sync/atomic"

	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/zapx/v17"
	"github.com/golang/snappy"
)

// The options of the fields.
const (
	idOptions     = index.IndexField | index.StoreField
	wordOptions   = index.IndexField
	lengthOptions = index.IndexField | index.SkipFreqNorm
	valueOptions  = index.IndexField | index.DocValues | index.SkipFreqNorm
	storedOptions = index.StoreField
	storedType    = 't' // text, as zapx names it
)

// newSegment builds a segment in memory from rows in the order of their ids.
func (b *builder) newSegment(s *Schema, rows []Row, config map[string]any) (segment.Segment, uint64, error) {
	stats := segmentStats(config)
	atomic.AddUint64(&stats.TotNewRootDocsProcessed, uint64(len(rows)))
	merged := b.out
	defer func() { b.out = merged }()
	defer b.begin()()
	stored, fields, err := b.build(s, rows)
	if err != nil {
		return nil, 0, err
	}
	mem := trim(b.out)
	atomic.AddUint64(&stats.TotNewDocsProcessed, uint64(len(rows)))
	atomic.AddUint64(&stats.TotNewDocsIndexed, uint64(len(rows)))
	base, err := zap.InitSegmentBase(mem, crc32.ChecksumIEEE(mem), chunkMode, uint64(len(rows)), stored, fields, config, stats)
	return base, uint64(len(mem)), err
}

// build writes the segment up to its footer, and returns the offsets of the
// stored index and of the fields index.
func (b *builder) build(s *Schema, rows []Row) (stored, index uint64, err error) {
	b.reset(nil)
	b.collect(s, rows)
	b.out = make([]byte, 0, b.guess(s, len(rows)))
	fields := b.fields(s)
	stored = b.storeRows(rows, slices.IndexFunc(fields, func(f builtField) bool { return f.name == s.Stored }))
	written := make([]field, len(fields))
	for i := range fields {
		f := &fields[i]
		b.dict.Start(0)
		switch {
		case i == 0:
			err = b.writeIDs(&f.field, rows)
		case f.words != nil && f.lengths:
			err = b.writeLengths(f, len(rows))
		case f.words != nil:
			err = b.writeWords(i, f, len(rows))
		case f.values != nil && f.values.total > 0:
			err = b.writeValues(f, len(rows))
		default:
			err = b.finishField(&f.field, len(rows), nil)
		}
		if err != nil {
			return 0, 0, err
		}
		written[i] = f.field
	}
	return stored, b.writeFields(written), nil
}

// A builtField is a field with what the rows have of it.
type builtField struct {
	field
	words   *words
	lengths bool // only the numbers of words
	values  *words
}

// collect tokenizes the rows.
func (b *builder) collect(s *Schema, rows []Row) {
	for len(b.words) < len(s.Texts) {
		b.words = append(b.words, words{})
	}
	for len(b.values) < len(s.Values) {
		b.values = append(b.values, words{})
	}
	for i := range s.Texts {
		b.words[i].reset(textSize(rows, i))
		for k := range rows {
			b.words[i].add(s.Analyzer, rows[k].Texts[i], s.Gap)
			b.step()
		}
	}
	for i := range s.Values {
		b.values[i].reset(bytesPerWord * len(rows))
		for k := range rows {
			b.values[i].addValues(rows[k].Values[i])
			b.step()
		}
	}
}

// The bytes that a segment usually has for each thing, a little more than less: memory
// that it does not use is copied away.
const (
	rowBytes      = 64 // id, stored value, and what each field has of a row
	wordBytes     = 4  // tf and document, if a word occurs once in a row
	positionBytes = 1 + placeSize
	termBytes     = 20 // heads of lists and transitions of the dictionary, without letters
	valueBytes    = 5
)

// guess returns the size of the segment that will be written.
func (b *builder) guess(s *Schema, rows int) int {
	size, perWord := rowBytes*rows, wordBytes
	if s.Positions {
		perWord += positionBytes
	}
	for i := range s.Texts {
		w := &b.words[i]
		size += perWord*w.total + termBytes*len(w.terms) + len(w.bytes)
	}
	for i := range s.Values {
		w := &b.values[i]
		size += valueBytes*w.total + termBytes*len(w.terms) + len(w.bytes)
	}
	return size
}

// trim returns a list of bytes without the memory that it does not use, if that is
// more than a quarter.
func trim(b []byte) []byte {
	if cap(b)-len(b) <= len(b)/4 {
		return b
	}
	return slices.Clone(b)
}

// textSize returns the bytes of one field of words.
func textSize(rows []Row, field int) (size int) {
	for i := range rows {
		for _, text := range rows[i].Texts[field] {
			size += len(text)
		}
	}
	return size
}

// fields returns the fields of the schema: _id, then the others by name. So all
// segments of an index have the same fields, and Merge copies them. zapx leaves out
// a field that no row has.
func (b *builder) fields(s *Schema) []builtField {
	fields := []builtField{{field: field{name: s.Stored, options: storedOptions}}}
	options := index.FieldIndexingOptions(wordOptions)
	if s.Positions {
		options |= index.IncludeTermVectors
	}
	for i, name := range s.Texts {
		if !b.exact || b.words[i].present {
			fields = append(fields, builtField{field: field{name: name, options: options}, words: &b.words[i]})
			if s.Lengths != nil {
				fields = append(fields, builtField{field: field{name: s.Lengths[i], options: lengthOptions}, words: &b.words[i], lengths: true})
			}
		}
	}
	for i, name := range s.Values {
		if !b.exact || b.values[i].total > 0 {
			fields = append(fields, builtField{field: field{name: name, options: valueOptions}, values: &b.values[i]})
		}
	}
	slices.SortFunc(fields, func(a, b builtField) int { return strings.Compare(a.name, b.name) })
	return slices.Insert(fields, 0, builtField{field: field{name: "_id", options: idOptions}})
}

// storeRows writes the id and the stored value of each row.
func (b *builder) storeRows(rows []Row, field int) (at uint64) {
	b.offsets = b.offsets[:0]
	var buf []byte
	for i := range rows {
		r := &rows[i]
		meta := uvarint(buf[:0], uint64(len(r.ID)))
		meta = uvarint(meta, uint64(field))
		meta = append(meta, storedType, 0)
		meta = uvarint(meta, uint64(len(r.Stored)))
		meta = append(meta, 0)
		buf = meta
		b.compressed = snappy.Encode(b.compressed[:cap(b.compressed)], r.Stored)
		b.offsets = append(b.offsets, b.at())
		b.out = uvarint(b.out, uint64(len(meta)))
		b.out = uvarint(b.out, uint64(len(r.ID)+len(b.compressed)))
		b.out = append(b.out, meta...)
		b.out = append(b.out, r.ID...)
		b.out = append(b.out, b.compressed...)
		b.step()
	}
	return b.writeStoredIndex()
}

// writeIDs writes the ids, each of which is a term of one document.
func (b *builder) writeIDs(f *field, rows []Row) error {
	for i := range rows {
		b.list.start(1, len(rows))
		b.list.add(uint32(i))
		b.list.tf = append(b.list.tf, 1<<1, 1) // once, in a field of one word
		v, _ := b.list.single()
		if b.exact {
			v = b.writeList()
		}
		if err := b.dict.Insert([]byte(rows[i].ID), v); err != nil {
			return err
		}
		b.step()
	}
	return b.finishField(f, len(rows), nil)
}

// writeWords writes a field of words.
func (b *builder) writeWords(id int, f *builtField, docs int) error {
	w := f.words
	w.order()
	var err error
	if positions := f.options.IncludeTermVectors(); w.places.isNarrow {
		err = writeTerms(b, w, w.places.narrow, id, docs, positions)
	} else {
		err = writeTerms(b, w, w.places.wide, id, docs, positions)
	}
	if err != nil {
		return err
	}
	return b.finishField(&f.field, docs, nil)
}

// writeLengths writes the numbers of words of a field.
func (b *builder) writeLengths(f *builtField, docs int) error {
	longest := slices.Max(f.words.lengths)
	var with []uint32
	for bit := 0; longest>>bit > 0; bit++ {
		with = with[:0]
		for doc, words := range f.words.lengths {
			if words>>bit&1 != 0 {
				with = append(with, uint32(doc))
			}
		}
		if len(with) == 0 {
			continue
		}
		b.list.start(len(with), docs)
		for _, doc := range with {
			b.list.add(doc)
			b.list.tf = append(b.list.tf, 0) // no frequency
		}
		if err := b.dict.Insert([]byte{byte(bit)}, b.writeList()); err != nil {
			return err
		}
	}
	return b.finishField(&f.field, docs, nil)
}
