package osapi

import "testing"

// Requests whose answers depend on a flag, or on which of two faults comes first, are
// answered as OpenSearch answers them.
func TestFlagsAndFaults(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	const wrong = `{"query":{"unknown":{}}}`
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/book/_search", ``, 404, `"root_cause":[{"index":"book","reason":"no such index [book]`},
		{"POST", "/book/_search", `{"wrong":1}`, 400, "[body] does not support [wrong]"},
		{"POST", "/book/_search", wrong, 400, "parsing_exception"},
		{"POST", "/book/_count", wrong, 400, "parsing_exception"},
		{"POST", "/book/_search?wrong=1", ``, 400, "URL parameter [wrong]"},
		{"POST", "/book/_search", `{"query":{"term":{"year":"soon"}}}`, 404, "index_not_found_exception"}, // a field of no index
		{"POST", "/_msearch", "{\"index\":\"book\"}\n{}\n", 200, `"index":"book"`},

		{"GET", "/noth*/_search", ``, 200, `"total":{"relation":"eq","value":0}`},
		{"GET", "/noth*/_search?allow_no_indices=false", ``, 404, `"index":"noth*"`},
		{"GET", "/book/_search?ignore_unavailable=true", ``, 200, `"hits":[]`},
		{"GET", "/book/_search?ignore_unavailable", ``, 200, `"hits":[]`},
		{"GET", "/book/_search?ignore_unavailable=true&allow_no_indices=false", ``, 404, "index_not_found_exception"},
		{"GET", "/book,film/_search?ignore_unavailable=true&allow_no_indices=false", ``, 200, `"_index":"film"`},
		{"GET", "/book/_mapping?ignore_unavailable=true&allow_no_indices=false", ``, 404, "index_not_found_exception"},
		{"POST", "/_msearch", "{\"index\":\"noth*\",\"allow_no_indices\":false}\n{}\n", 200, "index_not_found_exception"},
		{"POST", "/_msearch", "{\"index\":\"noth*\"}\n{}\n", 200, `"status":200`},

		{"GET", "/film/_search?rest_total_hits_as_int", ``, 200, `"total":2`},
		{"GET", "/film/_search?rest_total_hits_as_int=false", ``, 200, `"total":{`},
		{"GET", "/film/_search?rest_total_hits_as_int=true&track_total_hits=1", ``, 400, "[rest_total_hits_as_int] cannot be used"},
		{"GET", "/film/_search?rest_total_hits_as_int=true&track_total_hits=false", ``, 200, `"total":-1`},
		{"POST", "/_msearch?rest_total_hits_as_int=true", "{\"index\":\"film\"}\n{}\n", 200, `"total":2`},
		{"POST", "/_msearch?rest_total_hits_as_int=true", "{\"index\":\"film\"}\n{}\n{\"index\":\"film\"}\n{\"track_total_hits\":10}\n", 400, "is not accurate, got 10"},
		{"POST", "/film/_search", `{"query":{"multi_match":{"query":"mad","fields":["title"],"type":"bool_prefix","slop":1}}}`, 400, "slop not allowed for type [bool_prefix]"},
		{"POST", "/film/_search", `{"size":0,"aggs":{"y":{"histogram":{"field":"year","interval":10,"order":{"_time":"desc"}}}}}`, 200, `"buckets":[{`},
		{"GET", "/film/_search?batched_reduce_size=1", ``, 400, "batchedReduceSize must be >= 2"},
		{"GET", "/film/_search?batched_reduce_size=2", ``, 200, `"timed_out":false`},

		{"POST", "/film/_explain/1", ``, 400, "action_request_validation_exception"},
		{"POST", "/film/_explain/1", `{}`, 400, "query is missing"},
		{"POST", "/film/_explain/1?q=mad", ``, 200, `"matched":true`},

		{"POST", "/film/_mget", `{"docs":[{"_id":"1","_source":false}]}`, 200, `{"docs":[{"_id":"1","_index":"film","found":true}]}`},
		{"POST", "/film/_mget", `{"docs":[{"_id":"1","_source":"year"}]}`, 200, `"_source":{"year":`},
		{"POST", "/film/_mget?_source=title", `{"docs":[{"_id":"1","_source":{"includes":["ye*"]}},{"_id":"2"}]}`, 200, `"found":true},{"_id":"2","_index":"film","_source":{"title":`},
		{"POST", "/film/_mget", `{"docs":[{"_id":"1","_source":["grp"]}]}`, 200, `"_source":{}`},
		{"POST", "/film/_mget", `{"docs":[{"_id":"1","_source":3}]}`, 400, "[_source] is true, false"},
	} {
		w.want(t, sales, test.method, test.path, test.body, test.status, test.want)
	}
}
