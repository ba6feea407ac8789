package osapi

import (
	"net/http"
	"testing"
)

// Behind each hit are the documents with its value that the query finds, those that the
// caller may see.
func TestInnerHits(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	w.put(t, "film", map[string]any{"id": 4, "title": "mad mad shark", "rating": "PG", "year": 2008, "grp": "sales"}, map[string]any{"id": 5, "title": "shark", "rating": "PG", "year": 2009, "grp": "boss"}, map[string]any{"id": 6, "title": "mad", "year": 2001, "grp": "sales"})
	const body = `{"query": {"match": {"title": "mad shark"}}, "_source": false, "sort": [{"year": "desc"}], "collapse": {"field": "rating", "inner_hits": [{"name": "all", "sort": ["year"], "_source": ["year"]}, {"name": "first", "size": 1, "sort": [{"year": "desc"}], "_source": false}]}}`
	w.want(t, sales, http.MethodPost, "/film/_search", body, http.StatusOK, `"hits":{"hits":[`+
		`{"_id":"4","_index":"film","_score":null,"fields":{"rating":["PG"]},"inner_hits":{"all":{"hits":{"hits":[{"_id":"1","_index":"film","_score":null,"_source":{"year":2005},"sort":[2005.0]},{"_id":"4","_index":"film","_score":null,"_source":{"year":2008},"sort":[2008.0]}],"max_score":null,"total":{"relation":"eq","value":2}}},"first":{"hits":{"hits":[{"_id":"4","_index":"film","_score":null,"sort":[2008.0]}],"max_score":null,"total":{"relation":"eq","value":2}}}},"sort":[2008.0]},`+
		`{"_id":"2",`)
	w.want(t, ops, http.MethodPost, "/film/_search", body, http.StatusOK, `"total":{"relation":"eq","value":3}`)
	w.want(t, sales, http.MethodPost, "/film/_search", body, http.StatusOK, `{"_id":"6","_index":"film","_score":null,"inner_hits":{"all":{"hits":{"hits":[{"_id":"6",`)
}

func TestCollapse(t *testing.T) {
	w := newShop(t)
	const seen = `"query": {"ids": {"values": [0, 2, 4, 5, 6, 99]}}, "_source": false, `
	for _, c := range []struct {
		token, path, body string
		status            int
		want              string
	}{
		{sales, "/shop/_search", `{` + seen + `"collapse": {"field": "price"}, "sort": [{"price": "desc"}], "size": 2, "from": 1}`, 200, `"fields":{"price":[2.5]}`},
		{sales, "/shop/_search", `{` + seen + `"collapse": {"field": "price"}, "sort": [{"price": "desc"}], "size": 1}`, 200, `{"price":[`},
		{sales, "/shop/_search", `{` + seen + `"collapse": {"field": "price"}, "sort": ["price"], "search_after": [0], "size": 1}`, 200, `"_id":"5"`},
		{sales, "/shop/_search", `{` + seen + `"collapse": {"field": "title.keyword", "max_concurrent_group_searches": 3}}`, 200, `"title.keyword":["`},
		{guest, "/shop/_search", `{"collapse": {"field": "price"}}`, 200, `"value":0`},
		{sales, "/noth*/_search", `{"collapse": {"field": "nope"}}`, 200, `"hits":[]`},

		{sales, "/shop/_search", `{"collapse": {"field": "tags"}}`, 400, "a field that has several values in a document"},
		{sales, "/shop/_search", `{"collapse": {"field": "grp"}}`, 400, "no mapping found for `grp`"},
		{sales, "/shop/_search", `{"collapse": {"field": "nope"}}`, 400, `"type":"illegal_argument_exception"`},
		{sales, "/shop/_search", `{"collapse": {"field": "seen"}}`, 400, "unknown type for collapse field `seen`"},
		{sales, "/shop/_search", `{"collapse": {"field": "title"}}`, 400, "unknown type for collapse field `title`"},
		{sales, "/shop/_search", `{"collapse": {"field": "price", "inner_hits": {"name": "x", "highlight": {}}}}`, 400, "[inner_hits] does not support [highlight]"},
		{sales, "/shop/_search", `{"collapse": {"field": "price", "inner_hits": {}}}`, 400, "[inner_hits] needs a name"},
		{sales, "/shop/_search", `{"collapse": {"field": "price", "inner_hits": "x"}}`, 400, `"type":"x_content_parse_exception"`},
		{sales, "/shop/_search", `{"size": 51, "collapse": {"field": "price", "inner_hits": [{"name": "x"}, {"name": "y"}]}}`, 400, "need 102 searches, more than 100"},
		{sales, "/shop/_search", `{"sort": ["_doc"], "collapse": {"field": "price", "inner_hits": {"name": "x"}}}`, 400, "[inner_hits] beside a sort by nothing but keys"},
		{sales, "/shop/_search", `{"query": {"terms": {"title.keyword": ["red one", "blue"]}}, "_source": false, "collapse": {"field": "free", "inner_hits": []}}`, 400, "unknown type"},
		{sales, "/shop/_search", `{"query": {"ids": {"values": [0, 2, 4, 5, 6, 99]}}, "_source": false, "collapse": {"field": "title.keyword", "inner_hits": []}, "size": 1}`, 200, `"fields":{"title.keyword"`},
		{sales, "/shop/_search", `{"collapse": {"field": "price", "max_concurrent_group_searches": 0}}`, 400, "must be positive"},
		{sales, "/shop/_search", `{"collapse": {"field": 5}}`, 400, `"type":"x_content_parse_exception"`},
		{sales, "/shop/_search", `{"collapse": "price"}`, 400, `"type":"parsing_exception"`},
		{sales, "/shop/_search", `{"collapse": null}`, 400, `"type":"parsing_exception"`},
		{sales, "/shop/_search", `{"collapse": {"field": "price"}, "sort": ["seen"], "search_after": [1]}`, 400, `"type":"search_exception"`},
		{sales, "/shop/_search", `{"collapse": {"field": "price"}, "sort": ["price", "_id"], "search_after": [1, 1]}`, 400, `"type":"search_exception"`},
		{sales, "/shop/_search?scroll=1m", `{"collapse": {"field": "price"}}`, 400, "cannot use `collapse` in a scroll context"},
		{sales, "/shop,film/_search", `{"collapse": {"field": "price"}}`, 400, "[collapse] in 2 indices is not supported"},
		{sales, "/shop/_count", `{"collapse": {"field": "price"}}`, 400, "does not support [collapse]"},
	} {
		w.want(t, c.token, http.MethodPost, c.path, c.body, c.status, c.want)
	}
}
