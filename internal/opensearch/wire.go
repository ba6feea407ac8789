package opensearch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// requestTimeout bounds one request, so that a node that hangs is left.
const requestTimeout = 60 * time.Second

// A wire sends requests to the nodes, each to the next one.
type wire struct {
	nodes          []string
	user, password string
	key            string
	client         *http.Client
	turn           atomic.Uint64
}

func newWire(c Config) *wire {
	client := *cmp.Or(c.HTTP, http.DefaultClient)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("the cluster redirects") }
	return &wire{nodes: c.Nodes, user: c.User, password: c.Password, key: c.APIKey, client: &client}
}

// A statusError is an answer other than 2xx. The cluster's reason is not shown: it
// quotes values of documents.
type statusError struct {
	status int
	kind   string // as the cluster names it
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d %s", e.status, e.kind) }

// missing reports whether an error is that there is no such index.
func missing(err error) bool {
	var s *statusError
	return errors.As(err, &s) && s.status == http.StatusNotFound
}

// ask sends a request with a JSON body and reads the answer.
func (w *wire) ask(ctx context.Context, method, path string, body, answer any) error {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return err
		}
	}
	return w.send(ctx, method, path, "application/json", sent, answer)
}

func (w *wire) send(ctx context.Context, method, path, kind string, body []byte, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	node := w.nodes[w.turn.Add(1)%uint64(len(w.nodes))]
	req, err := http.NewRequestWithContext(ctx, method, node+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", kind)
	switch {
	case w.key != "":
		req.Header.Set("Authorization", "ApiKey "+w.key)
	case w.user != "":
		req.SetBasicAuth(w.user, w.password)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	switch err := statusOf(resp.StatusCode, b); {
	case resp.StatusCode/100 == 5, resp.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %w", ErrAway, err)
	case resp.StatusCode/100 != 2:
		return err
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(b, answer)
}

func statusOf(status int, body []byte) error {
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(body, &answer) // a proxy answers in HTML
	return &statusError{status, kindOf(answer.Error)}
}

// kindOf returns the type of an error object.
func kindOf(e json.RawMessage) string {
	var object struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(e, &object) // a text in some answers
	return object.Type
}
