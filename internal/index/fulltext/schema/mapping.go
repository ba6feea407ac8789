// Package schema defines what an index has of a row: which columns and children are
// searched, by words or by value, and the names of their fields. It turns values into
// terms, whose byte order is the order of values, and rows into what is indexed of them.
// It reads and writes no index.
//
// An engine that stores documents elsewhere gets them as a Document. The same names are
// used by package compiled, so such an engine finds and counts what the embedded one does.
package schema

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"indexerd/internal/index/analysis"
	"indexerd/internal/index/query"
)

// A Type is the type of a metadata field.
type Type string

// The types of metadata.
const (
	Keyword Type = "keyword" // text, found as a whole
	Number  Type = "number"  // compared as a 64-bit float
	Date    Type = "date"    // an instant in microseconds; UTC if it has no zone
	Boolean Type = "boolean"
)

// A Field is a metadata column and its type.
type Field struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// A Child is a kind of child rows. Each row has one value: that of its column,
// or the texts of several columns joined by spaces.
type Child struct {
	Name     string   `json:"name"`
	Columns  []string `json:"columns"`  // none: the only column that is not in Skip
	Skip     []string `json:"skip"`     // key and updateTime
	Searched bool     `json:"searched"` // index its words, as those of a content column
	Type     Type     `json:"type"`     // make its values a metadata field of this type; "" for none
}

// field returns the metadata field of a child's values.
func (c Child) field() Field { return Field{c.Name, c.Type} }

// A Mapping defines which parts of a row are indexed, and how.
type Mapping struct {
	Content   []string `json:"content"`   // columns whose words are searched
	Analyzer  string   `json:"analyzer"`  // standard, en, cjk or ngram
	Stopwords []string `json:"stopwords"` // words that are not indexed, in the order of bytes
	Positions bool     `json:"positions"` // store the positions of words, which phrases need
	Metadata  []Field  `json:"metadata"`  // columns that are searched, filtered, sorted and counted by value
	Children  []Child  `json:"children"`  // rows of other SQLs that belong to the row

	Language        string `json:"language,omitempty"` // of the stems of words: one of analysis.Languages, "" for none
	AnalysisVersion int    `json:"analysis,omitempty"` // of the analyzer: see analysis.Spec

	// Unmeasured is set of an index that was built before indexes had the lengths of
	// documents. Its scores ignore them.
	Unmeasured bool `json:"-"`
}

// Spec describes the analyzer of the mapping.
func (m Mapping) Spec() analysis.Spec {
	return analysis.Spec{Name: m.Analyzer, Version: m.AnalysisVersion, Language: m.Language, Stopwords: m.Stopwords}
}

// format changes whenever the same mapping builds another index than before.
const format = "1"

// Fingerprint identifies the mapping. An index with another fingerprint must be
// rebuilt.
func (m Mapping) Fingerprint() uint64 {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %q %t", format, m.Analyzer, m.Content, m.Positions)
	if !slices.Equal(m.Stopwords, firstStopwords(m.Analyzer)) {
		fmt.Fprintf(&b, " stop %q", m.Stopwords)
	}
	if !m.Unmeasured {
		b.WriteString(" lengths")
	}
	if m.AnalysisVersion > analysis.First {
		fmt.Fprintf(&b, " analysis %d", m.AnalysisVersion)
	}
	if m.Language != "" {
		fmt.Fprintf(&b, " language %q", m.Language)
	}
	for _, f := range m.Metadata {
		fmt.Fprintf(&b, " %q %q", f.Name, f.Type)
	}
	for _, c := range m.Children {
		fmt.Fprintf(&b, " child %q %q %q %t %q", c.Name, c.Columns, c.Skip, c.Searched, c.Type)
	}
	return xxh3.HashString(b.String())
}

// firstStopwords returns the words that an analyzer dropped before mappings had
// Stopwords. Indexes of that time stay as they are if these are dropped still.
func firstStopwords(analyzer string) []string {
	if analyzer == "standard" || analyzer == "en" {
		return english()
	}
	return nil
}

// english returns the words once for all tables. They must not be changed.
var english = sync.OnceValue(analysis.English)

