package segment

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum"
	"github.com/blevesearch/zapx/v17"
)

// A Reader answers searches from one segment. It must not be used concurrently.
type Reader struct {
	src   *source
	dicts map[string]*vellum.FST // nil for a field that the segment lacks
}

// NewReader opens a segment for a search, which must keep the segment open. It
// copies a segment that is in memory.
func NewReader(s segment.Segment) (*Reader, error) {
	src, err := openSource(s)
	if errors.Is(err, errForeign) { // or damaged
		err = fmt.Errorf("%w: a segment of the index is of another program or version: build a new index from the pages", &BrokenError{filepath.Base(Path(s))})
	}
	return &Reader{src, map[string]*vellum.FST{}}, err
}

// Docs returns the number of documents, deleted ones included.
func (r *Reader) Docs() int { return r.src.docs }

// Live returns the documents that are not deleted, and how many there are. Other searches have
// the set too: it must not be changed.
func (r *Reader) Live(deleted *roaring.Bitmap) (docs Bits, count int) {
	each := func(func(uint32) bool) {}
	if deleted != nil { // scorch replaces it, and does not change it
		each = roaring.Values(deleted)
	}
	return r.src.visible.Of(r.src.docs, deleted, each)
}

func (r *Reader) dict(field string) (*vellum.FST, error) {
	if fst, ok := r.dicts[field]; ok {
		return fst, nil
	}
	r.dicts[field] = nil
	for _, f := range r.src.fields {
		if f.name != field {
			continue
		}
		_, terms, err := r.src.record(f)
		if err != nil {
			return nil, r.src.name(err)
		}
		if r.dicts[field], err = vellum.Load(terms); err != nil {
			return nil, r.src.name(errBroken)
		}
	}
	return r.dicts[field], nil
}

// Terms returns the number of terms of a field.
func (r *Reader) Terms(field string) (int, error) {
	fst, err := r.dict(field)
	if err != nil || fst == nil {
		return 0, err
	}
	return fst.Len(), nil
}

// Find returns the postings of a term, and false if there are none.
func (r *Reader) Find(field, term string) (Postings, bool, error) {
	fst, err := r.dict(field)
	if err != nil || fst == nil {
		return Postings{}, false, err
	}
	v, found, err := fst.Get([]byte(term))
	if err != nil {
		err = r.src.name(errBroken)
	}
	return Postings{r.src, v}, found, err
}

// Each calls f with the terms of a field from from on, and before before if that
// is not "", until f returns false. The term is valid until f returns.
func (r *Reader) Each(field, from, before string, f func(term []byte, p Postings) (bool, error)) error {
	fst, err := r.dict(field)
	if err != nil || fst == nil {
		return err
	}
	it, err := fst.Iterator([]byte(from), nil) // with an end it returns the first term in any case
	for ; err == nil; err = it.Next() {
		term, v := it.Current()
		if before != "" && string(term) >= before {
			return nil
		}
		if more, err := f(term, Postings{r.src, v}); err != nil || !more {
			return r.src.name(err)
		}
	}
	if errors.Is(err, vellum.ErrIteratorDone) {
		return nil
	}
	return r.src.name(errBroken)
}

// Words returns the sum of the numbers of words that the documents of a set have,
// nil for all documents, from a field of lengths.
func (r *Reader) Words(field string, in Bits) (sum uint64, err error) {
	err = r.Each(field, "", "", func(term []byte, p Postings) (bool, error) {
		if len(term) != 1 || term[0] >= 64 {
			return false, errBroken
		}
		n, err := p.CountIn(in)
		sum += uint64(n) << term[0]
		return true, err
	})
	return sum, err
}

// Postings are the documents of one term.
type Postings struct {
	src   *source
	value uint64 // what the dictionary has for the term
}

