package dsl

import (
	"encoding/json"
	"slices"

	"indexerd/internal/index/query"
)

// match finds documents with any of the words, or with all for the operator and.
func (t *Translator) match(body json.RawMessage) (query.Node, error) {
	names := slices.Concat(wordOptions, fuzzyOptions, []string{"auto_generate_synonyms_phrase_query"})
	f, o, err := t.oneField("match", "query", body, names...)
	if err != nil {
		return nil, err
	}
	text, m := o.text("query"), o.matching()
	if o.err != nil {
		return nil, o.err
	}
	return o.boosted(t.words(f, text, m))
}

func (t *Translator) matchBoolPrefix(body json.RawMessage) (query.Node, error) {
	names := append([]string{"operator", "minimum_should_match"}, fuzzyOptions...)
	f, o, err := t.oneField("match_bool_prefix", "query", body, names...)
	if err != nil {
		return nil, err
	}
	text, m := o.text("query"), o.matching()
	if m.begins = true; o.err != nil {
		return nil, o.err
	}
	return o.boosted(t.words(f, text, m))
}

func (t *Translator) matchPhrase(body json.RawMessage) (query.Node, error) {
	f, o, err := t.oneField("match_phrase", "query", body, "slop", "zero_terms_query")
	if err != nil {
		return nil, err
	}
	text, m := o.text("query"), o.matching()
	if o.err != nil {
		return nil, o.err
	}
	return o.boosted(t.phrase(f, text, m))
}

func (t *Translator) matchPhrasePrefix(body json.RawMessage) (query.Node, error) {
	f, o, err := t.oneField("match_phrase_prefix", "query", body, "slop", "zero_terms_query", "max_expansions")
	if err != nil {
		return nil, err
	}
	text, m := o.text("query"), o.matching()
	if m.begins = true; o.err != nil {
		return nil, o.err
	}
	return o.boosted(t.phrase(f, text, m))
}
