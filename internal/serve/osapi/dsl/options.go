package dsl

import (
	"encoding/json"
	"slices"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// options are those of one query. The first fault of them is err.
type options struct {
	query string
	m     map[string]json.RawMessage
	err   error
}

// readOptions reads the options of a query. Besides names, boost and _name are allowed.
func readOptions(name string, body json.RawMessage, names ...string) (*options, error) {
	return optionsOf(name, body, append([]string{"boost", "_name"}, names...)...)
}

// optionsOf reads the options of a query or of a part of one.
func optionsOf(name string, body json.RawMessage, names ...string) (*options, error) {
	m, err := input.Object(body, name)
	if err != nil {
		return nil, err
	}
	return &options{query: name, m: m}, input.Only(m, name, names...)
}

func newOptions(name string, m map[string]json.RawMessage, names ...string) (*options, error) {
	return &options{query: name, m: m}, input.Only(m, name, append([]string{"boost", "_name"}, names...)...)
}

// oneField reads the options of a query of one field: {field: value} or
// {field: {key: value, ...}}. A field that does not exist, or that the caller may not
// see, has no type.
func (t *Translator) oneField(name, key string, body json.RawMessage, names ...string) (mapping.Field, *options, error) {
	outer, err := input.Object(body, name)
	if err != nil {
		return mapping.Field{}, nil, err
	}
	m, field := map[string]json.RawMessage{}, ""
	for k, v := range outer {
		switch {
		case k == "_name" || k == "boost":
			m[k] = v
		case field != "":
			return mapping.Field{}, nil, input.ParsingError("[%s] query doesn't support multiple fields, found [%s] and [%s]", name, query.Shorten(min(k, field)), query.Shorten(max(k, field)))
		default:
			field = k
		}
	}
	if field == "" {
		return mapping.Field{}, nil, input.ParsingError("[%s] needs a field", name)
	}
	if value := outer[field]; value[0] == '{' {
		inner, err := input.Object(value, name)
		if err != nil {
			return mapping.Field{}, nil, err
		}
		for k, v := range inner {
			m[k] = v
		}
	} else if name == "range" {
		return mapping.Field{}, nil, input.ParsingError("[range] query does not support [%s]", query.Shorten(field))
	} else {
		m[key] = value
	}
	o, err := newOptions(name, m, append(names, key)...)
	if err != nil {
		return mapping.Field{}, nil, err
	}
	f, err := t.Lookup(field)
	return f, o, err
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
	if !o.has(name) {
		return without
	}
	x, err := input.Finite(o.text(name))
	if err != nil || x < 0 {
		o.fail("%s is a number from 0", name)
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
