package schema

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// An Indexed is the part of a row that the index stores.
type Indexed struct {
	Texts  [][]string // of each field with searched words: one of a content column, one for each row of a child
	Values [][]string // terms of each metadata column, then of each child with a type
	Flaws  []doc.Flaw // values that have no term, one for each field that has some
}

// Build extracts the columns and children of the mapping from a row. A value that does
// not fit the type of its field has no term and is a flaw; other values of the field
// have terms. A column or child that the row lacks is an error. The lists are in the
// memory of in.
func (s *Schema) Build(row doc.Row, in *Lists) (b Indexed, err error) {
	b = Indexed{Texts: in.lists.list(len(s.Texts)), Values: in.lists.list(len(s.Values))}
	if err := s.buildContent(&b, row, in); err != nil {
		return b, err
	}
	for _, f := range s.Metadata {
		v, ok := row.Get(f.Name)
		if !ok {
			return b, missingColumn(f.Name)
		}
		terms, flaw := f.appendTerms(in.texts.list(1), v)
		b.Values = append(b.Values, terms)
		b.note(f.Name, flaw)
	}
	for _, c := range s.Children {
		texts, terms, flaw, err := c.build(row)
		if err != nil {
			return b, err
		}
		b.note(c.Name, flaw)
		if c.Searched {
			b.Texts = append(b.Texts, texts)
		}
		if c.Type != "" {
			b.Values = append(b.Values, terms)
		}
	}
	return b, nil
}

// buildTexts is Build for a caller that needs no values.
func (s *Schema) buildTexts(row doc.Row) (b Indexed, err error) {
	if slices.ContainsFunc(s.Children, func(c Child) bool { return c.Searched }) {
		return s.Build(row, new(Lists))
	}
	err = s.buildContent(&b, row, new(Lists))
	return b, err
}

// buildContent appends the texts of the content columns, none for an empty one.
func (s *Schema) buildContent(b *Indexed, row doc.Row, in *Lists) error {
	for _, name := range s.Content {
		v, ok := row.Get(name)
		if !ok {
			return missingColumn(name)
		}
		var one []string
		if text := doc.FormatText(v); text != "" {
			one = append(in.texts.list(1), text)
		}
		b.Texts = append(b.Texts, one)
		b.note(name, badIn(v))
	}
	return nil
}

// note adds a flaw of a field, which may be one of words and of values. No reason is
// none.
func (b *Indexed) note(field, reason string) {
	if reason != "" && !slices.ContainsFunc(b.Flaws, func(f doc.Flaw) bool { return f.Column == field }) {
		b.Flaws = append(b.Flaws, doc.NewFlaw(field, reason))
	}
}

