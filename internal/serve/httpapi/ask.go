package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// Ask sends a request to a handler of this process.
func Ask(h http.Handler, r *http.Request) (status int, body []byte) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := &recorder{header: http.Header{}}
	h.ServeHTTP(w, r)
	return w.status, w.body.Bytes()
}

// ResponseError returns the error in a response, nil if there is none. The 404
// of explain for an absent row is not an error.
func ResponseError(status int, body []byte) error {
	if status < 300 {
		return nil
	}
	var failed struct{ Error *Error }
	if err := json.Unmarshal(body, &failed); err != nil {
		return fmt.Errorf("the daemon answered with status %d", status)
	}
	if failed.Error == nil {
		return nil
	}
	return failed.Error
}

// A recorder is a ResponseWriter that keeps the response.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
