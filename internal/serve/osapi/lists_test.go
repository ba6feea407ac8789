package osapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestLists(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	for _, c := range []struct {
		token, method, path, body string
		status                    int
		want                      string
	}{
		{sales, "GET", "/film", "", 200, `{"film":{"aliases":{},"mappings":{"properties":`},
		{sales, "GET", "/film", "", 200, `"settings":{"index":{"number_of_replicas":"0","number_of_shards":"1","provided_name":"film","uuid":"film"}}`},
		{sales, "HEAD", "/film", "", 200, ""},
		{sales, "HEAD", "/book", "", 404, ""},
		{sales, "GET", "/_settings", "", 200, `{"actor":{"settings":`},
		{sales, "GET", "/film/_alias", "", 200, `{"film":{"aliases":{}}}`},
		{sales, "GET", "/_alias/films", "", 404, `{"error":"alias [films] missing","status":404}`},
		{sales, "HEAD", "/film/_alias/films", "", 404, ""},
		{sales, "GET", "/_cluster/health", "", 200, `"status":"green"`},
		{sales, "GET", "/_cluster/health/film?wait_for_status=green&timeout=5s", "", 200, `"active_shards":1`},
		{sales, "GET", "/_cluster/health/book", "", 404, "index_not_found_exception"},
		{sales, "GET", "/_cat/health?h=cluster,status,pri", "", 200, "indexerd green 2\n"},
		{sales, "GET", "/_cat/count?h=count", "", 200, "3\n"},
		{guest, "GET", "/_cat/count?h=count", "", 200, "1\n"},
		{ops, "GET", "/_cat/count/film?h=count&format=json", "", 200, `[{"count":"3"}]`},
		{guest, "GET", "/_cat/count/film?h=count&format=json", "", 200, `[{"count":"0"}]`},
		{sales, "GET", "/_cat/indices?v&h=index,docs.count&s=docs.count", "", 200, "index docs.count\nactor 1\nfilm  2\n"},
		{sales, "GET", "/_cat/indices?h=index,docs.*&s=docs.count:desc,index", "", 200, "film  2 0\nactor 1 0\n"},
		{sales, "GET", "/_cat/indices?s=size", "", 400, "unable to sort by unknown sort key [size]"},
		{sales, "GET", "/_cat/indices?format=yaml", "", 400, "format [yaml] is not supported"},
		{sales, "GET", "/_cat/indices?help", "", 400, "URL parameter [help] is not supported"},
		{sales, "GET", "/_cat/shards?v", "", 200, "index shard prirep state   docs store ip          node\nactor 0     p      STARTED 1          example.com indexerd\nfilm  0     p      STARTED 2          example.com indexerd\n"},
		{guest, "GET", "/_cat/shards/film?format=json", "", 200, `[{"docs":"0","index":"film","ip":"example.com","node":"indexerd","prirep":"p","shard":"0","state":"STARTED","store":null}]`},
		{sales, "GET", "/_cat/shards/f*?h=index,state&s=index:desc", "", 200, "film STARTED\n"},
		{sales, "GET", "/_cat/shards/book", "", 404, "index_not_found_exception"},
		{sales, "GET", "/_stats", "", 200, `"_all":{"primaries":{"docs":{"count":3,"deleted":0}}`},
		{guest, "GET", "/film/_stats/docs", "", 200, `"_all":{"primaries":{"docs":{"count":0,"deleted":0}}`},
		{sales, "GET", "/film/_stats/store", "", 400, "no handler found"},
		{sales, "GET", "/_resolve/index/f*", "", 200, `{"aliases":[],"data_streams":[],"indices":[{"attributes":["open"],"name":"film"}]}`},
		{sales, "GET", "/_nodes/http", "", 200, `"publish_address":"example.com"`},
		{sales, "GET", "/_nodes/_all/http", "", 200, `"roles":["data"]`},
		{sales, "GET", "/_nodes/hot_threads", "", 400, "no handler found"},

		{sales, "GET", "/film/_field_caps?fields=*", "", 200, `{"fields":{"colour":{"boolean":{"aggregatable":true,"searchable":true,"type":"boolean"}},"plot":{"text":{"aggregatable":false,"searchable":true,"type":"text"}},"rating":`},
		{sales, "POST", "/_field_caps", `{"fields":["year"]}`, 200, `{"fields":{"year":{"double":{"aggregatable":true,"searchable":true,"type":"double"}}},"indices":["actor","film"]}`},
		{sales, "GET", "/film/_field_caps?fields=grp,nothing", "", 200, `{"fields":{},"indices":["film"]}`},
		{ops, "GET", "/film/_field_caps?fields=grp", "", 200, `{"grp":{"keyword":`},
		{sales, "GET", "/film/_field_caps", "", 400, "no fields specified"},
		{sales, "POST", "/film/_field_caps?fields=*", `{"index_filter":{}}`, 400, "[body] does not support [index_filter]"},

		{sales, "POST", "/film/_validate/query", `{"query":{"match":{"title":"mad"}}}`, 200, `{"_shards":{"failed":0,"successful":1,"total":1},"valid":true}`},
		{sales, "GET", "/film/_validate/query?explain=true", `{"query":{"match":{"title":"mad"}}}`, 200, `"explanations":[{"explanation":`},
		{sales, "POST", "/film/_validate/query", `{"query":{"geo":{}}}`, 200, `{"valid":false}`},
		{sales, "POST", "/film/_validate/query?explain=true", `{"query":{"term":{"year":"soon"}}}`, 200, `"error":"`},
		{sales, "POST", "/book/_validate/query", ``, 404, "index_not_found_exception"},

		{sales, "POST", "/film/_explain/1", `{"query":{"match":{"title":"mad"}}}`, 200, `"matched":true}`},
		{sales, "POST", "/film/_explain/1", `{"query":{"match":{"title":"mad"}}}`, 200, `weight(title:mad)`},
		{sales, "POST", "/film/_explain/2", `{"query":{"match":{"title":"mad"}}}`, 200, `"explanation":{"value":0,"description":"no matching clause","details":[]},"matched":false}`},
		{sales, "POST", "/film/_explain/3", `{"query":{"match":{"title":"secret"}}}`, 404, `{"_id":"3","_index":"film","matched":false}`},
		{sales, "POST", "/film/_explain/x", `{"query":{"match":{"title":"secret"}}}`, 404, `"matched":false`},
		{ops, "POST", "/film/_explain/3", `{"query":{"match":{"title":"secret"}}}`, 200, `"matched":true`},
		{sales, "POST", "/_all/_explain/1", `{}`, 400, "an explanation needs one index"},

		{sales, "POST", "/film/_analyze", `{"text":"Mad 💥 Sharks"}`, 200, `{"tokens":[{"token":"mad","start_offset":0,"end_offset":3,"type":"word","position":0},{"token":"sharks","start_offset":7,"end_offset":13,"type":"word","position":1}]}`},
		{sales, "POST", "/film/_analyze", `{"field":"title","text":["a b","c"]}`, 200, `{"token":"c","start_offset":4,"end_offset":5,"type":"word","position":102}`},
		{sales, "POST", "/film/_analyze", `{"field":"rating","text":"PG 13"}`, 200, `[{"token":"PG 13","start_offset":0,"end_offset":5,"type":"word","position":0}]`},
		{sales, "POST", "/film/_analyze", `{"field":"year","text":"1"}`, 400, "Can't process field [year]"},
		{sales, "POST", "/film/_analyze", `{"field":"grp","text":"Two Words"}`, 200, `{"token":"words"`}, // as a field that does not exist
		{ops, "POST", "/film/_analyze", `{"field":"grp","text":"Two Words"}`, 200, `"Two Words"`},
		{sales, "GET", "/film/_mapping", "", 200, `"plot":{"analyzer":"plain-1","type":"text"}`},
		{sales, "POST", "/film/_analyze", `{"analyzer":"plain-1","text":"Wi-Fi Café"}`, 200, `{"tokens":[{"token":"wi","start_offset":0,"end_offset":2,"type":"word","position":0},{"token":"fi","start_offset":3,"end_offset":5,"type":"word","position":1},{"token":"café"`},
		{sales, "POST", "/_analyze", `{"analyzer":"plain-1-en","text":"Running"}`, 200, `{"tokens":[{"token":"run",`},
		{sales, "POST", "/_analyze", `{"analyzer":"standard","text":"Café"}`, 200, `{"tokens":[{"token":"cafe","start_offset":0,"end_offset":4,"type":"word","position":0},{"token":"café","start_offset":0,"end_offset":4,"type":"word","position":0}]}`},
		{sales, "POST", "/film/_analyze", `{"analyzer":"en","text":"Running"}`, 200, `"token":"run"`},
		{sales, "POST", "/_analyze", `{"analyzer":"en","text":"Running"}`, 200, `"token":"run"`},
		{sales, "POST", "/_analyze", `{"analyzer":"keyword","text":"A b"}`, 200, `"token":"A b"`},
		{sales, "GET", "/_analyze", `{"text":"A b"}`, 200, `"token":"a"`},
		{sales, "POST", "/_analyze", `{"analyzer":"icu","text":"x"}`, 400, "failed to find analyzer [icu]"},
		{sales, "POST", "/_analyze", `{"tokenizer":"standard","text":"x"}`, 400, "[body] does not support [tokenizer]"},
		{sales, "POST", "/_analyze", `{"field":"title","text":"x"}`, 400, "[field] needs an index"},
		{sales, "POST", "/*/_analyze", `{"text":"x"}`, 400, "[_analyze] needs one index"},
		{sales, "POST", "/film/_analyze", `{}`, 400, "[text] is text"},
		{sales, "POST", "/film/_analyze", `{"text":"` + strings.Repeat("a ", maxTokens+1) + `"}`, 400, "more than 10000 tokens"},

		{sales, "PUT", "/film/_doc/1", "{}", 405, `"type":"method_not_allowed"`},
		{sales, "POST", "/film/_update/1", "{}", 405, "write to the database; indexerd follows it"},
		{sales, "POST", "/film/_delete_by_query", "{}", 405, "this API is read-only"},
		{sales, "DELETE", "/film", "", 405, "this API is read-only"},
		{sales, "GET", "/_snapshot", "", 400, "invalid_index_name_exception"},
		{sales, "GET", "/_snapshot", "", 400, "as an endpoint it is not supported"},
		{sales, "GET", "/_cat/segments", "", 400, "no handler found for GET /_cat/segments"},
	} {
		w.want(t, c.token, c.method, c.path, c.body, c.status, c.want)
	}
	w.loading = "actor"
	w.want(t, sales, "GET", "/_cat/shards?format=json&h=index,state,docs", "", 200, `[{"docs":"2","index":"film","state":"STARTED"},{"docs":null,"index":"actor","state":"INITIALIZING"}]`)
}

