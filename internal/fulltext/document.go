package fulltext

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	index "github.com/blevesearch/bleve_index_api"
	"github.com/zeebo/xxh3"

	"indexerd/internal/doc"
	"indexerd/internal/fulltext/segment"
	"indexerd/internal/query"
)

// An indexedDoc is the part of a row that the index stores.
type indexedDoc struct {
	content  []string   // text of each content column
	children [][]string // texts of the rows of each searched child
	values   [][]string // terms of each metadata column, then of each child with a type
}

// build extracts the columns and children of the mapping from a row. The error
// names the column whose value does not fit its type.
func (s *Schema) build(row doc.Row) (indexedDoc, error) {
	b := indexedDoc{values: make([][]string, len(s.Metadata), len(s.values))}
	var err error
	if b.content, err = s.contentOf(row); err != nil {
		return b, err
	}
	terms := make([]string, 0, len(s.Metadata))
	for i, f := range s.Metadata {
		v, ok := row.Get(f.Name)
		if !ok {
			return b, missingColumn(f.Name)
		}
		from := len(terms)
		if terms, err = f.appendTerms(terms, v); err != nil {
			return b, fmt.Errorf("column %s: %w", f.Name, err)
		}
		b.values[i] = terms[from:len(terms):len(terms)]
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

// buildTexts is build for a caller that needs no values.
func (s *Schema) buildTexts(row doc.Row) (b indexedDoc, err error) {
	if slices.ContainsFunc(s.Children, func(c Child) bool { return c.Searched }) {
		return s.build(row)
	}
	b.content, err = s.contentOf(row)
	return b, err
}

// contentOf returns the texts of the content columns.
func (s *Schema) contentOf(row doc.Row) ([]string, error) {
	content := make([]string, len(s.Content))
	for i, name := range s.Content {
		v, ok := row.Get(name)
		if !ok {
			return nil, missingColumn(name)
		}
		content[i] = doc.FormatText(v)
	}
	return content, nil
}

func missingColumn(name string) error {
	return fmt.Errorf("column %s is not in the row: the SQL must return it", name)
}

// build returns the texts and the terms of a child's rows. The order of the
// rows has no meaning, and a value in two rows means no more than in one. So
// texts are sorted, and terms are sorted without duplicates: rows that are equal
// to a search have equal hashes.
func (c Child) build(row doc.Row) (texts, terms []string, err error) {
	i := slices.IndexFunc(row.Children, func(d doc.Child) bool { return d.Name == c.Name })
	if i < 0 {
		return nil, nil, fmt.Errorf("child %s is not in the row: the source must return it", c.Name)
	}
	for _, r := range row.Children[i].Rows {
		v, err := query.ChildValue(r, c.Columns, c.Skip)
		if err != nil {
			return nil, nil, fmt.Errorf("child %s: %w", c.Name, err)
		}
		if text := doc.FormatText(v); c.Searched && text != "" {
			texts = append(texts, text)
		}
		if c.Type == "" {
			continue
		}
		if terms, err = c.field().appendTerms(terms, v); err != nil {
			return nil, nil, fmt.Errorf("child %s: %w", c.Name, err)
		}
	}
	slices.Sort(texts)
	slices.Sort(terms)
	return texts, slices.Compact(terms), nil
}

// Hash digests what the index would store of a row under this mapping. The error
// names the column whose value does not fit its type.
func (s *Schema) Hash(row doc.Row) (doc.DocHash, error) {
	b, err := s.build(row)
	if err != nil {
		return 0, err
	}
	return s.hash(b), nil
}

// hash digests a document. A length precedes each text, so that text which moves
// to another column, or to another row of a child, changes the hash.
func (s *Schema) hash(b indexedDoc) doc.DocHash {
	room, _ := hashed.Get().(*[]byte)
	if room == nil {
		room = new([]byte)
	}
	buf := binary.LittleEndian.AppendUint64((*room)[:0], s.fingerprint)
	for _, text := range b.content {
		buf = appendText(buf, text)
	}
	for _, terms := range b.values {
		buf = appendTexts(buf, terms)
	}
	for _, texts := range b.children {
		buf = appendTexts(buf, texts)
	}
	hash := doc.DocHash(xxh3.Hash(buf))
	if *room = buf; cap(buf) <= shortText {
		hashed.Put(room)
	}
	return hash
}

// hashed keeps the memory of what is hashed.
var hashed sync.Pool

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

// document makes the document for bleve.
func (s *Schema) document(oid doc.OID, v doc.Version, b indexedDoc) index.Document {
	return s.rows.Document(segment.Row{ID: string(oid), Stored: encodeVersion(v), Texts: b.texts(), Values: b.values})
}

// texts returns the texts of each field with searched words.
func (b indexedDoc) texts() [][]string {
	all := make([][]string, 0, len(b.content)+len(b.children))
	for i, text := range b.content {
		if text == "" {
			all = append(all, nil)
		} else {
			all = append(all, b.content[i:i+1])
		}
	}
	return append(all, b.children...)
}

// A doc.Version is stored next to _id, so that one read returns both. As a term
// with docvalues it would need a dictionary entry for every document.

func encodeVersion(v doc.Version) []byte { return binary.AppendUvarint(nil, uint64(v)) }

func parseVersion(value []byte) doc.Version {
	v, _ := binary.Uvarint(value)
	return doc.Version(v)
}

// Pad returns a copy of a row with the columns and children of the mapping that
// the row lacks because an older SQL read it: NULL for a column, no rows for a
// child.
func (s *Schema) Pad(row doc.Row) doc.Row {
	names := slices.Clone(s.Content)
	for _, f := range s.Metadata {
		names = append(names, f.Name)
	}
	padded := padColumns(row, names)
	padded.Children = slices.Clone(row.Children)
	for _, c := range s.Children {
		i := slices.IndexFunc(padded.Children, func(d doc.Child) bool { return d.Name == c.Name })
		if i < 0 {
			padded.Children = append(padded.Children, doc.Child{Name: c.Name})
			continue
		}
		rows := make([]doc.Row, len(padded.Children[i].Rows))
		for k, r := range padded.Children[i].Rows {
			rows[k] = padColumns(r, c.Columns)
		}
		padded.Children[i].Rows = rows
	}
	return padded
}

func padColumns(row doc.Row, names []string) doc.Row {
	padded := doc.Row{Names: slices.Clone(row.Names), Values: slices.Clone(row.Values)}
	for _, name := range names {
		if !slices.Contains(padded.Names, name) {
			padded.Names, padded.Values = append(padded.Names, name), append(padded.Values, nil)
		}
	}
	return padded
}

// RejectedValues returns the documents that an index of this mapping would
// reject, and that would go to quarantine, with the reason. It needs no index.
func RejectedValues(m Mapping, docs []doc.Doc) ([]doc.Reject, error) {
	s, err := NewSchema(m)
	if err != nil {
		return nil, err
	}
	var rejects []doc.Reject
	for _, d := range docs {
		_, err := s.build(d.Row)
		if err == nil {
			_, err = d.Row.AppendJSON(nil)
		}
		if err != nil {
			rejects = append(rejects, doc.Reject{OID: d.OID, Reason: err.Error()})
		}
	}
	return rejects, nil
}
