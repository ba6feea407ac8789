// Package dsl translates OpenSearch's query DSL into query.Node. A query that is not
// supported is an error that names it. A field that does not exist, or that the caller may
// not see, finds nothing.
//
// A more_like_this becomes its words only with Scope.Choose, which reads documents as the
// caller of the search.
package dsl

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/nearest"
	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
)

// A Translator turns the DSL's queries into those of its indices.
type Translator struct {
	*Scope
	now       time.Time // of date math
	clauses   int
	values    int // of lists that are one clause
	text      int // bytes of long texts
	fuzzies   int
	nesteds   int
	Named     []Named
	path      string // the child of a nested query, "" outside
	depth     int
	over      error                                                // a limit that the query exceeds
	translate map[string]func(json.RawMessage) (query.Node, error) // by name
}

// New returns a translator for the queries of one search, at the time of the
// call.
func New(s *Scope) *Translator { return &Translator{Scope: s, now: time.Now()} }

// Node translates one query.
func (t *Translator) Node(text json.RawMessage) (query.Node, error) {
	t.depth++
	defer func() { t.depth-- }()
	if t.depth > query.MaxDepth {
		return nil, input.ParsingError("queries are nested deeper than %d", query.MaxDepth)
	}
	if err := t.count(1); err != nil {
		return nil, err
	}
	name, body, err := input.Single(text, "query")
	if err != nil {
		return nil, err
	}
	translate := t.queries()[name]
	if translate == nil {
		return nil, unknownQuery(name, slices.Sorted(maps.Keys(t.queries())))
	}
	if err := t.countText(name, len(body)); err != nil {
		return nil, err
	}
	n, err := translate(body)
	if err == nil {
		err = t.name(body, n)
	}
	return n, err
}

// queries returns what translates each query.
func (t *Translator) queries() map[string]func(json.RawMessage) (query.Node, error) {
	if t.translate == nil {
		t.translate = map[string]func(json.RawMessage) (query.Node, error){
			"match_all": always("match_all", query.All{}), "match_none": always("match_none", query.None()),
			"match":               t.matchText("match", t.words, false, slices.Concat(wordOptions, fuzzyOptions, []string{"auto_generate_synonyms_phrase_query"})...),
			"match_bool_prefix":   t.matchText("match_bool_prefix", t.words, true, append([]string{"operator", "minimum_should_match"}, fuzzyOptions...)...),
			"match_phrase":        t.matchText("match_phrase", t.phrase, false, "slop", "zero_terms_query"),
			"match_phrase_prefix": t.matchText("match_phrase_prefix", t.phrase, true, "slop", "zero_terms_query", "max_expansions"),
			"multi_match":         t.multiMatch,
			"term":                t.term, "terms": t.terms, "range": t.ranged, "exists": t.exists, "ids": t.ids,
			"prefix": t.prefix, "wildcard": t.wildcard, "regexp": t.regexp, "fuzzy": t.fuzzy,
			"bool": t.bool, "constant_score": t.constantScore, "dis_max": t.disMax,
			"query_string": t.queryString, "simple_query_string": t.simpleQueryString,
			"nested": t.nestedQuery, "more_like_this": t.moreLikeThis, "boosting": t.boosting, "function_score": t.functionScore,
		}
	}
	return t.translate
}

// unknownQuery returns the error of a query that there is none of here, with the most
// similar name or all names.
func unknownQuery(name string, names []string) error {
	if near := nearest.Name(name, names); near != "" {
		return input.ParsingError("unknown query [%s] did you mean [%s]?", query.Shorten(name), near)
	}
	return input.ParsingError("query [%s] is not supported; supported are %s", query.Shorten(name), strings.Join(names, ", "))
}

func (t *Translator) count(n int) error {
	if t.clauses += n; t.clauses > query.MaxClauses {
		t.over = input.ParsingError("the query has more than %d clauses", query.MaxClauses)
	}
	return t.over
}

// The texts of all queries may have maxText bytes, those of up to shortText not counted.
const (
	maxText   = 64 << 10
	shortText = 256
)

// countText counts the text of a query, which has no other queries and no list of values
// in it.
func (t *Translator) countText(name string, size int) error {
	switch name {
	case "bool", "constant_score", "dis_max", "nested", "boosting", "function_score", "terms", "ids":
		return nil
	}
	if t.text += max(0, size-shortText); t.text > maxText {
		t.over = input.ParsingError("the texts of the query have more than %d KiB", maxText>>10)
	}
	return t.over
}

// maxFuzzy is how many times a word is searched with a fuzziness, in one field each.
const maxFuzzy = 4 * query.MaxFuzzy

// countFuzzy counts a word of similar spelling, which is compared with many terms.
func (t *Translator) countFuzzy() error {
	if t.fuzzies++; t.fuzzies > maxFuzzy {
		t.over = input.ParsingError("the query searches more than %d words with a fuzziness, counted in each field", maxFuzzy)
	}
	return t.over
}
