package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"indexerd/internal/index/opensearch"
)

// set changes settings of the index, as an operator does.
func (c *clustered) set(t *testing.T, settings string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPut, c.node+"/"+c.prefix+"item/_settings", strings.NewReader(settings))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %s", settings, response.Status)
	}
}

// shows waits until status has a health of the index, and an error with a text; "" is any.
func (c *clustered) shows(t *testing.T, p *proc, health, what string) {
	t.Helper()
	eventually(t, soon, "status has "+health+" and "+what, func() error {
		s := p.status(t).Tables[0]
		if health != "" && s.Index.Health != health || what != "" && (s.LastError == nil || !strings.Contains(s.LastError.What, what)) {
			return fmt.Errorf("got %+v and %+v", s.Index, s.LastError)
		}
		return nil
	})
}

// through makes the daemon reach the node through a proxy. instead answers a request and
// returns true, or leaves it to the node.
func (c *clustered) through(t *testing.T, instead func(w http.ResponseWriter, r *http.Request) bool) {
	t.Helper()
	node, err := url.Parse(c.node)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(node)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !instead(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() { front.CloseClientConnections(); front.Close() })
	c.url = front.URL
	c.file = c.configure(t, "data", "metadata: {kind: keyword}, ")
}

// redAnswers are those of a cluster in which every copy of a shard is missing.
func redAnswers(w http.ResponseWriter, r *http.Request) bool {
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/_stats"):
		_, _ = io.WriteString(w, `{"_shards":{"total":1,"successful":0,"failed":0},"indices":{}}`)
	case strings.HasPrefix(path, "/_cluster/health"):
		_, _ = io.WriteString(w, `{"status":"red"}`)
	case strings.HasSuffix(path, "/_search"):
		answerError(w, http.StatusServiceUnavailable, "search_phase_execution_exception")
	case strings.HasSuffix(path, "/_mget"), strings.HasSuffix(path, "/_bulk"):
		answerError(w, http.StatusServiceUnavailable, "unavailable_shards_exception")
	default:
		return false
	}
	return true
}

// While the index is red or read-only, the daemon shows that, also if it starts then. It
// goes on when the index does.
func TestOpenSearchWaitsForItsIndex(t *testing.T) {
	t.Parallel()
	c := newClustered(t)
	var red atomic.Bool
	c.through(t, func(w http.ResponseWriter, r *http.Request) bool { return red.Load() && redAnswers(w, r) })
	p := c.run(t)
	c.finds(t, p, "word7", 300)
	c.shows(t, p, "green", "")

	red.Store(true)
	c.shows(t, p, "red", "red")
	if _, err := get(p.base + "/api/v1/tables/item/search?q=word7"); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("a search of a red index: got %v, want 503", err)
	}
	if out, stderr, _ := ask(t, nil, "status", "-c", c.file); !strings.Contains(out, ", index red") || !strings.Contains(out, "the index is red") {
		t.Errorf("indexerd status: got %s%s, want that the index is red", out, stderr)
	}
	before := p.status(t).Tables[0].Settled.At
	c.exec(t, `UPDATE item SET title = 'changed while red', u = unixepoch() WHERE id = 7`)
	p.kill()
	p = start(t, "run", "-c", c.file)
	c.shows(t, p, "", "red")
	if at := p.status(t).Tables[0].Settled.At; before != nil && at != nil && time.Time(*at).After(time.Time(*before).Add(2*time.Second)) {
		t.Errorf("settled to %v on a red index, after %v", at, before)
	}
	red.Store(false)
	c.finds(t, p, "red", 1)
	if s := p.status(t).Tables[0].Settled; s.Unverified && strings.Contains(s.Reason, "restored") {
		t.Errorf("a red index was taken for another one: %s", s.Reason)
	}
	p.kill()

	c.set(t, `{"index.blocks.read_only": true}`)
	c.exec(t, `UPDATE item SET title = 'changed meanwhile', u = unixepoch() WHERE id = 7`)
	p = start(t, "run", "-c", c.file)
	c.shows(t, p, "", "read-only")
	if n := p.search(t, "item", "word8").Total; n != 300 {
		t.Errorf("a search of a read-only index: got %d, want 300", n)
	}
	c.set(t, `{"index.blocks.read_only": null}`)
	c.finds(t, p, "meanwhile", 1)
	c.equal(t, p)
}

