package apidiff

import "strings"

// malformed makes a request that can't be answered.
func (g *generator) malformed() request {
	m := pick(g, malformed...)
	if g.one(4) {
		m = pick(g, malformedPaths...)
	}
	g.use("malformed " + m.name)
	r := request{kind: "search", method: "POST", path: "/" + index + "/_search", body: m.body, ordered: true}
	if m.path != "" {
		r.method, r.path, _ = strings.Cut(m.path, " ")
		if !strings.Contains(r.path, "/_search") {
			r.kind = "status"
		}
	}
	return r
}

type fault struct{ name, body, path string }

var malformed = []fault{
	{name: "no JSON", body: `{`}, {name: "text", body: `"x"`}, {name: "list", body: `[]`}, {name: "two bodies", body: `{} {}`}, {name: "a comma", body: `{"size":1,}`},
	{name: "unknown key", body: `{"nothing":1}`}, {name: "empty query", body: `{"query":{}}`}, {name: "query of text", body: `{"query":"x"}`}, {name: "query of list", body: `{"query":[]}`},
	{name: "unknown query", body: `{"query":{"mtach":{}}}`}, {name: "two queries", body: `{"query":{"match_all":{},"match_none":{}}}`},
	{name: "match of two fields", body: `{"query":{"match":{"title":"a","body":"b"}}}`}, {name: "match of nothing", body: `{"query":{"match":{}}}`},
	{name: "match option", body: `{"query":{"match":{"title":{"query":"a","nothing":1}}}}`}, {name: "match without query", body: `{"query":{"match":{"title":{"operator":"and"}}}}`},
	{name: "match of null", body: `{"query":{"match":{"title":null}}}`}, {name: "match of list", body: `{"query":{"match":{"title":["a","b"]}}}`}, {name: "match operator", body: `{"query":{"match":{"title":{"query":"a","operator":"xor"}}}}`},
	{name: "match_all option", body: `{"query":{"match_all":{"x":1}}}`}, {name: "term of list", body: `{"query":{"term":{"kind":["a"]}}}`}, {name: "term of null", body: `{"query":{"term":{"kind":null}}}`},
	{name: "term of two fields", body: `{"query":{"term":{"kind":"a","tags":"b"}}}`}, {name: "term of no number", body: `{"query":{"term":{"price":"soon"}}}`}, {name: "term of no date", body: `{"query":{"term":{"seen":"soon"}}}`},
	{name: "term of no boolean", body: `{"query":{"term":{"free":"maybe"}}}`}, {name: "terms of text", body: `{"query":{"terms":{"kind":"a"}}}`}, {name: "terms of two fields", body: `{"query":{"terms":{"kind":["a"],"tags":["b"]}}}`},
	{name: "range of no number", body: `{"query":{"range":{"price":{"gt":"soon"}}}}`}, {name: "range of no date", body: `{"query":{"range":{"seen":{"gt":"soon"}}}}`}, {name: "range option", body: `{"query":{"range":{"price":{"above":1}}}}`},
	{name: "range of text", body: `{"query":{"range":{"price":"x"}}}`}, {name: "range date math", body: `{"query":{"range":{"seen":{"gt":"now-1x"}}}}`}, {name: "range format", body: `{"query":{"range":{"seen":{"gt":"2000","format":"dd/MM/yyyy"}}}}`},
	{name: "exists without field", body: `{"query":{"exists":{}}}`}, {name: "ids without values", body: `{"query":{"ids":{}}}`}, {name: "bool option", body: `{"query":{"bool":{"mustnt":[]}}}`}, {name: "bool of text", body: `{"query":{"bool":{"must":"x"}}}`},
	{name: "bool minimum", body: `{"query":{"bool":{"should":[{"match_all":{}}],"minimum_should_match":"x"}}}`}, {name: "constant_score of nothing", body: `{"query":{"constant_score":{}}}`},
	{name: "multi_match fields", body: `{"query":{"multi_match":{"query":"a","fields":{}}}}`}, {name: "multi_match type", body: `{"query":{"multi_match":{"query":"a","fields":["title"],"type":"x"}}}`},
	{name: "match_phrase slop", body: `{"query":{"match_phrase":{"title":{"query":"a b","slop":-1}}}}`}, {name: "fuzziness", body: `{"query":{"match":{"title":{"query":"a","fuzziness":"x"}}}}`},
	{name: "boosting without negative", body: `{"query":{"boosting":{"positive":{"match_all":{}}}}}`}, {name: "dis_max of nothing", body: `{"query":{"dis_max":{}}}`},
	{name: "function_score of two", body: `{"query":{"function_score":{"weight":1,"functions":[]}}}`}, {name: "prefix of list", body: `{"query":{"prefix":{"kind":["a"]}}}`}, {name: "prefix of number", body: `{"query":{"prefix":{"price":"1"}}}`},
	{name: "wildcard of number", body: `{"query":{"wildcard":{"price":"1*"}}}`}, {name: "size", body: `{"size":-1}`}, {name: "size of text", body: `{"size":"x"}`}, {name: "size in text", body: `{"size":"3","sort":["code"]}`}, {name: "from", body: `{"from":-5}`},
	{name: "from and size", body: `{"from":9999,"size":10}`}, {name: "large size", body: `{"size":10001}`}, {name: "sort order", body: `{"sort":[{"kind":"up"}]}`}, {name: "sort option", body: `{"sort":[{"kind":{"x":1}}]}`}, {name: "sort mode", body: `{"sort":[{"kind":{"mode":"avg"}}]}`},
	{name: "sort of number", body: `{"sort":5}`}, {name: "search_after alone", body: `{"search_after":[1]}`}, {name: "search_after length", body: `{"sort":["code"],"search_after":["a","b"]}`}, {name: "search_after of no number", body: `{"sort":["price"],"search_after":["x"]}`},
	{name: "search_after and from", body: `{"from":5,"sort":["code"],"search_after":["a"]}`}, {name: "track_total_hits", body: `{"track_total_hits":"x"}`}, {name: "track_total_hits below", body: `{"track_total_hits":-5}`}, {name: "_source", body: `{"_source":5}`}, {name: "_source option", body: `{"_source":{"x":[]}}`},
	{name: "aggs of nothing", body: `{"aggs":{"a":{}}}`}, {name: "aggs of two", body: `{"aggs":{"a":{"min":{"field":"price"},"max":{"field":"price"}}}}`}, {name: "unknown agg", body: `{"aggs":{"a":{"term":{"field":"kind"}}}}`}, {name: "agg name", body: `{"aggs":{"a[b]":{"min":{"field":"price"}}}}`},
	{name: "agg of text", body: `{"aggs":{"a":{"terms":{"field":"body"}}}}`}, {name: "agg of keyword", body: `{"aggs":{"a":{"sum":{"field":"kind"}}}}`}, {name: "agg size", body: `{"aggs":{"a":{"terms":{"field":"kind","size":0}}}}`}, {name: "agg option", body: `{"aggs":{"a":{"terms":{"field":"kind","x":1}}}}`},
	{name: "agg order", body: `{"aggs":{"a":{"terms":{"field":"kind","order":{"nothing":"asc"}}}}}`}, {name: "agg without field", body: `{"aggs":{"a":{"terms":{}}}}`}, {name: "histogram interval", body: `{"aggs":{"a":{"histogram":{"field":"price","interval":0}}}}`}, {name: "histogram without interval", body: `{"aggs":{"a":{"histogram":{"field":"price"}}}}`},
	{name: "date_histogram interval", body: `{"aggs":{"a":{"date_histogram":{"field":"seen","calendar_interval":"2y"}}}}`}, {name: "date_histogram without interval", body: `{"aggs":{"a":{"date_histogram":{"field":"seen"}}}}`}, {name: "metric with sub", body: `{"aggs":{"a":{"min":{"field":"price"},"aggs":{"b":{"max":{"field":"price"}}}}}}`},
	{name: "range agg of nothing", body: `{"aggs":{"a":{"range":{"field":"price"}}}}`}, {name: "histogram of keyword", body: `{"aggs":{"a":{"histogram":{"field":"kind","interval":5}}}}`}, {name: "highlight", body: `{"highlight":{"x":1}}`}, {name: "highlight without fields", body: `{"highlight":{}}`}, {name: "post_filter", body: `{"post_filter":{"x":{}}}`},
	{name: "collapse of text", body: `{"collapse":"kind"}`}, {name: "collapse of null", body: `{"collapse":null}`}, {name: "collapse of several values", body: `{"collapse":{"field":"tags"}}`}, {name: "collapse and search_after", body: `{"collapse":{"field":"kind"},"sort":["code"],"search_after":["a"]}`}, {name: "min_score", body: `{"min_score":"x"}`}, {name: "timeout", body: `{"timeout":"x"}`}, {name: "suggest", body: `{"suggest":{"s":{"text":"a","x":{"field":"title"}}}}`}, {name: "suggest field", body: `{"suggest":{"s":{"text":"a","term":{"field":"nothing"}}}}`}, {name: "query_string of nothing", body: `{"query":{"query_string":{}}}`},
	{name: "query_string syntax", body: `{"query":{"query_string":{"query":"(a AND","fields":["body"]}}}`}, {name: "query_string value", body: `{"query":{"query_string":{"query":"price:soon"}}}`}, {name: "regexp", body: `{"query":{"regexp":{"kind":"("}}}`}, {name: "nested path", body: `{"query":{"nested":{"path":"nothing","query":{"match_all":{}}}}}`},
}

