package httpapi

import (
	"log/slog"
	"net/http"

	"indexerd/internal/recovered"
)

// Recover answers a request whose handler panics with a 500 of one line, and logs
// the stack. Where the answer has begun, its connection is closed, so that no
// caller takes half an answer for a whole one.
func Recover(h http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := &begunWriter{ResponseWriter: w}
		err := handle(h, begun, r)
		switch {
		case err == nil:
		case err.Value == http.ErrAbortHandler:
			panic(http.ErrAbortHandler)
		default:
			log.Error("indexerd recovered from a panic", "request", r.Method+" "+r.URL.Path, "error", err, "stack", err.Stack())
			if begun.begun {
				panic(http.ErrAbortHandler)
			}
			fail(w, &Error{http.StatusInternalServerError, "internal", "the request failed inside indexerd", "see the log"})
		}
	})
}

// handle returns the panic that ended a handler; nil where none did.
func handle(h http.Handler, w http.ResponseWriter, r *http.Request) (panicked *recovered.Error) {
	var err error
	defer func() { panicked, _ = err.(*recovered.Error) }()
	defer recovered.Into(&err)
	h.ServeHTTP(w, r)
	return nil
}

// A begunWriter notes that an answer has begun.
type begunWriter struct {
	http.ResponseWriter
	begun bool
}

// Unwrap lets http.ResponseController reach the writer.
func (w *begunWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *begunWriter) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *begunWriter) Write(p []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(p)
}
