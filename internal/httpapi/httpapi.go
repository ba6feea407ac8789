// Package httpapi is the contract over HTTP: health, status, search and
// documents. The command calls the same handler, over a socket when a daemon
// runs and in process when none does, so that both give the same objects.
//
// Without tokens every caller that reaches the loopback address is trusted. With
// them an admin's may do everything, another may search, and nobody else may do
// anything. A browser is not a caller: a request whose Host is not this
// server's, or which a page of another site began, is refused, so that no web
// page can read the index through the reader's browser.
//
// What a caller sends, or does not read, takes bounded time and memory: Limits
// has the turns of searches, which last until the answer is written, and the
// delays of wrong tokens. An answer is streamed, hit by hit, up to maxAnswer.
package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"indexerd/internal/search"
)

// maxBody bounds a search body; a query in it is at most 8 KiB.
const maxBody = 64 << 10

// explainWithin is how long explain waits for the database.
const explainWithin = 20 * time.Second

// Engine is what runs behind the handlers.
type Engine interface {
	Status(context.Context) Status
	// Waiting says what keeps the tables from being ready, a line each.
	Waiting() []string
	// Search, Doc and Versions return an *Error for what the caller can mend.
	Search(ctx context.Context, table string, p search.Params) (search.Results, error)
	Doc(ctx context.Context, table, oid string) (search.Document, error)
	Versions(ctx context.Context, table, oid string) (search.Versions, error)
	// History returns up to size runs older than the one numbered after, which
	// is 0 for the newest.
	History(table string, size int, after int64) (History, error)
	Explain(ctx context.Context, table, oid string) (Explanation, error)
	// Quarantine returns up to size rows after the one that the last answer's
	// next names; empty for the first.
	Quarantine(table string, size int, after string) (Quarantine, error)
	Runner
	// Measures and Meters are figures for /metrics.
	Measures() []TableMeasures
	Meters() *Meters
	// Backup streams a tar of all that is stored.
	Backup(context.Context, io.Writer) error
}

// An Error is the answer when there is none. It is also what the command
// prints, as `code: message`.
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

// errorBody wraps an Error as the contract does.
type errorBody struct {
	Error *Error `json:"error"`
}

// Handler serves the contract for an engine.
func Handler(e Engine, a Access) http.Handler {
	if a.Limits == nil {
		a.Limits = NewLimits(nil)
	}
	return a.checkOrigin(a.authorize(routesOf(e, a.Limits)))
}

// routesOf answers every caller.
func routesOf(e Engine, limits *Limits) *http.ServeMux {
	limit := limits.searches
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]bool{"ok": true})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { ready(w, e.Waiting()) })
	mux.HandleFunc("GET /api/v1/status", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusOK, e.Status(r.Context()))
	})
	mux.HandleFunc("GET /api/v1/tables/{table}/search", func(w http.ResponseWriter, r *http.Request) {
		values, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			fail(w, &Error{http.StatusBadRequest, "bad_query", "the address is not well formed", "percent-encode the query"})
			return
		}
		p, err := search.ParseGET(values)
		answerSearch(w, r, e, limit, p, err)
	})
	mux.HandleFunc("POST /api/v1/tables/{table}/search", func(w http.ResponseWriter, r *http.Request) {
		var p search.Params
		body, err := readBody(w, r)
		if err == nil {
			p, err = search.ParsePOST(body)
		}
		answerSearch(w, r, e, limit, p, err)
	})
	mux.HandleFunc("GET /api/v1/tables/{table}/docs/{oid}", func(w http.ResponseWriter, r *http.Request) {
		respondLarge(w, r, limit, func(ctx context.Context) (search.Document, error) {
			return e.Doc(ctx, r.PathValue("table"), r.PathValue("oid"))
		})
	})
	mux.HandleFunc("GET /api/v1/tables/{table}/versions/{oid}", func(w http.ResponseWriter, r *http.Request) {
		respondLarge(w, r, limit, func(ctx context.Context) (search.Versions, error) {
			return e.Versions(ctx, r.PathValue("table"), r.PathValue("oid"))
		})
	})
	mux.HandleFunc("GET /api/v1/tables/{table}/explain/{oid}", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), explainWithin)
		defer cancel()
		x, err := e.Explain(ctx, r.PathValue("table"), r.PathValue("oid"))
		switch {
		case err != nil:
			fail(w, err)
		case x.Verdict == "absent": // nobody knows the row; the answer still says so in full
			answer(w, http.StatusNotFound, x)
		default:
			answer(w, http.StatusOK, x)
		}
	})
	mux.HandleFunc("GET /api/v1/tables/{table}/history", func(w http.ResponseWriter, r *http.Request) {
		respond(w, func() (History, error) {
			size, after, err := page(r.URL.Query())
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
	mux.Handle("GET /metrics", metricsHandler(e, limits))
	handleRuns(mux, e)
	handleDashboard(mux)
	mux.HandleFunc("POST /api/v1/backup", func(w http.ResponseWriter, r *http.Request) { stream(w, r, e.Backup) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, &Error{http.StatusNotFound, "not_found", "nothing answers " + r.Method + " " + r.URL.Path, "see /api/v1/status"})
	})
	return mux
}

const (
	defaultPage = 50
	maxPage     = 1000
)

// pageSize reads size of a list.
func pageSize(v url.Values) (int, error) {
	s := v.Get("size")
	if s == "" {
		return defaultPage, nil
	}
	size, err := strconv.Atoi(s)
	if err != nil || size < 1 || size > maxPage {
		return 0, badRequest("size "+strconv.Quote(s)+" can't be used", "write a whole number from 1 to 1000")
	}
	return size, nil
}

// page reads size and after of a list of runs.
func page(v url.Values) (size int, after int64, err error) {
	if size, err = pageSize(v); err != nil {
		return 0, 0, err
	}
	if s := v.Get("after"); s != "" {
		if after, err = strconv.ParseInt(s, 10, 64); err != nil || after < 1 {
			return 0, 0, &Error{http.StatusBadRequest, "bad_query", "after " + strconv.Quote(s) + " can't be used", "write the next of the last answer"}
		}
	}
	return size, after, nil
}

func ready(w http.ResponseWriter, waiting []string) {
	if len(waiting) == 0 {
		answer(w, http.StatusOK, map[string]any{"ready": true, "waiting": []string{}})
		return
	}
	answer(w, http.StatusServiceUnavailable, map[string]any{"ready": false, "waiting": waiting})
}
