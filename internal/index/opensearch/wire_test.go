package opensearch

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
)

// A counted node answers every request in the same way.
type countedNode struct {
	*httptest.Server
	asked atomic.Int64
}

func newCountedNode(t *testing.T, answer http.HandlerFunc) *countedNode {
	t.Helper()
	n := &countedNode{}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.asked.Add(1)
		answer(w, r)
	}))
	t.Cleanup(n.Close)
	return n
}

func breaksOff(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func answersNothing(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }

// While one of several nodes is away, reads are answered by the others, and it is asked
// again only after a while.
func TestReadsGoToAnotherNode(t *testing.T) {
	for _, test := range []struct {
		name string
		away func(*countedNode)
	}{
		{"it breaks connections off", func(*countedNode) {}},
		{"it can't be reached", func(n *countedNode) { n.Close() }},
	} {
		away, alive := newCountedNode(t, breaksOff), newCountedNode(t, answersNothing)
		test.away(away)
		c := config(t, away.URL)
		c.Nodes = []string{alive.URL, away.URL}
		w := newWire(c)
		for i := range 20 {
			if err := w.ask(t.Context(), http.MethodPost, "/films/_search?x=1", nil, &struct{}{}); err != nil {
				t.Errorf("%s, read %d: got %v, want none", test.name, i, err)
			}
		}
		if n := away.asked.Load(); n > 2 { // the client sends once more by itself
			t.Errorf("%s: it was asked %d times within a moment, want once", test.name, n)
		}
		if n := alive.asked.Load(); n != 20 {
			t.Errorf("%s: the other one was asked %d times, want 20", test.name, n)
		}
	}
}

// A write that may have happened is not sent to another node. One that was not sent is.
func TestWritesGoToAnotherNodeIfNotSent(t *testing.T) {
	away, alive := newCountedNode(t, breaksOff), newCountedNode(t, answersNothing)
	c := config(t, away.URL)
	c.Nodes = []string{alive.URL, away.URL}
	if err := newWire(c).ask(t.Context(), http.MethodPut, "/films", nil, nil); !errors.Is(err, ErrAway) || alive.asked.Load() != 0 {
		t.Errorf("no answer: got %v, and the other one was asked %d times, want %v and 0", err, alive.asked.Load(), ErrAway)
	}
	away.Close()
	if err := newWire(c).ask(t.Context(), http.MethodPut, "/films", nil, nil); err != nil || alive.asked.Load() != 1 {
		t.Errorf("not reached: got %v, and the other one was asked %d times, want no error and 1", err, alive.asked.Load())
	}
}

// A node that hangs delays a read, and no more than one.
func TestReadsLeaveANodeThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Config{Nodes: []string{"http://alive", "http://hangs"}, HTTP: &http.Client{Transport: hanging{}}}
		w := newWire(c)
		began := time.Now()
		for range 20 {
			if err := w.ask(t.Context(), http.MethodGet, "/films", nil, nil); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != repeatAfter {
			t.Errorf("20 reads took %v, want %v", took, repeatAfter)
		}
		<-time.After(silentFor)
		began = time.Now()
		for range 2 {
			if err := w.ask(t.Context(), http.MethodGet, "/films", nil, nil); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != repeatAfter {
			t.Errorf("after a while: took %v, want %v: the node is tried again", took, repeatAfter)
		}
	})
}

// hanging answers at once, except for the host hangs.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "hangs" {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// An index that is read-only, closed, or answered by half is away: the caller waits.
func TestAnswersOfAnIndexThatIsAway(t *testing.T) {
	for _, test := range []struct {
		name, body string
		status     int
		says       string
	}{
		{"read-only", `{"error":{"type":"cluster_block_exception"},"status":403}`, http.StatusForbidden, "read-only"},
		{"closed", `{"error":{"type":"index_closed_exception"},"status":400}`, http.StatusBadRequest, "open the index"},
		{"cut", `{"acknowledged":tr`, http.StatusOK, "cut"},
		{"of a proxy", `<html>no upstream</html>`, http.StatusBadGateway, "502"},
	} {
		n := newCountedNode(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		})
		c := config(t, n.URL)
		if _, err := c.Open(t.Context(), 7); !errors.Is(err, ErrAway) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %v and %q", test.name, err, ErrAway, test.says)
		}
	}
}

// A real index that is read-only or closed is away, and is opened afterwards.
func TestReadOnlyAndClosedIndexIsAway(t *testing.T) {
	c := node(t)
	ix := create(t, c)
	change := func(method, path string, body any) {
		t.Helper()
		if err := ix.wire.ask(t.Context(), method, "/"+ix.name+path, body, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, block := range []string{"read_only", "read_only_allow_delete"} {
		change(http.MethodPut, "/_settings", object{"index.blocks." + block: true})
		if _, err := c.Open(t.Context(), 7); !errors.Is(err, ErrAway) {
			t.Errorf("%s: got %v, want %v", block, err, ErrAway)
		}
		change(http.MethodPut, "/_settings", object{"index.blocks." + block: nil})
	}
	change(http.MethodPost, "/_close", nil)
	if _, err := c.Open(t.Context(), 7); !errors.Is(err, ErrAway) {
		t.Errorf("closed: got %v, want %v", err, ErrAway)
	}
	change(http.MethodPost, "/_open?wait_for_active_shards=1", nil)
	again, err := c.Open(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := again.Apply([]doc.Doc{film(t, 1, 1, "a")}, nil); err != nil {
		t.Error(err)
	}
}
