package dsl

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A generator makes random queries of the films.
type generator struct{ *rand.Rand }

func (g generator) pick(all ...string) string { return all[g.IntN(len(all))] }

func (g generator) word() string {
	return g.pick("mad", "shark", "dog", "scientist", "drama", "a", "Academy", "sharks", "nope", "quiet", "mad-scientist", "epic", "PG-13", "R", "2005", "ab")
}

// text returns the text of a query_string or a simple_query_string. Some have faults.
func (g generator) text(operators ...string) string {
	var b strings.Builder
	for range 1 + g.IntN(6) {
		switch g.IntN(5) {
		case 0, 1:
			b.WriteString(g.pick(operators...))
		default:
			b.WriteString(g.word())
		}
		b.WriteString(g.pick(" ", " ", ""))
	}
	return b.String()
}

func (g generator) fields() any {
	return [][]string{{"title"}, {"body"}, {"title", "body"}, {"title^2", "body"}, {"rating", "title"}, {"title.keyword", "body"}, {"nope", "body"}, {"t*"}}[g.IntN(8)]
}

func (g generator) value() any {
	return []any{"mad", "shark", "PG-13", "R", "b", "2005", 2006, "2006-01-01", "2005-02", true, "mad scientist", "Shark", "a"}[g.IntN(13)]
}

func (g generator) field() string {
	return g.pick("title", "body", "title.keyword", "rating", "tags", "year", "seen", "free", "nope", "cast")
}

type queryObject = map[string]any

// some adds some of the options to a query.
func (g generator) some(m queryObject, options queryObject) queryObject {
	for name, v := range options {
		if g.IntN(4) == 0 {
			m[name] = v
		}
	}
	return m
}

func (g generator) query(depth int) queryObject {
	of := func(kind, key string, v any, options queryObject) queryObject {
		return queryObject{kind: queryObject{g.field(): g.some(queryObject{key: v}, options)}}
	}
	minimum := g.pick("1", "2", "-1", "50%", "2<75%", "3")
	operator := g.pick("and", "or")
	list := func() (all []queryObject) {
		for range 1 + g.IntN(3) {
			all = append(all, g.query(depth-1))
		}
		return all
	}
	switch g.IntN(16 + 6*min(1, depth)) {
	case 0, 1, 2:
		return of("match", "query", g.text(","), queryObject{"operator": operator, "minimum_should_match": minimum, "lenient": true, "zero_terms_query": "all", "boost": 2, "fuzziness": g.pick("AUTO", "1", "0")})
	case 3:
		return of("match_phrase", "query", g.word()+" "+g.word(), queryObject{"slop": g.IntN(4)})
	case 4:
		return of("match_bool_prefix", "query", g.word()+" "+g.pick("sh", "ma", "d", "PG"), queryObject{"operator": operator, "minimum_should_match": minimum})
	case 5:
		return of("match_phrase_prefix", "query", g.word()+" "+g.pick("sh", "ma", "d"), queryObject{"slop": g.IntN(3)})
	case 6, 7:
		return queryObject{"multi_match": g.some(queryObject{"query": g.text(","), "fields": g.fields()}, queryObject{"type": g.pick(multiTypes...), "operator": operator, "minimum_should_match": minimum, "tie_breaker": 0.3, "lenient": true})}
	case 8:
		return of("term", "value", g.value(), queryObject{"case_insensitive": true})
	case 9:
		return queryObject{"terms": queryObject{g.field(): []any{g.value(), g.value()}}}
	case 10:
		return of("range", g.pick("gt", "gte", "lt", "lte"), g.value(), nil)
	case 11:
		return queryObject{"exists": queryObject{"field": g.field()}}
	case 12:
		return of(g.pick("prefix", "wildcard", "regexp"), "value", g.pick("sh", "ma.*", "m?d", "*a*", "[a-m]+", "PG-1?", "S.+"), queryObject{"case_insensitive": true})
	case 13:
		return of("fuzzy", "value", g.word(), queryObject{"fuzziness": g.IntN(3), "prefix_length": 1, "transpositions": false})
	case 14:
		text := g.text("AND", "OR", "NOT", "+", "-", "(", ")", "title:", "body:", "rating:", "\"mad shark\"", "sha*", "~", "~1", "^2", "year:[2000 TO 2005]", "*", "s?ark", "year:>2005", "!", "&&", "||", "_exists_:", "\\", "\"")
		return queryObject{"query_string": g.some(queryObject{"query": text, "fields": g.fields()}, queryObject{"default_operator": operator, "minimum_should_match": minimum, "type": g.pick(multiTypes...), "lenient": true})}
	case 15:
		text := g.text("+", "|", "-", "(", ")", "\"", "\"mad shark\"", "sha*", "~", "~1", "~2", "\\", "*")
		return queryObject{"simple_query_string": g.some(queryObject{"query": text, "fields": g.fields()}, queryObject{"default_operator": operator, "minimum_should_match": minimum, "flags": g.pick("ALL", "AND|OR|NOT", "NONE")})}
	case 16:
		return queryObject{"constant_score": queryObject{"filter": g.query(depth - 1)}}
	case 17:
		return queryObject{"dis_max": queryObject{"queries": list(), "tie_breaker": 0.4}}
	case 18:
		return queryObject{"boosting": queryObject{"positive": g.query(depth - 1), "negative": g.query(depth - 1), "negative_boost": 0.5}}
	case 19:
		functions := []queryObject{{"filter": g.query(depth - 1), "weight": 2}, {"gauss": queryObject{"year": queryObject{"origin": 2000, "scale": 5}}}}
		return queryObject{"function_score": g.some(queryObject{"query": g.query(depth - 1), "functions": functions}, queryObject{"score_mode": "sum", "boost_mode": "replace"})}
	}
	return queryObject{"bool": g.some(queryObject{}, queryObject{"must": list(), "filter": list(), "should": list(), "must_not": list(), "minimum_should_match": minimum})}
}