// A Schema is a checked Mapping with what is derived from it. It does not change.
type Schema struct {
	Mapping
	Texts       []string           // names with searched words: content columns, then children
	Values      []Field            // fields searched by value: metadata columns, then children
	Analysis    *analysis.Analyzer // of the words of Texts
	fingerprint uint64
}

// New checks a mapping.
func New(m Mapping) (*Schema, error) {
	if len(m.Content) == 0 {
		return nil, fmt.Errorf("mapping: no content columns: name at least one")
	}
	if name := repeated(m.Content); name != "" {
		return nil, fmt.Errorf("mapping: content column %s is named twice", name)
	}
	names := make([]string, len(m.Metadata))
	for i, f := range m.Metadata {
		names[i] = f.Name
	}
	if name := repeated(names); name != "" {
		return nil, fmt.Errorf("mapping: metadata column %s is named twice", name)
	}
	s := &Schema{Mapping: m, fingerprint: m.Fingerprint(), Texts: slices.Clone(m.Content), Values: slices.Clone(m.Metadata)}
	if err := s.addChildren(); err != nil {
		return nil, err
	}
	for _, f := range s.Values {
		if !slices.Contains([]Type{Keyword, Number, Date, Boolean}, f.Type) {
			return nil, fmt.Errorf("mapping: metadata %s: unknown type %q", f.Name, f.Type)
		}
	}
	var err error
	s.Analysis, err = analysis.New(m.Spec())
	return s, err
}

// RowGap is how many positions are between two texts of one field, the rows of a child:
// more than a phrase can skip. A phrase skips stop words, which take at least two bytes
// of the query with the space before them.
const RowGap = query.MaxLength / 2

// addChildren adds the fields of the children. A child must not share its name
// with another field, so that a name in a query or hit is unambiguous.
func (s *Schema) addChildren() error {
	taken := s.names()
	for _, c := range s.Children {
		if slices.Contains(taken, c.Name) {
			return fmt.Errorf("mapping: child %s has the name of another field", c.Name)
		}
		taken = append(taken, c.Name)
		if c.Searched {
			s.Texts = append(s.Texts, c.Name)
		}
		if c.Type != "" {
			s.Values = append(s.Values, c.field())
		}
	}
	return nil
}

// repeated returns a name that occurs more than once, or "".
func repeated(names []string) string {
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return n
		}
	}
	return ""
}

// Field returns the field with this name that is searched by value. The error is one of
// the query.
func (s *Schema) Field(name string) (Field, error) {
	for _, f := range s.Values {
		if f.Name == name {
			return f, nil
		}
	}
	hint := ""
	switch {
	case slices.Contains(s.Content, name):
		hint = "list it under metadata to filter, sort, compare or count it"
	case slices.Contains(s.Texts, name):
		hint = "give the child a type to filter, sort, compare or count it"
	}
	if hint != "" {
		return Field{}, query.Errorf(hint, "field %s is text, searched by its words", query.Shorten(name))
	}
	return Field{}, query.NoField(name, s.names())
}

// names lists all fields, each once.
func (s *Schema) names() []string {
	names := slices.Clone(s.Texts)
	for _, f := range s.Values {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Without returns the schema for callers from whom a field is hidden.
func (s *Schema) Without(field string) *Schema {
	c := *s
	hidden := func(name string) bool { return name == field }
	c.Content = slices.DeleteFunc(slices.Clone(s.Content), hidden)
	c.Texts = slices.DeleteFunc(slices.Clone(s.Texts), hidden)
	c.Values = slices.DeleteFunc(slices.Clone(s.Values), func(f Field) bool { return hidden(f.Name) })
	return &c
}

// ContentField returns the name in the index of the field with the words of a column. A
// prefix separates the words of a column from its value, if it is indexed as both, and
// from bleve's _id.
func ContentField(name string) string { return "c:" + name }

// MetadataField returns the name in the index of the field with the values of a column.
func MetadataField(name string) string { return "m:" + name }

// ColumnOf returns the column of a content field.
func ColumnOf(content string) string { return strings.TrimPrefix(content, "c:") }

// LengthField returns the name of the field with the numbers of words of a content field.
func LengthField(content string) string { return "l:" + ColumnOf(content) }
