package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"indexerd/internal/index/search"
)

const (
	maxBody     = 64 << 10 // bytes; a query in it has at most 8 KiB
	maxLarge    = 1 << 20  // bytes of a body that may be large
	defaultPage = 50       // entries of a list
	maxPage     = 1000     // entries of a list
)

func badRequest(message, hint string) *Error {
	return &Error{http.StatusBadRequest, "bad_query", message, hint}
}

// parseGET reads the search parameters of a URL.
func parseGET(_ http.ResponseWriter, r *http.Request) (search.Params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return search.Params{}, badRequest("the URL is not valid", "percent-encode the query")
	}
	return search.ParseGET(values)
}

// parsePOST reads the search parameters of a body.
func parsePOST(w http.ResponseWriter, r *http.Request) (search.Params, error) {
	body, err := readBody(w, r)
	if err != nil {
		return search.Params{}, err
	}
	return search.ParsePOST(body)
}

// readBody reads a body. It fails at the server's read deadline.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return readAll(http.MaxBytesReader(serverWriter(w), r.Body, maxBody))
}

func readAll(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(body)
	if err != nil && !errors.As(err, new(*http.MaxBytesError)) {
		return nil, badRequest("the body did not arrive in time", "send the whole body at once")
	}
	return text, err
}

// readLarge reads a body of up to maxLarge. One of more than maxBody waits for a place
// among those that are in memory at once, which it has until done is called.
func readLarge(w http.ResponseWriter, r *http.Request, places *searchLimit) (text []byte, done func(), err error) {
	body := http.MaxBytesReader(serverWriter(w), r.Body, maxLarge)
	text, err = readAll(io.LimitReader(body, maxBody+1))
	if err != nil || len(text) <= maxBody {
		return text, func() {}, err
	}
	place := &slot{key: requesterOf(r).key(), granted: make(chan struct{})}
	if err := places.acquire(r.Context(), place); err != nil {
		return nil, nil, err
	}
	rest, err := readAll(body)
	if err != nil {
		places.release(place)
		return nil, nil, err
	}
	return append(text, rest...), func() { places.release(place) }, nil
}

// decodeBody decodes a body of one JSON object into to. An empty body leaves to
// unchanged.
func decodeBody(w http.ResponseWriter, r *http.Request, to any) error {
	text, err := readBody(w, r)
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil || d.More() {
		return badRequest("the body is not valid", "send one JSON object with the members that docs/api.md names")
	}
	return nil
}

// pageSize reads the size parameter of a list.
func pageSize(v url.Values) (int, error) {
	s := v.Get("size")
	if s == "" {
		return defaultPage, nil
	}
	size, err := strconv.Atoi(s)
	if err != nil || size < 1 || size > maxPage {
		return 0, badRequest("size "+strconv.Quote(s)+" is not valid", "write a whole number from 1 to 1000")
	}
	return size, nil
}

// pageAfter reads the after parameter of a list of runs, 0 if it is missing.
func pageAfter(v url.Values) (int64, error) {
	s := v.Get("after")
	if s == "" {
		return 0, nil
	}
	after, err := strconv.ParseInt(s, 10, 64)
	if err != nil || after < 1 {
		return 0, badRequest("after "+strconv.Quote(s)+" is not valid", "write the next of the previous answer")
	}
	return after, nil
}
