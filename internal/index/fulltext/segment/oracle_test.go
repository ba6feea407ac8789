package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum"
	"github.com/blevesearch/zapx/v17"

	"indexerd/internal/index/analysis"
)

// The tests compare what a builder writes with what zapx writes for the same
// rows.

// An oracleField is a field as zapx takes it.
type oracleField struct {
	name    string
	options index.FieldIndexingOptions
	freqs   index.TokenFrequencies
	length  int
	value   []byte
}

func (f *oracleField) Name() string                                     { return f.name }
func (f *oracleField) ArrayPositions() []uint64                         { return nil }
func (f *oracleField) Value() []byte                                    { return f.value }
func (f *oracleField) EncodedFieldType() byte                           { return 't' }
func (f *oracleField) Analyze()                                         {}
func (f *oracleField) AnalyzedLength() int                              { return f.length }
func (f *oracleField) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.freqs }
func (f *oracleField) NumPlainTextBytes() uint64                        { return 0 }
func (f *oracleField) Size() int                                        { return 0 }
func (f *oracleField) Options() index.FieldIndexingOptions              { return f.options }

// oracleDocument makes the document for zapx.
func (s *Schema) oracleDocument(r Row) index.Document {
	d := document.NewDocument(r.ID)
	for i, name := range s.Texts {
		if len(r.Texts[i]) > 0 {
			words := s.oracleWords(name, r.Texts[i])
			d.AddField(words)
			if s.Lengths != nil {
				d.AddField(oracleLength(s.Lengths[i], words.length))
			}
		}
	}
	for i, name := range s.Values {
		if len(r.Values[i]) == 0 {
			continue
		}
		f := &oracleField{name: name, options: index.IndexField | index.DocValues | index.SkipFreqNorm, freqs: index.TokenFrequencies{}}
		for _, term := range r.Values[i] {
			f.freqs[term] = &index.TokenFreq{}
		}
		d.AddField(f)
	}
	d.AddField(&oracleField{name: s.Stored, options: index.StoreField, value: r.Stored})
	return d
}

func (s *Schema) oracleWords(name string, texts []string) *oracleField {
	f := &oracleField{name: name, options: index.IndexField, freqs: index.TokenFrequencies{}}
	if s.Positions {
		f.options |= index.IncludeTermVectors
	}
	last := 0
	for _, text := range texts {
		before := 0
		if last > 0 {
			before = last + s.Gap
		}
		s.Analyzer.Each(text, func(t analysis.Token) bool {
			tf := f.freqs[t.Term]
			if tf == nil {
				tf = &index.TokenFreq{}
				f.freqs[t.Term] = tf
			}
			tf.SetFrequency(tf.Frequency() + 1)
			last = before + t.Pos
			if s.Positions {
				tf.Locations = append(tf.Locations, &index.TokenLocation{Position: last})
			}
			if !t.Form.Extra() {
				f.length++
			}
			return true
		})
	}
	return f
}

// oracleLength has a term for each bit of a length.
func oracleLength(name string, length int) *oracleField {
	f := &oracleField{name: name, options: index.IndexField | index.SkipFreqNorm, freqs: index.TokenFrequencies{}}
	for bit := range 32 {
		if length>>bit&1 != 0 {
			f.freqs[string(rune(bit))] = &index.TokenFreq{}
		}
	}
	return f
}

// A libraryDictionary writes with vellum, as zapx does.
type libraryDictionary struct {
	buf bytes.Buffer
	b   *vellum.Builder
}

func (d *libraryDictionary) Start(int) {
	d.buf.Reset()
	var err error
	if d.b, err = vellum.New(&d.buf, nil); err != nil {
		panic(err)
	}
}
func (d *libraryDictionary) Insert(term []byte, v uint64) error { return d.b.Insert(term, v) }
func (d *libraryDictionary) Finish() ([]byte, error)            { err := d.b.Close(); return d.buf.Bytes(), err }

// exactBuilder returns a builder that writes the bytes of zapx.
func exactBuilder() *builder { return &builder{exact: true, dict: &libraryDictionary{}} }

