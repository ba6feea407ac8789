package dsl

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// equal finds a value of a field that is no text. A text that does not fit the type of
// the field is an error or, if lenient, matches nothing.
func (t *Translator) equal(f mapping.Field, text string, lenient bool) (query.Node, error) {
	if f.Type == "" || text == "" && f.Type == mapping.Keyword {
		return query.None(), nil // empty text is not indexed
	}
	n, err := t.SameValue(f, text)
	switch {
	case err != nil && lenient:
		return query.None(), nil
	case err != nil:
		return nil, err
	}
	return Constant(n), nil
}

// SameValue finds the documents with a value of a field that is no text. A text that does
// not fit the type of the field is an error.
func (t *Translator) SameValue(f mapping.Field, text string) (query.Node, error) {
	switch f.Type {
	case mapping.Keyword:
		return pattern(f, query.Exact, text, false), nil
	case mapping.Double:
		text = strings.TrimSpace(text)
		if _, err := input.Finite(text); err != nil {
			return nil, input.Error(input.NotOfField, "failed to create query: For input string: %q", query.Shorten(text))
		}
	case mapping.Boolean:
		if text != "true" && text != "false" {
			return nil, input.Error(input.NotOfField, "failed to create query: Can't parse boolean value [%s], expected [true] or [false]", query.Shorten(text))
		}
	case mapping.Date:
		return t.between(f, rangeOf{from: &edge{text: text}, to: &edge{text: text}})
	case mapping.ID:
		return t.Keys([]string{text}), nil
	case mapping.IndexName:
		return t.inIndex(text)
	}
	return query.Range{Field: f.Name, Min: query.Bound{Text: text}, Max: query.Bound{Text: text}}, nil
}

// inIndex finds the documents of the index with a name: all or none of those of one index.
func (t *Translator) inIndex(name string) (query.Node, error) {
	switch {
	case len(t.Tables) > 1:
		return nil, input.ParsingError("[_index] in %d indices is not supported: search one index", len(t.Tables))
	case slices.Contains(t.Tables, name):
		return query.All{}, nil
	}
	return query.None(), nil
}

// pattern finds terms of a field with text or keywords.
func pattern(f mapping.Field, kind query.PatternKind, text string, fold bool) query.Pattern {
	return query.Pattern{Field: f.Name, Kind: kind, Text: text, Fold: fold, Value: f.Valued()}
}

// onlyOn returns the error of a query that other fields have no terms for.
func onlyOn(kind string, f mapping.Field) error {
	return input.Error(input.NotOfField, "Can only use %s queries on keyword and text fields - not on [%s] which is of type [%s]", kind, f.Shown(), f.Type)
}

// term finds a term as it is in the index: text is not analyzed.
func (t *Translator) term(body json.RawMessage) (query.Node, error) {
	f, o := t.oneField("term", "value", body, "case_insensitive")
	if o.err == nil && !o.has("value") {
		return nil, input.ArgumentError("value cannot be null")
	}
	text, fold := o.text("value"), o.flag("case_insensitive", false)
	if o.err != nil {
		return nil, o.err
	}
	return o.boosted(t.exactTerm(f, text, fold))
}

func (t *Translator) exactTerm(f mapping.Field, text string, fold bool) (query.Node, error) {
	switch {
	case text == "":
		return query.None(), nil
	case f.Type == mapping.Text && !fold:
		return pattern(f, query.Exact, text, false), nil
	case f.Type == mapping.Text || f.Type == mapping.Keyword && fold:
		return Constant(pattern(f, query.Exact, text, fold)), nil
	case fold && f.Type == mapping.ID:
		return query.None(), nil // a key has no letters in the index
	case fold && (f.Type == mapping.Double || f.Type == mapping.Date):
		return nil, input.Error(input.NotOfField, "[%s] field which is of type [%s], does not support case insensitive term queries", f.Shown(), f.Type)
	}
	return t.equal(f, text, false)
}

// terms finds any of some terms.
func (t *Translator) terms(body json.RawMessage) (query.Node, error) {
	m, err := input.Object(body, "terms")
	if err != nil {
		return nil, err
	}
	rest, field := map[string]json.RawMessage{}, ""
	for name, v := range m {
		switch {
		case name == "boost" || name == "_name":
			rest[name] = v
		case field != "":
			return nil, input.ParsingError("[terms] query does not support multiple fields")
		default:
			field = name
		}
	}
	var values []json.RawMessage
	if field == "" || json.Unmarshal(m[field], &values) != nil || values == nil {
		return nil, input.ParsingError("[terms] needs a field and a list of values; a lookup in another index is not supported")
	}
	return (&options{query: "terms", m: rest}).boosted(t.anyTerm(field, values))
}

