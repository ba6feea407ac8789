package apidiff

import (
	"fmt"
	"net/url"
	"strings"
)

func (g *generator) id() string {
	return pick(g, fmt.Sprint(g.IntN(len(g.rows))), fmt.Sprint(g.IntN(len(g.rows))), "123456", "-1")
}

// sourceInURL makes parameters for the fields of documents.
func (g *generator) sourceInURL() string {
	return pick(g, "", "", "?_source=false", "?_source=title,kind", "?_source_includes=t*", "?_source_excludes=body,note", "?_source_includes=t*,kind&_source_excludes=tags")
}

func (g *generator) document() request {
	kind := pick(g, "_doc", "_source")
	g.use(kind)
	return request{kind: kind, method: pick(g, "GET", "GET", "HEAD"), path: "/" + pick(g, index, index, index, "nothing", other) + "/" + kind + "/" + g.id() + g.sourceInURL()}
}

func (g *generator) mget() request {
	g.use("_mget")
	ids, docs := list{}, list{}
	for range 1 + g.IntN(4) {
		ids = append(ids, g.id())
		d := obj{"_index": pick(g, index, other, "nothing"), "_id": g.id()}
		if g.one(5) {
			g.use("_mget _source")
			d["_source"] = pick[any](g, false, list{"title"}, "kind", obj{"include": list{"t*"}})
		}
		docs = append(docs, d)
	}
	if g.one(2) {
		return request{kind: "_mget", method: "POST", path: "/" + index + "/_mget" + g.sourceInURL(), body: text(obj{"ids": ids})}
	}
	return request{kind: "_mget", method: "GET", path: "/_mget", body: text(obj{"docs": docs})}
}

// inURL makes a search that is in the URL.
func (g *generator) inURL() request {
	g.use("search in the URL")
	v := url.Values{"sort": {pick(g, "code", "code:desc", "price:asc,code", "_doc", "kind,code:desc")}}
	r := request{kind: "search", method: "GET", ordered: true, window: 10}
	if g.one(2) {
		g.use("q in the URL")
		v.Set("q", "body:"+strings.ToLower(g.word()))
		if g.one(3) {
			v.Set("q", "kind:PG AND stock:>3")
		}
	}
	parameters := obj{"from": "3", "size": "7", "_source": "title,kind", "track_total_hits": "true", "rest_total_hits_as_int": "true", "typed_keys": "true", "_source_excludes": "body,note", "ignore_unavailable": "true", "preference": "x", "terminate_after": "100000", "timeout": "5s", "request_cache": "true", "search_type": "query_then_fetch", "allow_partial_search_results": "true", "filter_path": "hits.hits._id,hits.total", "version": "true", "df": "title", "default_operator": "AND", "stored_fields": "title", "docvalue_fields": "kind", "error_trace": "false", "pretty": "true", "human": "false", "expand_wildcards": "open", "batched_reduce_size": "2"}
	for _, key := range sorted(parameters) {
		if g.one(14) {
			g.use("URL " + key)
			v.Set(key, parameters[key].(string))
		}
	}
	if v.Has("from") {
		r.window += 3
	}
	target := g.target()
	if g.many {
		v.Set("sort", "code")
	}
	r.path = "/" + target + "/_search?" + v.Encode()
	return r
}

// other makes a request to an endpoint that answers no search.
func (g *generator) other() request {
	field := pick(g, "title", "kind", "price", "seen", "t*", "nothing")
	all := []request{
		{kind: "_validate", method: "POST", path: "/" + index + "/_validate/query", body: text(obj{"query": g.leaf()})},
		{kind: "_validate", method: "GET", path: "/" + index + "/_validate/query?q=body:a", body: ""},
		{kind: "_explain", method: "POST", path: "/" + index + "/_explain/" + g.id(), body: text(obj{"query": obj{"match": obj{"title": g.words(1, 2)}}})},
		{kind: "_field_caps", method: "GET", path: "/" + index + "/_field_caps?fields=" + field},
		{kind: "_field_caps", method: "POST", path: "/" + index + "/_field_caps?fields=kind,stock"},
		{kind: "_analyze", method: "POST", path: "/" + index + "/_analyze", body: text(obj{"field": "title", "text": g.words(1, 4)})},
		{kind: "_analyze", method: "GET", path: "/_analyze", body: text(obj{"analyzer": "standard", "text": list{g.words(1, 4)}})},
		{kind: "_cat/indices", method: "GET", path: "/_cat/indices/" + pick(g, index, index+","+other, "nothing") + "?format=json&h=index,docs.count"},
		{kind: "_cat/count", method: "GET", path: "/_cat/count/" + index + "?format=json&h=count"},
		{kind: "_cat/shards", method: "GET", path: "/_cat/shards/" + pick(g, index, index+","+other, "nothing") + "?format=json&h=index,shard,prirep,state,docs"},
		{kind: "_mapping", method: "GET", path: "/" + pick(g, index, "nothing") + "/_mapping"},
		{kind: "exists", method: "HEAD", path: "/" + pick(g, index, "nothing", index+","+other, "noth*")},
		{kind: "exists", method: "HEAD", path: "/"},
		{kind: "_health", method: "GET", path: "/_cluster/health"},
		{kind: "count", method: "GET", path: "/" + pick(g, index, other) + "/_count?q=kind:PG"},
		{kind: "count", method: "GET", path: "/" + g.target() + "/_count"},
		{kind: "_delete", method: "DELETE", path: "/_search/scroll", body: text(obj{"scroll_id": "nothing"})},
	}
	g.used = map[string]bool{}
	r := pick(g, all...)
	at, _, _ := strings.Cut(strings.TrimPrefix(r.path, "/"+index), "?")
	if r.kind == "_explain" || r.kind == "_cat/indices" || r.kind == "_cat/shards" || r.kind == "_mapping" || r.kind == "exists" || r.kind == "count" {
		at = r.kind
	}
	g.use("endpoint " + at)
	return r
}

// msearch makes several searches at once.
func (g *generator) msearch() request {
	g.use("_msearch")
	var b strings.Builder
	r := request{kind: "_msearch", method: "POST", path: pick(g, "/_msearch", "/"+index+"/_msearch"), ordered: true}
	for range 1 + g.IntN(3) {
		b.WriteString(text(pick(g, obj{"index": index}, obj{"index": other}, obj{"index": "nothing"}, obj{"index": list{index, other}, "ignore_unavailable": true})) + "\n")
		b.WriteString(text(obj{"query": g.filterQuery(), "sort": list{"code"}, "size": g.IntN(4)}) + "\n")
	}
	if r.body = b.String(); g.one(8) {
		g.use("_msearch malformed")
		r.body = pick(g, "{}\n", "", "{}\n{\"query\":{\"nothing\":{}}}\n", "{\n{}\n", "{}\n{}")
	}
	return r
}

// cursor makes a search whose hits are read page by page.
func (g *generator) cursor() request {
	kind := pick(g, "scroll", "point in time")
	g.use(kind)
	body := obj{"query": g.filterQuery(), "size": 7 + g.IntN(200), "sort": pick[any](g, list{"_doc"}, list{obj{"code": "desc"}}, list{obj{"kind": "asc"}, obj{"code": "asc"}})}
	return request{kind: kind, method: "POST", path: "/" + index, body: text(body), ordered: true}
}
