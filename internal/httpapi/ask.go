package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// Ask has a handler of this process answer a request.
func Ask(h http.Handler, r *http.Request) (status int, answer []byte) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := &recorder{header: http.Header{}}
	h.ServeHTTP(w, r)
	return w.status, w.body.Bytes()
}

// AnswerError returns the error that an answer is; nil where it is none. "absent"
// of explain is a 404 and no error.
func AnswerError(status int, answer []byte) error {
	if status < 300 {
		return nil
	}
	var failed struct{ Error *Error }
	if err := json.Unmarshal(answer, &failed); err != nil {
		return fmt.Errorf("the daemon answered with status %d", status)
	}
	if failed.Error == nil {
		return nil
	}
	return failed.Error
}

// A recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
