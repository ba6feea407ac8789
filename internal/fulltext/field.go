package fulltext

import (
	"encoding/binary"

	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

// base is what all fields have in common: nothing of the value but the terms.
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

// A textField is the words of one content column, or of all rows of one child,
// with their frequencies and, for phrases, their positions. Offsets are left
// out: highlights are made from the page.
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

// Analyze implements index.Field. One pass makes the tokens, a second one
// counts them, a third places them: so everything is allocated once, in its
// size.
func (f *textField) Analyze() {
	tokens := f.tokens()
	f.length = len(tokens)
	f.freqs = make(index.TokenFrequencies, len(tokens))
	terms := make([]index.TokenFreq, 0, len(tokens)) // never grows: the map points into it
	for _, t := range tokens {
		tf := f.freqs[t.term]
		if tf == nil {
			terms = append(terms, index.TokenFreq{})
			tf = &terms[len(terms)-1]
			f.freqs[t.term] = tf
		}
		tf.SetFrequency(tf.Frequency() + 1)
	}
	if f.positions {
		f.place(tokens)
	}
}

// rowGap is how many positions stay free between two rows of a child: more than
// a phrase can leave open. What it leaves open are stop words, of two bytes or
// more with the space before them.
const rowGap = query.MaxLength / 2

// tokens cuts the texts one after the other.
func (f *textField) tokens() []token {
	size := 0
	for _, text := range f.texts {
		size += len(text)/4 + 1
	}
	tokens := make([]token, 0, size)
	for _, text := range f.texts {
		begin := len(tokens)
		tokens = f.analyzer.tokens(tokens, text)
		if begin == 0 {
			continue
		}
		after := tokens[begin-1].pos + rowGap
		for i := begin; i < len(tokens); i++ {
			tokens[i].pos += after
		}
	}
	return tokens
}

// place gives each term its locations.
func (f *textField) place(tokens []token) {
	places := make([]index.TokenLocation, len(tokens))
	pointers := make([]*index.TokenLocation, len(tokens))
	for i, t := range tokens {
		tf := f.freqs[t.term]
		if tf.Locations == nil {
			n := tf.Frequency()
			tf.Locations, pointers = pointers[:0:n], pointers[n:]
		}
		places[i].Position = t.pos
		tf.Locations = append(tf.Locations, &places[i])
	}
}

// A valueField is the terms of one metadata column or child: searched exactly,
// and kept by document for sorting, counting and wide ranges.
type valueField struct{ base }

func newValueField(name string, terms []string) *valueField {
	freqs := make(index.TokenFrequencies, len(terms))
	for _, t := range terms {
		freqs[t] = &index.TokenFreq{}
	}
	return &valueField{base{name: name, freqs: freqs}}
}

// Options implements index.Field. Frequencies and norms, which exact values
// don't need, cost as much as the terms.
func (f *valueField) Options() index.FieldIndexingOptions {
	return index.IndexField | index.DocValues | index.SkipFreqNorm
}

// A storedVersion is the doc.Version of a document. It is stored beside _id,
// so that one read gives both. As a term with docvalues it would be one more
// dictionary entry for every document.
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
