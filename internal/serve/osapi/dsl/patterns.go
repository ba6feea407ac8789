package dsl

import (
	"encoding/json"
	"math"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// prefix finds terms that begin so, wildcard those with ? and *, and regexp those that
// match a regular expression. Text is not analyzed.
func (t *Translator) prefix(body json.RawMessage) (query.Node, error) {
	return t.patternQuery("prefix", query.Beginning, body)
}

func (t *Translator) wildcard(body json.RawMessage) (query.Node, error) {
	return t.patternQuery("wildcard", query.Wildcard, body, "wildcard")
}

func (t *Translator) regexp(body json.RawMessage) (query.Node, error) {
	return t.patternQuery("regexp", query.Regexp, body, "flags", "flags_value", "max_determinized_states")
}

func (t *Translator) patternQuery(name string, kind query.PatternKind, body json.RawMessage, more ...string) (query.Node, error) {
	f, o := t.oneField(name, "value", body, append(more, "case_insensitive", "rewrite")...)
	key := "value"
	if kind == query.Wildcard && o.has("wildcard") {
		key = "wildcard"
	}
	text, fold := o.text(key), o.flag("case_insensitive", false)
	o.constantRewrite()
	if kind == query.Regexp {
		o.word("flags", "all") // the others make characters plain that a backslash makes plain too
		o.whole("max_determinized_states", 0, math.MaxInt32)
		if o.has("flags_value") {
			o.fail("flags_value is not supported: write flags ALL")
		}
	}
	if o.err != nil {
		return nil, o.err
	}
	return o.boosted(t.ofTerms(name, f, kind, text, fold))
}

// ofTerms finds the terms of a field with text or keywords that match a pattern.
func (t *Translator) ofTerms(name string, f mapping.Field, kind query.PatternKind, text string, fold bool) (query.Node, error) {
	if kind == query.Regexp {
		if _, err := query.RE2(text, false); err != nil {
			return nil, input.Error(input.NotOfField, "failed to create query: %v", err)
		}
	}
	switch f.Type {
	case "":
		return query.None(), nil
	case mapping.Text, mapping.Keyword:
		return Constant(pattern(f, kind, text, fold)), nil
	}
	return nil, onlyOn(name, f)
}

// fuzzy finds terms of similar spelling. Text is not analyzed.
func (t *Translator) fuzzy(body json.RawMessage) (query.Node, error) {
	f, o := t.oneField("fuzzy", "value", body, "fuzziness", "prefix_length", "max_expansions", "transpositions")
	text, m := o.text("value"), o.matching()
	if m.noSwaps = !o.flag("transpositions", true); m.fuzzy == nil {
		m.fuzzy = &query.Edits{Low: 3, High: 6}
	}
	if o.err == nil {
		o.err = t.countFuzzy()
	}
	if o.err != nil {
		return nil, o.err
	}
	if f.Type == "" {
		return query.None(), nil
	}
	return o.boosted(similarTerm(f, text, m))
}

// similarTerm finds the terms of a field with text or keywords that are spelt like a text.
func similarTerm(f mapping.Field, text string, m matching) (query.Node, error) {
	switch f.Type {
	case "":
		return query.None(), nil
	case mapping.Text, mapping.Keyword:
		n := m.similar(f, text)
		n.Words = false
		return n, nil
	}
	return nil, onlyOn("fuzzy", f)
}
