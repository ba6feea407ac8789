package httpapi

import (
	"log/slog"
	"net/http"

	"indexerd/internal/base/recovered"
)

// Recover logs a panic of h with its stack and responds with 500. If the response
// has started it closes the connection, so that the client does not take a
// partial response for a complete one.
func Recover(h http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tracked := &trackingWriter{ResponseWriter: w}
		err := runHandler(h, tracked, r)
		switch {
		case err == nil:
		case err.Value == http.ErrAbortHandler:
			panic(http.ErrAbortHandler)
		default:
			log.Error("request panicked", "request", r.Method+" "+r.URL.Path, "error", err, "stack", err.Stack())
			if tracked.started {
				panic(http.ErrAbortHandler)
			}
			writeError(w, &Error{http.StatusInternalServerError, "internal", "the request failed inside indexerd", "see the log"})
		}
	})
}

// runHandler calls h and returns its panic, nil if there is none.
func runHandler(h http.Handler, w http.ResponseWriter, r *http.Request) (panicked *recovered.Error) {
	var err error
	defer func() { panicked, _ = err.(*recovered.Error) }()
	defer recovered.Into(&err)
	h.ServeHTTP(w, r)
	return nil
}

// A trackingWriter records whether the response has started.
type trackingWriter struct {
	http.ResponseWriter
	started bool
}

// Unwrap lets http.ResponseController reach the writer.
func (w *trackingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *trackingWriter) WriteHeader(status int) {
	w.started = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *trackingWriter) Write(p []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(p)
}
