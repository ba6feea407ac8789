package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/search"
)

// answerWithin is how long a client may take to read an answer.
const answerWithin = 30 * time.Second

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
	header(w, status, len(text))
	_, _ = w.Write(text) // the caller has gone: there is no one to report it to
}

// header begins an answer. Its size is negative where it is not known yet.
func header(w http.ResponseWriter, status, size int) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if size >= 0 {
		w.Header().Set("Content-Length", strconv.Itoa(size))
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerWithin)) // not supported in process, where nothing blocks
	w.WriteHeader(status)
}

// fail answers with the contract's error object. A request that is refused
// ends its connection.
func fail(w http.ResponseWriter, err error) {
	e := classify(err)
	switch e.Status {
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "1")
		hangUp(w)
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge:
		hangUp(w)
	}
	text, err := encode(errorBody{e})
	if err != nil { // its members are text, so this can't be
		text = []byte(`{"error":{"code":"internal","message":"","hint":""}}`)
	}
	write(w, e.Status, text)
}

// hangUp ends the connection after the answer, and does not read what is left
// of the body. By itself the server reads up to 256 KiB, and waits for them.
func hangUp(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	// A body that went beyond its limit is how the server learns that it has to
	// shut down its side first, so that the answer arrives before the reset.
	_, _ = http.MaxBytesReader(unwrapped(w), io.NopCloser(strings.NewReader("..")), 0).Read(make([]byte, 2))
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // not supported in process
}

// unwrapped is the server's own writer: only there a MaxBytesReader is heard.
func unwrapped(w http.ResponseWriter) http.ResponseWriter {
	for {
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = wrapper.Unwrap()
	}
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

// respondLarge answers with one object that may hold much text: as a search it
// has a turn until the answer is written.
func respondLarge[T any](w http.ResponseWriter, r *http.Request, limit *searchLimit, ask func(context.Context) (T, error)) {
	var out *answering
	err := limit.do(r.Context(), askerOf(r).party(), func(ctx context.Context, t *turn) error {
		a, err := ask(ctx)
		if err != nil {
			return err
		}
		text, err := encode(a)
		if err != nil {
			return err
		}
		out = &answering{w: w, limit: limit, turn: t}
		return out.whole(text)
	})
	out.end(w, err)
}

func answerSearch(w http.ResponseWriter, r *http.Request, e Engine, limit *searchLimit, p search.Params, err error) {
	var out *answering
	table, began := "", time.Now() // whose query can't be read may name any table
	took := func() time.Duration { return time.Since(began) }
	if err == nil {
		who := askerOf(r)
		p.Caller = who.caller
		table = r.PathValue("table")
		err = limit.do(r.Context(), who.party(), func(ctx context.Context, t *turn) error {
			results, err := e.Search(ctx, table, p)
			if err != nil {
				return err
			}
			out = &answering{w: w, limit: limit, turn: t, began: began}
			took = func() time.Duration { return out.took }
			return out.search(ctx, r.Context(), results)
		})
	}
	e.Meters().search(table, took(), err)
	out.end(w, err)
}
