package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// readWithin is how long a client may take to read a response.
const readWithin = 30 * time.Second

// expired is a deadline that makes reads or writes fail immediately.
var expired = time.Unix(1, 0)

func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := encode(body)
	if err != nil {
		writeError(w, err)
		return
	}
	writeBody(w, status, text)
}

// encode returns body as JSON.
func encode(body any) ([]byte, error) {
	var b bytes.Buffer
	err := newEncoder(&b).Encode(body)
	return b.Bytes(), err
}

// newEncoder returns an encoder that does not escape the < and > of highlights.
func newEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

func writeBody(w http.ResponseWriter, status int, text []byte) {
	writeHeader(w, status, len(text))
	_, _ = w.Write(text) // an error means that the client has closed the connection
}

// writeHeader writes the header of a JSON response of size bytes. A negative
// size means that it is unknown.
func writeHeader(w http.ResponseWriter, status, size int) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if size >= 0 {
		w.Header().Set("Content-Length", strconv.Itoa(size))
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(readWithin)) // unsupported in process
	w.WriteHeader(status)
}

// writeError writes the error object of err. It closes the connection of a
// rejected request.
func writeError(w http.ResponseWriter, err error) {
	e := classify(err)
	switch e.Status {
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "1")
		closeConnection(w)
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge:
		closeConnection(w)
	}
	writeJSON(w, e.Status, errorBody(w, e))
}

// errorBody returns the body of an error response, in the form of a Protocol if w
// is one.
func errorBody(w http.ResponseWriter, e *Error) any {
	for {
		if p, ok := w.(Protocol); ok {
			return p.ErrorBody(e)
		}
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return struct {
				Error *Error `json:"error"`
			}{e}
		}
		w = wrapper.Unwrap()
	}
}

// closeConnection closes the connection after the response without reading the
// rest of the body. By default the server waits for up to 256 KiB of it.
func closeConnection(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	// A body beyond its limit makes the server shut down its own side first, so
	// that the client reads the response before the connection is reset.
	_, _ = http.MaxBytesReader(serverWriter(w), io.NopCloser(strings.NewReader("..")), 0).Read(make([]byte, 2))
	_ = http.NewResponseController(w).SetReadDeadline(expired) // unsupported in process
}

// serverWriter returns the server's own writer below w. MaxBytesReader notifies
// the server through that one only.
func serverWriter(w http.ResponseWriter) http.ResponseWriter {
	for {
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = wrapper.Unwrap()
	}
}

// classify returns the API's error for err.
func classify(err error) *Error {
	var known *Error
	var bad *search.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &bad) && bad.Code == "not_found":
		return &Error{http.StatusNotFound, bad.Code, bad.Message, bad.Hint}
	case errors.As(err, &bad) && (bad.Code == "not_ready" || bad.Code == query.CodeBuckets): // as OpenSearch answers
		return &Error{http.StatusServiceUnavailable, bad.Code, bad.Message, bad.Hint}
	case errors.As(err, &bad):
		return &Error{http.StatusBadRequest, bad.Code, bad.Message, bad.Hint}
	case errors.As(err, &tooLarge):
		return &Error{http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("the body is larger than %d KiB", tooLarge.Limit>>10), "send a shorter query"}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{http.StatusGatewayTimeout, "deadline", "the query took too long", "use more specific words or a smaller size"}
	}
	return &Error{http.StatusInternalServerError, "internal", err.Error(), "see the log"}
}

// respond writes what get returns.
func respond[T any](w http.ResponseWriter, get func() (T, error)) {
	a, err := get()
	if err != nil {
		writeError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, a)
}

// respondLarge writes what get returns. The response may be large, so it holds
// a search slot until it is written. count gets the time until the response starts,
// and the error.
func respondLarge[T any](w http.ResponseWriter, r *http.Request, limit *searchLimit, get func(context.Context) (T, error), count func(time.Duration, error)) {
	out := &limitedResponse{w: w, limit: limit, began: time.Now()}
	err := limit.do(r.Context(), requesterOf(r).key(), func(ctx context.Context, s *slot) error {
		a, err := get(ctx)
		if err != nil {
			return err
		}
		text, err := out.encode(a)
		if err != nil {
			return err
		}
		out.slot, out.took = s, time.Since(out.began)
		return out.writeAll(text)
	})
	count(out.took, err)
	out.end(err)
}

// respondSearch writes the results of a search; err is the error of its
// parameters.
func respondSearch(w http.ResponseWriter, r *http.Request, e Engine, limit *searchLimit, p search.Params, err error) {
	out := &limitedResponse{w: w, limit: limit, began: time.Now()}
	table := "" // an invalid query may name any table
	if err == nil {
		who := requesterOf(r)
		p.Caller = who.caller
		table = r.PathValue("table")
		err = limit.do(r.Context(), who.key(), func(ctx context.Context, s *slot) error {
			results, err := e.Search(ctx, table, p)
			if err != nil {
				return err
			}
			out.slot = s
			return out.writeResults(ctx, r.Context(), results)
		})
	}
	e.Meters().Search(table, out.took, err)
	out.end(err)
}
