package daemon

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/configs"
	"indexerd/internal/serve/front"
)

const (
	opsSecret   = "ops-of-opensearch-test"
	salesSecret = "sales-of-opensearch-test"
)

// serveFilms serves three films. Sales may see two of them.
func serveFilms(t *testing.T) (f *front.Front, base string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "docs.db")
	execSQLite(t, path,
		"CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, rating TEXT, year INTEGER, grp TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP)",
		"CREATE TABLE actor (id INTEGER PRIMARY KEY, name TEXT, title TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP)",
		"INSERT INTO actor (id, name, title) VALUES (1, 'Mark Shark', 'star')",
		"INSERT INTO film (id, title, rating, year, grp) VALUES (1, 'mad shark', 'PG', 2005, 'sales'), (2, 'shark', 'PG-13', 2006, 'sales'), (3, 'secret shark', 'R', 2007, 'boss')")
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf(`data: %s
http:
  listen: 127.0.0.1:0
  tokens: {ops: {token: %s, admin: true}, sales: {token: %s, groups: [sales]}}
opensearch_api: {listen: 127.0.0.1:0}
sources:
  db: {driver: sqlite, dsn: %s}
tables:
  film: {source: db, sql: SELECT * FROM film, key: id, updated: u, content: {fields: [title]}, stopwords: english, metadata: {title: keyword, rating: keyword, year: number, grp: keyword}, acl: grp}
  actor: {source: db, sql: SELECT * FROM actor, key: id, updated: u, content: {fields: [name, title]}}
`, filepath.Join(t.TempDir(), "data"), opsSecret, salesSecret, path)), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	f = serve(t, openToServe(t, cfg), slog.New(slog.DiscardHandler))
	base = "http://" + f.OpenSearch
	eventually(t, soon, "load", func() error {
		for _, path := range []string{"/film/_doc/1", "/film/_doc/2", "/film/_doc/3", "/actor/_doc/1"} { // a page is written after its row is in the index
			if status, body := askFilms(t, base, "Bearer "+opsSecret, "GET", path, ""); status != http.StatusOK || strings.Contains(body, `"_source":{}`) {
				return fmt.Errorf("got %s, want %s", body, path)
			}
		}
		if _, body := askFilms(t, base, "Bearer "+opsSecret, "GET", "/_count", ""); !strings.Contains(body, `"count":4`) { // without tables whose load has not ended
			return fmt.Errorf("got %s, want the rows of both tables", body)
		}
		return nil
	})
	return f, base
}

