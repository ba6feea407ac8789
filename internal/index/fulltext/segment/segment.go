// Package segment builds the segments of an index from rows. A Plugin is the
// plugin of zapx for segments of type zap, version 17, with its own New and
// Merge. The files have the format of zapx: zapx reads what a Plugin writes, and
// a Plugin what zapx has written. So an index can go back to zapx at any time.
//
// # Why
//
// zapx builds a segment from documents, fields and maps of terms. Most of the
// CPU of a load went there. A Plugin tokenizes the rows of a batch into one hash
// table per field and asks for a stop word or a stem once per distinct word. A
// counting sort then brings the occurrences of words into the order of terms,
// and each part of the file is written once, in order. Merge copies what does
// not name a document, and gives the other documents new numbers.
//
// # Format
//
// Numbers are uvarints if nothing else is said, and "u64" is big-endian. Offsets
// are from the start of the file. Documents are numbered from 0, by id.
//
//	stored fields   for each document: length of meta, length of data, meta, data
//	                  meta: length of the id, then field, type, offset, length, 0
//	                  data: id, value of the stored field compressed by snappy
//	stored index    u64 offset of each document, 0 (no nested documents)
//	for each field
//	  for each term   tf, loc, postings
//	    tf            chunks, end of each chunk, for each document 2*freq+hasLoc, length of the field
//	    loc           chunks, end of each chunk, for each document its bytes, for each position field, pos, 0, 0, 0
//	    postings      offset of tf or 0, offset of loc or 0, length of bitmap, bitmap of documents (roaring)
//	  dictionary      length, finite state transducer (vellum) from terms to offsets of postings
//	  docvalues       for each 1024 documents a chunk: documents, for each its number and the end
//	                    of its terms, then the terms compressed by snappy, each followed by 0xff
//	                  end of each chunk, u64 length of these ends, u64 number of chunks
//	  column          the numbers of a field by document, if it has any: see package numbers
//	  record          start and end of docvalues or two times 2^64-1, offset of the dictionary
//	fields          for each: length of name, name, options, 3, for each section u16 type and u64 offset of the record
//	fields index    number of fields, u64 offset of each
//	footer          u32 0, u64 documents, u64 stored index, u64 fields index, u32 1026, u32 17, u32 CRC-32 of all before
//
// A field of lengths has a term for each bit of a number of words: document d has
// the term of one byte b if bit b of the number of its words is set. So the sum of
// lengths in any set of documents takes one count for each bit.
//
// A field of exact terms, or of lengths, has freq 0 and no length. A term of one document, with
// freq 1 and no positions, needs no postings: the dictionary has the document
// and the length of the field in place of the offset, with bit 63 set.
//
// # Guarantees
//
// A segment answers all that a reader can ask as the segment of zapx does. The
// tests compare both, also byte by byte: in the mode exact a builder writes the
// dictionary by vellum's builder and has term lists of one document where zapx
// has them.
//
// A Batch for a Plugin has no fields, so another plugin of scorch has no _id for it:
// zapx panics. It never indexes an empty document.
//
// Merge checks every length and offset that it reads from a file, and returns an
// error if one is wrong. The goroutine that calls it recovers from no panic.
//
// # Costs
//
// In batches of 10,000, texts of 500 bytes take 9 us of CPU each in a whole index, a
// twentieth of what zapx takes: about 5 us are the segment, and a merge takes 2 us more
// (BenchmarkLoad, BenchmarkBuild, BenchmarkMerge). A builder's memory is used again;
// cost.go of package fulltext says how much it is.
package segment

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/zapx/v17"

	"indexerd/internal/index/analysis"
)

// chunkMode is the only way of cutting term lists into chunks that this package
// reads and writes.
const chunkMode = 1026

// Register makes a Plugin the plugin of scorch for all indexes of the process.
// Call it before the first index is opened.
var Register = sync.OnceValue(func() error {
	if zap.Version != 17 || zap.DefaultChunkMode != chunkMode {
		return fmt.Errorf("segments of zap %d with chunk mode %d are not supported: build indexerd with zapx v17", zap.Version, zap.DefaultChunkMode)
	}
	scorch.RegisterSegmentPlugin(&Plugin{}, true)
	return nil
})

