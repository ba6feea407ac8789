package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"indexerd/internal/index/search"
)

// A Protocol is a ResponseWriter of another API, whose errors have another form.
type Protocol interface {
	http.ResponseWriter
	ErrorBody(*Error) any
}

// Guard returns the handler of another API, with the access control and the limits
// of this one. The searching routes need any token, all others an admin's.
func (a Access) Guard(mux *http.ServeMux, searching map[string]bool, log *slog.Logger) http.Handler {
	return Recover(a.checkOrigin(mux, searching, a.authorize(mux, nil, searching)), log)
}

// Respond writes what get returns for the caller of a guarded request. It holds a
// search slot until the response is written. HEAD gets the header only. count gets
// the time until the response starts, and the error.
func (a Access) Respond(w http.ResponseWriter, r *http.Request, get func(context.Context, search.Caller) (any, error), count func(time.Duration, error)) {
	respondLarge(w, r, a.Limits.searches, func(ctx context.Context) (any, error) {
		return get(ctx, requesterOf(r).caller)
	}, count)
}

// Owner identifies the token of a guarded request, "" without tokens. It stays the
// same when the configuration is read again.
func Owner(r *http.Request) string { return requesterOf(r).owner }

// ReadBody reads the body of a guarded request, up to 1 MiB. The caller calls done when
// it no longer needs the body: few large ones are in memory at once.
func (a Access) ReadBody(w http.ResponseWriter, r *http.Request) (body []byte, done func(), err error) {
	return readLarge(w, r, a.Limits.bodies)
}

// ErrorOf returns the API's error for err.
func ErrorOf(err error) *Error { return classify(err) }

// WriteError writes the response for an error.
func WriteError(w http.ResponseWriter, err error) { writeError(w, err) }

// PlainText is a response that is not JSON.
type PlainText string

// NotFound is the response to a request for what does not exist, if it is no error.
type NotFound struct{ Body any }
