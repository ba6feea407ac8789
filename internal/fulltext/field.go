package fulltext

import (
	"encoding/binary"

	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

// base has the methods that all fields share. It keeps the terms of a value and
// nothing else.
type base struct {
	name  string
	freqs index.TokenFrequencies
}

func (f *base) Name() string                                     { return f.name }
func (f *base) ArrayPositions() []uint64                         { return nil }
func (f *base) Value() []byte                                    { return nil }
func (f *base) EncodedFieldType() byte                           { return 't' }
func (f *base) Analyze()                                         {}
func (f *base) AnalyzedLength() int                              { return 0 }
func (f *base) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.freqs }
func (f *base) NumPlainTextBytes() uint64                        { return 0 }
func (f *base) Size() int                                        { return 0 }

// A textField holds the words of one content column, or of all rows of one
// child, with frequencies and, for phrases, positions. It has no byte offsets:
// highlights are made from the page.
type textField struct {
	base
	texts     []string
	analyzer  *analyzer
	positions bool
	length    int
}

func (f *textField) Options() index.FieldIndexingOptions {
	if f.positions {
		return index.IndexField | index.IncludeTermVectors
	}
	return index.IndexField
}

func (f *textField) AnalyzedLength() int { return f.length }

// Analyze implements index.Field. A pass over the text counts the tokens of each
// term, and a pass over the tokens records their positions. So a token needs no
// more memory than an occurrence, and all locations are allocated at once.
func (f *textField) Analyze() {
	size := 0
	for _, text := range f.texts {
		size += len(text)
	}
	f.freqs = make(index.TokenFrequencies, min(size/guessedWord, guessedTerms))
	var all []occurrence
	if f.positions {
		all = make([]occurrence, 0, size/guessedWord+1)
	}
	var terms []index.TokenFreq
	f.each(func(t token) bool {
		tf := f.freqs[t.term]
		if tf == nil {
			if len(terms) == cap(terms) { // do not grow in place: the map points into the slice
				terms = make([]index.TokenFreq, 0, min(max(len(f.freqs), size/guessedWord, 8), guessedTerms))
			}
			terms = append(terms, index.TokenFreq{})
			tf = &terms[len(terms)-1]
			f.freqs[t.term] = tf
		}
		tf.SetFrequency(tf.Frequency() + 1)
		f.length++
		if f.positions {
			all = append(all, occurrence{tf, t.pos})
		}
		return true
	})
	setLocations(all)
}

// Sizes of what Analyze allocates before it knows the words.
const (
	guessedWord  = 6    // bytes per word
	guessedTerms = 1024 // distinct words, at most
)

// An occurrence is a term at a position.
type occurrence struct {
	tf  *index.TokenFreq
	pos int
}

// rowGap is how many positions separate two rows of a child: more than a phrase
// can skip. A phrase skips stop words, which take at least two bytes of the
// query with the space before them.
const rowGap = query.MaxLength / 2

// each calls emit with the tokens of all texts in order, until emit returns
// false.
func (f *textField) each(emit func(token) bool) {
	last, more := 0, true // the last position, 0 before the first token
	for _, text := range f.texts {
		before := 0
		if last > 0 {
			before = last + rowGap
		}
		f.analyzer.each(text, func(t token) bool {
			t.pos += before
			last = t.pos
			more = emit(t)
			return more
		})
		if !more {
			return
		}
	}
}

// setLocations sets the locations of each term.
func setLocations(all []occurrence) {
	locations := make([]index.TokenLocation, len(all))
	pointers := make([]*index.TokenLocation, len(all))
	for i, o := range all {
		if o.tf.Locations == nil {
			n := o.tf.Frequency()
			o.tf.Locations, pointers = pointers[:0:n], pointers[n:]
		}
		locations[i].Position = o.pos
		o.tf.Locations = append(o.tf.Locations, &locations[i])
	}
}

// A valueField holds the terms of one metadata column or child. They are matched
// exactly, and stored by document for sorting, counting and wide ranges.
type valueField struct{ base }

func newValueField(name string, terms []string) *valueField {
	freqs := make(index.TokenFrequencies, len(terms))
	for _, t := range terms {
		freqs[t] = &index.TokenFreq{}
	}
	return &valueField{base{name: name, freqs: freqs}}
}

// Options implements index.Field. It disables frequencies and norms: exact
// values don't need them, and they cost as much as the terms.
func (f *valueField) Options() index.FieldIndexingOptions {
	return index.IndexField | index.DocValues | index.SkipFreqNorm
}

// A storedVersion is the doc.Version of a document, stored next to _id so that
// one read returns both. As a term with docvalues it would need a dictionary
// entry for every document.
type storedVersion struct {
	base
	value []byte
}

func newStoredVersion(v doc.Version) *storedVersion {
	return &storedVersion{base: base{name: versionField}, value: binary.AppendUvarint(nil, uint64(v))}
}

func (f *storedVersion) Value() []byte                       { return f.value }
func (f *storedVersion) Options() index.FieldIndexingOptions { return index.StoreField }

func parseVersion(value []byte) doc.Version {
	v, _ := binary.Uvarint(value)
	return doc.Version(v)
}
