// Package httpapi serves indexerd's HTTP API: health, status, search, documents,
// runs, backup, metrics and the dashboard. The command line calls the same
// handler, through a socket if a daemon is running and in process otherwise, so
// both return the same JSON objects.
//
// Access: without configured tokens every client is an admin. With tokens an
// admin's token may do everything, any other token may search, and requests
// without a token get health and the dashboard's files. A request is rejected
// if its Host is not this server or if a page of another site began it, so that
// no web page can read the index through a user's browser.
//
// Limits: a request has at most 64 KiB of body. A search holds one of a limited
// number of slots until its response is written, and starts its response within
// SearchWithin. A search's response is written hit by hit and has up to 16 MiB
// of hits; memory per search is one hit and 256 KiB.
package httpapi

import (
	"context"
	"io"
	"net/http"
	"time"

	"indexerd/internal/index/search"
)

// explainWithin is how long explain waits for the database.
const explainWithin = 20 * time.Second

// Engine is what the handlers call. Errors that the caller can fix are *Error or
// *search.Error.
type Engine interface {
	Status(context.Context) Status
	// Waiting returns why the daemon is not ready, a line for each table.
	Waiting() []string
	// Described lists the tables that a caller may search.
	Described(search.Caller) []TableFields
	Search(ctx context.Context, table string, p search.Params) (search.Results, error)
	Doc(ctx context.Context, table, oid string) (search.Document, error)
	Versions(ctx context.Context, table, oid string) (search.Versions, error)
	// History returns up to size runs that are older than run number after, the
	// newest runs if after is 0.
	History(table string, size int, after int64) (History, error)
	Explain(ctx context.Context, table, oid string) (Explanation, error)
	// Quarantine returns up to size rows behind after, which is the next of a
	// previous answer or empty.
	Quarantine(table string, size int, after string) (Quarantine, error)
	Runner
	// TableMetrics and Meters are the source of /metrics, beside Status.
	TableMetrics() []TableMetrics
	Meters() *Meters
	// Backup writes a tar of all stored data.
	Backup(context.Context, io.Writer) error
}

// An Error is the error object of the API. The command line prints it as
// `code: message: hint`.
type Error struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Code + ": " + e.Message
	}
	return e.Code + ": " + e.Message + ": " + e.Hint
}

// Handler returns the handler of all routes of an engine.
func Handler(e Engine, a Access) http.Handler {
	if a.Limits == nil {
		a.Limits = NewLimits(nil)
	}
	mux := newMux(e, a.Limits)
	return a.checkOrigin(mux, searchRoutes, a.authorize(mux, openRoutes, searchRoutes))
}

// newMux returns the routes without access control.
func newMux(e Engine, limits *Limits) *http.ServeMux {
	mux := http.NewServeMux()
	for _, path := range []string{"/livez", "/healthz"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, map[string]bool{"ok": true})
		})
	}
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { writeReady(w, e.Waiting()) })
	mux.Handle("GET /metrics", metricsHandler(e, limits))
	mux.HandleFunc("GET /api/v1/status", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, http.StatusOK, e.Status(r.Context()))
	})
	mux.HandleFunc("POST /api/v1/backup", func(w http.ResponseWriter, r *http.Request) { stream(w, r, e.Backup) })
	mux.HandleFunc("GET /api/v1/tables", func(w http.ResponseWriter, r *http.Request) { writeTables(w, e, requesterOf(r).caller) })
	handleDocuments(mux, e, limits.searches)
	handleLists(mux, e)
	handleRuns(mux, e)
	handleDashboard(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, &Error{http.StatusNotFound, "not_found", "no route for " + r.Method + " " + r.URL.Path, "see /api/v1/status"})
	})
	return mux
}

// handleDocuments adds the routes that return documents.
func handleDocuments(mux *http.ServeMux, e Engine, limit *searchLimit) {
	handleSearch := func(method string, parse func(http.ResponseWriter, *http.Request) (search.Params, error)) {
		mux.HandleFunc(method+" /api/v1/tables/{table}/search", func(w http.ResponseWriter, r *http.Request) {
			p, err := parse(w, r)
			respondSearch(w, r, e, limit, p, err)
		})
	}
	handleSearch("GET", parseGET)
	handleSearch("POST", parsePOST)
	mux.HandleFunc("GET /api/v1/tables/{table}/docs/{oid}", func(w http.ResponseWriter, r *http.Request) {
		respondLarge(w, r, limit, func(ctx context.Context) (search.Document, error) {
			return e.Doc(ctx, r.PathValue("table"), r.PathValue("oid"))
		}, uncounted)
	})
	mux.HandleFunc("GET /api/v1/tables/{table}/versions/{oid}", func(w http.ResponseWriter, r *http.Request) {
		respondLarge(w, r, limit, func(ctx context.Context) (search.Versions, error) {
			return e.Versions(ctx, r.PathValue("table"), r.PathValue("oid"))
		}, uncounted)
	})
	mux.HandleFunc("GET /api/v1/tables/{table}/explain/{oid}", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), explainWithin)
		defer cancel()
		x, err := e.Explain(ctx, r.PathValue("table"), r.PathValue("oid"))
		switch {
		case err != nil:
			writeError(w, err)
		case x.Verdict == "absent":
			writeJSON(w, http.StatusNotFound, x)
		default:
			writeJSON(w, http.StatusOK, x)
		}
	})
}

// uncounted ignores a request in the metrics of searches.
func uncounted(time.Duration, error) {}

// handleLists adds the routes that return lists page by page.
func handleLists(mux *http.ServeMux, e Engine) {
	mux.HandleFunc("GET /api/v1/tables/{table}/history", func(w http.ResponseWriter, r *http.Request) {
		respond(w, func() (History, error) {
			size, err := pageSize(r.URL.Query())
			if err != nil {
				return History{}, err
			}
			after, err := pageAfter(r.URL.Query())
			if err != nil {
				return History{}, err
			}
			return e.History(r.PathValue("table"), size, after)
		})
	})
	mux.HandleFunc("GET /api/v1/tables/{table}/quarantine", func(w http.ResponseWriter, r *http.Request) {
		respond(w, func() (Quarantine, error) {
			size, err := pageSize(r.URL.Query())
			if err != nil {
				return Quarantine{}, err
			}
			return e.Quarantine(r.PathValue("table"), size, r.URL.Query().Get("after"))
		})
	})
}

func writeReady(w http.ResponseWriter, waiting []string) {
	if len(waiting) == 0 {
		writeJSON(w, http.StatusOK, map[string]any{"ready": true, "waiting": []string{}})
		return
	}
	writeJSON(w, http.StatusServiceUnavailable, map[string]any{"ready": false, "waiting": waiting})
}
