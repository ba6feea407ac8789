package dsl

import (
	"encoding/json"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// maxNested is how many nested queries a search may have: each reads pages.
const maxNested = 8

// nestedQuery finds documents with one row of a child for which a query matches.
func (t *Translator) nestedQuery(body json.RawMessage) (query.Node, error) {
	o := readOptions("nested", body, "path", "query", "score_mode", "ignore_unmapped")
	path, mode, lenient := o.text("path"), o.word("score_mode", "avg", "max", "min", "sum", "none"), o.flag("ignore_unmapped", false)
	if o.err != nil {
		return nil, o.err
	}
	f, err := t.Lookup(path)
	switch {
	case err != nil:
		return nil, err
	case t.path != "":
		return nil, input.ParsingError("[nested] in [nested] is not supported: a child has no children")
	case !f.Child && lenient:
		return query.None(), nil
	case !f.Child:
		return nil, input.Error(input.NotOfField, "[nested] failed to find nested object under path [%s]", query.Shorten(path))
	}
	if t.nesteds++; t.nesteds > maxNested {
		return nil, input.ParsingError("the query has more than %d nested queries", maxNested)
	}
	t.path = f.Name
	defer func() { t.path = "" }()
	n, err := t.inner(o, "query")
	if err != nil {
		return nil, err
	}
	score := 1.0
	if mode == "none" {
		score = 0
	}
	return o.boosted(query.Constant{Node: query.Nested{Path: f.Name, Node: n}, Score: score}, nil)
}

// Lookup returns the field with a name. In a nested query there is only its path.
func (t *Translator) Lookup(name string) (mapping.Field, error) {
	f, err := t.Scope.Lookup(name)
	switch {
	case t.path != "" && f.Name != t.path:
		return mapping.Field{Name: name}, nil
	case name == mapping.ID || name == mapping.IndexName:
		return mapping.Field{Name: name, Type: name}, nil
	}
	return f, err
}
