// Package osapi serves a read-only part of the OpenSearch search API: info, health,
// mappings, search, count and documents. An index is a table.
//
// Requests are parsed against a whitelist. What is not supported is refused by name
// with status 400, and never ignored. Writes are refused with status 405. Errors
// have the form of OpenSearch.
//
// A query becomes a query.Node, and search.Searcher answers it, so the access
// control and the limits are those of httpapi. A field that does not exist, or that
// the caller may not see, finds nothing.
package osapi

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"indexerd/internal/httpapi"
	"indexerd/internal/search"
)

// version is the version of OpenSearch whose API this is.
const version = "3.8.0"

// Engine answers searches. Errors that the caller can fix are *httpapi.Error or
// *search.Error.
type Engine interface {
	Search(ctx context.Context, table string, p search.Params) (search.Results, error)
	Doc(ctx context.Context, table, oid string) (search.Document, error)
	// Fields returns the fields of a table that a caller may see. A field that is
	// searched by words and by value is listed twice.
	Fields(table string, c search.Caller) ([]Field, error)
}

// The types of fields, as mappings name them.
const (
	Text    = "text"
	Keyword = "keyword"
	Double  = "double"
	Date    = "date"
	Boolean = "boolean"
)

// A Field is a field of an index. Values of a field that is also text have the name
// of the field and .keyword in queries.
type Field struct {
	Name string
	Type string
	both bool // text and value
}

// An Index is the fields of a table.
type Index []Field

// suffix marks the values of a field that is also text.
const suffix = ".keyword"

// field returns the field with a name, without a type if there is none.
func (ix Index) field(name string) Field {
	base, valued := strings.CutSuffix(name, suffix)
	for _, wanted := range []string{name, base} {
		var found []Field
		for _, f := range ix {
			if f.Name == wanted {
				found = append(found, f)
			}
		}
		switch {
		case len(found) == 2:
			f := found[slices.IndexFunc(found, func(f Field) bool { return (f.Type != Text) == (wanted != name) })]
			f.both = true
			return f
		case len(found) == 1 && wanted == name:
			return found[0]
		}
		if !valued {
			break
		}
	}
	return Field{Name: name}
}

// Handler returns the handler of an engine.
func Handler(e Engine, a httpapi.Access, log *slog.Logger) http.Handler {
	s := server{e, a}
	mux := http.NewServeMux()
	searching := map[string]bool{}
	for _, r := range []struct {
		pattern string
		answer  func(*http.Request, []byte, context.Context, search.Caller) (any, error)
	}{
		{"GET /{$}", s.info},
		{"GET /_cluster/health", s.health},
		{"GET /{index}/_search", s.search}, {"POST /{index}/_search", s.search},
		{"GET /{index}/_count", s.count}, {"POST /{index}/_count", s.count},
		{"GET /{index}/_mapping", s.mapping}, {"GET /{index}", s.mapping},
	} {
		searching[r.pattern] = true
		mux.HandleFunc(r.pattern, s.answer(r.answer))
	}
	mux.HandleFunc("GET /{index}/_doc/{id}", s.answer(s.document)) // for admins, as in httpapi
	searching["/"] = true
	mux.HandleFunc("/", refuse)
	guarded := a.Guard(mux, searching, log)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-OpenSearch-Version", "OpenSearch/"+version+" (indexerd)")
		r = r.Clone(r.Context())
		asBearer(r.Header)
		guarded.ServeHTTP(response{w}, r)
	})
}

type server struct {
	engine Engine
	access httpapi.Access
}

// answer reads the body before it waits for a search slot.
func (s server) answer(get func(*http.Request, []byte, context.Context, search.Caller) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := httpapi.ReadBody(w, r)
		if err != nil {
			httpapi.WriteError(w, err)
			return
		}
		s.access.Respond(w, r, func(ctx context.Context, c search.Caller) (any, error) { return get(r, body, ctx, c) })
	}
}

// refuse answers requests that no route has.
func refuse(w http.ResponseWriter, r *http.Request) {
	last := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	reads := []string{"_search", "_count", "_msearch", "_mget", "scroll", "point_in_time", "_analyze", "query", "_field_caps", "_validate"}
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodPost && slices.Contains(reads, last) {
		httpapi.WriteError(w, &httpapi.Error{Status: http.StatusBadRequest, Code: "illegal_argument_exception", Message: "no handler found for " + r.Method + " " + r.URL.Path, Hint: "docs/opensearch-api.md lists what is supported"})
		return
	}
	w.Header().Set("Allow", "GET, HEAD, POST")
	httpapi.WriteError(w, &httpapi.Error{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: r.Method + " " + r.URL.Path + " is not supported, since this API is read-only", Hint: "write to the database; indexerd follows it"})
}

// asBearer turns a token sent as ApiKey or as the password of Basic into a Bearer
// token. An ApiKey is the token itself or, as clients send it, base64 of id:token.
func asBearer(h http.Header) {
	scheme, text, _ := strings.Cut(h.Get("Authorization"), " ")
	basic, key := strings.EqualFold(scheme, "Basic"), strings.EqualFold(scheme, "ApiKey")
	if !basic && !key {
		return
	}
	token := strings.TrimSpace(text)
	if pair, err := base64.StdEncoding.DecodeString(token); err == nil && strings.Contains(string(pair), ":") {
		_, token, _ = strings.Cut(string(pair), ":")
	} else if basic {
		return
	}
	h.Set("Authorization", "Bearer "+token)
}

// A response writes errors in the form of OpenSearch.
type response struct{ http.ResponseWriter }

// Unwrap lets http.ResponseController reach the writer.
func (w response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ErrorBody implements httpapi.Protocol.
func (response) ErrorBody(e *httpapi.Error) any {
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
	cause := map[string]any{"type": kind, "reason": reason}
	return map[string]any{"error": map[string]any{"root_cause": []any{cause}, "type": kind, "reason": reason}, "status": e.Status}
}

// parsing returns the error of a request that is not supported or not valid.
func parsing(format string, args ...any) error {
	return &httpapi.Error{Status: http.StatusBadRequest, Code: "parsing_exception", Message: fmt.Sprintf(format, args...)}
}