var malformedPaths = []fault{
	{name: "missing index", path: "GET /nothing/_search"}, {name: "missing of two", path: "GET /film,nothing/_search"}, {name: "pattern of nothing", path: "GET /noth*/_search?size=0"}, {name: "index name", path: "GET /_nothing/_search"},
	{name: "collapse in a scroll", path: "POST /film/_search?scroll=1m", body: `{"collapse":{"field":"kind"}}`}, {name: "unknown endpoint", path: "GET /film/_nothing"}, {name: "unknown parameter", path: "GET /film/_search?nothing=1"}, {name: "size in URL", path: "GET /film/_search?size=x"}, {name: "method", path: "PATCH /film/_search"}, {name: "count with size", path: "POST /film/_count", body: `{"size":1}`},
	{name: "mget of nothing", path: "POST /_mget", body: `{}`}, {name: "mget without index", path: "POST /_mget", body: `{"docs":[{"_id":"1"}]}`}, {name: "mget without id", path: "POST /film/_mget", body: `{"docs":[{}]}`}, {name: "mget key", path: "POST /film/_mget", body: `{"x":[]}`}, {name: "no scroll", path: "POST /_search/scroll", body: `{}`},
	{name: "scroll id", path: "POST /_search/scroll", body: `{"scroll_id":"x"}`}, {name: "point in time without keep_alive", path: "POST /film/_search/point_in_time"}, {name: "point in time of nothing", path: "POST /nothing/_search/point_in_time?keep_alive=1m"}, {name: "unknown point in time", path: "POST /_search", body: `{"pit":{"id":"x"}}`},
	{name: "document of nothing", path: "GET /nothing/_doc/1"}, {name: "missing document", path: "GET /film/_doc/12345678"}, {name: "source of nothing", path: "GET /film/_source/12345678"}, {name: "scroll and from", path: "POST /film/_search?scroll=1m", body: `{"from":5}`}, {name: "scroll of size 0", path: "POST /film/_search?scroll=1m", body: `{"size":0}`},
	{name: "scroll time", path: "POST /film/_search?scroll=x"}, {name: "validate", path: "POST /film/_validate/query", body: `{"query":{"nothing":{}}}`}, {name: "explain without query", path: "POST /film/_explain/1"}, {name: "field_caps of nothing", path: "GET /film/_field_caps"}, {name: "analyze of nothing", path: "POST /_analyze", body: `{}`},
	{name: "analyzer", path: "POST /_analyze", body: `{"analyzer":"nothing","text":"a"}`},
}