func askFilms(t *testing.T, base, authorization, method, path, body string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestOpenSearchAPI(t *testing.T) {
	_, base := serveFilms(t)
	deep := strings.Repeat(`{"bool":{"must":`, 40) + `{"match_all":{}}` + strings.Repeat("}}", 40)
	for _, c := range []struct {
		name, query string // of a count by sales
		want        string
	}{
		{"all", `{"match_all":{}}`, `"count":2`},
		{"none", `{"match_none":{}}`, `"count":0`},
		{"match is or", `{"match":{"title":"mad shark"}}`, `"count":2`},
		{"match and", `{"match":{"title":{"query":"Mad SHARK","operator":"and"}}}`, `"count":1`},
		{"multi match", `{"multi_match":{"query":"PG mad","fields":["title","rating"]}}`, `"count":1`},
		{"multi match of hidden and unknown fields", `{"multi_match":{"query":"sales","fields":["grp","nothing"]}}`, `"count":0`},
		{"multi match and", `{"multi_match":{"query":"mad shark","fields":["title"],"operator":"and","type":"most_fields"}}`, `"count":1`},
		{"multi match in fields with a boost", `{"multi_match":{"query":"mad","fields":["ti*^2","gr*"]}}`, `"count":1`},
		{"multi match in all visible fields", `{"multi_match":{"query":"sales 2006"}}`, `"count":0`},
		{"match value", `{"match":{"rating":"PG-13"}}`, `"count":1`},
		{"phrase", `{"match_phrase":{"title":"mad shark"}}`, `"count":1`},
		{"phrase in another order", `{"match_phrase":{"title":"shark mad"}}`, `"count":0`},
		{"phrase with slop", `{"match_phrase":{"title":{"query":"shark mad","slop":2}}}`, `"count":1`},
		{"term", `{"term":{"rating":"PG"}}`, `"count":1`},
		{"term of a number", `{"term":{"year":{"value":2006}}}`, `"count":1`},
		{"term of empty text", `{"term":{"rating":""}}`, `"count":0`},
		{"term of the value of text", `{"term":{"title.keyword":"mad shark"}}`, `"count":1`},
		{"terms", `{"terms":{"rating":["PG","PG-13","R"]}}`, `"count":2`},
		{"no terms", `{"terms":{"rating":[]}}`, `"count":0`},
		{"range above", `{"range":{"year":{"gt":2005}}}`, `"count":1`},
		{"range between", `{"range":{"year":{"gte":2005,"lt":2006}}}`, `"count":1`},
		{"exists", `{"exists":{"field":"rating"}}`, `"count":2`},
		{"prefix", `{"prefix":{"rating":"PG-"}}`, `"count":1`},
		{"filter", `{"bool":{"filter":{"match":{"title":"mad"}}}}`, `"count":1`},
		{"must and should", `{"bool":{"must":{"match_all":{}},"should":[{"match":{"title":"mad"}}]}}`, `"count":2`},
		{"must and one of should", `{"bool":{"must":{"match_all":{}},"should":[{"match":{"title":"mad"}}],"minimum_should_match":1}}`, `"count":1`},
		{"should alone", `{"bool":{"should":[{"match":{"title":"mad"}}]}}`, `"count":1`},
		{"must not", `{"bool":{"must_not":[{"term":{"rating":"PG"}}]}}`, `"count":1`},
		{"empty bool", `{"bool":{}}`, `"count":2`},
		{"constant score", `{"constant_score":{"filter":{"term":{"rating":"PG"}}}}`, `"count":1`},
		{"stop word in must", `{"bool":{"must":[{"match":{"title":"shark"}},{"match":{"title":"the"}}]}}`, `"count":0`},
		{"stop word in must as a phrase", `{"bool":{"must":[{"match":{"title":"shark"}},{"match_phrase":{"title":"the"}}]}}`, `"count":0`},
		{"stop word beside another word", `{"match":{"title":{"query":"the mad shark","operator":"and"}}}`, `"count":1`},
		{"stop word in must_not", `{"bool":{"must_not":{"match":{"title":"the"}}}}`, `"count":2`},
		{"unknown field", `{"match":{"nothing":"x"}}`, `"count":0`},
		{"hidden field", `{"term":{"grp":"sales"}}`, `"count":0`},
		{"hidden document", `{"match":{"title":"secret"}}`, `"count":0`},
		{"exists of a hidden field", `{"exists":{"field":"g*"}}`, `"count":0`},
		{"unsupported query", `{"geo_shape":{"title":"sharc"}}`, "query [geo_shape] is not supported"},
		{"unsupported option", `{"match":{"title":{"query":"x","analyzer":"english"}}}`, "[match] does not support [analyzer]"},
		{"two queries", `{"match_all":{},"match_none":{}}`, "[query] has 2 keys, not one"},
		{"two bounds", `{"range":{"year":{"gt":1,"gte":1}}}`, "two bounds on one side"},
		{"term on text", `{"term":{"title":"Mad"}}`, `"count":0`},
		{"invalid number", `{"term":{"year":"soon"}}`, "query_shard_exception"},
		{"lookup", `{"terms":{"rating":{"index":"film"}}}`, "a lookup in another index is not supported"},
		{"null", `null`, "[query] is not a JSON object"},
		{"deep", deep, "nested deeper than 32"},
		{"many words", `{"match":{"title":"` + strings.Repeat("a ", 2000) + `"}}`, "more than 1024 clauses"},
	} {
		status, got := askFilms(t, base, "Bearer "+salesSecret, "POST", "/film/_count", `{"query":`+c.query+`}`)
		if want := map[bool]int{true: 200, false: 400}[strings.HasPrefix(c.want, `"count"`)]; status != want || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %d %s, want %d with %s", c.name, status, got, want, c.want)
		}
	}
}

