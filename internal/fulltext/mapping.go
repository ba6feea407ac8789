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
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// A Mapping says what of a row goes into the index, and how.
type Mapping struct {
	Content   []string `json:"content"`   // columns whose words are searched
	Analyzer  string   `json:"analyzer"`  // standard, en, cjk or ngram
	Positions bool     `json:"positions"` // keep where words stand: phrases need it
	Metadata  []Field  `json:"metadata"`  // columns that are searched, filtered, sorted and counted by value
	Children  []Child  `json:"children"`  // rows of other SQLs that belong to the row
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
	for _, c := range m.Children {
		fmt.Fprintf(&b, " child %q %q %q %t %q", c.Name, c.Columns, c.Skip, c.Searched, c.Type)
	}
	return xxh3.HashString(b.String())
}

// A schema is a checked Mapping, ready for use.
type schema struct {
	Mapping
	fingerprint uint64
	stored      []byte // as the index keeps it
	analyzer    *analyzer
	texts       []string // what is searched by its words: content columns, then children
	values      []Field  // what is searched by value: metadata columns, then children
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
	}
	if name := repeated(names); name != "" {
		return nil, fmt.Errorf("mapping: metadata column %s is named twice", name)
	}
	s := &schema{Mapping: m, fingerprint: m.Fingerprint(), texts: slices.Clone(m.Content), values: slices.Clone(m.Metadata)}
	if err := s.addChildren(); err != nil {
		return nil, err
	}
	for _, f := range s.values {
		if !slices.Contains([]Type{Keyword, Number, Date, Boolean}, f.Type) {
			return nil, fmt.Errorf("mapping: metadata %s: unknown type %q", f.Name, f.Type)
		}
	}
	var err error
	if s.analyzer, err = newAnalyzer(m.Analyzer); err != nil {
		return nil, err
	}
	s.stored, err = encodeMapping(m)
	return s, err
}

// addChildren makes fields of the children. In a query and in a hit a name
// stands for one thing: no other field may have that of a child.
func (s *schema) addChildren() error {
	taken := s.names()
	for _, c := range s.Children {
		if slices.Contains(taken, c.Name) {
			return fmt.Errorf("mapping: child %s has the name of another field", c.Name)
		}
		taken = append(taken, c.Name)
		if c.Searched {
			s.texts = append(s.texts, c.Name)
		}
		if c.Type != "" {
			s.values = append(s.values, c.field())
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

// metadata returns the metadata field of this name.
func (s *schema) metadata(name string) (Field, error) {
	for _, f := range s.values {
		if f.Name == name {
			return f, nil
		}
	}
	hint := ""
	switch {
	case slices.Contains(s.Content, name):
		hint = "list it under metadata to filter, sort, compare or count it"
	case slices.Contains(s.texts, name):
		hint = "give the child a type to filter, sort, compare or count it"
	}
	if hint != "" {
		return Field{}, query.Errorf(hint, "field %s is text, searched by its words", query.Shorten(name))
	}
	return Field{}, query.NoField(name, s.names())
}

// names lists all fields, each once.
func (s *schema) names() []string {
	names := slices.Clone(s.texts)
	for _, f := range s.values {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// The names that fields have in the index. The prefixes keep a column's words
// and its value apart where it is both, and columns away from bleve's own _id.
func contentField(name string) string  { return "c:" + name }
func metadataField(name string) string { return "m:" + name }

// versionField holds doc.Version.
const versionField = "v"
