package apidiff

import "strings"

// A refusedRequest is a request that OpenSearch answers and that the API refuses by name, and
// the text of the error that names it. docs/opensearch-api.md says what is supported.
type refusedRequest struct{ path, body, names string }

// refusals are outside the subset, or would show what the caller must not see.
var refusals = []refusedRequest{
	{body: `{"slice": {"id": 0, "max": 2}}`, names: "[slice]"}, {body: `{"rescore": {"window_size": 10, "query": {"rescore_query": {"match_all": {}}}}}`, names: "[rescore]"},
	{body: `{"script_fields": {"x": {"script": "1"}}}`, names: "[script_fields]"}, {body: `{"profile": true}`, names: "[profile]"}, {body: `{"ext": {}}`, names: "[ext]"},
	{body: `{"collapse": {"field": "kind", "inner_hits": {"name": "x", "highlight": {}}}}`, names: "[highlight]"}, {path: "/film,actor/_search", body: `{"collapse": {"field": "kind"}}`, names: "[collapse]"}, {body: `{"runtime_mappings": {}}`, names: "[runtime_mappings]"},
	{body: `{"stats": ["a"]}`, names: "[stats]"}, {body: `{"track_scores": true, "sort": ["code"]}`, names: "[track_scores]"},

	{body: `{"query": {"script": {"script": "true"}}}`, names: "[script]"}, {body: `{"query": {"script_score": {"query": {"match_all": {}}, "script": {"source": "1"}}}}`, names: "[script_score]"},
	{body: `{"query": {"geo_distance": {"distance": "1km", "kind": "0,0"}}}`, names: "[geo_distance]"}, {body: `{"query": {"knn": {"kind": {"vector": [1], "k": 1}}}}`, names: "[knn]"},
	{body: `{"query": {"percolate": {"field": "kind", "document": {}}}}`, names: "[percolate]"}, {body: `{"query": {"has_child": {"type": "x", "query": {"match_all": {}}}}}`, names: "[has_child]"},
	{body: `{"query": {"span_term": {"body": "a"}}}`, names: "[span_term]"}, {body: `{"query": {"intervals": {"body": {"match": {"query": "a"}}}}}`, names: "[intervals]"}, {body: `{"query": {"rank_feature": {"field": "price"}}}`, names: "[rank_feature]"},
	{body: `{"query": {"distance_feature": {"field": "seen", "pivot": "7d", "origin": "now"}}}`, names: "[distance_feature]"}, {body: `{"query": {"terms_set": {"tags": {"terms": ["a"], "minimum_should_match_field": "stock"}}}}`, names: "[terms_set]"},
	{body: `{"query": {"wrapper": {"query": "eyJtYXRjaF9hbGwiOnt9fQ=="}}}`, names: "[wrapper]"}, {body: `{"query": {"more_like_this": {"fields": ["body"], "like": "a b c", "analyzer": "standard"}}}`, names: "[analyzer]"},
	{body: `{"query": {"more_like_this": {"fields": ["body"], "like": {"doc": {"body": "a"}}}}}`, names: "[doc]"}, {path: "/film,actor/_search", body: `{"query": {"more_like_this": {"fields": ["body"], "like": "a"}}}`, names: "[more_like_this]"},
	{body: `{"query": {"terms": {"kind": {"index": "film", "id": "1", "path": "kind"}}}}`, names: "lookup"},
	{body: `{"query": {"match": {"title": {"query": "a", "analyzer": "standard"}}}}`, names: "[analyzer]"}, {body: `{"query": {"regexp": {"kind": {"value": "PG", "flags": "NONE"}}}}`, names: "flags [none]"}, {body: `{"query": {"regexp": {"kind": "<1-3>"}}}`, names: "an interval is not supported"},
	{body: `{"query": {"match_phrase": {"title": {"query": "a b", "slop": 101}}}}`, names: "slop"}, {body: `{"query": {"prefix": {"kind": {"value": "P", "rewrite": "scoring_boolean"}}}}`, names: "rewrite"},

	{body: `{"suggest": {"s": {"prefix": "m", "completion": {"field": "title"}}}}`, names: "completion is not supported"},
	{body: `{"sort": [{"_doc": "desc"}]}`, names: "[_doc]"}, {body: `{"sort": ["_doc", "code"]}`, names: "[_doc]"}, {body: `{"sort": [{"_id": "desc"}]}`, names: "[_id]"},
	{body: `{"sort": [{"price": {"mode": "avg"}}]}`, names: "mode [avg]"}, {body: `{"sort": [{"price": {"mode": "sum"}}]}`, names: "mode [sum]"}, {body: `{"sort": [{"price": {"mode": "median"}}]}`, names: "mode [median]"},
	{path: "/film,actor/_search", body: `{"sort": ["code"], "search_after": ["c00050"]}`, names: "[search_after]"}, {path: "/film,actor/_search", body: `{"min_score": 1}`, names: "[min_score]"}, {body: `{"min_score": 1, "sort": ["_doc"]}`, names: "[min_score]"}, {body: `{"sort": ["_doc"], "aggs": {"a": {"top_hits": {}}}}`, names: "[top_hits] by score"},
	{path: "/film/_search?q=a&analyzer=standard", names: "[analyzer]"}, {path: "/film/_search?q=a&lenient=true", names: "[lenient]"}, {path: "/film/_search?source={}&source_content_type=application/json", names: "[source"}, {path: "/film/_search_shards", names: "no handler found"},

	{body: `{"aggs": {"a": {"percentiles": {"field": "price", "hdr": {}}}}}`, names: "[hdr]"}, {body: `{"aggs": {"a": {"percentile_ranks": {"field": "price", "values": [1]}}}}`, names: "[percentile_ranks]"}, {body: `{"aggs": {"a": {"global": {}}}}`, names: "[global]"}, {body: `{"aggs": {"a": {"significant_terms": {"field": "kind"}}}}`, names: "[significant_terms]"},
	{body: `{"aggs": {"a": {"terms": {"field": "kind"}}, "b": {"avg_bucket": {"buckets_path": "a>_count"}}}}`, names: "[avg_bucket]"}, {body: `{"aggs": {"a": {"sampler": {}}}}`, names: "[sampler]"}, {body: `{"aggs": {"a": {"nested": {"path": "cast"}}}}`, names: "[nested]"},
	{body: `{"aggs": {"a": {"auto_date_histogram": {"field": "seen", "buckets": 5}}}}`, names: "[auto_date_histogram]"}, {body: `{"aggs": {"a": {"rare_terms": {"field": "kind"}}}}`, names: "[rare_terms]"}, {body: `{"aggs": {"a": {"scripted_metric": {"map_script": "1"}}}}`, names: "[scripted_metric]"},
	{body: `{"aggs": {"a": {"terms": {"field": "kind", "min_doc_count": 0}}}}`, names: "min_doc_count 0"}, {body: `{"aggs": {"a": {"terms": {"field": "_index"}}}}`, names: "[_index]"}, {body: `{"aggs": {"a": {"top_hits": {"size": 0}}}}`, names: "[top_hits] of size 0"}, {body: `{"aggs": {"a": {"date_histogram": {"field": "seen", "calendar_interval": "year", "format": "YYYY-ww"}}}}`, names: "[YYYY-ww]"},
	{body: `{"aggs": {"a": {"max": {"field": "price", "format": "0.#E0"}}}}`, names: "[0.#E0]"}, {body: `{"docvalue_fields": [{"field": "seen", "format": "week_date"}]}`, names: "[week_date]"},
}

// refused makes a request that is refused by name.
func (g *generator) refused() request {
	one := pick(g, refusals...)
	r := request{kind: "search", method: "POST", path: "/" + index + "/_search", body: one.body, refusal: one.names}
	if one.path != "" {
		r.path = one.path
	}
	if one.body == "" {
		r.method = "GET"
	}
	g.use("refused " + one.names)
	return r
}

// isRefused reports whether an answer refuses a request by the name that it has to.
func isRefused(r request, a answer) bool {
	return a.status >= 400 && a.status < 500 && strings.Contains(a.text, strings.Trim(text(r.refusal), `"`))
}