func TestOpenSearchAnswers(t *testing.T) {
	_, base := serveFilms(t)
	const sales, ops = "Bearer " + salesSecret, "Bearer " + opsSecret
	for _, c := range []struct {
		as, method, path, body string
		status                 int
		want                   string
	}{
		{"", "GET", "/", "", 401, `"type":"security_exception"`},
		{sales, "GET", "/", "", 200, `"distribution":"opensearch"`},
		{"Basic c2FsZXM6c2FsZXMtb2Ytb3BlbnNlYXJjaC10ZXN0", "GET", "/", "", 200, "tagline"},
		{"ApiKey c2FsZXM6c2FsZXMtb2Ytb3BlbnNlYXJjaC10ZXN0", "GET", "/", "", 200, "tagline"},
		{"ApiKey " + salesSecret, "GET", "/", "", 200, "tagline"},
		{"Basic c2FsZXM6d3Jvbmc=", "GET", "/", "", 401, "the token is unknown"},
		{sales, "HEAD", "/", "", 200, ""},
		{sales, "GET", "/_cluster/health", "", 200, `"status":"green"`},
		{sales, "GET", "/film/_mapping", "", 200, `{"film":{"mappings":{"properties":{"rating":{"type":"keyword"},"title":{"analyzer":"standard","fields":{"keyword":{"type":"keyword"}},"type":"text"},"year":{"type":"double"}}}}}`},
		{ops, "GET", "/film/_mapping", "", 200, `"grp":{"type":"keyword"}`},
		{sales, "POST", "/film/_search", `{"sort":[{"year":"desc"}],"_source":["year"]}`, 200, `"hits":{"hits":[{"_id":"2","_index":"film","_score":null,"_source":{"year":2006},"sort":[2006.0]},{"_id":"1","_index":"film","_score":null,"_source":{"year":2005},"sort":[2005.0]}],"max_score":null,"total":{"relation":"eq","value":2}}`},
		{sales, "POST", "/film/_search", `{"sort":"title.keyword","from":1,"size":1,"_source":false,"track_total_hits":false}`, 200, `"hits":{"hits":[{"_id":"2","_index":"film","_score":null,"sort":["shark"]}],"max_score":null}`},
		{sales, "POST", "/film/_search", `{"query":{"bool":{"filter":{"match":{"title":"mad"}}}},"_source":["grp","title"]}`, 200, `"hits":{"hits":[{"_id":"1","_index":"film","_score":0,"_source":{"title":"mad shark"}}],"max_score":0,"total":{"relation":"eq","value":1}}`},
		{ops, "GET", "/film/_search", "", 200, `"relation":"eq","value":3`},
		{sales, "POST", "/film/_search", `{"size":20000}`, 400, "illegal_argument_exception"},
		{sales, "POST", "/film/_search", `{"rescore":{}}`, 400, "[body] does not support [rescore]"},
		{sales, "POST", "/film/_search", `{"sort":"title"}`, 400, "[sort] on text field [title] is not supported"},
		{sales, "POST", "/film/_search", `{"sort":"grp"}`, 400, "no mapping found for [grp]"},
		{sales, "POST", "/film/_search?size=1&from=1", `{"sort":"year","size":9,"_source":false}`, 200, `"hits":[{"_id":"2","_index":"film","_score":null,"sort":[2006.0]}]`},
		{sales, "GET", "/film/_search?sort=year:desc&size=1&_source=title&rest_total_hits_as_int=true", "", 200, `"_source":{"title":"shark"},"sort":[2006.0]}],"max_score":null,"total":2}`},
		{sales, "POST", "/film/_search", `{"sort":[{"year":"desc"}],"search_after":[2006],"_source":false}`, 200, `"hits":[{"_id":"1","_index":"film","_score":null,"sort":[2005.0]}]`},
		{sales, "POST", "/film/_search", `{"sort":[{"u":{"order":"asc","unmapped_type":"date"}},{"_id":"asc"}],"search_after":[null,"1"],"_source":false}`, 200, `"hits":[{"_id":"2","_index":"film","_score":null,"sort":[9223372036854775807,"2"]}]`},
		{sales, "POST", "/film/_search", `{"query":{"match":{"title":"shark"}},"sort":["_doc"],"search_after":["1"],"_source":false}`, 200, `[{"_id":"2","_index":"film","_score":null,"sort":["2"]}]`},
		{sales, "POST", "/film/_search", `{"sort":["_score","title.keyword"],"search_after":[1,"mad shark"],"_source":false}`, 200, `"hits":[{"_id":"2","_index":"film","_score":1,"sort":[1.0,"shark"]}]`},
		{sales, "POST", "/film/_search", `{"sort":["year"],"search_after":[2006,1]}`, 400, "[search_after] needs a list with a value for each of [sort], 1"},
		{sales, "POST", "/film/_search", `{"sort":["year"],"search_after":["x"]}`, 400, "x is not a number"},
		{sales, "POST", "/film/_search", `{"sort":[{"_id":"desc"}]}`, 400, "[sort] by [_id] is not supported"},
		{sales, "POST", "/film/_search", `{"sort":[{"year":{"missing":"_first","mode":"max"}}],"size":1,"_source":false}`, 200, `"sort":[2005.0]}]`},
		{sales, "POST", "/film/_search", `{"sort":[{"year":{"mode":"avg"}}]}`, 400, "[sort] mode [avg] is not supported: write min or max"},
		{sales, "POST", "/film/_search", `{"query":{"ids":{"values":["2",1,3,"x"]}},"sort":"year","_source":{"includes":["t*","year"],"excludes":"y*"}}`, 200, `[{"_id":"1","_index":"film","_score":null,"_source":{"title":"mad shark"},"sort":[2005.0]},{"_id":"2",`},
		{sales, "POST", "/film,actor/_search", `{"query":{"match":{"name":"shark"}},"sort":["year"],"_source":false}`, 200, `[{"_id":"1","_index":"actor","_score":null,"sort":["Infinity"]}]`},
		{sales, "POST", "/_search", `{"query":{"match":{"name":"shark"}}}`, 200, `[{"_id":"1","_index":"actor","_score":1,"_source":{"name":"Mark Shark","title":"star"}}]`},
		{sales, "POST", "/film,actor/_search", `{"query":{"match":{"title":"shark"}}}`, 400, "field [title] has different types in these indices"},
		{sales, "POST", "/*,-actor/_count", "", 200, `"count":2`},
		{sales, "POST", "/nothing*/_search", "", 200, `"hits":[]`},
		{sales, "POST", "/film,book/_count", "", 404, "index_not_found_exception"},
		{sales, "POST", "/film,book/_count?ignore_unavailable=true", "", 200, `"count":2`},
		{sales, "GET", "/_mapping", "", 200, `{"actor":{"mappings":`},
		{sales, "GET", "/film/_alias", "", 200, `{"film":{"aliases":{}}}`},
		{sales, "GET", "/_cat/aliases?format=json", "", 200, `[]`},
		{sales, "GET", "/_cat/indices?h=index,docs.count", "", 200, "actor 1\nfilm  2\n"},
		{sales, "GET", "/_cat/indices/f*?format=json&h=docs.count", "", 200, `[{"docs.count":"2"}]`},
		{ops, "GET", "/_cat/indices/film?v=true", "", 200, "green  open   film  film 1   0   3          0\n"},
		{sales, "GET", "/film/_doc/1", "", 200, `{"_id":"1","_index":"film","_source":{"title":"mad shark","rating":"PG","year":2005},"found":true}`},
		{sales, "GET", "/film/_doc/3", "", 404, `{"_id":"3","_index":"film","found":false}`},
		{sales, "GET", "/film/_source/1?_source_includes=year", "", 200, `{"year":2005}`},
		{sales, "GET", "/film/_source/3", "", 404, "Document not found [film]/[3]"},
		{sales, "POST", "/film/_mget?_source=year", `{"ids":["3",2]}`, 200, `{"docs":[{"_id":"3","_index":"film","found":false},{"_id":"2","_index":"film","_source":{"year":2006},"found":true}]}`},
		{sales, "POST", "/_mget?_source=false", `{"docs":[{"_index":"actor","_id":"1"},{"_index":"book","_id":"1"},{"_index":"film","_id":"1"}]}`, 200, `{"docs":[{"_id":"1","_index":"actor","found":true},{"_id":"1","_index":"book","error":{`},
		{sales, "POST", "/film/_mget", `{"docs":[{"_id":"1","routing":"x"}]}`, 400, "[docs] does not support [routing]"},
		{sales, "POST", "/_mget", `{"ids":["1"]}`, 400, "[docs] need [_index]"},
		{sales, "GET", "/film/_search?size=x", "", 400, "[size] is not a whole number"},
		{sales, "GET", "/film/_count?size=1", "", 400, "URL parameter [size] is not supported"},
		{sales, "HEAD", "/film", "", 200, ""},
		{sales, "HEAD", "/book", "", 404, ""},
		{sales, "GET", "/film/_search?routing=mad", "", 400, "URL parameter [routing] is not supported"},
		{sales, "GET", "/book/_search", "", 404, `"type":"index_not_found_exception"`},
		{sales, "POST", "/film/_search", `{"query":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "content_too_long_exception"},
		{ops, "GET", "/film/_doc/3", "", 200, `"found":true`},
		{ops, "GET", "/film/_doc/9", "", 404, `"found":false`},
		{ops, "PUT", "/film/_doc/3", `{}`, 405, "this API is read-only"},
		{ops, "POST", "/_bulk", `{}`, 405, "write to the database"},
		{ops, "DELETE", "/film", "", 405, "method_not_allowed"},
		{ops, "POST", "/_msearch", "", 400, "it has to end with a newline"},
		{ops, "GET", "/api/v1/status", "", 400, "no handler found"},
	} {
		if status, got := askFilms(t, base, c.as, c.method, c.path, c.body); status != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s %s %.80s: got %d %s, want %d with %s", c.method, c.path, c.body, status, got, c.status, c.want)
		}
	}
}

// A reload without opensearch_api and tokens does not open its address to everyone.
func TestReloadKeepsTheTokensOfTheOpenSearchAddress(t *testing.T) {
	before := configs.Config{OpenSearch: "0.0.0.0:9200", HTTP: configs.HTTP{Listen: "127.0.0.1:7700", Tokens: []configs.Token{{Name: "ops", Secret: opsSecret, Admin: true}}}}
	for _, address := range []string{"", "127.0.0.1:9200"} {
		d := daemon{Options: Options{Log: slog.New(slog.DiscardHandler)}, cfg: &before}
		after := configs.Config{OpenSearch: address, HTTP: configs.HTTP{Listen: before.HTTP.Listen}}
		d.keepPlace(&after)
		if after.OpenSearch != before.OpenSearch || len(after.HTTP.Tokens) != 1 {
			t.Errorf("reload with %q: got address %s and %d tokens, want both kept", address, after.OpenSearch, len(after.HTTP.Tokens))
		}
	}
}

// A reload that adds opensearch_api logs that it stays off.
func TestReloadLogsThatTheOpenSearchAPIStaysOff(t *testing.T) {
	var logged bytes.Buffer
	d := daemon{Options: Options{Log: slog.New(slog.NewTextHandler(&logged, nil))}, cfg: &configs.Config{}}
	d.keepPlace(&configs.Config{OpenSearch: "127.0.0.1:9200"})
	if !strings.Contains(logged.String(), "opensearch_api.listen off") {
		t.Errorf("got %s, want that opensearch_api.listen stays off", logged.String())
	}
}

func TestOpenSearchSearchesAreCounted(t *testing.T) {
	f, base := serveFilms(t)
	for _, path := range []string{"/film/_search", "/film/_count", "/film/_search?routing=x", "/made_up/_search", "/film/_mapping"} {
		askFilms(t, base, "Bearer "+salesSecret, "GET", path, "")
	}
	_, got := askFilms(t, f.Base, "Bearer "+opsSecret, "GET", "/metrics", "")
	for _, want := range []string{
		`indexerd_search_duration_seconds_count{table="film"} 2`,
		`indexerd_search_errors_total{code="illegal_argument_exception",table="film"} 1`,
		`indexerd_search_errors_total{code="unknown_table",table=""} 1`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %s", want)
		}
	}
	if strings.Contains(got, "made_up") {
		t.Error("got metrics of an unknown table: callers could create any number of them")
	}
}
