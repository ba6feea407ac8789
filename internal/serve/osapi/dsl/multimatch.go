package dsl

import (
	"encoding/json"
	"slices"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// A weightedField is a field of a query in several fields.
type weightedField struct {
	mapping.Field
	boost float64
}

// multiMatch finds documents where a match in some fields does.
func (t *Translator) multiMatch(body json.RawMessage) (query.Node, error) {
	names := slices.Concat(wordOptions, fuzzyOptions, []string{"query", "fields", "type", "slop", "tie_breaker", "auto_generate_synonyms_phrase_query"})
	o := readOptions("multi_match", body, names...)
	if o.err != nil {
		return nil, o.err
	}
	fields, everywhere, err := t.weightedFields(o)
	if err != nil {
		return nil, err
	}
	text, m := o.text("query"), o.matching()
	kind := o.multiType()
	if everywhere && !o.has("lenient") {
		m.lenient = true
	}
	if o.has("slop") && kind == "bool_prefix" {
		o.failAs("parsing_exception", "slop not allowed for type [%s]", kind)
	}
	if m.fuzzy != nil && (kind == "cross_fields" || strings.HasPrefix(kind, "phrase")) {
		o.fail("Fuzziness not allowed for type [%s]", kind)
	}
	if o.err != nil {
		return nil, o.err
	}
	return o.boosted(t.inFields(kind, fields, text, m))
}

var multiTypes = []string{"best_fields", "most_fields", "cross_fields", "phrase", "phrase_prefix", "bool_prefix"}

// multiType reads the type of a query in several fields.
func (o *options) multiType() string {
	if o.has("type") && !slices.Contains(multiTypes, strings.ToLower(o.text("type"))) {
		o.failAs("parse_exception", "type [%s] is not supported; supported are %s", query.Shorten(o.text("type")), strings.Join(multiTypes, ", "))
		return multiTypes[0]
	}
	return o.word("type", multiTypes...)
}

// inFields finds a text in some fields, as a type of multi_match says.
func (t *Translator) inFields(kind string, fields []weightedField, text string, m matching) (query.Node, error) {
	in := t.words
	switch kind {
	case "cross_fields":
		return t.acrossFields(fields, text, m)
	case "phrase":
		in = t.phrase
	case "phrase_prefix":
		in, m.begins = t.phrase, true
	case "bool_prefix":
		m.begins = true
	}
	if (kind == "most_fields" || kind == "bool_prefix") && !m.tieGiven {
		m.tie = 1
	}
	if err := t.count(len(fields)); err != nil {
		return nil, err
	}
	var nodes []query.Node
	for _, f := range fields {
		n, err := in(f.Field, text, m)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, Weighted(n, f.boost))
	}
	return disMax(nodes, m.tie), nil
}

// acrossFields finds each word in any of the fields with text, or the whole text in a
// field of values.
func (t *Translator) acrossFields(fields []weightedField, text string, m matching) (query.Node, error) {
	var texts, values []query.Node
	var inTexts []weightedField
	for _, f := range fields {
		switch {
		case f.Type == mapping.Text:
			inTexts = append(inTexts, f)
		case f.Type != "":
			n, err := t.equal(f.Field, text, m.lenient)
			if err != nil {
				return nil, err
			}
			values = append(values, Weighted(n, f.boost))
		}
	}
	for _, w := range chunks(text) {
		if err := t.count(len(inTexts)); err != nil {
			return nil, err
		}
		var somewhere []query.Node
		for _, f := range inTexts {
			somewhere = append(somewhere, Weighted(query.Word{Field: f.Name, Text: w}, f.boost))
		}
		if len(somewhere) > 0 {
			texts = append(texts, disMax(somewhere, m.tie))
		}
	}
	var groups []query.Node
	if len(inTexts) > 0 {
		groups = append(groups, m.combined(texts))
	}
	if len(values) > 0 {
		groups = append(groups, disMax(values, m.tie))
	}
	return disMax(groups, m.tie), nil
}

// weightedFields reads fields: names, or patterns with *, each with ^ and a boost or
// without. Without any it is all fields, and everywhere is true.
func (t *Translator) weightedFields(o *options) (fields []weightedField, everywhere bool, err error) {
	var names []string
	if o.has("fields") {
		var one string
		if json.Unmarshal(o.m["fields"], &one) == nil {
			names = []string{one}
		} else if json.Unmarshal(o.m["fields"], &names) != nil {
			return nil, false, input.ParsingError("[%s] fields is a list of fields", o.query)
		}
	}
	if len(names) == 0 {
		names = []string{"*"}
	}
	for _, name := range names {
		name, power, boosted := strings.Cut(name, "^")
		boost := 1.0
		if boosted {
			if boost, err = input.Finite(power); err != nil || boost < 0 {
				return nil, false, input.ParsingError("[%s] field [%s] has a boost that is no number from 0", o.query, query.Shorten(name))
			}
		}
		everywhere = everywhere || name == "*"
		more, err := t.fieldsLike(name, boost)
		if err != nil {
			return nil, false, err
		}
		for _, f := range more {
			if f.Type == "" {
				continue // it finds nothing
			}
			i := slices.IndexFunc(fields, func(g weightedField) bool { return f.Shown() == g.Shown() })
			if i < 0 {
				fields = append(fields, f)
			} else {
				fields[i].boost *= f.boost
			}
		}
	}
	return fields, everywhere, nil
}

// fieldsLike returns the fields with a name, or, if it has a *, that match it.
func (t *Translator) fieldsLike(name string, boost float64) (fields []weightedField, err error) {
	names := []string{name}
	if strings.Contains(name, "*") {
		names = slices.DeleteFunc(t.QueryNames(), func(known string) bool { return !like(name, known) })
	}
	for _, one := range names {
		f, err := t.Lookup(one)
		if err != nil {
			return nil, err
		}
		fields = append(fields, weightedField{f, boost})
	}
	return fields, nil
}

// like reports whether a name matches a pattern with *.
func like(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	if last == 0 {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, parts[0])
	for _, part := range parts[1:last] {
		at := strings.Index(name, part)
		if at < 0 {
			return false
		}
		name = name[at+len(part):]
	}
	return ok && strings.HasSuffix(name, parts[last])
}