// each passes the documents on.
func (p Postings) each(to docSink) error {
	if doc, _, ok := p.single(); ok {
		to.addRun(doc, doc)
		return nil
	}
	docs, _, _, err := p.head()
	if err != nil {
		return err
	}
	return readBitmap(docs, p.src.docs, to)
}

// single returns the document of a term without a postings list, and the length
// of its field.
func (p Postings) single() (doc uint32, length uint64, ok bool) {
	if p.value&zap.FSTValEncodingMask != zap.FSTValEncoding1Hit {
		return 0, 0, false
	}
	n, length := zap.FSTValDecode1Hit(p.value)
	return uint32(n), length, true
}

// parts returns tf, loc and the bitmap of a postings list.
func (p Postings) parts() (tf, loc, docs []byte, err error) {
	docs, tfAt, locAt, err := p.head()
	if err != nil {
		return nil, nil, nil, err
	}
	d := decoder{data: p.src.data}
	tf, loc = d.chunks(tfAt), d.chunks(locAt)
	if d.broken {
		return nil, nil, nil, errBroken
	}
	return tf, loc, docs, nil
}

// head returns the bitmap of a postings list and the offsets of tf and loc.
func (p Postings) head() (docs []byte, tf, loc uint64, err error) {
	d := decoder{data: p.src.data, at: p.value}
	tf, loc = d.uvarint(), d.uvarint()
	if docs = d.bytes(d.uvarint()); d.broken {
		return nil, 0, 0, errBroken
	}
	return docs, tf, loc, nil
}

// AddTo adds the documents to a set.
func (p Postings) AddTo(to Bits) error {
	a := adder{to: to}
	if err := p.each(&a); err != nil {
		return p.src.name(err)
	}
	if a.broken {
		return p.src.name(errBroken)
	}
	return nil
}

// CountIn returns how many of the documents are in a set, nil for all documents,
// which it counts without reading them.
func (p Postings) CountIn(in Bits) (int, error) {
	if in == nil {
		n, err := p.count()
		return n, p.src.name(err)
	}
	c := counter{in: in}
	err := p.each(&c)
	return c.n, p.src.name(err)
}

func (p Postings) count() (int, error) {
	if _, _, ok := p.single(); ok {
		return 1, nil
	}
	docs, _, _, err := p.head()
	if err != nil {
		return 0, err
	}
	b, err := openBitmap(docs, p.src.docs)
	return b.count(), err
}

// Doc returns the document of a term that one document has, such as its id.
func (p Postings) Doc() (doc uint32, err error) {
	if doc, _, ok := p.single(); ok {
		return doc, p.src.name(docList{doc}.check(p.src.docs))
	}
	var docs docList
	err = p.each(&docs)
	if err == nil && len(docs) != 1 {
		err = errBroken
	}
	if err == nil {
		err = docs.check(p.src.docs)
	}
	if err != nil {
		return 0, p.src.name(err)
	}
	return docs[0], nil
}

// A Cursor reads the documents of a term one after another.
type Cursor struct {
	Doc    uint32
	Freq   int // how often the document has the term
	Length int // number of words of the field in the document

	docs   bitmap
	block  docList // documents of one container of docs
	at     int
	limit  int
	src    *source
	tf     decoder
	loc    decoder
	places uint64 // where those of Doc are in loc
	err    error

	among           Bits   // nil for all documents
	size            uint32 // documents that a chunk of tf and loc stands for
	decided         uint32 // the documents before are in chunks that are read
	tfEnds, locEnds []uint64
}