// Random queries find in an OpenSearch 3.8 at OPENSEARCH_URL what they find here, and
// fail where they fail here. INDEXERD_QUERIES and INDEXERD_SEED say which. Of a thousand
// queries one may differ: OpenSearch counts the clauses of a query string otherwise if
// one of them has no word.
func TestRandomQueriesAsInOpenSearch(t *testing.T) {
	url := os.Getenv("OPENSEARCH_URL")
	if url == "" {
		t.Skip("OPENSEARCH_URL names no OpenSearch 3.8")
	}
	whole := func(name string, without int) int {
		n, err := strconv.Atoi(os.Getenv(name))
		if err != nil {
			return without
		}
		return n
	}
	l := newLibrary(t)
	fill(t, url)
	g := generator{rand.New(rand.NewPCG(uint64(whole("INDEXERD_SEED", 1)), 0))}
	found, failed, differ := 0, 0, 0
	queries := whole("INDEXERD_QUERIES", 2000)
	for range queries {
		body, err := json.Marshal(g.query(2))
		if err != nil {
			t.Fatal(err)
		}
		got, want := printed(l.ask(t, string(body))), realAnswer(t, url, string(body))
		if got == "error" && want == "0" && strings.Contains(string(body), "nope") {
			continue // OpenSearch does not look at the other parts if a field that does not exist decides
		}
		if !sameAnswer(got, want, true) {
			t.Logf("%s\ngot  %s\nwant %s", body, got, want)
			differ++
		}
		switch want[0] {
		case 'e':
			failed++
		case '0':
		default:
			found++
		}
	}
	t.Logf("of %d queries %d found something, %d failed, and %d differ", queries, found, failed, differ)
	if differ > queries/1000 {
		t.Errorf("%d of %d queries differ", differ, queries)
	}
}
