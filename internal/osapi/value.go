package osapi

import (
	"encoding/json"
	"strings"

	"indexerd/internal/query"
)

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
	f, err := t.lookup(field)
	if err != nil {
		return nil, err
	}
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
	f, err := t.lookup(field)
	if err != nil {
		return nil, err
	}
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
	f, err := t.lookup(name)
	if err != nil {
		return nil, err
	}
	switch f.Type {
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

// ids finds documents by their keys.
func (t *translator) ids(body json.RawMessage) (query.Node, error) {
	m, err := object(body, "ids")
	if err != nil {
		return nil, err
	}
	if err := only(m, "ids", "values"); err != nil {
		return nil, err
	}
	var values []json.RawMessage
	if m["values"] == nil || json.Unmarshal(m["values"], &values) != nil {
		return nil, parsing("[ids] needs [values], a list of keys")
	}
	if err := t.count(len(values)); err != nil {
		return nil, err
	}
	texts := make([]string, len(values))
	for i, v := range values {
		if texts[i], err = scalar(v, "ids"); err != nil {
			return nil, err
		}
	}
	return t.keys(texts), nil
}
