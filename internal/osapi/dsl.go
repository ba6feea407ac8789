package osapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"indexerd/internal/doc"
	"indexerd/internal/query"
)

// A translator turns the DSL's queries into those of this index.
type translator struct {
	index   Index
	clauses int
	depth   int
}

// object reads a JSON object. Its numbers stay as they are written.
func object(text json.RawMessage, what string) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(text, &m); err != nil || m == nil {
		return nil, parsing("[%s] is not a JSON object", what)
	}
	return m, nil
}

// single reads an object with one key.
func single(text json.RawMessage, what string) (key string, value json.RawMessage, err error) {
	m, err := object(text, what)
	if err != nil {
		return "", nil, err
	}
	if len(m) != 1 {
		return "", nil, parsing("[%s] has %d keys, not one", what, len(m))
	}
	for key, value = range m {
	}
	return key, value, nil
}

// only rejects keys that are not supported.
func only(m map[string]json.RawMessage, what string, names ...string) error {
	for name := range m {
		if !slices.Contains(names, name) {
			return parsing("[%s] does not support [%s]; supported are %s", what, query.Shorten(name), strings.Join(names, ", "))
		}
	}
	return nil
}

// scalar reads text, a number, true or false.
func scalar(text json.RawMessage, what string) (string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err == nil {
		switch v.(type) {
		case string, json.Number, bool:
			return doc.FormatText(v), nil
		}
	}
	return "", parsing("[%s] is not text, a number, true or false", what)
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
	case "bool":
		return t.bool(body)
	case "constant_score":
		return t.constantScore(body)
	}
	return nil, parsing("query [%s] is not supported; supported are match_all, match_none, match, multi_match, match_phrase, term, terms, range, exists, prefix, bool, constant_score", query.Shorten(name))
}

func (t *translator) count(n int) error {
	if t.clauses += n; t.clauses > query.MaxClauses {
		return parsing("the query has more than %d clauses", query.MaxClauses)
	}
	return nil
}

// match finds documents with any of the words, or with all for the operator and.
func (t *translator) match(body json.RawMessage) (query.Node, error) {
	f, m, err := t.clause("match", "query", body, "operator")
	if err != nil {
		return nil, err
	}
	return t.words("match", f, m)
}

// words finds the words of a match in one field.
func (t *translator) words(name string, f Field, m map[string]json.RawMessage) (query.Node, error) {
	operator := "or"
	if m["operator"] != nil {
		var err error
		if operator, err = scalar(m["operator"], "operator"); err != nil {
			return nil, err
		}
	}
	operator = strings.ToLower(operator)
	if operator != "or" && operator != "and" {
		return nil, parsing("[%s] operator is or, or and", name)
	}
	text, err := scalar(m["query"], name)
	if err != nil || f.Type == "" {
		return query.None(), err
	}
	if f.Type != Text {
		return equal(f, text), nil
	}
	words := strings.FieldsFunc(text, isBreak)
	nodes := make([]query.Node, len(words))
	for i, w := range words {
		nodes[i] = query.Word{Field: f.Name, Text: w}
	}
	if err := t.count(len(nodes)); err != nil {
		return nil, err
	}
	if operator == "and" {
		return all(nodes), nil
	}
	return anyOf(nodes), nil
}

// multiMatch finds documents where a match in any of the fields does.
func (t *translator) multiMatch(body json.RawMessage) (query.Node, error) {
	m, err := object(body, "multi_match")
	if err != nil {
		return nil, err
	}
	if err := only(m, "multi_match", "query", "fields", "operator", "type"); err != nil {
		return nil, err
	}
	var names []string
	if err := json.Unmarshal(m["fields"], &names); m["fields"] == nil || err != nil || len(names) == 0 {
		return nil, parsing("[multi_match] needs [fields], a list of fields")
	}
	if m["type"] != nil {
		kind, err := scalar(m["type"], "type")
		if err != nil {
			return nil, err
		}
		if kind != "most_fields" && kind != "best_fields" {
			return nil, parsing("[multi_match] type is most_fields or best_fields")
		}
	}
	if err := t.count(len(names)); err != nil {
		return nil, err
	}
	var nodes []query.Node
	for _, name := range names {
		if strings.ContainsAny(name, "*^") {
			return nil, parsing("[multi_match] field [%s] is not supported: name a field, without * and ^", query.Shorten(name))
		}
		n, err := t.words("multi_match", t.index.field(name), m)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return anyOf(nodes), nil
}

// isBreak reports whether a character separates words. Apostrophes, points and
// commas may be inside one, such as in don't and 3.5; the analyzer decides.
func isBreak(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.N, unicode.M) && !strings.ContainsRune("'’._,", r)
}