// built builds a segment of rows.
func built(t testing.TB, b *builder, s *Schema, rows []Row) segment.Segment {
	t.Helper()
	seg, _, err := b.newSegment(s, byID(slices.Clone(rows)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return seg
}

// documentsOf returns what a plugin gets of a batch with these rows.
func documentsOf(s *Schema, rows []Row) (docs []index.Document) {
	for _, d := range s.Batch(rows, nil).IndexOps {
		if d != nil {
			docs = append(docs, d)
		}
	}
	return docs
}

// oracle lets zapx build a segment of rows, which must be sorted.
func oracle(t testing.TB, s *Schema, rows []Row) segment.Segment {
	t.Helper()
	var docs []index.Document
	for _, r := range rows {
		d := s.oracleDocument(r)
		d.AddIDField()
		d.VisitFields(func(f index.Field) { f.Analyze() })
		docs = append(docs, d)
	}
	seg, _, err := new(zap.ZapPlugin).New(docs)
	if err != nil {
		t.Fatal(err)
	}
	return seg
}

// onDisk writes a segment to a file and opens it.
func onDisk(t testing.TB, s segment.Segment) segment.Segment {
	t.Helper()
	path := filepath.Join(t.TempDir(), "segment")
	if err := s.(*zap.SegmentBase).Persist(path); err != nil {
		t.Fatal(err)
	}
	return openFile(t, path)
}

func openFile(t testing.TB, path string) segment.Segment {
	t.Helper()
	s, err := new(zap.ZapPlugin).Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func bytesOf(t testing.TB, s segment.Segment) []byte {
	t.Helper()
	switch s := s.(type) {
	case *zap.Segment:
		b, err := os.ReadFile(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		return b
	case *zap.SegmentBase:
		var buf bytes.Buffer
		if _, err := s.WriteTo(&buf); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	}
	t.Fatalf("unexpected segment %T", s)
	return nil
}

// canonical returns the bytes of a segment with the sections of each field in
// order, which zapx writes in the order of a map, and without checksum.
func canonical(t testing.TB, s segment.Segment) []byte {
	t.Helper()
	b := slices.Clone(bytesOf(t, s))
	foot := b[len(b)-zap.FooterSize:]
	list := decoder{data: b, at: binary.BigEndian.Uint64(foot[20:])}
	for range list.uvarint() {
		d := decoder{data: b, at: list.uint64()}
		d.bytes(d.uvarint())
		d.uvarint()
		pairs := make([][]byte, d.uvarint())
		from := d.at
		for i := range pairs {
			pairs[i] = slices.Clone(d.bytes(10))
		}
		slices.SortFunc(pairs, bytes.Compare)
		copy(b[from:], slices.Concat(pairs...))
		if d.broken {
			t.Fatal("the fields of a segment can't be read")
		}
	}
	return b[:len(b)-4]
}

// checkBytes compares two segments byte by byte.
func checkBytes(t testing.TB, got, want segment.Segment) {
	t.Helper()
	g, w := canonical(t, got), canonical(t, want)
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("byte %d of %d: got % x, want % x", i, len(w), g[i:min(i+20, len(g))], w[i:min(i+20, len(w))])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("got %d bytes, want %d", len(g), len(w))
	}
}

// checkContents compares all that a reader can ask of two segments.
func checkContents(t testing.TB, got, want segment.Segment) {
	t.Helper()
	g, w := contents(t, got), contents(t, want)
	for i := range w {
		if i >= len(g) || g[i] != w[i] {
			t.Fatalf("line %d of %d: got %q, want %q", i, len(w), g[i:min(i+3, len(g))], w[i:min(i+3, len(w))])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("got %d more lines: %q", len(g)-len(w), g[len(w)])
	}
}

// contents lists all that a reader can ask of a segment. A field without terms is like
// one that is not there.
func contents(t testing.TB, s segment.Segment) (all []string) {
	t.Helper()
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	add("%d documents", s.Count())
	for _, field := range s.Fields() {
		d, err := s.Dictionary(field)
		check(err)
		if d.Cardinality() == 0 {
			continue
		}
		missing, err := d.Contains([]byte("no such term"))
		check(err)
		add("%s: %d terms, %t", field, d.Cardinality(), missing)
		terms := d.AutomatonIterator(nil, nil, nil)
		for {
			e, err := terms.Next()
			check(err)
			if e == nil {
				break
			}
			list, err := d.PostingsList([]byte(e.Term), nil, nil)
			check(err)
			add("%s %q %d", field, e.Term, list.Count()) // e.Count is wrong after a term without postings
			it := list.Iterator(true, true, true, nil)
			for {
				p, err := it.Next()
				check(err)
				if p == nil {
					break
				}
				add(" %d %d %v", p.Number(), p.Frequency(), p.Norm())
				for _, l := range p.Locations() {
					add("  %s %d %d %d %v", l.Field(), l.Pos(), l.Start(), l.End(), l.ArrayPositions())
				}
			}
		}
	}
	docValues := s.(segment.DocValueVisitable)
	names, err := docValues.VisitableDocValueFields()
	check(err)
	slices.Sort(names)
	add("docvalues %q", names)
	var state segment.DocVisitState
	for n := range s.Count() {
		if len(names) > 0 { // otherwise zapx panics
			state, err = docValues.VisitDocValues(n, s.Fields(), func(field string, term []byte) { add("%d %s %q", n, field, term) }, state)
			check(err)
		}
		check(s.VisitStoredFields(n, func(field string, typ byte, v []byte, pos []uint64) bool {
			add("%d stored %s %c %q %v", n, field, typ, v, pos)
			return true
		}))
	}
	return all
}

// checkMerges compares merges with those of zapx, in both modes.
func checkMerges(t testing.TB, segments []segment.Segment, drops []*roaring.Bitmap) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "zapx")
	numbers, size, err := new(zap.ZapPlugin).Merge(segments, drops, path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := openFile(t, path)
	for _, b := range []*builder{exactBuilder(), newBuilder()} {
		path := filepath.Join(t.TempDir(), "own")
		gotNumbers, gotSize, err := b.mergeSegments(segments, drops, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(gotNumbers, numbers, slices.Equal[[]uint64]) {
			t.Errorf("numbers: got %v, want %v", gotNumbers, numbers)
		}
		got := openFile(t, path)
		if gotSize != uint64(len(bytesOf(t, got))) {
			t.Errorf("size: got %d, want %d", gotSize, len(bytesOf(t, got)))
		}
		if b.exact {
			checkBytes(t, got, want)
			if gotSize != size {
				t.Errorf("size: got %d, want %d", gotSize, size)
			}
		} else {
			checkContents(t, got, want)
		}
	}
}
