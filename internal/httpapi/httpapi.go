// Package httpapi is the contract over HTTP: health, status, search and
// documents. The command calls the same handler, over a socket when a daemon
// runs and in process when none does, so that both give the same objects.
//
// Without tokens every caller that reaches the loopback address is trusted. With
// them an admin's may do everything, another may search, and nobody else may do
// anything. A browser is not a caller: a request whose Host is not this
// server's, or whose Origin is another page's, is refused, so that no web page
// can read the index through the reader's browser.
package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"indexerd/internal/search"
)

// maxBody bounds a search body; a query in it is at most 8 KiB.
const maxBody = 64 << 10

// Engine is what runs behind the handlers.
type Engine interface {
	Status(context.Context) Status
	// Waiting says what keeps the tables from being ready, a line each.
	Waiting() []string
	// Search, Doc and Versions return an *Error for what the caller can mend.
	Search(ctx context.Context, table string, p search.Params) (search.Answer, error)
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
	return a.checkOrigin(a.authorize(routesOf(e, newSearchLimit())))
}

// routesOf answers whoever asks.
func routesOf(e Engine, limit searchLimit) *http.ServeMux {
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
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err == nil {
			p, err = search.ParsePOST(body)
		}
		answerSearch(w, r, e, limit, p, err)
	})
	mux.HandleFunc("GET /api/v1/tables/{table}/docs/{oid}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, func() (search.Document, error) { return e.Doc(r.Context(), r.PathValue("table"), r.PathValue("oid")) })
	})
	mux.HandleFunc("GET /api/v1/tables/{table}/versions/{oid}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, func() (search.Versions, error) {
			return e.Versions(r.Context(), r.PathValue("table"), r.PathValue("oid"))
		})
	})
	mux.HandleFunc("GET /api/v1/tables/{table}/explain/{oid}", func(w http.ResponseWriter, r *http.Request) {
		x, err := e.Explain(r.Context(), r.PathValue("table"), r.PathValue("oid"))
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
	mux.Handle("GET /metrics", metricsHandler(e))
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

func answerSearch(w http.ResponseWriter, r *http.Request, e Engine, limit searchLimit, p search.Params, err error) {
	var a search.Answer
	table, began := "", time.Now() // whose query can't be read may name any table
	if err == nil {
		p.Caller = callerOf(r)
		table = r.PathValue("table")
		err = limit.do(r.Context(), func(ctx context.Context) error {
			a, err = e.Search(ctx, table, p)
			return err
		})
	}
	e.Meters().search(table, time.Since(began), err)
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, a)
}

func answer(w http.ResponseWriter, status int, body any) {
	text, err := encode(body)
	if err != nil {
		fail(w, err)
		return
	}
	write(w, status, text)
}

// encode leaves < and > of highlights as they are: this is JSON, not a page.
func encode(body any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(body)
	return b.Bytes(), err
}

func write(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the caller has gone: nobody is left to tell
}

// fail answers with the contract's error object.
func fail(w http.ResponseWriter, err error) {
	e := classify(err)
	if e.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	text, err := encode(errorBody{e})
	if err != nil { // its members are text, so this can't be
		text = []byte(`{"error":{"code":"internal","message":"","hint":""}}`)
	}
	write(w, e.Status, text)
}

// classify finds the contract's code of an error.
func classify(err error) *Error {
	var known *Error
	var bad *search.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &bad) && bad.Code == "not_found":
		return &Error{http.StatusNotFound, bad.Code, bad.Message, bad.Hint}
	case errors.As(err, &bad):
		return &Error{http.StatusBadRequest, bad.Code, bad.Message, bad.Hint}
	case errors.As(err, &tooLarge):
		return &Error{http.StatusRequestEntityTooLarge, "too_large", "the body is larger than 64 KiB", "send a shorter query"}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{http.StatusGatewayTimeout, "deadline", "the query took too long", "ask for less: narrower words, a smaller size"}
	}
	return &Error{http.StatusInternalServerError, "internal", err.Error(), "see the log"}
}
