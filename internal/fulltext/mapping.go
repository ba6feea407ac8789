package fulltext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"indexerd/internal/query"
)

// A Type says what the values of a metadata field are.
type Type string

// The types of metadata.
const (
	Keyword Type = "keyword" // text, found as a whole
	Number  Type = "number"  // compared as a 64-bit float
	Date    Type = "date"    // an instant in microseconds; without a zone UTC
	Boolean Type = "boolean"
)

// A Field is a metadata column and its type.
type Field struct {
	Name string
	Type Type
}

// A Mapping says what of a row goes into the index, and how.
type Mapping struct {
	Content   []string // columns whose words are searched
	Analyzer  string   // standard, en, cjk or ngram
	Positions bool     // keep where words stand: phrases need it
	Metadata  []Field  // columns that are searched, filtered, sorted and counted by value
}

// format changes whenever the same mapping makes another index than before.
const format = "1"

// Fingerprint tells mappings apart: an index of another one must be built
// anew.
func (m Mapping) Fingerprint() uint64 {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %q %t", format, m.Analyzer, m.Content, m.Positions)
	for _, f := range m.Metadata {
		fmt.Fprintf(&b, " %q %q", f.Name, f.Type)
	}
	return xxh3.HashString(b.String())
}

// A schema is a checked Mapping, ready for use.
type schema struct {
	Mapping
	fingerprint uint64
	analyzer    *analyzer
}

func newSchema(m Mapping) (*schema, error) {
	if len(m.Content) == 0 {
		return nil, fmt.Errorf("mapping: no content columns: name at least one")
	}
	if name := repeated(m.Content); name != "" {
		return nil, fmt.Errorf("mapping: content column %s is named twice", name)
	}
	names := make([]string, len(m.Metadata))
	for i, f := range m.Metadata {
		names[i] = f.Name
		if !slices.Contains([]Type{Keyword, Number, Date, Boolean}, f.Type) {
			return nil, fmt.Errorf("mapping: metadata %s: unknown type %q", f.Name, f.Type)
		}
	}
	if name := repeated(names); name != "" {
		return nil, fmt.Errorf("mapping: metadata column %s is named twice", name)
	}
	a, err := newAnalyzer(m.Analyzer)
	if err != nil {
		return nil, err
	}
	return &schema{Mapping: m, fingerprint: m.Fingerprint(), analyzer: a}, nil
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

// metadata returns the metadata field of this name.
func (s *schema) metadata(name string) (Field, error) {
	for _, f := range s.Metadata {
		if f.Name == name {
			return f, nil
		}
	}
	if slices.Contains(s.Content, name) {
		return Field{}, query.Errorf("list it under metadata to filter, sort, compare or count it", "field %s is text, searched by its words", query.Shorten(name))
	}
	return Field{}, query.NoField(name, s.names())
}

// names lists all fields, each once.
func (s *schema) names() []string {
	names := slices.Clone(s.Content)
	for _, f := range s.Metadata {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// The names that fields have in the index. The prefixes keep a column's words
// and its value apart where it is both, and columns away from bleve's own _id.
func contentField(column string) string  { return "c:" + column }
func metadataField(column string) string { return "m:" + column }

// versionField holds doc.Version.
const versionField = "v"
