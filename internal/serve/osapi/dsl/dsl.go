package osapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/nearest"
	"indexerd/internal/index/query"
)

// A translator turns the DSL's queries into those of its indices.
type translator struct {
	*scope
	now       time.Time // of date math
	clauses   int
	fuzzies   int
	nesteds   int
	named     []namedQuery
	path      string // the child of a nested query, "" outside
	depth     int
	over      error                                                // a limit that the query exceeds
	translate map[string]func(json.RawMessage) (query.Node, error) // by name
}

// newTranslator returns a translator for the queries of one search, at the time of the
// call.
func newTranslator(s *scope) *translator { return &translator{scope: s, now: time.Now()} }

// node translates one query.
func (t *translator) node(text json.RawMessage) (query.Node, error) {
	t.depth++
	defer func() { t.depth-- }()
	if t.depth > query.MaxDepth {
		return nil, parsing("queries are nested deeper than %d", query.MaxDepth)
	}
	if err := t.count(1); err != nil {
		return nil, err
	}
	name, body, err := single(text, "query")
	if err != nil {
		return nil, err
	}
	translate := t.queries()[name]
	if translate == nil {
		return nil, unknownQuery(name, slices.Sorted(maps.Keys(t.queries())))
	}
	n, err := translate(body)
	if err == nil {
		err = t.name(body, n)
	}
	return n, err
}

// queries returns what translates each query.
func (t *translator) queries() map[string]func(json.RawMessage) (query.Node, error) {
	if t.translate == nil {
		t.translate = map[string]func(json.RawMessage) (query.Node, error){
			"match_all": t.matchAll, "match_none": t.matchNone,
			"match": t.match, "match_phrase": t.matchPhrase, "match_phrase_prefix": t.matchPhrasePrefix, "match_bool_prefix": t.matchBoolPrefix, "multi_match": t.multiMatch,
			"term": t.term, "terms": t.terms, "range": t.ranged, "exists": t.exists, "ids": t.ids,
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
		return parsing("unknown query [%s] did you mean [%s]?", query.Shorten(name), near)
	}
	return parsing("query [%s] is not supported; supported are %s", query.Shorten(name), strings.Join(names, ", "))
}

func (t *translator) matchAll(body json.RawMessage) (query.Node, error) {
	o, err := t.options("match_all", body)
	if err != nil {
		return nil, err
	}
	return o.boosted(query.All{}, nil)
}

func (t *translator) matchNone(body json.RawMessage) (query.Node, error) {
	o, err := t.options("match_none", body)
	if err != nil {
		return nil, err
	}
	return o.boosted(query.None(), nil)
}

func (t *translator) count(n int) error {
	if t.clauses += n; t.clauses > query.MaxClauses {
		t.over = parsing("the query has more than %d clauses", query.MaxClauses)
	}
	return t.over
}

// maxFuzzy is how many times a word is searched with a fuzziness, in one field each.
const maxFuzzy = 4 * query.MaxFuzzy

// countFuzzy counts a word of similar spelling, which is compared with many terms.
func (t *translator) countFuzzy() error {
	if t.fuzzies++; t.fuzzies > maxFuzzy {
		t.over = parsing("the query searches more than %d words with a fuzziness, counted in each field", maxFuzzy)
	}
	return t.over
}
