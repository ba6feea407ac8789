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
	children [][]string // texts of the rows of each child that is searched
	values   [][]string // terms of each metadata column, then of each child with a type
}

// build takes from a row what the mapping names. An error says which column
// does not fit.
func (s *schema) build(row doc.Row) (built, error) {
	b := built{content: make([]string, len(s.Content)), values: make([][]string, len(s.Metadata), len(s.values))}
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
		if b.values[i], err = f.terms(v); err != nil {
			return b, fmt.Errorf("column %s: %w", f.Name, err)
		}
	}
	for _, c := range s.Children {
		texts, terms, err := c.build(row)
		if err != nil {
			return b, err
		}
		if c.Searched {
			b.children = append(b.children, texts)
		}
		if c.Type != "" {
			b.values = append(b.values, terms)
		}
	}
	return b, nil
}

func noColumn(name string) error {
	return fmt.Errorf("column %s is not in the row: the SQL must return it", name)
}

// hash digests what was built. Lengths stand before texts, so that text moving
// from one column, or from one row of a child, to the next is a difference.
func (s *schema) hash(b built) doc.DocHash {
	buf := binary.LittleEndian.AppendUint64(make([]byte, 0, max(1024, b.textSize()+b.textSize()/8)), s.fingerprint)
	for _, text := range b.content {
		buf = appendText(buf, text)
	}
	for _, terms := range b.values {
		buf = appendTexts(buf, terms)
	}
	for _, texts := range b.children {
		buf = appendTexts(buf, texts)
	}
	return doc.DocHash(xxh3.Hash(buf))
}

func appendTexts(buf []byte, texts []string) []byte {
	buf = binary.AppendUvarint(buf, uint64(len(texts)))
	for _, t := range texts {
		buf = appendText(buf, t)
	}
	return buf
}

func appendText(buf []byte, text string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(text))), text...)
}

// document makes the index document. Its words are cut by the index's own
// workers, which call Analyze.
func (s *schema) document(oid doc.OID, v doc.Version, b built) *document.Document {
	d := document.NewDocument(string(oid))
	for _, f := range s.textFields(b) {
		d.AddField(f)
	}
	for i, terms := range b.values {
		if len(terms) > 0 {
			d.AddField(newValueField(metadataField(s.values[i].Name), terms))
		}
	}
	return d.AddField(newStoredVersion(v))
}

// textFields are the fields that have words to search.
func (s *schema) textFields(b built) []*textField {
	fields := make([]*textField, 0, len(b.content)+len(b.children))
	for i, text := range b.content {
		if text != "" {
			fields = append(fields, s.textField(s.Content[i], b.content[i:i+1]))
		}
	}
	for i, texts := range b.children {
		if len(texts) > 0 {
			fields = append(fields, s.textField(s.texts[len(s.Content)+i], texts))
		}
	}
	return fields
}

func (s *schema) textField(name string, texts []string) *textField {
	return &textField{base: base{name: contentField(name)}, texts: texts, analyzer: s.analyzer, positions: s.Positions}
}
