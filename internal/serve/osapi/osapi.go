// Package osapi serves a read-only part of the OpenSearch search API: info, health, lists,
// mappings, search, count and documents. An index is a table.
//
// Requests are parsed against a whitelist. What is not supported is refused by name
// with status 400, and never ignored. Writes are refused with status 405. Errors
// have the form of OpenSearch.
//
// A query becomes a query.Node, and search.Searcher answers it, so the access
// control and the limits are those of httpapi. A field that does not exist, or that
// the caller may not see, finds nothing.
//
// This package has the routes, the cursors and the answers. Packages below it read and
// print the parts of a search: dsl its queries, aggs, suggest, and hits what hits show.
package osapi

import (
	"context"
	"encoding/base64"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// version is the version of OpenSearch whose API this is.
const version = "3.8.0"

// Engine answers searches. Errors that the caller can fix are *httpapi.Error or
// *search.Error.
type Engine interface {
	Search(ctx context.Context, table string, p search.Params) (search.Results, error)
	SearchTables(ctx context.Context, tables []string, p search.Params) (search.Results, error)
	// Tables lists the tables that a caller may see.
	Tables(search.Caller) []string
	OID(table, key string) (doc.OID, error)
	// Fields returns the fields of a table that a caller may see. A field that is
	// searched by words and by value is listed twice.
	Fields(table string, c search.Caller) ([]mapping.Field, error)
	// Analyzer returns the analyzer of a table's text.
	Analyzer(table string) (*analysis.Analyzer, error)
	Meters() *httpapi.Meters
}

// Handler returns the handler of an engine. Cursors survive it: a later handler goes on
// with those that clients have open.
func Handler(e Engine, a httpapi.Access, open *Cursors, log *slog.Logger) http.Handler {
	s := server{e, a, open}
	mux := http.NewServeMux()
	searching := map[string]bool{}
	handle := func(pattern string, h http.HandlerFunc) {
		searching[pattern] = true
		mux.HandleFunc(pattern, h)
	}
	for pattern, answer := range s.lists() {
		handle("GET "+pattern, s.answer(answer, false))
	}
	for _, method := range []string{"GET ", "POST "} {
		for _, index := range []string{"", "/{index}"} {
			handle(method+index+"/_search", s.answer(s.search, true))
			handle(method+index+"/_count", s.answer(s.count, true))
			handle(method+index+"/_mget", s.answer(s.mget, true))
			handle(method+index+"/_msearch", s.answer(s.msearch, true))
			handle(method+index+"/_validate/query", s.answer(s.validate, true))
			handle(method+index+"/_field_caps", s.answer(s.fieldCaps, false))
			handle(method+index+"/_analyze", s.answer(s.analyze, false))
		}
		handle(method+"/{index}/_explain/{id}", s.answer(s.explainDocument, true))
		handle(method+"/_search/scroll", s.answer(s.scroll, true))
		handle(method+"/_search/scroll/{scroll_id}", s.answer(s.scroll, true))
	}
	handle("POST /{index}/_search/point_in_time", s.answer(s.openPoint, false))
	handle("GET /_search/point_in_time/_all", s.answer(s.points, false))
	for path, closing := range map[string]func(*call) (any, error){"/_search/scroll": s.endScroll, "/_search/scroll/{scroll_id}": s.endScroll, "/_search/point_in_time": s.closePoint, "/_search/point_in_time/_all": s.closePoint} {
		handle("DELETE "+path, s.answer(closing, false))
	}
	missing := s.answer(s.noAlias, false)
	handle("/", func(w http.ResponseWriter, r *http.Request) {
		if name, ok := strings.CutPrefix(r.URL.Path, "/_alias/"); ok && reads(r.Method) {
			r.SetPathValue("name", name)
			missing(w, r)
			return
		}
		refuse(w, r)
	})
	guarded := a.Guard(mux, searching, log)
	return InForm(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		asBearer(r.Header)
		guarded.ServeHTTP(w, r)
	}))
}

// lists returns the answers to requests without a body, by path.
func (s server) lists() map[string]func(*call) (any, error) {
	mapping, aliases, settings := s.ofEach(mappingOf), s.ofEach(aliasesOf), s.ofEach(settingsOf)
	return map[string]func(*call) (any, error){
		"/{$}": s.info, "/_cluster/health": s.health, "/_cluster/health/{index}": s.health,
		"/{index}": s.ofEach(indexOf), "/_mapping": mapping, "/{index}/_mapping": mapping, "/_settings": settings, "/{index}/_settings": settings,
		"/_alias": aliases, "/{index}/_alias": aliases, "/{index}/_alias/{name}": s.noAlias,
		"/_cat/aliases": s.catAliases, "/_cat/indices": s.catIndices, "/_cat/indices/{index}": s.catIndices, "/_cat/health": s.catHealth, "/_cat/count": s.catCount, "/_cat/count/{index}": s.catCount,
		"/_cat/shards": s.catShards, "/_cat/shards/{index}": s.catShards,
		"/_stats": s.stats, "/_stats/docs": s.stats, "/{index}/_stats": s.stats, "/{index}/_stats/docs": s.stats, "/_resolve/index/{index}": s.resolve,
		"/_nodes": s.nodes, "/_nodes/http": s.nodes, "/_nodes/_all/http": s.nodes,
		"/{index}/_doc/{id}": s.document, "/{index}/_source/{id}": s.source,
	}
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
	open   *Cursors
}

// A call is a request that has a search slot.
type call struct {
	*http.Request
	ctx    context.Context // ends when the response has to start
	body   []byte
	caller search.Caller
	table  string  // "" until it is known to be there
	point  *cursor // the point in time that the request names, if any
}

// owner identifies the token of the call.
func (c *call) owner() string { return httpapi.Owner(c.Request) }

// index returns the list of the indices that the call names.
func (c *call) index() string {
	if c.point != nil {
		return c.point.index
	}
	return c.PathValue("index")
}

// answer reads the body before it waits for a search slot. A counted call is in the
// metrics of searches.
func (s server) answer(get func(*call) (any, error), counted bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, done, err := s.access.ReadBody(w, r)
		if err != nil {
			httpapi.WriteError(w, err)
			return
		}
		defer done()
		c := call{Request: r, body: body}
		s.access.Respond(w, r, func(ctx context.Context, caller search.Caller) (any, error) {
			c.ctx, c.caller = ctx, caller
			return formed(&c, get)
		}, func(took time.Duration, err error) {
			if counted {
				s.engine.Meters().Search(c.table, took, err)
			}
		})
	}
}

// formed answers a call with the parts that filter_path keeps, in JSON, or as text
// where that is the form of the answer.
func formed(c *call, get func(*call) (any, error)) (any, error) {
	v := c.URL.Query()
	if format := v.Get("format"); format != "" && format != "json" && format != "text" {
		return nil, input.ParsingError("format [%s] is not supported: write json or text", query.Shorten(format))
	}
	f, err := parseFilterPath(v.Get("filter_path"))
	if err != nil {
		return nil, err
	}
	a, err := get(c)
	if err != nil || len(f.kept)+len(f.dropped) == 0 {
		return a, err
	}
	switch body := a.(type) {
	case httpapi.PlainText:
		return a, nil
	case httpapi.NotFound:
		body.Body, err = f.apply(body.Body)
		return body, err
	}
	return f.apply(a)
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
