package opensearch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The times after which a request is given up, and one that can be repeated is sent to
// another node.
const (
	requestTimeout = 40 * time.Second
	repeatAfter    = 10 * time.Second
)

// silentFor is how long a node that did not answer gets no request, if there are others.
const silentFor = 10 * time.Second

// A wire sends requests to the nodes in turn. A node that did not answer is left out for
// a while, and a request that can be repeated is sent to the next one. So is any other, if
// the node can't be reached: otherwise it may have been done.
type wire struct {
	nodes          []string
	user, password string
	key            string
	client         *http.Client
	turn           atomic.Uint64

	mu     sync.Mutex
	silent map[string]time.Time // until when a node is left out
}

func newWire(c Config) *wire {
	client := *cmp.Or(c.HTTP, http.DefaultClient)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &wire{nodes: c.Nodes, user: c.User, password: c.Password, key: c.APIKey, client: &client, silent: map[string]time.Time{}}
}

// A statusError is an answer other than 2xx. The cluster's reason is not shown: it
// quotes values of documents.
type statusError struct {
	status int
	kind   string // as the cluster names it
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("status %d %s", e.status, e.kind)
	switch e.kind {
	case blocked:
		text += ": the index is read-only, or a disk of the cluster is full"
	case closed:
		text += ": open the index"
	}
	switch {
	case e.status == http.StatusUnauthorized:
		text += ": the cluster does not know the user, password or API key"
	case e.status == http.StatusForbidden && e.kind != blocked:
		text += ": the user lacks a privilege, which indexerd check names"
	}
	return text
}

// Is reports that an index that is read-only or closed is away: until it is opened.
func (e *statusError) Is(target error) bool {
	return target == ErrAway && (e.kind == blocked || e.kind == closed)
}

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

func (w *wire) send(ctx context.Context, method, path, kind string, body []byte, answer any) (err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	repeat, nodes := isRepeatable(method, path), w.order()
	for i, node := range nodes {
		within := requestTimeout
		if repeat && i < len(nodes)-1 {
			within = repeatAfter
		}
		err = w.sendTo(ctx, node, within, method, path, kind, body, answer)
		if !errors.Is(err, errSilent) {
			break
		}
		w.leaveOut(node)
		if ctx.Err() != nil || !repeat && !isUnreached(err) {
			break
		}
	}
	return err
}

// isRepeatable reports whether a request has one effect, however often it is sent.
func isRepeatable(method, path string) bool {
	name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], "?")
	return method == http.MethodGet || slices.Contains([]string{"_search", "_mget", "_refresh", "_aliases", "_mapping", "_settings"}, name)
}

// isUnreached reports whether a request was not sent.
func isUnreached(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// order returns the nodes to ask one after the other: those that answered before those
// that did not.
func (w *wire) order() []string {
	n := int(w.turn.Add(1) % uint64(len(w.nodes)))
	w.mu.Lock()
	defer w.mu.Unlock()
	var answering, silent []string
	for _, node := range slices.Concat(w.nodes[n:], w.nodes[:n]) {
		if time.Now().Before(w.silent[node]) {
			silent = append(silent, node)
		} else {
			answering = append(answering, node)
		}
	}
	return append(answering, silent...)
}

func (w *wire) leaveOut(node string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent[node] = time.Now().Add(silentFor)
}

// errSilent marks the error of a node that did not answer. Its text is that of ErrAway.
var errSilent = fmt.Errorf("%w", ErrAway)

// sendTo sends a request to one node.
func (w *wire) sendTo(ctx context.Context, node string, within time.Duration, method, path, kind string, body []byte, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
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
		return fmt.Errorf("%w: %w", errSilent, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", errSilent, err)
	}
	switch err := statusOf(resp.StatusCode, b); {
	case resp.StatusCode/100 == 3:
		return fmt.Errorf("%w: it redirects, which would send the password to another address: %w", ErrAway, err) // the error of Do would quote where to
	case resp.StatusCode/100 == 5, resp.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %w", ErrAway, err)
	case resp.StatusCode/100 != 2:
		return err
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(b, answer); err != nil {
		return fmt.Errorf("%w: its answer is cut or not JSON: %w", ErrAway, err)
	}
	return nil
}

func statusOf(status int, body []byte) error {
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(body, &answer) // a proxy answers in HTML
	return &statusError{status, kindOf(answer.Error)}
}

// Types of the causes of errors about aggregations, and about hits that are collapsed.
const (
	tooManyBuckets = "too_many_buckets_exception"
	severalValues  = "illegal_state_exception" // of a search; a document that is refused may have it too
	searchFailed   = "search_phase_execution_exception"
)

// kindOf returns the type of an error object, if it is a word: a proxy may quote
// anything there.
func kindOf(e json.RawMessage) string {
	var object struct {
		Type  string `json:"type"`
		Cause struct {
			Type string `json:"type"`
		} `json:"caused_by"`
		Shards []struct{ Reason struct{ Type string } } `json:"failed_shards"`
	}
	_ = json.Unmarshal(e, &object) // a text in some answers
	if object.Cause.Type == tooManyBuckets || object.Cause.Type == severalValues && object.Type == searchFailed {
		return object.Cause.Type
	}
	for _, shard := range object.Shards { // of several shards some may have answered
		if shard.Reason.Type == severalValues {
			return severalValues
		}
	}
	if strings.Trim(object.Type, "abcdefghijklmnopqrstuvwxyz_0123456789") != "" {
		return ""
	}
	return object.Type
}
