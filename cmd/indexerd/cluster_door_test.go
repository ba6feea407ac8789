package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Doors stand between the daemon and the nodes of a cluster, one before each, and
// answer what busy clusters, proxies and networks answer.
type doors struct {
	urls  []string
	fault atomic.Pointer[doorFault]
	met   atomic.Int64 // requests that a fault has met

	mu      sync.Mutex
	zombies []func() // bulks that the daemon has given up, and the cluster has not seen
}

// A doorFault meets some of the requests for a while.
type doorFault struct {
	kind  string
	often float64       // of the requests
	delay time.Duration // of those that are late
	over  chan struct{} // closed when it has passed
}

// newDoors opens a door before each node.
func newDoors(t *testing.T, nodes ...string) *doors {
	t.Helper()
	d := &doors{}
	for _, node := range nodes {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.serve(w, r, node) }))
		t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
		d.urls = append(d.urls, s.URL)
	}
	t.Cleanup(d.heal)
	return d
}

func (d *doors) suffer(kind string, often float64, delay time.Duration) {
	d.fault.Store(&doorFault{kind, often, delay, make(chan struct{})})
}

// heal ends the fault.
func (d *doors) heal() {
	if f := d.fault.Swap(nil); f != nil {
		close(f.over)
	}
}

// rise sends the bulks that were held back, and returns how many there were.
func (d *doors) rise() int {
	d.mu.Lock()
	zombies := d.zombies
	d.zombies = nil
	d.mu.Unlock()
	for _, send := range zombies {
		send()
	}
	return len(zombies)
}

func (d *doors) serve(w http.ResponseWriter, r *http.Request, node string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the daemon was killed
	}
	f := d.fault.Load()
	if f == nil || rand.Float64() >= f.often {
		d.forward(w, r, node, body)
		return
	}
	d.met.Add(1)
	bulk := strings.Contains(r.URL.Path, "/_bulk")
	switch f.kind {
	case "busy":
		answerError(w, http.StatusTooManyRequests, "circuit_breaking_exception")
	case "unavailable":
		http.Error(w, "<html>no upstream</html>", http.StatusServiceUnavailable)
	case "denied":
		answerError(w, http.StatusForbidden, "security_exception")
	case "unknown user":
		w.WriteHeader(http.StatusUnauthorized)
	case "late":
		select {
		case <-f.over:
		case <-time.After(f.delay):
		}
		d.forward(w, r, node, body)
	case "hole":
		<-f.over
		panic(http.ErrAbortHandler)
	case "cut":
		answer := d.ask(r, node, body)
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		panic(http.ErrAbortHandler)
	case "unanswered":
		d.ask(r, node, body)
		panic(http.ErrAbortHandler)
	case "zombie":
		if !bulk {
			d.forward(w, r, node, body)
			return
		}
		d.mu.Lock()
		d.zombies = append(d.zombies, func() { d.ask(r, node, body) })
		d.mu.Unlock()
		panic(http.ErrAbortHandler)
	case "busy items":
		if !bulk {
			d.forward(w, r, node, body)
			return
		}
		d.refuseItems(w, r, node, body)
	}
}

func answerError(w http.ResponseWriter, status int, kind string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"type": kind, "reason": "a test"}, "status": status})
}

// forward passes a request on. A node that is not there refuses the connection.
func (d *doors) forward(w http.ResponseWriter, r *http.Request, node string, body []byte) {
	answer := d.ask(r, node, body)
	if answer.Code == 0 {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// ask sends a request to a node. Without an answer the code is 0.
func (d *doors) ask(r *http.Request, node string, body []byte) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	answer.Code = 0
	request, err := http.NewRequest(r.Method, node+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return answer
	}
	request.Header.Set("Content-Type", r.Header.Get("Content-Type"))
	client := http.Client{Timeout: time.Minute}
	response, err := client.Do(request)
	if err != nil {
		return answer
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answer
	}
	answer.Code = response.StatusCode
	answer.Header().Set("Content-Type", response.Header.Get("Content-Type"))
	answer.Body.Write(text)
	return answer
}

// refuseItems passes on half of the items of a bulk, and answers for the others that the
// cluster is busy.
func (d *doors) refuseItems(w http.ResponseWriter, r *http.Request, node string, body []byte) {
	var passed []byte
	var items []map[string]map[string]any // nil: passed on
	lines := bytes.SplitAfter(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"))
	for i := 0; i < len(lines); i++ {
		var action map[string]map[string]any
		if err := json.Unmarshal(lines[i], &action); err != nil {
			panic(err)
		}
		n := 2
		if _, ok := action["delete"]; ok {
			n = 1
		}
		if rand.IntN(2) == 0 {
			passed, items = append(passed, bytes.Join(lines[i:i+n], nil)...), append(items, nil)
		} else {
			for _, of := range action {
				of["status"], of["error"] = http.StatusTooManyRequests, map[string]any{"type": "rejected_execution_exception"}
			}
			items = append(items, action)
		}
		i += n - 1
	}
	answer := struct {
		Items []map[string]map[string]any `json:"items"`
	}{}
	if len(passed) > 0 {
		if got := d.ask(r, node, append(bytes.TrimSuffix(passed, []byte("\n")), '\n')); got.Code != http.StatusOK || json.Unmarshal(got.Body.Bytes(), &answer) != nil {
			panic(http.ErrAbortHandler)
		}
	}
	for i, next := 0, 0; i < len(items); i++ {
		if items[i] == nil && next < len(answer.Items) {
			items[i] = answer.Items[next]
			next++
		}
	}
	answer.Items = items
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}
