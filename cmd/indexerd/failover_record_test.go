package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/state/etcd"
)

// A recorder stands between the links of all daemons and the node, and notes what the node
// accepted. A request that it has read is passed on also if its daemon has ended.
type recorder struct {
	node   string
	client http.Client

	mu sync.Mutex
	record
}

// A record is what a node was asked, and what it answered.
type record struct {
	writes []recordedWrite
	swaps  []recordedSwap
}

// A recordedWrite is one item of a bulk.
type recordedWrite struct {
	began    time.Time // before the node had a byte of the request
	alias    string
	term     uint64
	accepted bool
}

// A recordedSwap is a change of write aliases that the node has acknowledged.
type recordedSwap struct {
	acked          time.Time // after the last byte of the answer
	added, removed []string
}

// judge counts the accepted writes, and those of them that began after the acknowledgement
// of a swap of a later term. The term of a swap is that of the writes through the alias
// that it added. A swap that only removes is of a term later than that of the removed alias.
func (r *record) judge() (accepted int, lower []recordedWrite) {
	terms := map[string]uint64{}
	for _, w := range r.writes {
		terms[w.alias] = max(terms[w.alias], w.term)
	}
	swaps, writes := slices.Clone(r.swaps), slices.Clone(r.writes)
	slices.SortFunc(swaps, func(a, b recordedSwap) int { return a.acked.Compare(b.acked) })
	slices.SortFunc(writes, func(a, b recordedWrite) int { return a.began.Compare(b.began) })
	least := uint64(0) // term that may write
	for _, w := range writes {
		for len(swaps) > 0 && swaps[0].acked.Before(w.began) {
			least, swaps = max(least, swaps[0].least(terms)), swaps[1:]
		}
		if !w.accepted {
			continue
		}
		accepted++
		if w.term < least {
			lower = append(lower, w)
		}
	}
	return accepted, lower
}

// least returns the lowest term that may write after a swap.
func (s recordedSwap) least(terms map[string]uint64) (least uint64) {
	for _, alias := range s.added {
		least = max(least, terms[alias])
	}
	for _, alias := range s.removed {
		if len(s.added) == 0 && terms[alias] > 0 {
			least = max(least, terms[alias]+1)
		}
	}
	return least
}

