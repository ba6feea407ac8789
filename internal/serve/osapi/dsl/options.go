package dsl

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// options are those of one query. err is the first fault of them, from when they are read
// on.
type options struct {
	query string
	m     map[string]json.RawMessage
	err   error
}

// readOptions reads the options of a query. Besides names, boost and _name are allowed.
func readOptions(name string, body json.RawMessage, names ...string) *options {
	return optionsOf(name, body, append([]string{"boost", "_name"}, names...)...)
}

// optionsOf reads the options of a query or of a part of one.
func optionsOf(name string, body json.RawMessage, names ...string) *options {
	m, err := input.ObjectOf(body, name, names...)
	return &options{name, m, err}
}

// checkOptions is readOptions for an object that is read.
func checkOptions(name string, m map[string]json.RawMessage, names ...string) *options {
	return &options{name, m, input.Only(m, name, append([]string{"boost", "_name"}, names...)...)}
}

// oneField reads the options of a query of one field: {field: value} or
// {field: {key: value, ...}}. A field that does not exist, or that the caller may not
// see, has no type.
func (t *Translator) oneField(name, key string, body json.RawMessage, names ...string) (f mapping.Field, o *options) {
	m, field, err := fieldAndOptions(name, key, body)
	if err != nil {
		return f, &options{query: name, err: err}
	}
	if o = checkOptions(name, m, append(names, key)...); o.err == nil {
		f, o.err = t.Lookup(field)
	}
	return f, o
}

// fieldAndOptions returns the field of a query of one field, and its options with those
// beside the field. A value that is no object is the option key.
func fieldAndOptions(name, key string, body json.RawMessage) (m map[string]json.RawMessage, field string, err error) {
	outer, err := input.Object(body, name)
	if err != nil {
		return nil, "", err
	}
	m = map[string]json.RawMessage{}
	for k, v := range outer {
		switch {
		case k == "_name" || k == "boost":
			m[k] = v
		case field != "":
			return nil, "", input.ParsingError("[%s] query doesn't support multiple fields, found [%s] and [%s]", name, query.Shorten(min(k, field)), query.Shorten(max(k, field)))
		default:
			field = k
		}
	}
	switch value := outer[field]; {
	case field == "":
		return nil, "", input.ParsingError("[%s] needs a field", name)
	case value[0] != '{' && name == "range":
		return nil, "", input.ParsingError("[range] query does not support [%s]", query.Shorten(field))
	case value[0] != '{':
		m[key] = value
	default:
		inner, err := input.Object(value, name)
		if err != nil {
			return nil, "", err
		}
		maps.Copy(m, inner)
	}
	return m, field, nil
}

// fail keeps the first fault of an option's value.
func (o *options) fail(format string, args ...any) { o.failAs(input.IllegalArgument, format, args...) }

func (o *options) failAs(kind, format string, args ...any) {
	if o.err == nil {
		o.err = input.Error(kind, "[%s] "+format, append([]any{o.query}, args...)...)
	}
}

// has reports whether an option is there and not null.
func (o *options) has(name string) bool {
	return o.m[name] != nil && string(o.m[name]) != "null"
}

// text returns an option that must be there.
func (o *options) text(name string) string {
	if !o.has(name) {
		o.failAs("parsing_exception", "needs [%s]", name)
		return ""
	}
	text, err := input.Scalar(o.m[name], o.query)
	if err != nil && o.err == nil {
		o.err = err
	}
	return text
}

// word returns an option that is one of some words, in any case; the first if it is not
// there.
func (o *options) word(name string, words ...string) string {
	if !o.has(name) {
		return words[0]
	}
	text := strings.ToLower(o.text(name))
	if !slices.Contains(words, text) {
		o.fail("%s [%s] is not supported; supported are %s", name, query.Shorten(text), strings.Join(words, ", "))
	}
	return text
}

func (o *options) flag(name string, without bool) bool {
	if !o.has(name) {
		return without
	}
	switch o.text(name) {
	case "true":
		return true
	case "false":
		return false
	}
	o.fail("%s is true or false", name)
	return without
}

// whole returns a whole number from 0.
func (o *options) whole(name string, without, most int) int {
	if !o.has(name) {
		return without
	}
	n, err := wholeNumber(o.text(name))
	if err != nil || n < 0 || n > most {
		o.fail("%s is a whole number from 0 to %d", name, most)
		return without
	}
	return n
}

// float returns a number that is not negative.
func (o *options) float(name string, without float64) float64 {
	return o.number(name, without, 0, input.IllegalArgument, "is a number from 0")
}

// number returns a number that is not less than another one. fault says what it is.
func (o *options) number(name string, without, least float64, kind, fault string) float64 {
	if !o.has(name) {
		return without
	}
	x, err := input.Finite(o.text(name))
	if err != nil || x < least {
		o.failAs(kind, "%s "+fault, name)
		return without
	}
	return x
}

// minimum returns minimum_should_match, and whether it is there.
func (o *options) minimum() (query.Minimum, bool) {
	if !o.has("minimum_should_match") {
		return query.Exactly(1), false
	}
	m, err := query.ParseMinimum(o.text("minimum_should_match"))
	if err != nil {
		o.failAs(input.NotOfField, "minimum_should_match: %v", err)
	}
	return m, true
}

// constantRewrite checks that rewrite keeps the score constant, as it is here.
func (o *options) constantRewrite() {
	o.word("rewrite", "constant_score", "constant_score_boolean", "constant_score_blended", "constant_score_filter")
}

// boosted returns a query with the boost, or the first fault of the options.
func (o *options) boosted(n query.Node, err error) (query.Node, error) {
	boost := o.float("boost", 1)
	if o.has("_name") {
		o.text("_name")
	}
	switch {
	case err != nil:
		return nil, err
	case o.err != nil:
		return nil, o.err
	}
	return Weighted(n, boost), nil
}

// Weighted multiplies the score of a query.
func Weighted(n query.Node, boost float64) query.Node {
	if boost == 1 {
		return n
	}
	return query.Boosted{Node: n, Factor: boost}
}

// Constant gives each match of a query the score 1, as OpenSearch does for values.
func Constant(n query.Node) query.Node { return query.Constant{Node: n, Score: 1} }