// A Schema describes the fields of rows.
type Schema struct {
	Analyzer  *analysis.Analyzer
	Positions bool     // store the positions of words
	Gap       int      // positions between two texts of a field
	Texts     []string // fields of words
	Lengths   []string // for each of Texts a field of the numbers of its words, none without
	Values    []string // fields of exact terms
	Stored    string   // the field of a stored value
}

// A Row is one document. An empty text or list of terms is a field that the
// document lacks.
type Row struct {
	ID     string
	Stored []byte
	Texts  [][]string // texts of each field of words
	Values [][]string // terms of each field of exact terms, without the byte 0xff
}

// Batch returns a batch for scorch that writes rows and removes the documents with
// the deleted ids. A row replaces the document with its id; of several rows with one
// id the last is written. The batch uses the rows, and no other document may be added
// to it.
//
// Scorch hands every document of a batch to another goroutine and takes it back. So
// one document has all the rows. The other ids are there without one, as those of
// documents to remove: scorch removes them from older segments only.
func (s *Schema) Batch(rows []Row, deleted []string) *index.Batch {
	rows = byID(rows)
	batch := &index.Batch{IndexOps: make(map[string]index.Document, len(rows)+len(deleted)), InternalOps: map[string][]byte{}}
	for _, id := range deleted {
		batch.Delete(id)
	}
	for i := range rows {
		batch.Delete(rows[i].ID)
	}
	if len(rows) > 0 {
		batch.Update(&rowsDocument{rows, s})
	}
	return batch
}

// byID returns rows in the order of their ids, the last one of each.
func byID(rows []Row) []Row {
	inOrder := true
	for i := 1; i < len(rows); i++ {
		inOrder = inOrder && rows[i-1].ID < rows[i].ID
	}
	if inOrder {
		return rows
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return strings.Compare(a.ID, b.ID) })
	last := rows[:0]
	for i := range rows {
		if i+1 == len(rows) || rows[i+1].ID != rows[i].ID {
			last = append(last, rows[i])
		}
	}
	return last
}

// A rowsDocument is all rows of a batch. It has no fields for scorch, so scorch has
// nothing to analyze.
type rowsDocument struct {
	rows   []Row
	schema *Schema
}

func (d *rowsDocument) ID() string                                 { return d.rows[0].ID }
func (d *rowsDocument) Size() int                                  { return 0 }
func (d *rowsDocument) VisitFields(index.FieldVisitor)             {}
func (d *rowsDocument) VisitComposite(index.CompositeFieldVisitor) {}
func (d *rowsDocument) HasComposite() bool                         { return false }
func (d *rowsDocument) NumPlainTextBytes() uint64                  { return 0 }
func (d *rowsDocument) AddIDField()                                {}
func (d *rowsDocument) StoredFieldsBytes() uint64                  { return 0 }
func (d *rowsDocument) Indexed() bool                              { return false }

// A Plugin is zapx's plugin with another New and Merge, and an Open that trusts no byte.
type Plugin struct{ zap.ZapPlugin }

// New implements scorch.SegmentPlugin.
func (p *Plugin) New(docs []index.Document) (segment.Segment, uint64, error) {
	return p.NewUsing(docs, nil)
}

// NewUsing implements scorch.SegmentPlugin. zapx builds the segment of other documents.
func (p *Plugin) NewUsing(docs []index.Document, config map[string]any) (segment.Segment, uint64, error) {
	for _, d := range docs {
		if d, ok := d.(*rowsDocument); ok {
			if len(docs) > 1 {
				return nil, 0, errors.New("batch has rows and other documents")
			}
			b := builders.Get().(*builder)
			s, size, err := b.newSegment(d.schema, d.rows, config)
			b.release(err)
			return s, size, err
		}
	}
	return p.ZapPlugin.NewUsing(docs, config)
}

// builders keeps the memory of builders.
var builders = sync.Pool{New: func() any { return newBuilder() }}

// maxKept is the size of a segment after which a builder's memory is not used again.
const maxKept = 32 << 20

// release keeps the memory of a builder, unless it has parts of a segment that failed.
func (b *builder) release(err error) {
	if err == nil && max(cap(b.out), int(b.at())) <= maxKept {
		builders.Put(b)
	}
}

func segmentStats(config map[string]any) *segment.Stats {
	if stats, ok := config[segment.StatsKey].(*segment.Stats); ok && stats != nil {
		return stats
	}
	return new(segment.Stats)
}
