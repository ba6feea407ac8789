package osapi

import (
	"net/http"
	"testing"
)

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
		{sales, "/shop/_search", `{"collapse": {"field": "price", "inner_hits": {"name": "x"}}}`, 400, "[collapse] does not support [inner_hits]"},
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
