package osapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

// volatile are the parts of an answer that differ between two equal requests: times, and
// the ids of cursors.
var volatile = regexp.MustCompile(`"(took|creation_time|_scroll_id|pit_id|epoch|timestamp)":("[^"]*"|\d+)|^\d+ \d\d:\d\d:\d\d`)

// TestNothingHiddenShows compares a world in which some documents are hidden with one
// that never had them: each answer to a caller is the same to the byte. The worlds have
// random documents in random groups, and the requests reach each endpoint, and words that
// only hidden documents have.
func TestNothingHiddenShows(t *testing.T) {
	whole := newWorld(t)
	parts := map[string]*world{sales: newWorld(t), press: newWorld(t), guest: newWorld(t)}
	groups := map[string][]string{sales: {"sales"}, press: {"sales", "press"}}
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(3, 12).Draw(r, "documents")
		docs := make([]map[string]any, n)
		for id := range docs {
			docs[id] = document(r, id)
		}
		token := rapid.SampledFrom([]string{sales, press, guest}).Draw(r, "token")
		part := parts[token]
		whole.replace(t, "film", docs)
		part.replace(t, "film", slices.DeleteFunc(slices.Clone(docs), func(d map[string]any) bool { return !slices.Contains(groups[token], d["grp"].(string)) }))
		for _, q := range requests(r, n) {
			if got, want := whole.answer(t, token, q), part.answer(t, token, q); got != want {
				r.Fatalf("%s %s %s: hidden documents change the answer:\n%s\nwithout them:\n%s", q.method, q.path, q.body, got, want)
			}
		}
	})
}

// The words of films. Some are alike, so that they are suggested for each other.
var filmWords = []string{"shark", "sharks", "sharp", "secret", "secrets", "submarine", "drama", "dramas"}

func document(r *rapid.T, id int) map[string]any {
	text := func(name string) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(filmWords), 0, 4).Draw(r, name), " ")
	}
	return map[string]any{
		"id": id, "title": text("title"), "plot": text("plot"), "rating": rapid.SampledFrom([]string{"PG", "R", "G"}).Draw(r, "rating"), "year": rapid.IntRange(2000, 2003).Draw(r, "year"),
		"released": fmt.Sprintf("200%d-01-02T03:04:05Z", rapid.IntRange(0, 5).Draw(r, "released")), "colour": rapid.Bool().Draw(r, "colour"),
		"grp": rapid.SampledFrom([]string{"sales", "press", "boss"}).Draw(r, "grp"),
	}
}

// A testRequest is a request of which the answers are compared. A paged one is read to
// its last page.
type testRequest struct {
	method, path, body string
	paged              bool
}