// A user that the cluster does not know can't start. If that comes later, the daemon waits.
func TestOpenSearchDeniesTheUser(t *testing.T) {
	t.Parallel()
	c := newClustered(t)
	var status atomic.Int64
	c.through(t, func(w http.ResponseWriter, _ *http.Request) bool {
		switch code := int(status.Load()); code {
		case 0:
			return false
		case http.StatusUnauthorized:
			w.WriteHeader(code)
		default:
			answerError(w, code, "security_exception")
		}
		return true
	})
	p := c.run(t)
	c.finds(t, p, "word7", 300)
	status.Store(http.StatusForbidden)
	c.exec(t, `UPDATE item SET title = 'written without a right', u = unixepoch() WHERE id = 7`)
	c.shows(t, p, "", "privilege")
	status.Store(0)
	c.finds(t, p, "right", 1)
	p.stop(t)

	status.Store(http.StatusUnauthorized)
	out, stderr, code := ask(t, nil, "run", "-c", c.file)
	if code == 0 || !strings.Contains(stderr, "does not know the user") {
		t.Errorf("a start with a wrong password: got exit %d, %s%s, want an error that names the cause", code, out, stderr)
	}
	status.Store(0)
	p = c.run(t)
	c.finds(t, p, "right", 1)
	c.equal(t, p)
}

// A write that hangs does not keep the daemon from opening another index.
func TestOpenSearchHangsWhileItsIndexIsDeleted(t *testing.T) {
	t.Parallel()
	c := newClustered(t)
	var hangs atomic.Bool
	held := make(chan struct{}, 100)
	c.through(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if !hangs.Load() || !strings.HasSuffix(r.URL.Path, "/_bulk") {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		held <- struct{}{}
		<-r.Context().Done() // until the daemon gives up
		return true
	})
	p := c.run(t)
	c.finds(t, p, "word7", 300)

	hangs.Store(true)
	c.exec(t, `UPDATE item SET title = 'changed while writes hang', u = unixepoch() WHERE id = 7`)
	<-held
	c.cluster(t, http.MethodDelete, "/"+c.prefix+"item-g*")
	eventually(t, soon, "the daemon notices", func() error {
		if err := p.unbroken(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.log.String(), "indexerd indexes again") {
			return fmt.Errorf("its log: %s", lastLine(p.log.String()))
		}
		return nil
	})
	hangs.Store(false)
	c.finds(t, p, "hang", 1)
	c.equal(t, p)
}

// A document to which a client has given a newer version than the daemon can have is
// written again.
func TestOpenSearchDocumentIsNewer(t *testing.T) {
	t.Parallel()
	c := newClustered(t)
	p := c.run(t)
	c.finds(t, p, "word7", 300)
	row7 := "/" + c.prefix + "item/_doc/EYAAAAAAAAAH?version_type=external&version="
	if _, err := callNode(c.node, http.MethodPut, row7+strconv.Itoa(1<<opensearch.EpochBits+1<<30), map[string]any{"title": "of a client"}); err != nil {
		t.Fatal(err)
	}
	c.exec(t, `UPDATE item SET title = 'written again', u = unixepoch() WHERE id = 7`)
	c.finds(t, p, "again", 1)
	if s := p.status(t).Tables[0].LastError; s == nil && !strings.Contains(p.log.String(), "newer documents") {
		t.Errorf("neither status nor the log has the reason: %s", p.log)
	}
	c.equal(t, p)
}

// A table is unverified as soon as its index is known to be replaced, and not only when
// another one is open.
func TestOpenSearchIsDoubtedAtOnce(t *testing.T) {
	t.Parallel()
	c := newClustered(t)
	var gone atomic.Bool
	c.through(t, func(w http.ResponseWriter, r *http.Request) bool {
		if gone.Load() && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "item-g") {
			answerError(w, http.StatusNotFound, "index_not_found_exception")
		} else if gone.Load() {
			panic(http.ErrAbortHandler)
		}
		return gone.Load()
	})
	p := c.run(t)
	c.finds(t, p, "word7", 300)
	gone.Store(true)
	c.shows(t, p, "", "does not answer") // no pass runs
	eventually(t, soon, "the table is unverified", func() error {
		if s := p.status(t).Tables[0].Settled; !s.Unverified || !strings.Contains(s.Reason, "deleted") {
			return fmt.Errorf("got %+v", s)
		}
		return nil
	})
	gone.Store(false)
	c.finds(t, p, "word7", 300)
	c.equal(t, p)
}
