package dsl

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// boosting lowers the score of documents that another query matches.
func (t *Translator) boosting(body json.RawMessage) (query.Node, error) {
	o := readOptions("boosting", body, "positive", "negative", "negative_boost")
	if o.err != nil {
		return nil, o.err
	}
	positive, err := t.inner(o, "positive")
	if err != nil {
		return nil, err
	}
	negative, err := t.inner(o, "negative")
	if err != nil {
		return nil, err
	}
	factor := o.float("negative_boost", 0)
	if !o.has("negative_boost") {
		o.fail("query requires 'negative_boost' to be set to be a positive value")
	}
	n := query.Reweighted{Node: positive, Functions: []query.Function{{Filter: negative, Weight: factor}}, Mode: query.Multiply, Combine: query.Multiply}
	return o.boosted(n, nil)
}

// functionKinds are the functions that have a number for a document.
var functionKinds = []string{string(query.Factor), string(query.Gauss), string(query.Exp), string(query.Linear)}

// functionScore changes the scores of a query by weights, and by the values of fields.
func (t *Translator) functionScore(body json.RawMessage) (query.Node, error) {
	o := readOptions("function_score", body, append([]string{"query", "functions", "weight", "score_mode", "boost_mode", "max_boost"}, functionKinds...)...)
	if o.err != nil {
		return nil, o.err
	}
	n := query.Reweighted{
		Node: query.All{}, Mode: query.Mode(o.word("score_mode", "multiply", "sum", "avg", "first", "min", "max")),
		Combine: query.Mode(o.word("boost_mode", "multiply", "replace", "sum", "avg", "min", "max")), Most: o.float("max_boost", 0),
	}
	var err error
	if o.has("query") {
		if n.Node, err = t.Node(o.m["query"]); err != nil {
			return nil, err
		}
	}
	if n.Functions, err = t.functions(o); err != nil {
		return nil, err
	}
	if len(n.Functions) == 0 {
		return o.boosted(n.Node, nil)
	}
	return o.boosted(n, nil)
}

