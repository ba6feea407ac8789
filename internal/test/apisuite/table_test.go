package apisuite

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/test/apitest"
)

// A table is an index as a table of the embedded index.
type table struct {
	mapping schema.Mapping
	odd     map[string]string // fields that tables do not have, and why
	lists   map[string]bool   // text fields with several values, which are child rows
}

// noContent is the content of a table that has no text.
const noContent = "_none"

var numbers = []string{"long", "integer", "short", "byte", "double", "float", "half_float", "unsigned_long", "scaled_float"}

// tableOf makes the table of an index.
func tableOf(ix *index) table {
	t := table{odd: map[string]string{"_routing": "routing", "_ignored": "field with ignore_malformed"}, lists: map[string]bool{}}
	t.mapping = schema.Mapping{Analyzer: "standard", Positions: true}
	properties, _ := ix.mappings["properties"].(map[string]any)
	for _, d := range ix.docs {
		for name, v := range d.fields {
			if list, ok := v.([]any); ok && len(list) > 1 {
				t.lists[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		options, _ := properties[name].(map[string]any)
		t.add(name, options)
	}
	if dynamic := fmt.Sprint(ix.mappings["dynamic"]); dynamic == "false" || dynamic == "strict" {
		for _, d := range ix.docs {
			for name := range d.fields {
				if properties[name] == nil {
					t.odd[name] = "field without a mapping"
				}
			}
		}
	} else {
		t.guess(ix, properties)
	}
	for _, d := range ix.docs {
		for name, v := range d.fields {
			t.judge(name, v)
		}
	}
	if len(t.mapping.Content) == 0 {
		t.mapping.Content = []string{noContent}
	}
	return t
}

// add adds a field of a mapping.
func (t *table) add(name string, options map[string]any) {
	kind := fmt.Sprint(options["type"])
	keyword := false
	for key, v := range options {
		switch key {
		case "type", "store", "norms", "meta", "index_options", "coerce", "doc_values":
		case "index":
			if v == false || v == "false" {
				t.odd[name] = "field with " + key + " false"
			}
		case "fields":
			sub, _ := v.(map[string]any)
			only, _ := sub["keyword"].(map[string]any)
			if keyword = len(sub) == 1 && only["type"] == "keyword" && len(only) == 1; !keyword {
				t.odd[name] = "field with other fields"
			}
		default:
			t.odd[name] = "field with " + key
		}
	}
	if strings.ContainsAny(name, ".") || options["type"] == nil {
		t.odd[name] = "field of objects"
	}
	if t.odd[name] == "" {
		t.column(name, kind, keyword)
	}
}

// column adds a column of a type.
func (t *table) column(name, kind string, keyword bool) {
	value := func(as schema.Type) {
		t.mapping.Metadata = append(t.mapping.Metadata, schema.Field{Name: name, Type: as})
	}
	switch {
	case kind == "text" && t.lists[name]:
		child := schema.Child{Name: name, Columns: []string{"value"}, Searched: true}
		if keyword {
			child.Type = schema.Keyword
		}
		t.mapping.Children = append(t.mapping.Children, child)
	case kind == "text":
		t.mapping.Content = append(t.mapping.Content, name)
		if keyword {
			value(schema.Keyword)
		}
	case kind == "keyword":
		value(schema.Keyword)
	case slices.Contains(numbers, kind):
		value(schema.Number)
	case kind == "date":
		value(schema.Date)
	case kind == "boolean":
		value(schema.Boolean)
	default:
		t.odd[name] = "field of type " + kind
	}
}

var date = regexp.MustCompile(`^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$`)

// guess adds the fields that only documents have, as a dynamic mapping does.
func (t *table) guess(ix *index, properties map[string]any) {
	kinds := map[string]string{}
	for _, d := range ix.docs {
		for _, name := range slices.Sorted(maps.Keys(d.fields)) {
			v := d.fields[name]
			if list, ok := v.([]any); ok && len(list) > 0 {
				v = list[0]
			}
			if properties[name] != nil || kinds[name] != "" || v == nil {
				continue
			}
			switch v := v.(type) {
			case string:
				kinds[name] = "text"
				if date.MatchString(v) {
					kinds[name] = "date"
				}
			case bool:
				kinds[name] = "boolean"
			case map[string]any, []any:
				kinds[name] = "objects"
			default:
				kinds[name] = "double"
			}
			t.column(name, kinds[name], true)
		}
	}
}

// judge notes a field with a value that a column can't have.
func (t *table) judge(name string, v any) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			t.judge(name, one)
		}
		if len(v) > 0 && slices.Contains(t.mapping.Content, name) && !t.lists[name] {
			t.odd[name] = "text in a list"
		}
	case map[string]any:
		t.odd[name] = "field of objects"
	case int, int64, uint64, float64:
		if slices.Contains(t.mapping.Metadata, schema.Field{Name: name, Type: schema.Date}) {
			t.odd[name] = "date that is a number"
		}
		if n, _ := strconv.ParseFloat(fmt.Sprint(v), 64); math.Abs(n) > 1<<53 {
			t.odd[name] = "number above 2^53"
		}
	}
}

