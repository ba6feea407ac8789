package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/opensearch"
)

// A watch stands before a node, and records from the side of the server which writes it
// accepts, and when a daemon has replaced the write alias of an index by its own. The numbers of
// writes begin with the epoch of the alias, which is above the term's.
type watch struct {
	t       *testing.T
	address string // host:port
	node    *url.URL

	mu     sync.Mutex
	swaps  map[string]time.Time // when the swap to a write alias was acknowledged
	epochs map[string]uint64    // of the writes through it
	writes []acceptedWrites
}

// acceptedWrites are those of one bulk with one epoch.
type acceptedWrites struct {
	began time.Time
	epoch uint64
	n     int
}

func newWatch(t *testing.T, node string) *watch {
	t.Helper()
	u, err := url.Parse(node)
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{t: t, node: u, swaps: map[string]time.Time{}, epochs: map[string]uint64{}}
	others := httputil.NewSingleHostReverseProxy(u)
	s := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if name := r.URL.Path; strings.HasSuffix(name, "/_bulk") || name == "/_aliases" {
			w.serve(answer, r)
			return
		}
		others.ServeHTTP(answer, r)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	w.address = strings.TrimPrefix(s.URL, "http://")
	return w
}

// serve passes on a request, to its end also if the client has gone.
func (w *watch) serve(answer http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the daemon was killed
	}
	to := *w.node
	to.Path, to.RawQuery = r.URL.Path, r.URL.RawQuery
	request, err := http.NewRequest(r.Method, to.String(), bytes.NewReader(body))
	if err != nil {
		w.t.Errorf("the watch can't send %s: %v", to.String(), err)
		return
	}
	request.Header = r.Header.Clone()
	request.Header.Del("Accept-Encoding") // the client then unpacks the answer
	began := time.Now()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		http.Error(answer, err.Error(), http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if response.StatusCode == http.StatusOK {
		if alias, ok := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/"), "/_bulk"); ok {
			w.bulk(began, alias, text)
		} else {
			w.aliases(time.Now(), body)
		}
	}
	for name, values := range response.Header {
		answer.Header()[name] = values
	}
	answer.WriteHeader(response.StatusCode)
	_, _ = answer.Write(text)
}

// aliases records the write aliases that a request has added.
func (w *watch) aliases(acknowledged time.Time, body []byte) {
	var request struct {
		Actions []struct{ Add struct{ Alias string } }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		w.t.Errorf("the watch can't read %s: %v", body, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range request.Actions {
		if strings.Contains(a.Add.Alias, "-w-") {
			w.swaps[a.Add.Alias] = acknowledged
		}
	}
}

// bulk records the writes that were accepted.
func (w *watch) bulk(began time.Time, alias string, text []byte) {
	var answer struct {
		Items []map[string]struct {
			Status  int    `json:"status"`
			Version uint64 `json:"_version"`
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		w.t.Errorf("the watch can't read %s: %v", text, err)
	}
	accepted := map[uint64]int{}
	for _, item := range answer.Items {
		for _, result := range item {
			// The removal of a document that is not there is a write too.
			if result.Status/100 == 2 || result.Status == http.StatusNotFound && result.Version > 0 {
				accepted[result.Version>>opensearch.EpochBits]++
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for epoch, n := range accepted {
		w.writes = append(w.writes, acceptedWrites{began, epoch, n})
		w.epochs[alias] = max(w.epochs[alias], epoch)
	}
}

// judge returns how many writes were accepted, and how many of them had a lower epoch than
// an alias whose swap was acknowledged before the write began.
func (w *watch) judge() (accepted, lower int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, write := range w.writes {
		accepted += write.n
		for alias, acknowledged := range w.swaps {
			if w.epochs[alias] > write.epoch && write.began.After(acknowledged) {
				lower += write.n
				break
			}
		}
	}
	return accepted, lower
}

// The judge finds a write that a swap should have kept out, and no other.
func TestWatchOfLowerTerms(t *testing.T) {
	t.Parallel()
	at := time.Now()
	item := func(status int, epoch uint64) string {
		text, err := json.Marshal(map[string]any{"items": []any{map[string]any{"index": map[string]any{"status": status, "_version": epoch<<opensearch.EpochBits | 7}}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct {
		name  string
		began time.Duration // after the swap to the alias of epoch 3
		alias string
		epoch uint64
		again int // status
		lower int
	}{
		{"before the swap", -time.Second, "n-w-a", 2, http.StatusOK, 0},
		{"of a lower term", time.Second, "n-w-a", 2, http.StatusOK, 1},
		{"of a lower term through an alias of its own", time.Second, "n-w-c", 2, http.StatusOK, 1},
		{"that is refused", time.Second, "n-w-a", 2, http.StatusConflict, 0},
		{"of the same term", time.Second, "n-w-b", 3, http.StatusOK, 0},
		{"of a later term", time.Second, "n-w-c", 4, http.StatusOK, 0},
	} {
		w := &watch{t: t, swaps: map[string]time.Time{}, epochs: map[string]uint64{}}
		w.aliases(at.Add(-time.Hour), []byte(`{"actions":[{"add":{"index":"n","alias":"n-w-a"}}]}`))
		w.bulk(at.Add(-time.Minute), "n-w-a", []byte(item(http.StatusCreated, 2)))
		w.aliases(at, []byte(`{"actions":[{"add":{"index":"n","alias":"n-w-b"}},{"remove":{"index":"n","alias":"n-w-a"}}]}`))
		w.bulk(at.Add(time.Millisecond), "n-w-b", []byte(item(http.StatusOK, 3)))
		w.bulk(at.Add(c.began), c.alias, []byte(item(c.again, c.epoch)))
		if _, lower := w.judge(); lower != c.lower {
			t.Errorf("a write %s: got %d of a lower term, want %d", c.name, lower, c.lower)
		}
	}
}