// requests returns one request of each kind. n is the number of documents.
func requests(r *rapid.T, n int) []testRequest {
	word := func() string {
		return rapid.SampledFrom(append([]string{"shaqk", "secred"}, filmWords...)).Draw(r, "word")
	}
	q := fmt.Sprintf(`{"bool":{"should":[{"match":{"title":%q}},{"match":{"plot":%q}},{"term":{"grp":%q}}]}}`, word()+" "+word(), word(), rapid.SampledFrom([]string{"sales", "boss"}).Draw(r, "group"))
	id := rapid.IntRange(0, n).Draw(r, "id")
	decorated := `,"explain":true,"fields":["*"],"docvalue_fields":["*"],"highlight":{"fields":{"*":{"require_field_match":false,"no_match_size":9}}},"suggest":{"text":"` + word() + ` ` + word() + `","t":{"term":{"field":"title","suggest_mode":"always"}},"p":{"phrase":{"field":"plot","max_errors":2}}}`
	sorts := rapid.SampledFrom([]string{`["year",{"rating":"desc"},"_id"]`, `["_score","title.keyword"]`, `["_doc"]`, `[{"released":"desc"}]`}).Draw(r, "sort")
	inner := `,"inner_hits":{"name":"all","size":9}`
	if sorts == `["_doc"]` {
		inner = ""
	}
	likes := fmt.Sprintf(`{"more_like_this":{"fields":["title","plot","rating"],"like":[%q,{"_id":"%d"},{"_index":"film","_id":"1"}],"unlike":[%q,{"_id":"2"}],"min_term_freq":1,"min_doc_freq":%d,"max_query_terms":2,"boost_terms":1.5,"minimum_should_match":1,"include":true}}`,
		word()+" "+word(), id, word(), rapid.IntRange(0, 3).Draw(r, "least documents"))
	return []testRequest{
		{"POST", "/film/_search", `{"query":` + likes + decorated + `}`, false},
		{"POST", "/film/_search", `{"query":{"bool":{"must_not":` + likes + `,"should":[` + likes + `]}},"post_filter":` + likes + `,"aggs":{"a":{"filter":` + likes + `}}}`, false},
		{"POST", "/film/_search", fmt.Sprintf(`{"query":{"more_like_this":{"like":{"_id":"%d"},"min_term_freq":1,"min_doc_freq":1}}}`, id), false},
		{"POST", "/actor/_search", fmt.Sprintf(`{"query":{"more_like_this":{"fields":["name"],"like":{"_index":"film","_id":"%d"},"min_term_freq":1,"min_doc_freq":1}}}`, id), false},
		{"POST", fmt.Sprintf("/film/_explain/%d", id), `{"query":` + likes + `}`, false},
		{"POST", "/film/_search", `{"query":` + q + decorated + `}`, false},
		{"POST", "/_search", `{"query":` + q + `,"sort":["year"]}`, false},
		{"POST", "/_search", `{"query":` + q + `,"indices_boost":[{"fi*":2.5}]}`, false},
		{"POST", "/film/_search?typed_keys=true", `{"size":0,"query":` + q + `,"aggs":{"r":{"terms":{"field":"rating","min_doc_count":0},"aggs":{"y":{"stats":{"field":"year"}},"best":{"top_hits":{}}}},"g":{"terms":{"field":"grp"}},"c":{"cardinality":{"field":"title.keyword"}},"p":{"percentiles":{"field":"year","percents":[0,50,100]}},"m":{"missing":{"field":"grp"}}}}`, false},
		{"POST", "/film/_search", `{"query":` + q + `,"size":2,"sort":` + sorts + `}`, false},
		{"POST", "/film/_search", `{"query":` + q + `,"size":2,"collapse":{"field":"rating"` + inner + `},"sort":` + sorts + `}`, false},
		{"POST", "/film/_search?scroll=1m", `{"size":2,"sort":` + sorts + `}`, true},
		{"POST", "/film/_search?scroll=1m", `{"size":3,"query":` + q + `}`, true},
		{"POST", "/film/_msearch", "{}\n{\"query\":" + q + decorated + "}\n{\"index\":\"*\"}\n{\"size\":0}\n", false},
		{"POST", "/film/_count", `{"query":` + q + `}`, false},
		{"POST", "/film/_validate/query?explain=true", `{"query":` + q + `}`, false},
		{"POST", fmt.Sprintf("/film/_explain/%d", id), `{"query":` + q + `}`, false},
		{"GET", fmt.Sprintf("/film/_doc/%d", id), "", false},
		{"GET", fmt.Sprintf("/film/_source/%d", id), "", false},
		{"HEAD", fmt.Sprintf("/film/_doc/%d", id), "", false},
		{"POST", "/film/_mget", fmt.Sprintf(`{"ids":["%d","0","1","2"]}`, id), false},
		{"GET", "/film/_field_caps?fields=*", "", false}, {"GET", "/film", "", false}, {"GET", "/film/_settings", "", false},
		{"GET", "/_cat/indices?v", "", false}, {"GET", "/_cat/count/film", "", false}, {"GET", "/_cat/shards", "", false}, {"GET", "/_cat/health", "", false}, {"GET", "/_stats", "", false}, {"GET", "/_resolve/index/*", "", false},
		{"POST", "/film/_analyze", `{"field":"grp","text":"Two Words"}`, false},
		{"POST", "/film/_search/point_in_time?keep_alive=1m", "", false}, {"GET", "/_search/point_in_time/_all?filter_path=pits.keep_alive", "", false}, {"DELETE", "/_search/point_in_time/_all?filter_path=pits.successful", "", false},
	}
}

// answer returns the answer to a request without what is volatile, and all pages of a
// paged one.
func (w *world) answer(t *testing.T, token string, q testRequest) string {
	t.Helper()
	status, text := w.ask(token, q.method, q.path, q.body)
	all := fmt.Sprint(status, " ", volatile.ReplaceAllString(text, "-"), "\n")
	for q.paged {
		var p pageOfHits
		if err := json.Unmarshal([]byte(text), &p); err != nil || status != 200 {
			t.Fatalf("%s: got %d %s", q.path, status, text)
		}
		if len(p.Hits.Hits) == 0 {
			w.ask(token, "DELETE", "/_search/scroll/"+p.Scroll, "")
			break
		}
		status, text = w.ask(token, "POST", "/_search/scroll", `{"scroll_id":"`+p.Scroll+`"}`)
		all += volatile.ReplaceAllString(text, "-") + "\n"
	}
	return all
}

// Each route of the API is reached by a request of the test above, or shows no document.
func TestRoutesAreCompared(t *testing.T) {
	w := newWorld(t)
	var paths []string
	rapid.Check(t, func(r *rapid.T) {
		for _, q := range requests(r, 1) {
			paths = append(paths, q.method+" "+q.path)
		}
	})
	without := []string{"/{$}", "_alias", "_cluster", "_nodes", "_mapping", "_cat/aliases"} // of the configuration
	mux := server{engine: w}.lists()
	for route := range mux {
		last := route[strings.LastIndex(strings.TrimSuffix(strings.TrimSuffix(route, "/{id}"), "/{index}"), "/")+1:]
		last, _, _ = strings.Cut(last, "/")
		if slices.ContainsFunc(without, func(s string) bool { return strings.Contains(route, s) }) {
			continue
		}
		if !slices.ContainsFunc(paths, func(p string) bool {
			return strings.Contains(p, strings.Trim(last, "{}")) || last == "{index}" || last == "docs"
		}) {
			t.Errorf("no request of TestNothingHiddenShows reaches %s", route)
		}
	}
}
