package apitest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/apitest"
	"indexerd/internal/test/hostile"
)

// hostileHandler serves n documents.
func hostileHandler(t testing.TB, n int) http.Handler {
	t.Helper()
	s := apitest.New()
	table := s.Create(t, "film", hostile.Mapping, doc.Integer, nil)
	r := rand.New(rand.NewPCG(1, 1))
	for from := 0; from < n; from += apitest.Batch {
		var docs []doc.Doc
		for i := from; i < min(from+apitest.Batch, n); i++ {
			docs = append(docs, hostile.Doc(t, i, r))
		}
		if err := table.Add(docs, true); err != nil {
			t.Fatal(err)
		}
	}
	return s.Handler()
}

// hostileRequest draws an expensive or invalid request of the OpenSearch API.
func hostileRequest(r *rand.Rand) *http.Request {
	body := func(text string) *http.Request {
		return httptest.NewRequest("POST", "/film/_search", strings.NewReader(text))
	}
	query := func(q string) *http.Request { return body(`{"query":` + q + `}`) }
	kinds := []func() *http.Request{
		func() *http.Request { return query(deepQuery(r)) },
		func() *http.Request { return query(wideQuery(r)) },
		func() *http.Request { return query(patternQuery(r)) },
		func() *http.Request { return query(textQuery(r)) },
		func() *http.Request { return query(pick(r, patternQuery, textQuery, wideQuery)(r)) },
		func() *http.Request { return body(`{"size":0,"aggs":` + hostileAggs(r) + `}`) },
		func() *http.Request { return body(`{"size":0,"aggs":` + hostileAggs(r) + `}`) },
		func() *http.Request { return body(hostileSearch(r)) },
		func() *http.Request { return body(hostileText(r)) },
		func() *http.Request { return hostileEndpoint(r) },
	}
	return pick(r, kinds...)()
}

func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// several joins some pieces with commas.
func several(r *rand.Rand, most int, piece func() string) string {
	all := make([]string, r.IntN(most)+1)
	for i := range all {
		all[i] = piece()
	}
	return strings.Join(all, ",")
}

func wordClause(r *rand.Rand) string {
	return fmt.Sprintf(`{"match":{%q:%q}}`, pick(r, "title", "body"), hostile.Word(r))
}

// deepQuery nests queries.
func deepQuery(r *rand.Rand) string {
	n := pick(r, 5, 30, 33, 60, 500)
	open, end := pick(r, `{"bool":{"must":`, `{"bool":{"must_not":`, `{"constant_score":{"filter":`, `{"bool":{"should":[{"match":{"body":"aa"}},`, `{"dis_max":{"queries":[`, `{"function_score":{"query":`), "}}"
	if strings.HasSuffix(open, ",") || strings.HasSuffix(open, "[") {
		end = "]}}"
	}
	return strings.Repeat(open, n) + wordClause(r) + strings.Repeat(end, n)
}

// wideQuery has many clauses.
func wideQuery(r *rand.Rand) string {
	n := pick(r, 100, 1000, 1500)
	switch r.IntN(4) {
	case 0:
		return `{"terms":{"code":[` + several(r, n, func() string { return fmt.Sprintf(`"code%d"`, r.IntN(1e6)) }) + `]}}`
	case 1:
		return `{"ids":{"values":[` + several(r, n*5, func() string { return fmt.Sprint(r.IntN(1e6)) }) + `]}}`
	case 2:
		return `{"bool":{"must_not":[` + several(r, n, func() string { return fmt.Sprintf(`{"range":{"year":{"gt":%d}}}`, r.IntN(1e6)) }) + `]}}`
	}
	return fmt.Sprintf(`{"bool":{"minimum_should_match":%q,"should":[%s]}}`, pick(r, "1", "50%", "-3"), several(r, n, func() string { return wordClause(r) }))
}

