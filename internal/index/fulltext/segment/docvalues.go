package segment

import (
	"bytes"
	"slices"
	"sync"

	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// The fieldValues are the docvalues of a field in a segment that is open.
type fieldValues struct {
	data []byte // nil: the field has none
	once sync.Once
	all  []byte   // of all chunks
	ends []uint64 // of the chunks
	err  error
}

// chunk returns the bytes of a chunk. The first call reads the ends of all chunks.
func (v *fieldValues) chunk(s *source, n int) ([]byte, error) {
	v.once.Do(func() { v.all, v.ends, v.err = s.readEnds(v.data) })
	switch {
	case v.err != nil:
		return nil, v.err
	case n >= len(v.ends):
		return nil, errBroken
	case n == 0:
		return v.all[:v.ends[0]], nil
	}
	return v.all[v.ends[n-1]:v.ends[n]], nil
}

// readEnds returns the docvalues of all chunks, and where each chunk ends in them.
func (s *source) readEnds(values []byte) (all []byte, ends []uint64, err error) {
	all, list, err := s.valueEnds(values)
	if err != nil {
		return nil, nil, err
	}
	last := uint64(0)
	for d := (decoder{data: list}); d.at < uint64(len(list)); {
		end := d.uvarint()
		if d.broken || end < last || end > uint64(len(all)) {
			return nil, nil, errBroken
		}
		ends, last = append(ends, end), end
	}
	if last != uint64(len(all)) || len(ends) != (s.docs-1)/ValuesChunk+1 {
		return nil, nil, errBroken
	}
	return all, ends, nil
}

// A visitState is where a search reads the docvalues of some fields, one document after
// another.
type visitState struct {
	of     *opened
	fields []string
	chunks []chunkState // for each field
}

func (v *visitState) BytesRead() uint64       { return 0 }
func (v *visitState) ResetBytesRead(_ uint64) {}
func (v *visitState) BytesWritten() uint64    { return 0 }

// VisitableDocValueFields implements segment.DocValueVisitable. Scorch would compute those
// of other fields, in a goroutine that recovers from no panic.
func (o *opened) VisitableDocValueFields() ([]string, error) { return o.names, nil }

// VisitDocValues implements segment.DocValueVisitable.
func (o *opened) VisitDocValues(doc uint64, fields []string, visit index.DocValueVisitor, state segment.DocVisitState) (segment.DocVisitState, error) {
	v, ok := state.(*visitState)
	if !ok || v == nil {
		v = &visitState{}
	}
	if v.of != o || !slices.Equal(v.fields, fields) {
		v.begin(o, fields)
	}
	for i := range v.chunks {
		if c := &v.chunks[i]; c.values != nil && c.values.data != nil {
			if err := c.visit(o.src, doc, fields[i], visit); err != nil {
				return v, o.src.name(err)
			}
		}
	}
	return v, nil
}

func (v *visitState) begin(o *opened, fields []string) {
	v.of, v.fields = o, append(v.fields[:0], fields...)
	v.chunks = slices.Grow(v.chunks[:0], len(fields))[:len(fields)]
	for i, name := range fields {
		c := &v.chunks[i]
		c.number, c.values = -1, o.values[name]
	}
}

// A chunkState is the chunk of a field that was read last.
type chunkState struct {
	values     *fieldValues // nil: the segment has no such field
	number     int          // -1: none
	docs       []uint32
	ends       []uint64 // of the terms of each
	compressed []byte
	expanded   bool
	terms      []byte // if expanded
}

// visit passes the terms of a document on.
func (c *chunkState) visit(s *source, doc uint64, field string, visit index.DocValueVisitor) error {
	if n := int(doc / ValuesChunk); n != c.number {
		c.number = -1
		if err := c.read(s, n); err != nil {
			return err
		}
		c.number = n
	}
	i, found := slices.BinarySearch(c.docs, uint32(doc))
	if !found {
		return nil
	}
	if !c.expanded {
		var err error
		if c.terms, err = decompress(c.terms, c.compressed); err != nil {
			return err
		}
		if c.ends[len(c.ends)-1] > uint64(len(c.terms)) {
			return errBroken
		}
		c.expanded = true
	}
	from := uint64(0)
	if i > 0 {
		from = c.ends[i-1]
	}
	for terms := c.terms[from:c.ends[i]]; ; {
		n := bytes.IndexByte(terms, index.DocValueTermSeparator)
		if n < 0 {
			return nil
		}
		visit(field, terms[:n:n])
		terms = terms[n+1:]
	}
}

// read reads the documents of a chunk.
func (c *chunkState) read(s *source, number int) error {
	c.docs, c.ends, c.expanded = c.docs[:0], c.ends[:0], false
	chunk, err := c.values.chunk(s, number)
	if err != nil || len(chunk) == 0 {
		return err
	}
	d := decoder{data: chunk}
	n := d.uvarint()
	if n > ValuesChunk {
		return errBroken
	}
	next, limit, last := uint64(number)*ValuesChunk, min(uint64(number+1)*ValuesChunk, uint64(s.docs)), uint64(0)
	for range n {
		doc, end := d.uvarint(), d.uvarint()
		if d.broken || doc < next || doc >= limit || end < last {
			return errBroken
		}
		c.docs, c.ends = append(c.docs, uint32(doc)), append(c.ends, end)
		next, last = doc+1, end
	}
	c.compressed = chunk[d.at:]
	return nil
}
