// Package mapping has the fields of indices, by the names and types that clients use.
package mapping

import (
	"path"
	"slices"
	"strings"

	"indexerd/internal/index/analysis"
	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
)

// The types of fields, as mappings name them.
const (
	Text    = "text"
	Keyword = "keyword"
	Double  = "double"
	Date    = "date"
	Boolean = "boolean"

	Mixed = "mixed" // not the same in all searched indices

	ID        = "_id"    // the type of the key of a document
	IndexName = "_index" // the type of the name of the index
)

// A Field is a field of an index. Values of a field that is also text have the name
// of the field and .keyword in queries.
type Field struct {
	Name string
	Type string
	// Child is set of the values of a child's rows, which a nested query has as path.
	Child bool
	// Analyzer is the name of what splits a text.
	Analyzer string

	both bool // text and value
}

// An Index is the fields of a table.
type Index []Field

// Suffix marks the values of a field that is also text.
const Suffix = ".keyword"

// Field returns the field with a name, without a type if there is none.
func (ix Index) Field(name string) Field {
	base, valued := strings.CutSuffix(name, Suffix)
	for _, wanted := range []string{name, base} {
		var found []Field
		for _, f := range ix {
			if f.Name == wanted {
				found = append(found, f)
			}
		}
		switch {
		case len(found) == 2:
			f := found[slices.IndexFunc(found, func(f Field) bool { return (f.Type != Text) == (wanted != name) })]
			f.both = true
			return f
		case len(found) == 1 && wanted == name:
			return found[0]
		}
		if !valued {
			break
		}
	}
	return Field{Name: name}
}

// Shown returns the name of a field in queries.
func (f Field) Shown() string {
	if f.Valued() {
		return f.Name + Suffix
	}
	return f.Name
}

// Valued reports whether a field is the values of one that is also text.
func (f Field) Valued() bool { return f.both && f.Type != Text }

// QueryNames lists the fields by their names in queries.
func (ix Index) QueryNames() (names []string) {
	types := ix.types()
	for _, f := range ix {
		f.both = len(types[f.Name]) == 2
		names = append(names, f.Shown())
	}
	return names
}

// Match returns the fields whose names in queries match a pattern.
func (ix Index) Match(pattern string) (list []Field) {
	add := func(f Field) {
		ok, err := path.Match(pattern, f.Shown())
		if err == nil && ok && !slices.ContainsFunc(list, func(other Field) bool { return other.Shown() == f.Shown() }) {
			list = append(list, f)
		}
	}
	for _, f := range ix {
		if ix.Field(f.Name).both {
			add(Field{Name: f.Name, Type: Text})
			add(ix.Field(f.Name + Suffix))
		} else {
			add(f)
		}
	}
	return list
}

// Lookup returns the field with a name. A field with different types in the searched
// indices is an error.
func (ix Index) Lookup(name string) (Field, error) {
	f := ix.Field(name)
	if f.Type == Mixed {
		return f, input.ParsingError("field [%s] has different types in these indices: search them one by one", query.Shorten(name))
	}
	return f, nil
}

// types returns the types of each field.
func (ix Index) types() map[string][]string {
	types := map[string][]string{}
	for _, f := range ix {
		types[f.Name] = append(types[f.Name], f.Type)
	}
	return types
}

// Join adds the fields of another index.
func (ix Index) Join(other Index) Index {
	known, added := ix.types(), other.types()
	differ := func(name string) bool {
		return known[name] != nil && added[name] != nil && !slices.Equal(known[name], added[name])
	}
	joined := slices.DeleteFunc(slices.Clone(ix), func(f Field) bool { return differ(f.Name) })
	for name := range known {
		if differ(name) {
			joined = append(joined, Field{Name: name, Type: Mixed})
		}
	}
	for _, f := range other {
		if known[f.Name] == nil {
			joined = append(joined, f)
		}
	}
	return joined
}

// Properties returns the fields of an index that the caller may see.
func (ix Index) Properties() any {
	properties := map[string]any{}
	for _, f := range ix {
		both := ix.Field(f.Name).both
		if both {
			f = ix.Field(f.Name)
		}
		property := map[string]any{"type": f.Type}
		if f.Analyzer != "" {
			property["analyzer"] = f.Analyzer
		}
		if both {
			value := ix.Field(f.Name + Suffix)
			property["fields"] = map[string]any{"keyword": map[string]any{"type": value.Type}}
		}
		properties[f.Name] = property
	}
	return map[string]any{"properties": properties}
}

// first is the name of the analyzer standard of the first version, and the beginning of
// those of the others, as in configurations.
const first = "plain-1"

// AnalyzerName returns the name of an analyzer.
func AnalyzerName(s analysis.Spec) string {
	if s.Version == analysis.First {
		return first + strings.TrimSuffix("-"+s.Name, "-standard")
	}
	return s.Name
}

// AnalyzerOf returns the analyzer with a name, without stop words and a language.
func AnalyzerOf(name string) analysis.Spec {
	of, isFirst := strings.CutPrefix(name, first)
	switch {
	case !isFirst:
		return analysis.Spec{Name: name, Version: analysis.Latest}
	case of == "":
		of = "-standard"
	}
	return analysis.Spec{Name: strings.TrimPrefix(of, "-"), Version: analysis.First}
}

// Analyzer returns the name of what splits the texts of the index, "" if it has none.
func (ix Index) Analyzer() string {
	for _, f := range ix {
		if f.Analyzer != "" {
			return f.Analyzer
		}
	}
	return ""
}