// anyTerm finds any of some terms. Those of keywords and numbers, and keys, count as one
// clause.
func (t *Translator) anyTerm(field string, values []json.RawMessage) (query.Node, error) {
	f, err := t.Lookup(field)
	if err != nil {
		return nil, err
	}
	many := f.Type == mapping.Keyword || f.Type == mapping.Double || f.Type == mapping.ID
	if err := t.countTerms(len(values), many); err != nil {
		return nil, err
	}
	texts := make([]string, len(values))
	for i, v := range values {
		if texts[i], err = input.Scalar(v, "terms"); err != nil {
			return nil, err
		}
	}
	switch {
	case f.Type == mapping.ID:
		return Constant(t.Keys(texts)), nil
	case many:
		return t.anyValue(f, texts)
	}
	nodes := make([]query.Node, len(texts))
	for i, text := range texts {
		if nodes[i], err = t.exactTerm(f, text, false); err != nil {
			return nil, err
		}
	}
	return Constant(anyOf(nodes)), nil
}

// countTerms counts the values of a list, which is one clause if it may have many.
func (t *Translator) countTerms(n int, many bool) error {
	if !many {
		return t.count(n)
	}
	if t.values += n; t.values > query.MaxAnyTerms {
		t.over = input.ParsingError("the query has lists of more than %d values", query.MaxAnyTerms)
		return t.over
	}
	return t.count(1)
}

// anyValue finds any of some keywords or numbers.
func (t *Translator) anyValue(f mapping.Field, texts []string) (query.Node, error) {
	any := query.AnyTerm{Field: f.Name, Value: f.Valued()}
	for _, text := range texts {
		if text == "" {
			continue // empty text is not indexed
		}
		if f.Type == mapping.Double {
			if _, err := t.SameValue(f, text); err != nil {
				return nil, err
			}
			text = strings.TrimSpace(text)
		}
		any.Texts = append(any.Texts, text)
	}
	return Constant(any), nil
}

func (t *Translator) exists(body json.RawMessage) (query.Node, error) {
	o := readOptions("exists", body, "field")
	name := o.text("field")
	if o.err != nil {
		return nil, o.err
	}
	return o.boosted(t.has(name))
}

// everywhere are the fields of OpenSearch's own that each document has.
var everywhere = []string{mapping.ID, mapping.IndexName, "_seq_no", "_version"}

// has finds documents with any value of a field, or of the fields that match a pattern.
func (t *Translator) has(name string) (query.Node, error) {
	switch {
	case name == "_source" || name == "_field_names":
		return nil, input.Error(input.NotOfField, "The %s field is not searchable", name)
	case slices.Contains(everywhere, name) && t.path == "":
		return Constant(query.All{}), nil
	}
	fields, err := t.fieldsLike(name, 1)
	if err != nil {
		return nil, err
	}
	var nodes []query.Node
	for _, f := range fields {
		if f.Type != "" {
			nodes = append(nodes, query.Has{Field: f.Name, Value: f.Valued()})
		}
	}
	if err := t.count(len(nodes)); err != nil {
		return nil, err
	}
	return Constant(anyOf(nodes)), nil
}

// ids finds documents by their keys.
func (t *Translator) ids(body json.RawMessage) (query.Node, error) {
	o := readOptions("ids", body, "values")
	if o.err != nil {
		return nil, o.err
	}
	if t.path != "" {
		return nil, input.ParsingError("[ids] in [nested] is not supported: rows have no keys of documents")
	}
	var values []json.RawMessage
	if o.has("values") && json.Unmarshal(o.m["values"], &values) != nil {
		return nil, input.ParsingError("[ids] values is not a list of keys")
	}
	if err := t.countTerms(len(values), true); err != nil {
		return nil, err
	}
	texts := make([]string, len(values))
	for i, v := range values {
		var err error
		if texts[i], err = input.Scalar(v, "ids"); err != nil {
			return nil, err
		}
	}
	return o.boosted(Constant(t.Keys(texts)), nil)
}

func wholeNumber(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	return int(n), err
}