// A client that accepts JSON gets lists in JSON.
func TestListsInJSON(t *testing.T) {
	w := newWorld(t)
	for accept, want := range map[string]string{"application/json": `[`, "*/*": "green", "": "green", "text/plain, application/json": "green"} {
		r := httptest.NewRequest("GET", "/_cat/indices/actor", nil)
		r.Header.Set("Authorization", "Bearer "+ops)
		r.Header.Set("Accept", accept)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if got := rec.Body.String(); rec.Code != http.StatusOK || !strings.HasPrefix(got, want) {
			t.Errorf("Accept %q: got %d %s, want %s", accept, rec.Code, got, want)
		}
	}
}

func TestFilterPath(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	for path, want := range map[string]string{
		"hits.hits._id":                           `{"hits":{"hits":[{"_id":"1"},{"_id":"2"}]}}`,
		"hits.hits._source.title":                 `{"hits":{"hits":[{"_source":{"title":"mad shark"}},{"_source":{"title":"shark"}}]}}`,
		"hits.hits._so*.t*,timed_out":             `{"hits":{"hits":[{"_source":{"title":"mad shark"}},{"_source":{"title":"shark"}}]},"timed_out":false}`,
		"hits.total":                              `{"hits":{"total":{"relation":"eq","value":2}}}`,
		"**.value":                                `{"hits":{"total":{"value":2}}}`,
		"hits.**.title":                           `{"hits":{"hits":[{"_source":{"title":"mad shark"}},{"_source":{"title":"shark"}}]}}`,
		"nothing":                                 `{}`,
		"hits.hits.nothing":                       `{}`,
		"hits,-hits.hits,-hits.max_score":         `{"hits":{"total":{"relation":"eq","value":2}}}`,
		"-hits,-took,-_shards":                    `{"timed_out":false}`,
		"hits.hits.*,-hits.hits._so*,-**._score,": `{"hits":{"hits":[{"_id":"1","_index":"film"},{"_id":"2","_index":"film"}]}}`,
	} {
		got := w.want(t, sales, "POST", "/film/_search?filter_path="+path, `{"_source":["title","year"]}`, 200, "")
		if got != want+"\n" && got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	w.want(t, sales, "GET", "/film/_doc/1?filter_path=_source.year", "", 200, `{"_source":{"year":2005}}`)
	w.want(t, sales, "GET", "/film/_doc/3?filter_path=found", "", 404, `{"found":false}`)
	w.want(t, sales, "GET", "/book/_search?filter_path=x", "", 404, "index_not_found_exception") // errors are whole
	w.want(t, sales, "GET", "/_cat/count?h=count&filter_path=x", "", 200, "3\n")
	w.want(t, sales, "GET", "/_cat/indices?format=json&filter_path=index", "", 200, `[{"index":"actor"},{"index":"film"}]`)
	w.want(t, sales, "GET", "/film/_search?filter_path=[", "", 400, "[filter_path] has a path that can't be read")
	w.want(t, sales, "GET", `/film/_search?filter_path=hits.hits.fields.title\.keyword&docvalue_fields=title.keyword`, "", 200, `{"hits":{"hits":[{"fields":{"title.keyword":["mad shark"]}},`)
}

func TestQueryInURL(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	w.want(t, sales, "GET", "/film/_search?df=title", "", 400, "URL parameter [df] needs [q]")
	for path, want := range map[string]string{
		"/film/_search?q=mad&df=title&filter_path=hits.total.value":                            `{"hits":{"total":{"value":1}}}`,
		"/film/_search?q=title:shark&filter_path=hits.total.value":                             `{"hits":{"total":{"value":2}}}`,
		"/film/_search?q=mad+shark&df=title&default_operator=AND&filter_path=hits.total.value": `{"hits":{"total":{"value":1}}}`,
		"/film/_count?q=secret&df=title&filter_path=count":                                     `{"count":0}`,
		"/film/_validate/query?q=secret&df=title&filter_path=valid":                            `{"valid":true}`,
		"/film/_search?q=secret&filter_path=hits.total.value":                                  `{"hits":{"total":{"value":0}}}`,
		"/film/_explain/1?q=title:mad&filter_path=matched":                                     `{"matched":true}`,
	} {
		if status, got := w.ask(sales, "GET", path, ""); status != 200 || strings.TrimSpace(got) != want {
			t.Errorf("%s: got %d %s, want %s", path, status, got, want)
		}
	}
}
