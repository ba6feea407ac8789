package osapi

import (
	"encoding/json"

	"indexerd/internal/index/query"
)

// maxNested is how many nested queries a search may have: each reads pages.
const maxNested = 8

// nestedQuery finds documents with one row of a child for which a query matches.
func (t *translator) nestedQuery(body json.RawMessage) (query.Node, error) {
	o, err := t.options("nested", body, "path", "query", "score_mode", "ignore_unmapped")
	if err != nil {
		return nil, err
	}
	path, mode, lenient := o.text("path"), o.word("score_mode", "avg", "max", "min", "sum", "none"), o.flag("ignore_unmapped", false)
	if o.err != nil {
		return nil, o.err
	}
	f, err := t.lookup(path)
	switch {
	case err != nil:
		return nil, err
	case t.path != "":
		return nil, parsing("[nested] in [nested] is not supported: a child has no children")
	case !f.Child && lenient:
		return query.None(), nil
	case !f.Child:
		return nil, fault(notOfField, "[nested] failed to find nested object under path [%s]", query.Shorten(path))
	}
	if t.nesteds++; t.nesteds > maxNested {
		return nil, parsing("the query has more than %d nested queries", maxNested)
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

// lookup returns the field with a name. In a nested query there is only its path.
func (t *translator) lookup(name string) (Field, error) {
	f, err := t.scope.lookup(name)
	switch {
	case t.path != "" && f.Name != t.path:
		return Field{Name: name}, nil
	case name == idField || name == indexField:
		return Field{Name: name, Type: name}, nil
	}
	return f, err
}