// newRecorder returns a recorder before a node, and its host:port.
func newRecorder(t *testing.T, node string) (*recorder, string) {
	t.Helper()
	r := &recorder{node: node, client: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
	s := httptest.NewServer(r)
	t.Cleanup(r.client.CloseIdleConnections)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return r, strings.TrimPrefix(s.URL, "http://")
}

// ServeHTTP implements http.Handler.
func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	sent, err := io.ReadAll(q.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the node would not have had all of it
	}
	began := time.Now()
	answer, body, err := r.pass(q, sent)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.note(q.URL.Path, sent, body, answer.StatusCode, began)
	for name, values := range answer.Header {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(body)
}

// pass sends a request to the node. The transport decodes the answer.
func (r *recorder) pass(q *http.Request, sent []byte) (*http.Response, []byte, error) {
	request, err := http.NewRequestWithContext(context.WithoutCancel(q.Context()), q.Method, r.node+q.URL.RequestURI(), bytes.NewReader(sent))
	if err != nil {
		return nil, nil, err
	}
	request.Header = q.Header.Clone()
	request.Header.Del("Accept-Encoding")
	answer, err := r.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer, body, err
}

// latest returns the latest term of which the node has accepted a write.
func (r *recorder) latest() (term uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.writes {
		if w.accepted {
			term = max(term, w.term)
		}
	}
	return term
}

// note notes a bulk, or a swap that was acknowledged.
func (r *recorder) note(path string, sent, body []byte, status int, began time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if alias, ok := strings.CutSuffix(strings.TrimPrefix(path, "/"), "/_bulk"); ok {
		r.writes = append(r.writes, writesOf(alias, sent, body, status, began)...)
		return
	}
	var answer struct{ Acknowledged bool }
	if path == "/_aliases" && status == http.StatusOK && json.Unmarshal(body, &answer) == nil && answer.Acknowledged {
		s := swapOf(sent)
		s.acked = time.Now()
		if len(s.added)+len(s.removed) > 0 {
			r.swaps = append(r.swaps, s)
		}
	}
}

// writesOf returns the items of a bulk. A removal of what is not there is accepted: the node
// keeps its version.
func writesOf(alias string, sent, body []byte, status int, began time.Time) (all []recordedWrite) {
	var answer struct {
		Items []map[string]struct{ Error json.RawMessage }
	}
	if status == http.StatusOK {
		_ = json.Unmarshal(body, &answer) // without items nothing was accepted
	}
	lines := json.NewDecoder(bytes.NewReader(sent))
	for {
		var action map[string]struct{ Version uint64 }
		if lines.Decode(&action) != nil {
			return all
		}
		for verb, it := range action {
			w := recordedWrite{began: began, alias: alias, term: it.Version >> etcd.NumberBits}
			if n := len(all); n < len(answer.Items) {
				w.accepted = answer.Items[n][verb].Error == nil
			}
			all = append(all, w)
			if verb != "delete" {
				var source json.RawMessage
				_ = lines.Decode(&source)
			}
		}
	}
}

// swapOf returns the write aliases of a request.
func swapOf(sent []byte) (s recordedSwap) {
	var request struct {
		Actions []struct{ Add, Remove struct{ Alias string } }
	}
	_ = json.Unmarshal(sent, &request)
	for _, a := range request.Actions {
		if strings.Contains(a.Add.Alias, "-w-") {
			s.added = append(s.added, a.Add.Alias)
		}
		if strings.Contains(a.Remove.Alias, "-w-") {
			s.removed = append(s.removed, a.Remove.Alias)
		}
	}
	return s
}

// judgesTerms judges what the node accepted so far.
func (f *failover) judgesTerms(t *testing.T) {
	t.Helper()
	f.recorder.mu.Lock()
	defer f.recorder.mu.Unlock()
	accepted, lower := f.recorder.judge()
	for _, w := range lower[min(f.lower, len(lower)):] {
		t.Errorf("%s: a write of term %d through %s began at %s, after the swap of a later term, and was accepted", f.phase, w.term, w.alias, w.began.Format(time.RFC3339Nano))
	}
	f.accepted, f.lower = accepted, len(lower)
	if accepted == 0 || len(f.recorder.swaps) == 0 {
		t.Errorf("%s: the node accepted %d writes and acknowledged %d swaps, want some of both", f.phase, accepted, len(f.recorder.swaps))
	}
}

// A write of a lower term that began after a swap counts, and no other one does.
func TestJudgeOfTerms(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	fence := recordedSwap{acked: at(10), removed: []string{"one"}}
	opened := recordedSwap{acked: at(20), added: []string{"two"}, removed: nil}
	reopened := recordedSwap{acked: at(20), added: []string{"two"}, removed: []string{"one"}}
	for _, tc := range []struct {
		name            string
		swaps           []recordedSwap
		writes          []recordedWrite
		accepted, lower int
	}{
		{"before the fence", []recordedSwap{fence}, []recordedWrite{{at(9), "one", 1, true}}, 1, 0},
		{"refused after the fence", []recordedSwap{fence}, []recordedWrite{{at(9), "one", 1, true}, {at(11), "one", 1, false}}, 1, 0},
		{"accepted after the fence", []recordedSwap{fence}, []recordedWrite{{at(9), "one", 1, true}, {at(11), "one", 1, true}}, 2, 1},
		{"through an alias of its own after the fence", []recordedSwap{fence}, []recordedWrite{{at(9), "one", 1, true}, {at(11), "other", 1, true}}, 2, 1},
		{"the later term", []recordedSwap{fence, opened}, []recordedWrite{{at(9), "one", 1, true}, {at(21), "two", 2, true}}, 2, 0},
		{"a lower term after the swap", []recordedSwap{opened}, []recordedWrite{{at(21), "two", 2, true}, {at(22), "one", 1, true}}, 2, 1},
		{"a lower term through the new alias", []recordedSwap{opened}, []recordedWrite{{at(21), "two", 2, true}, {at(22), "two", 1, true}}, 2, 1},
		{"an index opened again in one term", []recordedSwap{reopened}, []recordedWrite{{at(9), "one", 2, true}, {at(21), "two", 2, true}}, 2, 0},
	} {
		r := record{writes: tc.writes, swaps: tc.swaps}
		if accepted, lower := r.judge(); accepted != tc.accepted || len(lower) != tc.lower {
			t.Errorf("%s: got %d accepted writes, of a lower term %+v, want %d and %d", tc.name, accepted, lower, tc.accepted, tc.lower)
		}
	}
}

// The recorder notes what a node accepts, also from a daemon that was fenced, and passes
// answers on.
func TestRecorder(t *testing.T) {
	answers := map[string]string{
		"/_aliases":    `{"acknowledged": true}`,
		"/a-w-1/_bulk": `{"errors": true, "items": [{"index": {"status": 201}}, {"delete": {"status": 404, "result": "not_found"}}, {"index": {"status": 409, "error": {"type": "version_conflict_engine_exception"}}}]}`,
	}
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { fmt.Fprint(w, answers[q.URL.Path]) }))
	defer node.Close()
	r, address := newRecorder(t, node.URL)
	send := func(path, body string) {
		t.Helper()
		answer, err := http.Post("http://"+address+path+"?timeout=20s", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if got, err := io.ReadAll(answer.Body); string(got) != answers[path] || err != nil {
			t.Errorf("%s: got answer %s, %v, want %s", path, got, err, answers[path])
		}
	}
	v := uint64(3)<<etcd.NumberBits + 7
	bulk := fmt.Sprintf("{\"index\":{\"_id\":\"x\",\"version\":%d}}\n{\"body\":\"a\"}\n{\"delete\":{\"_id\":\"y\",\"version\":%d}}\n{\"index\":{\"_id\":\"z\",\"version\":%d}}\n{}\n", v, v, v)
	send("/a-w-1/_bulk", bulk)
	if accepted, lower := r.judge(); accepted != 2 || len(lower) != 0 || len(r.writes) != 3 || r.writes[0].term != 3 {
		t.Errorf("before the fence: got %d accepted writes, of a lower term %+v, all %+v", accepted, lower, r.writes)
	}
	send("/_aliases", `{"actions": [{"remove": {"index": "a", "alias": "a-w-1", "must_exist": false}}]}`)
	send("/a-w-1/_bulk", bulk)
	if accepted, lower := r.judge(); accepted != 4 || len(lower) != 2 {
		t.Errorf("after the fence: got %d accepted writes, of a lower term %+v, want 4 and 2", accepted, lower)
	}
}