// functions reads a list of functions, or the one that is written without a list.
func (t *Translator) functions(o *options) (all []query.Function, err error) {
	single := slices.ContainsFunc(append([]string{"weight"}, functionKinds...), func(name string) bool { return o.m[name] != nil })
	switch {
	case o.has("functions") && single:
		return nil, input.ParsingError("failed to parse [function_score] query. [you can either define [functions] array or a single function, not both]")
	case single:
		if o.m["weight"] != nil && slices.ContainsFunc(functionKinds, func(name string) bool { return o.m[name] != nil }) {
			return nil, input.ParsingError("failed to parse [function_score] query. already found function [weight]. use [functions] array if you want to define several functions.")
		}
		f, _, err := t.function(o)
		return []query.Function{f}, err
	case !o.has("functions"):
		return nil, nil
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(o.m["functions"], &list) != nil {
		return nil, input.ParsingError("[function_score] functions is a list of functions")
	}
	if err := t.count(len(list)); err != nil {
		return nil, err
	}
	for _, m := range list {
		one := checkOptions("function_score", m, append([]string{"filter", "weight"}, functionKinds...)...)
		if one.err != nil {
			return nil, one.err
		}
		f, there, err := t.function(one)
		switch {
		case err != nil:
			return nil, err
		case !there:
			return nil, input.ParsingError("[function_score] an entry in functions list is missing a function")
		case one.has("filter"):
			if f.Filter, err = t.Node(one.m["filter"]); err != nil {
				return nil, err
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// function reads one function, and reports whether there is one.
func (t *Translator) function(o *options) (f query.Function, there bool, err error) {
	f.Weight, there = o.float("weight", 1), o.has("weight")
	for _, kind := range functionKinds {
		if !o.has(kind) {
			continue
		}
		if f.Value != nil {
			return f, true, input.ParsingError("[function_score] has two functions in one place: [%s] and [%s]", f.Value.Curve, kind)
		}
		there = true
		if kind == string(query.Factor) {
			f.Value, err = t.factor(o.m[kind])
		} else {
			f.Value, err = t.decay(query.Curve(kind), o.m[kind])
		}
		if err != nil {
			return f, true, err
		}
	}
	return f, there, o.err
}

// valued returns the field of a function.
func (t *Translator) valued(kind, name string) (mapping.Field, error) {
	f, err := t.Lookup(name)
	switch {
	case err != nil:
		return f, err
	case f.Type == "" && len(t.Tables) > 0:
		return f, input.ParsingError("[%s] unknown field [%s]", kind, query.Shorten(name))
	case f.Type != mapping.Double && f.Type != mapping.Date && f.Type != "":
		return f, input.ParsingError("[%s] on field [%s] of type [%s] is not supported: use a number or a date", kind, f.Shown(), f.Type)
	}
	return f, nil
}

func (t *Translator) factor(body json.RawMessage) (*query.FieldFunction, error) {
	o := optionsOf("field_value_factor", body, "field", "factor", "modifier", "missing")
	fn := &query.FieldFunction{Curve: query.Factor, Field: o.text("field"), Factor: o.real("factor", 1), Modify: query.Modifier(o.word("modifier", query.Modifiers()...))}
	if o.has("missing") {
		missing := o.real("missing", 0)
		fn.Missing = &missing
	}
	if o.err != nil {
		return nil, o.err
	}
	_, err := t.valued(o.query, fn.Field)
	return fn, err
}

// real returns a number.
func (o *options) real(name string, without float64) float64 {
	return o.number(name, without, math.Inf(-1), input.IllegalArgument, "is a number")
}

// decay reads a function that is lower the farther a value is from its origin.
func (t *Translator) decay(kind query.Curve, body json.RawMessage) (*query.FieldFunction, error) {
	name, inner, err := input.Single(body, string(kind))
	if err != nil {
		return nil, err
	}
	o := optionsOf(string(kind), inner, "origin", "scale", "offset", "decay")
	if o.err != nil {
		return nil, o.err
	}
	f, err := t.valued(string(kind), name)
	if err != nil {
		return nil, err
	}
	fn := &query.FieldFunction{Curve: kind, Field: f.Name, Decay: o.real("decay", 0.5)}
	switch f.Type {
	case mapping.Date:
		t.decayOfDates(o, fn)
	case "":
		return fn, nil // in no index
	default:
		fn.Origin, fn.Scale, fn.Offset = o.real("origin", 0), o.real("scale", 0), o.real("offset", 0)
		o.text("origin")
	}
	if o.err == nil && (fn.Decay <= 0 || fn.Decay >= 1 || fn.Scale <= 0 || fn.Offset < 0) {
		o.fail("scale must be > 0.0, offset >= 0.0, and decay between 0.0 and 1.0")
	}
	return fn, o.err
}

// decayOfDates reads dates and durations in milliseconds.
func (t *Translator) decayOfDates(o *options, fn *query.FieldFunction) {
	origin := t.now
	if o.has("origin") {
		var err error
		if origin, err = t.Date(o.text("origin"), nil, nil, false); err != nil {
			o.fail("origin: %v", err)
		}
	}
	fn.Origin, fn.Scale = float64(origin.UnixMilli()), o.duration("scale")
	if o.has("offset") {
		fn.Offset = o.duration("offset")
	}
}

// duration reads a time such as 10d, in milliseconds.
func (o *options) duration(name string) float64 {
	text := o.text(name)
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"ms", time.Millisecond}, {"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}} {
		digits, ok := strings.CutSuffix(text, unit.name)
		if n, err := strconv.ParseInt(digits, 10, 32); ok && err == nil && n >= 0 {
			return float64(n) * float64(unit.of/time.Millisecond)
		}
	}
	o.fail("%s [%s] is not a time: write it as 10d, 12h, 5m, 30s or 100ms", name, query.Shorten(text))
	return 0
}
