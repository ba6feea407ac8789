package osapi

import (
	"encoding/json"

	"indexerd/internal/query"
)

// A translator turns the DSL's queries into those of its indices.
type translator struct {
	*target
	clauses int
	depth   int
}

// node translates one query.
func (t *translator) node(text json.RawMessage) (query.Node, error) {
	t.depth++
	defer func() { t.depth-- }()
	if t.depth > query.MaxDepth {
		return nil, parsing("queries are nested deeper than %d", query.MaxDepth)
	}
	if err := t.count(1); err != nil {
		return nil, err
	}
	name, body, err := single(text, "query")
	if err != nil {
		return nil, err
	}
	switch name {
	case "match_all", "match_none":
		m, err := object(body, name)
		if err != nil {
			return nil, err
		}
		if name == "match_none" {
			return query.None(), only(m, name)
		}
		return query.All{}, only(m, name)
	case "match":
		return t.match(body)
	case "multi_match":
		return t.multiMatch(body)
	case "match_phrase":
		return t.matchPhrase(body)
	case "term":
		return t.term(body)
	case "terms":
		return t.terms(body)
	case "range":
		return t.between(body)
	case "exists":
		return t.exists(body)
	case "prefix":
		return t.prefix(body)
	case "ids":
		return t.ids(body)
	case "bool":
		return t.bool(body)
	case "constant_score":
		return t.constantScore(body)
	}
	return nil, parsing("query [%s] is not supported; supported are match_all, match_none, match, multi_match, match_phrase, term, terms, range, exists, prefix, ids, bool, constant_score", query.Shorten(name))
}

func (t *translator) count(n int) error {
	if t.clauses += n; t.clauses > query.MaxClauses {
		return parsing("the query has more than %d clauses", query.MaxClauses)
	}
	return nil
}

// clause reads a query of one field: {field: value} or {field: {key: value, ...}}.
// A field that does not exist, or that the caller may not see, has no type.
func (t *translator) clause(name, key string, body json.RawMessage, options ...string) (Field, map[string]json.RawMessage, error) {
	field, value, err := single(body, name)
	if err != nil {
		return Field{}, nil, err
	}
	m := map[string]json.RawMessage{key: value}
	if value[0] == '{' {
		if m, err = object(value, name); err != nil {
			return Field{}, nil, err
		}
	}
	if err := only(m, name, append(options, key)...); err != nil {
		return Field{}, nil, err
	}
	if m[key] == nil {
		return Field{}, nil, parsing("[%s] needs [%s]", name, key)
	}
	f, err := t.lookup(field)
	return f, m, err
}