// patternQuery matches words by patterns.
func patternQuery(r *rand.Rand) string {
	pattern := pick(r, "(a*)*b", "(a|aa)*c", ".*.*.*.*x", "[a-z]{1,200}", "((a{30}){30}){30}", "(.*a){25}", ".*", "~(a*)", "a?"+strings.Repeat("a?", 200)+strings.Repeat("a", 200), strings.Repeat("(", 2000)+"a"+strings.Repeat(")", 2000), `\`, "<1-100000>", "(aa|bb|cc)+[^x]{5,900}")
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf(`{"wildcard":{%q:%q}}`, pick(r, "code", "body"), pick(r, "*", "*?*?*", strings.Repeat("*a", 300)+"*", strings.Repeat("?", 2000), "*0*1*2*"))
	case 1:
		return fmt.Sprintf(`{"fuzzy":{%q:{"value":%q,"fuzziness":2,"max_expansions":10000}}}`, pick(r, "body", "code"), pick(r, "aa1", "co", strings.Repeat("a", 5000), "code12"))
	case 2:
		return fmt.Sprintf(`{"prefix":{%q:%q}}`, pick(r, "body", "code"), pick(r, "", "a", "c"))
	}
	return fmt.Sprintf(`{"regexp":{%q:{"value":%q,"max_determinized_states":%d}}}`, pick(r, "code", "body", "title"), pattern, pick(r, 10000, 1<<30))
}

// textQuery has a text that is long or that many words match.
func textQuery(r *rand.Rand) string {
	text := pick(r, strings.Repeat("aa ", 2000), strings.Repeat("(", 3000), strings.Repeat("aa~ ", 200), strings.Repeat("a* ", 500), strings.Repeat("今夜月明", 500), `"`+strings.Repeat("aa ", 500)+`"~100`,
		strings.Repeat("NOT ", 2000)+"aa", "aa"+strings.Repeat(" AND aa", 1100), "/(a*)*b/", strings.Repeat("title:", 900), "*:* OR *a* OR ?*?*", several(r, 300, func() string { return hostile.Word(r) + " " }))
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf(`{"query_string":{"query":%q,"fields":["title","body"]}}`, text)
	case 1:
		return fmt.Sprintf(`{"simple_query_string":{"query":%q,"fields":["title","body"]}}`, text)
	case 2:
		return fmt.Sprintf(`{"match":{"body":{"query":%q,"fuzziness":2,"minimum_should_match":"30%%"}}}`, text)
	case 3:
		return fmt.Sprintf(`{%q:{"body":{"query":%q,"slop":%d}}}`, pick(r, "match_phrase", "match_phrase_prefix"), text, pick(r, 0, 100, 1<<30))
	}
	return fmt.Sprintf(`{"multi_match":{"query":%q,"type":%q,"fields":["title","body"]}}`, text, pick(r, "best_fields", "cross_fields", "phrase", "bool_prefix"))
}

// hostileAggs has many buckets, many aggregations or deep ones.
func hostileAggs(r *rand.Rand) string {
	bucket := pick(r, `"terms":{"field":"code","size":1000000}`, `"terms":{"field":"year","size":65535}`, `"date_histogram":{"field":"seen","fixed_interval":"1s","min_doc_count":0}`,
		`"histogram":{"field":"year","interval":1e-9,"min_doc_count":0}`, `"histogram":{"field":"year","interval":1,"extended_bounds":{"min":-1e15,"max":1e15}}`, `"cardinality":{"field":"code","precision_threshold":1e9}`,
		`"top_hits":{"size":100000}`, `"terms":{"field":"code","include":"(c*)*e"}`, `"date_histogram":{"field":"seen","calendar_interval":"day"}`, `"terms":{"field":"rating"}`)
	switch r.IntN(3) {
	case 0:
		n := pick(r, 2, 5, 40)
		return strings.Repeat(`{"a":{`+bucket+`,"aggs":`, n) + `{"b":{"max":{"field":"year"}}}` + strings.Repeat("}}", n)
	case 1:
		return `{` + several(r, 400, func() string { return fmt.Sprintf(`"a%d":{%s}`, r.IntN(1e6), bucket) }) + `}`
	}
	return `{"a":{"filters":{"filters":[` + several(r, 1200, func() string { return wordClause(r) }) + `]},"aggs":{"b":{` + bucket + `}}}}`
}

// hostileSearch has options that cost much.
func hostileSearch(r *rand.Rand) string {
	number := func() string {
		return pick(r, "-1", "0", "1000", "1001", "9999", "10000", "1e9", "1e400", "1.5", `"x"`, "null", "99999999999999999999")
	}
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf(`{"from":%s,"size":%s}`, number(), number())
	case 1:
		return `{"query":{"match":{"body":"aa"}},"size":1000,"highlight":{"fields":{"*":{"number_of_fragments":1000,"fragment_size":1}}}}`
	case 2:
		return `{"sort":[` + several(r, 2000, func() string { return pick(r, `"code"`, `{"year":"desc"}`, `"nothing"`) }) + `]}`
	case 3:
		return fmt.Sprintf(`{"suggest":{"s":{"text":%q,"term":{"field":"body","max_edits":2,"size":10000,"suggest_mode":"always"}}}}`, several(r, 900, func() string { return hostile.Word(r) + " " }))
	}
	return `{"query":{"match":{"body":"aa"}},"sort":["year"],"search_after":[` + number() + `],"size":1000,"_source":[` + several(r, 3000, func() string { return pick(r, `"*a*b*c*"`, `"title"`, `"********x"`) }) + `]}`
}

// hostileText is no search.
func hostileText(r *rand.Rand) string {
	n := r.IntN(20_000)
	return pick(r, strings.Repeat("[", n), strings.Repeat(`{"query":`, n/5), `{"query":{"match":{"body":"`+strings.Repeat(`\u0000`, n/4)+`"}}}`, "\xff\xfe", strings.Repeat(" ", 1_100_000), strings.Repeat("[", 1_100_000), "{"+strings.Repeat("\n", 1_100_000), `{"size":1`+strings.Repeat("0", n)+"}",
		`{"query":{"match":{"body":"`+strings.Repeat("x", 65_000)+`"}}}`, `{"query":{"match_phrase":{"body":"`+strings.Repeat("aa ", 20_000)+`"}}}`, `{"query":{"match":{"body":"`+strings.Repeat("x ", 500_000)+`"}}}`,
		`{"query":{"terms":{"code":["code1"`+strings.Repeat(`,"code12345678"`, 60_000)+`]}}}`, `{"query":{"terms":{"year":[1`+strings.Repeat(`,23456`, 60_000)+`]}}}`, `{"query":{"ids":{"values":[1`+strings.Repeat(`,23456`, 60_000)+`]}}}`, `{"query":{"term":{"code":"`+strings.Repeat("x", 60_000)+`"}}}`, `{"query":null,"query":{"match_all":{}}}`, "null", "{}")
}

// hostileEndpoint sends much to other endpoints.
func hostileEndpoint(r *rand.Rand) *http.Request {
	post := func(path, text string) *http.Request {
		return httptest.NewRequest("POST", path, strings.NewReader(text))
	}
	many := pick(r, 10, 63, 65, 500)
	switch r.IntN(7) {
	case 0:
		return post("/_msearch", strings.Repeat("{\"index\":\"film\"}\n{\"query\":"+textQuery(r)+",\"size\":1000}\n", many))
	case 1:
		return post("/_mget", `{"docs":[`+several(r, 1500, func() string { return fmt.Sprintf(`{"_index":%q,"_id":"%d"}`, pick(r, "film", "x"), r.IntN(1e6)) })+`]}`)
	case 2:
		return post("/film/_search?scroll="+pick(r, "1d", "1m", "1000000h", "-1s"), `{"size":1000,"sort":["_doc"]}`)
	case 3:
		return post("/film/_search/point_in_time?keep_alive="+pick(r, "1d", "1m"), "")
	case 4:
		return post("/_search/scroll", `{"scroll":"1m","scroll_id":"`+strings.Repeat("A", r.IntN(50_000))+`"}`)
	case 5:
		return httptest.NewRequest("GET", "/"+strings.Repeat("f*,", r.IntN(3000))+"film/_search?q="+strings.Repeat("a", r.IntN(3000)), nil)
	}
	return post("/film/_analyze", fmt.Sprintf(`{"analyzer":"standard","text":%q}`, strings.Repeat("aa ", 20_000)))
}

// Every hostile request ends with a regular status soon after its deadline.
func TestHostile(t *testing.T) {
	const within = 20 * time.Millisecond
	h := hostileHandler(t, 500)
	timed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), within)
		defer cancel()
		h.ServeHTTP(w, r.WithContext(ctx))
	})
	hostile.Test(t, timed, hostileRequest, within, 404, 429, 503, 504) // 503: too many buckets
}

func BenchmarkHostile(b *testing.B) {
	hostile.Bench(b, hostileHandler(b, 20_000), hostileRequest, func(r *rand.Rand) *http.Request {
		body := fmt.Sprintf(`{"query":{"match":{"body":{"query":"%s %s","operator":"and"}}}}`, hostile.Word(r), hostile.Word(r))
		return httptest.NewRequest("POST", "/film/_search", strings.NewReader(body))
	}, httpapi.SearchWithin)
}