// rows returns the documents as rows.
func (t *table) rows(ix *index) (docs []doc.Doc, kind doc.Kind, err error) {
	kind = doc.Integer
	for _, d := range ix.docs {
		if _, err := strconv.ParseInt(d.id, 10, 64); err != nil {
			kind = doc.Text
		}
	}
	for _, d := range ix.docs {
		part, err := doc.ParsePart(d.id, kind)
		if err != nil {
			return nil, kind, err
		}
		oid, err := doc.NewOID(part)
		if err != nil {
			return nil, kind, err
		}
		docs = append(docs, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}}, Row: t.row(d.fields)})
	}
	return docs, kind, nil
}

func (t *table) row(fields map[string]any) doc.Row {
	var row doc.Row
	add := func(name string) {
		if !slices.Contains(row.Names, name) {
			row.Names, row.Values = append(row.Names, name), append(row.Values, value(fields[name]))
		}
	}
	for _, name := range t.mapping.Content {
		add(name)
	}
	for _, f := range t.mapping.Metadata {
		add(f.Name)
	}
	for _, c := range t.mapping.Children {
		child := doc.Child{Name: c.Name}
		list, ok := fields[c.Name].([]any)
		if !ok && fields[c.Name] != nil {
			list = []any{fields[c.Name]}
		}
		for _, one := range list {
			child.Rows = append(child.Rows, doc.Row{Names: []string{"value"}, Values: []any{value(one)}})
		}
		row.Children = append(row.Children, child)
	}
	return row
}

// value returns a value of YAML as rows have it.
func value(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = value(v[i])
		}
		return all
	}
	return v
}

// server makes the tables of what a test has written.
func (w written) server(t *testing.T) (*apitest.Server, map[string]string, error) {
	t.Helper()
	s, odd := apitest.New(), map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(w)) {
		made := tableOf(w[name])
		maps.Copy(odd, made.odd)
		made.without()
		docs, kind, err := made.rows(w[name])
		if err != nil {
			return nil, nil, err
		}
		if err := s.Create(t, name, made.mapping, kind, nil).Add(docs, true); err != nil {
			return nil, nil, err
		}
	}
	return s, odd, nil
}

// without removes the odd fields, as far as they have a column.
func (t *table) without() {
	t.mapping.Content = slices.DeleteFunc(t.mapping.Content, func(name string) bool { return t.odd[name] != "" })
	t.mapping.Metadata = slices.DeleteFunc(t.mapping.Metadata, func(f schema.Field) bool { return t.odd[f.Name] != "" })
	t.mapping.Children = slices.DeleteFunc(t.mapping.Children, func(c schema.Child) bool { return t.odd[c.Name] != "" })
	if len(t.mapping.Content) == 0 {
		t.mapping.Content = []string{noContent}
	}
}
