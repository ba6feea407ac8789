package osapi

import (
	"net/http"
	"slices"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/httpapi"
)

// refuse answers requests that no route has.
func refuse(w http.ResponseWriter, r *http.Request) {
	last := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	asked := []string{"_search", "_count", "_msearch", "_mget", "scroll", "point_in_time", "_analyze", "query", "_field_caps", "_validate"}
	if reads(r.Method) || r.Method == http.MethodPost && slices.Contains(asked, last) {
		httpapi.WriteError(w, &httpapi.Error{Status: http.StatusBadRequest, Code: "illegal_argument_exception", Message: "no handler found for " + r.Method + " " + r.URL.Path, Hint: "docs/opensearch-api.md lists what is supported"})
		return
	}
	w.Header().Set("Allow", "GET, HEAD, POST")
	httpapi.WriteError(w, &httpapi.Error{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: r.Method + " " + r.URL.Path + " is not supported, since this API is read-only", Hint: "write to the database; indexerd follows it"})
}

// reads reports whether a request with this method changes nothing.
func reads(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// A response writes errors in the form of OpenSearch.
type response struct{ http.ResponseWriter }

// Unwrap lets http.ResponseController reach the writer.
func (w response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ErrorBody implements httpapi.Protocol.
func (response) ErrorBody(e *httpapi.Error) any {
	return errorBody(e)
}

// errorBody returns the body of the response for an error.
func errorBody(e *httpapi.Error) map[string]any {
	types := map[string]string{
		"bad_query": "parsing_exception", "unknown_table": "index_not_found_exception", "not_found": "resource_not_found_exception",
		"unauthorized": "security_exception", "forbidden": "security_exception", "busy": "rejected_execution_exception",
		"deadline": "timeout_exception", "too_large": "content_too_long_exception", "internal": "exception", "not_ready": "no_shard_available_action_exception",
	}
	kind := e.Code
	if t, ok := types[kind]; ok {
		kind = t
	}
	reason := e.Message
	if e.Hint != "" {
		reason += ": " + e.Hint
	}
	if kind == query.CodeBuckets {
		cause := map[string]any{"type": "too_many_buckets_exception", "reason": reason, "max_buckets": query.MaxBuckets}
		return map[string]any{"error": map[string]any{"root_cause": []any{}, "type": "search_phase_execution_exception", "reason": "", "phase": "fetch", "grouped": true, "failed_shards": []any{}, "caused_by": cause}, "status": e.Status}
	}
	describe := func() map[string]any {
		m := map[string]any{"type": kind, "reason": reason}
		if e.Code == noIndexCode {
			name := strings.TrimSuffix(strings.TrimPrefix(e.Message, noIndexMessage), "]")
			m["index"], m["resource.id"], m["resource.type"] = name, name, "index_or_alias"
		}
		return m
	}
	whole := describe()
	whole["root_cause"] = []any{describe()}
	return map[string]any{"error": whole, "status": e.Status}
}

// noIndexMessage is the beginning of the message of an error with noIndexCode.
const (
	noIndexCode    = "unknown_table" // index_not_found_exception to the client
	noIndexMessage = "no such index ["
)

// noIndex returns the error of an index that does not exist, for a caller who may see
// some.
func noIndex(name string, tables []string) error {
	e := &httpapi.Error{Status: http.StatusNotFound, Code: noIndexCode, Message: noIndexMessage + query.Shorten(name) + "]"}
	if len(tables) > 0 {
		e.Hint = "there is " + strings.Join(tables, ", ")
	}
	return e
}