// Cursor opens a cursor before the first document. It skips documents that are not
// in a set where it can, and passes over others of them.
func (p Postings) Cursor(among Bits) *Cursor {
	c := &Cursor{limit: p.src.docs, src: p.src}
	if doc, length, ok := p.single(); ok {
		if c.err = (docList{doc}).check(c.limit); c.err != nil {
			return c
		}
		c.block = docList{doc}
		c.tf.data = uvarint([]byte{1 << 1}, length)
		return c
	}
	tf, loc, docs, err := p.parts()
	if err == nil {
		c.docs, err = openBitmap(docs, p.src.docs)
	}
	c.tf.data, c.loc.data, c.err = tf, loc, err
	if n := c.docs.count(); err == nil && n >= perChunk {
		c.among, c.size = among, uint32(p.src.docs/(n/perChunk+1))
		d := decoder{data: p.src.data, at: p.value}
		tfAt, locAt := d.uvarint(), d.uvarint()
		c.tfEnds, c.locEnds = d.chunkEnds(tfAt, p.src.docs), d.chunkEnds(locAt, p.src.docs)
	}
	return c
}

// Next goes to the next document. It returns false at the end and at an error.
func (c *Cursor) Next() bool {
	for {
		if c.at == len(c.block) && !c.nextBlock() {
			return false
		}
		c.Doc = c.block[c.at]
		if c.among == nil || c.Doc < c.decided || !c.skipChunk() {
			break
		}
	}
	c.at++
	hasPlaces := c.readFreq()
	c.places = c.loc.at
	if hasPlaces {
		size := c.loc.uvarint()
		c.places = c.loc.at
		c.loc.skip(size)
	}
	return true
}

// readFreq reads freq and length, and reports whether there are positions. Most
// numbers are below 128.
func (c *Cursor) readFreq() bool {
	if at := c.tf.at; at+1 < uint64(len(c.tf.data)) {
		if freq, length := c.tf.data[at], c.tf.data[at+1]; 1 < freq && freq < 1<<7 && length < 1<<7 {
			c.tf.at += 2
			c.Freq, c.Length = int(freq>>1), int(length)
			return freq&1 != 0
		}
	}
	freq := c.tf.uvarint()
	c.Freq, c.Length = int(freq>>1), 0
	if c.Freq > 0 {
		c.Length = int(c.tf.uvarint())
	}
	return freq&1 != 0
}

// skipChunk skips the documents of a chunk, unless one of them is wanted.
func (c *Cursor) skipChunk() bool {
	chunk := int(c.Doc / c.size)
	end := uint32(chunk+1) * c.size
	if c.among.HasAny(c.Doc, end) || chunk >= len(c.tfEnds) || len(c.locEnds) > 0 && chunk >= len(c.locEnds) {
		c.decided = end
		return false
	}
	c.tf.at = c.tfEnds[chunk]
	if len(c.locEnds) > 0 {
		c.loc.at = c.locEnds[chunk]
	}
	for c.at < len(c.block) && c.block[c.at] < end {
		c.at++
	}
	return true
}

// nextBlock reads the next container, and checks what was read before.
func (c *Cursor) nextBlock() bool {
	c.at, c.block = 0, c.block[:0]
	if c.err == nil && (c.tf.broken || c.loc.broken) {
		c.err = errBroken
	}
	if len(c.docs.keys) > 0 {
		c.block = slices.Grow(c.block, c.docs.inNext())
	}
	if c.err != nil || !c.docs.read(&c.block) {
		return false
	}
	c.err = c.block.check(c.limit)
	return c.err == nil && len(c.block) > 0
}

// SkipTo goes to a document, or to the first after it.
func (c *Cursor) SkipTo(doc uint32) bool {
	for c.at == 0 || c.Doc < doc {
		if !c.Next() {
			return false
		}
	}
	return true
}

// AppendPositions appends the positions of the term in the document.
func (c *Cursor) AppendPositions(dst []int) []int {
	d := decoder{data: c.loc.data, at: c.places}
	for d.at < c.loc.at && !d.broken {
		dst = d.appendPosition(dst)
	}
	if d.broken && c.err == nil {
		c.err = errBroken
	}
	return dst
}

// Err returns the error that ended the cursor, nil at the end.
func (c *Cursor) Err() error {
	if c.err == nil && (c.tf.broken || c.loc.broken || c.docs.d.broken) {
		return c.src.name(errBroken)
	}
	return c.src.name(c.err)
}
