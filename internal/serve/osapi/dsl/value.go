package osapi

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/index/query"
)

// equal finds a value of a field that is no text. A text that does not fit the type of
// the field is an error or, if lenient, matches nothing.
func (t *translator) equal(f Field, text string, lenient bool) (query.Node, error) {
	if f.Type == "" || text == "" && f.Type == Keyword {
		return query.None(), nil // empty text is not indexed
	}
	n, err := t.sameValue(f, text)
	switch {
	case err != nil && lenient:
		return query.None(), nil
	case err != nil:
		return nil, err
	}
	return constant(n), nil
}

func (t *translator) sameValue(f Field, text string) (query.Node, error) {
	switch f.Type {
	case Keyword:
		return pattern(f, query.Exact, text, false), nil
	case Double:
		text = strings.TrimSpace(text)
		if _, err := finite(text); err != nil {
			return nil, fault(notOfField, "failed to create query: For input string: %q", query.Shorten(text))
		}
	case Boolean:
		if text != "true" && text != "false" {
			return nil, fault(notOfField, "failed to create query: Can't parse boolean value [%s], expected [true] or [false]", query.Shorten(text))
		}
	case Date:
		return t.between(f, rangeOf{from: &edge{text: text}, to: &edge{text: text}})
	case idField:
		return t.keys([]string{text}), nil
	case indexField:
		return t.inIndex(text)
	}
	return query.Range{Field: f.Name, Min: query.Bound{Text: text}, Max: query.Bound{Text: text}}, nil
}

// inIndex finds the documents of the index with a name: all or none of those of one index.
func (t *translator) inIndex(name string) (query.Node, error) {
	switch {
	case len(t.tables) > 1:
		return nil, parsing("[_index] in %d indices is not supported: search one index", len(t.tables))
	case slices.Contains(t.tables, name):
		return query.All{}, nil
	}
	return query.None(), nil
}

// pattern finds terms of a field with text or keywords.
func pattern(f Field, kind query.PatternKind, text string, fold bool) query.Pattern {
	return query.Pattern{Field: f.Name, Kind: kind, Text: text, Fold: fold, Value: f.valued()}
}

// onlyOn returns the error of a query that other fields have no terms for.
func onlyOn(kind string, f Field) error {
	return fault(notOfField, "Can only use %s queries on keyword and text fields - not on [%s] which is of type [%s]", kind, f.shown(), f.Type)
}

// term finds a term as it is in the index: text is not analyzed.
func (t *translator) term(body json.RawMessage) (query.Node, error) {
	f, o, err := t.oneField("term", "value", body, "case_insensitive")
	if err != nil {
		return nil, err
	}
	if !o.has("value") {
		return nil, illegal("value cannot be null")
	}
	text, fold := o.text("value"), o.flag("case_insensitive", false)
	if o.err != nil {
		return nil, o.err
	}
	return o.boosted(t.exactTerm(f, text, fold))
}

func (t *translator) exactTerm(f Field, text string, fold bool) (query.Node, error) {
	switch {
	case text == "":
		return query.None(), nil
	case f.Type == Text && !fold:
		return pattern(f, query.Exact, text, false), nil
	case f.Type == Text || f.Type == Keyword && fold:
		return constant(pattern(f, query.Exact, text, fold)), nil
	case fold && f.Type == idField:
		return query.None(), nil // a key has no letters in the index
	case fold && (f.Type == Double || f.Type == Date):
		return nil, fault(notOfField, "[%s] field which is of type [%s], does not support case insensitive term queries", f.shown(), f.Type)
	}
	return t.equal(f, text, false)
}

// terms finds any of some terms.
func (t *translator) terms(body json.RawMessage) (query.Node, error) {
	m, err := object(body, "terms")
	if err != nil {
		return nil, err
	}
	rest, field := map[string]json.RawMessage{}, ""
	for name, v := range m {
		switch {
		case name == "boost" || name == "_name":
			rest[name] = v
		case field != "":
			return nil, parsing("[terms] query does not support multiple fields")
		default:
			field = name
		}
	}
	o, err := newOptions("terms", rest)
	if err != nil {
		return nil, err
	}
	var values []json.RawMessage
	if field == "" || json.Unmarshal(m[field], &values) != nil || values == nil {
		return nil, parsing("[terms] needs a field and a list of values; a lookup in another index is not supported")
	}
	return o.boosted(t.anyTerm(field, values))
}

func (t *translator) anyTerm(field string, values []json.RawMessage) (query.Node, error) {
	if err := t.count(len(values)); err != nil {
		return nil, err
	}
	f, err := t.lookup(field)
	if err != nil {
		return nil, err
	}
	nodes := make([]query.Node, len(values))
	for i, v := range values {
		text, err := scalar(v, "terms")
		if err != nil {
			return nil, err
		}
		if nodes[i], err = t.exactTerm(f, text, false); err != nil {
			return nil, err
		}
	}
	return constant(anyOf(nodes)), nil
}

func (t *translator) exists(body json.RawMessage) (query.Node, error) {
	o, err := t.options("exists", body, "field")
	if err != nil {
		return nil, err
	}
	name := o.text("field")
	if o.err != nil {
		return nil, o.err
	}
	return o.boosted(t.has(name))
}

// everywhere are the fields of OpenSearch's own that each document has.
var everywhere = []string{idField, indexField, "_seq_no", "_version"}

// has finds documents with any value of a field, or of the fields that match a pattern.
func (t *translator) has(name string) (query.Node, error) {
	switch {
	case name == "_source" || name == "_field_names":
		return nil, fault(notOfField, "The %s field is not searchable", name)
	case slices.Contains(everywhere, name) && t.path == "":
		return constant(query.All{}), nil
	}
	fields, err := t.fieldsLike(name, 1)
	if err != nil {
		return nil, err
	}
	var nodes []query.Node
	for _, f := range fields {
		if f.Type != "" {
			nodes = append(nodes, query.Has{Field: f.Name, Value: f.valued()})
		}
	}
	if err := t.count(len(nodes)); err != nil {
		return nil, err
	}
	return constant(anyOf(nodes)), nil
}

// ids finds documents by their keys.
func (t *translator) ids(body json.RawMessage) (query.Node, error) {
	o, err := t.options("ids", body, "values")
	if err != nil {
		return nil, err
	}
	if t.path != "" {
		return nil, parsing("[ids] in [nested] is not supported: rows have no keys of documents")
	}
	var values []json.RawMessage
	if o.has("values") && json.Unmarshal(o.m["values"], &values) != nil {
		return nil, parsing("[ids] values is not a list of keys")
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
	return o.boosted(constant(t.keys(texts)), nil)
}

func wholeNumber(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	return int(n), err
}
