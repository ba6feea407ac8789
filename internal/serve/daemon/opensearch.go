package daemon

import (
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/mapping"
	"indexerd/internal/serve/tables"
)

// Fields returns the fields of a table that a caller may see.
func (e *Engine) Fields(name string, c search.Caller) ([]mapping.Field, error) {
	t, err := e.searchable(name, c)
	if err != nil {
		return nil, err
	}
	return fieldsFor(t, c), nil
}

// Analyzer returns the analyzer of a table's text.
func (e *Engine) Analyzer(name string) (*analysis.Analyzer, error) {
	t, err := e.searchable(name, search.Caller{Admin: true})
	if err != nil {
		return nil, err
	}
	return analysis.New(t.Mapping().Spec())
}

func fieldsFor(t *tables.Table, c search.Caller) (fields []mapping.Field) {
	built := t.Mapping()
	add := func(name, kind string, child bool) {
		if c.Admin || name != t.Conf.ACL {
			f := mapping.Field{Name: name, Type: kind, Child: child}
			if kind == mapping.Text {
				f.Analyzer = mapping.AnalyzerName(built.Spec())
			}
			fields = append(fields, f)
		}
	}
	types := map[schema.Type]string{schema.Keyword: mapping.Keyword, schema.Number: mapping.Double, schema.Date: mapping.Date, schema.Boolean: mapping.Boolean}
	for _, name := range built.Content {
		add(name, mapping.Text, false)
	}
	for _, f := range built.Metadata {
		add(f.Name, types[f.Type], false)
	}
	for _, child := range built.Children {
		if child.Searched {
			add(child.Name, mapping.Text, true)
		}
		if child.Type != "" {
			add(child.Name, types[child.Type], true)
		}
	}
	return fields
}
