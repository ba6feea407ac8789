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
	"time"

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
	Meters() *httpapi.Meters
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
	handle := func(pattern string, h http.HandlerFunc) {
		searching[pattern] = true
		mux.HandleFunc(pattern, h)
	}
	handle("GET /{$}", s.answer(s.info, false))
	handle("GET /_cluster/health", s.answer(s.health, false))
	handle("GET /{index}", s.answer(s.mapping, false))
	handle("GET /{index}/_mapping", s.answer(s.mapping, false))
	for _, method := range []string{"GET", "POST"} {
		handle(method+" /{index}/_search", s.answer(s.search, true))
		handle(method+" /{index}/_count", s.answer(s.count, true))
	}
	mux.HandleFunc("GET /{index}/_doc/{id}", s.answer(s.document, false)) // for admins, as in httpapi
	handle("/", refuse)
	guarded := a.Guard(mux, searching, log)
	return InForm(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		asBearer(r.Header)
		guarded.ServeHTTP(w, r)
	}))
}

// InForm returns a handler whose header and errors have the form of OpenSearch.
func InForm(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-OpenSearch-Version", "OpenSearch/"+version+" (indexerd)")
		h.ServeHTTP(response{w}, r)
	})
}

type server struct {
	engine Engine
	access httpapi.Access
}

// A call is a request that has a search slot.
type call struct {
	*http.Request
	ctx    context.Context // ends when the response has to start
	body   []byte
	caller search.Caller
	table  string // "" until it is known to be there
}

// answer reads the body before it waits for a search slot. A counted call is in the
// metrics of searches.
func (s server) answer(get func(*call) (any, error), counted bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := httpapi.ReadBody(w, r)
		if err != nil {
			httpapi.WriteError(w, err)
			return
		}
		c := call{Request: r, body: body}
		s.access.Respond(w, r, func(ctx context.Context, caller search.Caller) (any, error) {
			c.ctx, c.caller = ctx, caller
			return get(&c)
		}, func(took time.Duration, err error) {
			if counted {
				s.engine.Meters().Search(c.table, took, err)
			}
		})
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