func (t *translator) matchPhrase(body json.RawMessage) (query.Node, error) {
	f, m, err := t.clause("match_phrase", "query", body, "slop")
	if err != nil {
		return nil, err
	}
	text, err := scalar(m["query"], "match_phrase")
	if err != nil || f.Type == "" {
		return query.None(), err
	}
	if f.Type != Text {
		return equal(f, text), nil
	}
	p := query.Phrase{Field: f.Name, Text: text}
	if m["slop"] != nil {
		if err := json.Unmarshal(m["slop"], &p.Slop); err != nil || p.Slop < 0 || p.Slop > query.MaxSlop {
			return nil, parsing("[match_phrase] slop is a number from 0 to %d", query.MaxSlop)
		}
	}
	return p, nil
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
	return t.index.field(field), m, nil
}

func (t *translator) term(body json.RawMessage) (query.Node, error) {
	f, m, err := t.clause("term", "value", body)
	if err != nil {
		return nil, err
	}
	return t.value("term", f, m["value"])
}

// value finds one value of a field.
func (t *translator) value(name string, f Field, text json.RawMessage) (query.Node, error) {
	v, err := scalar(text, name)
	switch {
	case err != nil:
		return nil, err
	case f.Type == "":
		return query.None(), nil
	case f.Type == Text:
		return nil, parsing("[%s] on text field [%s] is not supported: use match, or a field of metadata", name, f.Name)
	}
	return equal(f, v), nil
}

func (t *translator) terms(body json.RawMessage) (query.Node, error) {
	field, list, err := single(body, "terms")
	if err != nil {
		return nil, err
	}
	var values []json.RawMessage
	if err := json.Unmarshal(list, &values); err != nil {
		return nil, parsing("[terms] needs a list of values; a lookup in another index is not supported")
	}
	if err := t.count(len(values)); err != nil {
		return nil, err
	}
	f := t.index.field(field)
	nodes := make([]query.Node, len(values))
	for i, v := range values {
		if nodes[i], err = t.value("terms", f, v); err != nil {
			return nil, err
		}
	}
	return anyOf(nodes), nil
}

// equal finds a value. A range finds it also in a field that is text too.
func equal(f Field, v string) query.Node {
	if v == "" {
		return query.None() // empty text is not indexed, and empty bounds are open
	}
	return query.Range{Field: f.Name, Min: query.Bound{Text: v}, Max: query.Bound{Text: v}}
}

func (t *translator) between(body json.RawMessage) (query.Node, error) {
	field, bounds, err := single(body, "range")
	if err != nil {
		return nil, err
	}
	m, err := object(bounds, "range")
	if err != nil {
		return nil, err
	}
	if err := only(m, "range", "gt", "gte", "lt", "lte"); err != nil {
		return nil, err
	}
	f := t.index.field(field)
	n := query.Range{Field: f.Name}
	for name, text := range m {
		if string(text) == "null" {
			continue
		}
		v, err := scalar(text, "range")
		if err != nil {
			return nil, err
		}
		if v == "" || f.Type == Date && (strings.HasPrefix(v, "now") || strings.Contains(v, "||")) {
			return nil, parsing("[range] bound [%s] is not supported: write a value, without date math", query.Shorten(v))
		}
		to := &n.Min
		if name[0] == 'l' {
			to = &n.Max
		}
		if to.Text != "" {
			return nil, parsing("[range] has two bounds on one side")
		}
		*to = query.Bound{Text: v, Exclusive: !strings.HasSuffix(name, "e")}
	}
	switch f.Type {
	case "":
		return query.None(), nil
	case Text:
		return nil, parsing("[range] on text field [%s] is not supported: use a field of metadata", f.Name)
	}
	return n, nil
}

func (t *translator) exists(body json.RawMessage) (query.Node, error) {
	m, err := object(body, "exists")
	if err != nil {
		return nil, err
	}
	if err := only(m, "exists", "field"); err != nil {
		return nil, err
	}
	name, err := scalar(m["field"], "exists")
	if err != nil {
		return nil, err
	}
	switch f := t.index.field(name); f.Type {
	case "":
		return query.None(), nil
	case Text:
		return nil, parsing("[exists] on text field [%s] is not supported: use a field of metadata", f.Name)
	default:
		return query.Range{Field: f.Name}, nil
	}
}

func (t *translator) prefix(body json.RawMessage) (query.Node, error) {
	f, m, err := t.clause("prefix", "value", body)
	if err != nil {
		return nil, err
	}
	v, err := scalar(m["value"], "prefix")
	switch {
	case err != nil:
		return nil, err
	case f.Type == "":
		return query.None(), nil
	case f.Type != Keyword || f.both:
		return nil, parsing("[prefix] on field [%s] is not supported: use a field that is only a keyword", f.Name)
	}
	return query.Prefix{Field: f.Name, Text: v}, nil
}