// badIn returns the reason of the first bad value in a value.
func badIn(v any) string {
	switch v := v.(type) {
	case doc.BadValue:
		return v.Reason
	case []any:
		for _, e := range v {
			if reason := badIn(e); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// Lists are memory for the lists of many documents.
type Lists struct {
	texts room[string]
	lists room[[]string]
}

// A room is memory for lists, which are taken from it one after another. This costs
// less than a piece of memory for each.
type room[T any] struct {
	free []T
	size int // of the memory that was taken last
}

// maxRoom is how many elements a room takes at once, unless a list is longer.
const maxRoom = 1024

// list returns an empty list with room for n elements.
func (r *room[T]) list(n int) []T {
	if len(r.free) < n {
		r.size = max(n, min(2*r.size, maxRoom))
		r.free = make([]T, r.size)
	}
	list := r.free[:0:n]
	r.free = r.free[n:]
	return list
}

func missingColumn(name string) error {
	return fmt.Errorf("column %s is not in the row: the SQL must return it", name)
}

// build returns the texts and the terms of a child's rows. The order of the
// rows has no meaning, and a value in two rows means no more than in one. So
// texts are sorted, and terms are sorted without duplicates: rows that are equal
// to a search have equal hashes. The flaw is that of the first row with one.
func (c Child) build(row doc.Row) (texts, terms []string, flaw string, err error) {
	i := slices.IndexFunc(row.Children, func(d doc.Child) bool { return d.Name == c.Name })
	if i < 0 {
		return nil, nil, "", fmt.Errorf("child %s is not in the row: the source must return it", c.Name)
	}
	for _, r := range row.Children[i].Rows {
		v, err := query.ChildValue(r, c.Columns, c.Skip)
		if err != nil {
			return nil, nil, "", fmt.Errorf("child %s: %w", c.Name, err)
		}
		if c.Searched {
			flaw = cmp.Or(flaw, badIn(v))
		}
		if text := doc.FormatText(v); c.Searched && text != "" {
			texts = append(texts, text)
		}
		if c.Type == "" {
			continue
		}
		var reason string
		terms, reason = c.field().appendTerms(terms, v)
		flaw = cmp.Or(flaw, reason)
	}
	slices.Sort(texts)
	slices.Sort(terms)
	return texts, slices.Compact(terms), flaw, nil
}

// A prepared is what Prepare keeps in a document.
type prepared struct {
	of *Schema
	Indexed
}

// Prepare sets the hash of a document as Hash returns it, and keeps what the index stores
// of the row, so that it is built once. It returns the values that it lacks.
func (s *Schema) Prepare(d *doc.Doc) (flaws []doc.Flaw, err error) {
	lists := len(s.Texts) + len(s.Values)
	in := Lists{texts: room[string]{free: make([]string, lists)}, lists: room[[]string]{free: make([][]string, lists)}}
	b, err := s.Build(d.Row, &in)
	if err != nil {
		return nil, err
	}
	d.Hash, d.Prepared = s.hash(b), &prepared{s, b}
	return b.Flaws, nil
}

// Built returns what the index stores of a document: what Prepare has kept, or as Build.
func (s *Schema) Built(d *doc.Doc, in *Lists) (Indexed, error) {
	if p, ok := d.Prepared.(*prepared); ok && p.of == s {
		return p.Indexed, nil
	}
	return s.Build(d.Row, in)
}

// Hash digests what the index would store of a row under this mapping, and returns the
// values that it would lack. A column or child that the row lacks is an error.
func (s *Schema) Hash(row doc.Row) (doc.DocHash, []doc.Flaw, error) {
	d := doc.Doc{Row: row}
	flaws, err := s.Prepare(&d)
	return d.Hash, flaws, err
}

// maxBuffer is the memory in bytes up to which a buffer of hash is used again.
const maxBuffer = 32 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// hash digests a document. A length precedes each text, so that text which moves
// to another column, or to another row of a child, changes the hash.
func (s *Schema) hash(b Indexed) doc.DocHash {
	room := buffers.Get().(*[]byte)
	buf := binary.LittleEndian.AppendUint64((*room)[:0], s.fingerprint)
	content, children := b.Texts[:len(s.Content)], b.Texts[len(s.Content):]
	for _, text := range content {
		buf = appendText(buf, strings.Join(text, ""))
	}
	for _, terms := range b.Values {
		buf = appendTexts(buf, terms)
	}
	for _, texts := range children {
		buf = appendTexts(buf, texts)
	}
	hash := doc.DocHash(xxh3.Hash(buf))
	if *room = buf; cap(buf) <= maxBuffer {
		buffers.Put(room)
	}
	return hash
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

// Flawed returns the documents that would lack values in an index of this mapping, and
// those that could not be in it. It needs no index.
func Flawed(m Mapping, docs []doc.Doc) (partial []doc.Partial, rejects []doc.Reject, err error) {
	s, err := New(m)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range docs {
		b, err := s.Build(d.Row, new(Lists))
		if err == nil {
			_, err = d.Row.AppendJSON(nil)
		}
		switch {
		case err != nil:
			rejects = append(rejects, doc.Reject{OID: d.OID, Reason: err.Error()})
		case b.Flaws != nil:
			partial = append(partial, doc.Partial{OID: d.OID, Flaws: b.Flaws})
		}
	}
	return partial, rejects, nil
}
