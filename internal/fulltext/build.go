package fulltext

import (
	"encoding/binary"
	"fmt"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/zeebo/xxh3"

	"indexerd/internal/doc"
)

// A built is what the index is told of a row.
type built struct {
	content  []string   // text of each content column
	metadata [][]string // terms of each metadata column
}

// build takes from a row what the mapping names. An error says which column
// does not fit.
func (s *schema) build(row doc.Row) (built, error) {
	b := built{content: make([]string, len(s.Content)), metadata: make([][]string, len(s.Metadata))}
	for i, name := range s.Content {
		v, ok := row.Get(name)
		if !ok {
			return b, noColumn(name)
		}
		b.content[i] = doc.FormatText(v)
	}
	for i, f := range s.Metadata {
		v, ok := row.Get(f.Name)
		if !ok {
			return b, noColumn(f.Name)
		}
		var err error
		if b.metadata[i], err = f.terms(v); err != nil {
			return b, err
		}
	}
	return b, nil
}

func noColumn(name string) error {
	return fmt.Errorf("column %s is not in the row: the SQL must return it", name)
}

// hash digests what was built. Lengths stand before texts, so that text moving
// from one column to the next is a difference.
func (s *schema) hash(b built) doc.DocHash {
	buf := binary.LittleEndian.AppendUint64(make([]byte, 0, 1024), s.fingerprint)
	for _, text := range b.content {
		buf = appendText(buf, text)
	}
	for _, terms := range b.metadata {
		buf = binary.AppendUvarint(buf, uint64(len(terms)))
		for _, t := range terms {
			buf = appendText(buf, t)
		}
	}
	return doc.DocHash(xxh3.Hash(buf))
}

func appendText(buf []byte, text string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(text))), text...)
}

// document makes the index document. Its words are cut by the index's own
// workers, which call Analyze.
func (s *schema) document(oid doc.OID, v doc.Version, b built) *document.Document {
	d := document.NewDocument(string(oid))
	for i, text := range b.content {
		if text != "" {
			d.AddField(&textField{base: base{name: contentField(s.Content[i])}, text: text, analyzer: s.analyzer, positions: s.Positions})
		}
	}
	for i, terms := range b.metadata {
		if len(terms) > 0 {
			d.AddField(newValueField(metadataField(s.Metadata[i].Name), terms))
		}
	}
	return d.AddField(newStoredVersion(v))
}
