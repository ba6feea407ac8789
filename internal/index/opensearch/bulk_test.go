package opensearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
)

// A fault answers a bulk in place of the cluster. written says whether the cluster
// has taken the documents nevertheless.
type fault struct {
	name    string
	written bool
	answer  func(w http.ResponseWriter, items []map[string]any)
}

// A cluster is a stand-in that keeps versions, and answers the first bulks by faults.
type cluster struct {
	mu     sync.Mutex
	faults []fault
	docs   map[string]float64
	bulks  int
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, "/_mget") {
		c.mget(w, r)
		return
	}
	items := readItems(r)
	c.bulks++
	if len(c.faults) == 0 {
		c.write(items)
		answerItems(w, items)
		return
	}
	f := c.faults[0]
	c.faults = c.faults[1:]
	if f.written {
		c.write(items)
	}
	f.answer(w, items)
}

func (c *cluster) mget(w http.ResponseWriter, r *http.Request) {
	var asked struct{ IDs []string }
	_ = json.NewDecoder(r.Body).Decode(&asked)
	docs := []any{}
	for _, id := range asked.IDs {
		v, ok := c.docs[id]
		docs = append(docs, map[string]any{"_id": id, "found": ok, "_version": v})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"docs": docs})
}

func readItems(r *http.Request) (items []map[string]any) {
	for d := json.NewDecoder(r.Body); d.More(); {
		var action struct{ Index, Delete map[string]any }
		var source json.RawMessage
		_ = d.Decode(&action)
		if action.Delete != nil {
			action.Delete["verb"] = "delete"
			items = append(items, action.Delete)
			continue
		}
		_ = d.Decode(&source)
		action.Index["verb"] = "index"
		items = append(items, action.Index)
	}
	return items
}

func (c *cluster) write(items []map[string]any) {
	for _, it := range items {
		if it["verb"] == "delete" {
			delete(c.docs, it["_id"].(string))
			continue
		}
		c.docs[it["_id"].(string)] = it["version"].(float64)
	}
}

// answerItems answers each item with 201, those at the given positions with a status.
func answerItems(w http.ResponseWriter, items []map[string]any, statuses ...int) {
	var answers []any
	for i, it := range items {
		a := map[string]any{"_id": it["_id"], "status": 201}
		if i < len(statuses) && statuses[i] != 201 {
			kind := fmt.Sprintf("error_%d", statuses[i])
			if statuses[i] == 403 {
				kind = "cluster_block_exception"
			}
			a["status"], a["error"] = statuses[i], map[string]string{"type": kind}
		}
		answers = append(answers, map[string]any{it["verb"].(string): a})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": len(statuses) > 0, "items": answers})
}

func status(code int) func(http.ResponseWriter, []map[string]any) {
	return func(w http.ResponseWriter, _ []map[string]any) { w.WriteHeader(code) }
}

func drop(w http.ResponseWriter, _ []map[string]any) { panic(http.ErrAbortHandler) }

// Every fault after which a write is safe to send again ends with all documents
// written, and no document is blamed.
func TestFaultsAreSettled(t *testing.T) {
	perItem := func(codes ...int) func(http.ResponseWriter, []map[string]any) {
		return func(w http.ResponseWriter, items []map[string]any) { answerItems(w, items, codes...) }
	}
	for _, f := range []fault{
		{"429 for the request", false, status(429)},
		{"429 for every item", false, perItem(429, 429, 429)},
		{"a write block", false, perItem(403, 403, 403)},
		{"a write block of the request", false, func(w http.ResponseWriter, _ []map[string]any) {
			w.WriteHeader(403)
			fmt.Fprint(w, `{"error":{"type":"cluster_block_exception"}}`)
		}},
		{"a shard without primary", false, perItem(503, 503, 503)},
		{"too large", false, status(413)},
		{"502 before the write", false, status(502)},
		{"504 after the write", true, status(504)},
		{"a dropped connection before the write", false, drop},
		{"a dropped connection after the write", true, drop},
		{"a conflict with our own write", true, perItem(409, 409, 409)},
		{"no items", false, func(w http.ResponseWriter, _ []map[string]any) { answerItems(w, nil) }},
		{"items of another order", false, func(w http.ResponseWriter, items []map[string]any) {
			answerItems(w, append(items[1:], items[0]))
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			c, ix := stand(t, f)
			if err := ix.Apply([]doc.Doc{film(t, 1, 1, "a"), film(t, 2, 2, "b"), film(t, 3, 3, "c")}, nil); err != nil {
				t.Fatal(err)
			}
			for n := range int64(3) {
				if got, want := c.docs[id(oid(t, n+1))], float64(n+1); got != want {
					t.Errorf("document %d: got version %v, want %v", n+1, got, want)
				}
			}
			if err := ix.Err(); err != nil {
				t.Errorf("health: got %v, want none", err)
			}
		})
	}
}

// A user without rights makes the index fail at once, and no document is blamed.
func TestForbidden(t *testing.T) {
	refusal := `{"type":"security_exception"}`
	for name, answer := range map[string]func(http.ResponseWriter, []map[string]any){
		"the request": func(w http.ResponseWriter, _ []map[string]any) {
			w.WriteHeader(403)
			fmt.Fprintf(w, `{"error":%s}`, refusal)
		},
		"an item": func(w http.ResponseWriter, items []map[string]any) {
			fmt.Fprintf(w, `{"items":[{"index":{"_id":%q,"status":403,"error":%s}}]}`, items[0]["_id"], refusal)
		},
	} {
		c, ix := stand(t, fault{answer: answer})
		if err := ix.Apply([]doc.Doc{film(t, 1, 1, "a")}, nil); !errors.Is(err, ErrForbidden) || !errors.Is(ix.Err(), ErrForbidden) || c.bulks != 1 {
			t.Errorf("%s: got %v and health %v after %d requests, want %v of both after 1", name, err, ix.Err(), c.bulks, ErrForbidden)
		}
	}
}

// A removal whose answer was lost is sent again, although no document is there: a put
// that is still on its way must find it.
func TestUnansweredRemovalIsSentAgain(t *testing.T) {
	c, ix := stand(t, fault{answer: drop})
	if err := ix.Apply(nil, doc.Removals(4, oid(t, 1))); err != nil || c.bulks != 2 {
		t.Errorf("got %v after %d requests, want no error after 2", err, c.bulks)
	}
}

// What the cluster refuses is reported, whatever else is in the batch.
func TestOneRefusedItemIsReported(t *testing.T) {
	c, ix := stand(t, fault{"", false, func(w http.ResponseWriter, items []map[string]any) { answerItems(w, items, 201, 400, 429) }})
	err := ix.Apply([]doc.Doc{film(t, 1, 1, "a"), film(t, 2, 2, "b"), film(t, 3, 3, "c")}, nil)
	if err == nil || err.Error() != "document 2: OpenSearch refuses it: error_400" || ix.Err() != nil {
		t.Errorf("got %v and health %v, want a refusal of document 2 and none", err, ix.Err())
	}
	if got := c.docs[id(oid(t, 3))]; got != 3 {
		t.Errorf("the document that waited: got version %v, want 3", got)
	}
}

// A document that is too large alone is refused, and the others are written.
func TestTooLargeDocument(t *testing.T) {
	c, ix := stand(t, fault{answer: status(413)}, fault{answer: status(413)})
	err := ix.Apply([]doc.Doc{film(t, 1, 1, "a"), film(t, 2, 2, "b")}, nil)
	if err == nil || err.Error() != "document 1: OpenSearch refuses it: larger than http.max_content_length" || ix.Err() != nil {
		t.Errorf("got %v and health %v, want a refusal of document 1 and none", err, ix.Err())
	}
	if got := c.docs[id(oid(t, 2))]; got != 2 {
		t.Errorf("the other document: got version %v, want 2", got)
	}
}

// A cluster that stays away makes the index fail, and acknowledges nothing.
func TestPatienceEnds(t *testing.T) {
	c, ix := stand(t)
	c.faults = slices.Repeat([]fault{{"", false, status(429)}}, 1000)
	ix.patience = 10 * time.Millisecond
	if err := ix.Apply([]doc.Doc{film(t, 1, 1, "a")}, nil); err == nil || ix.Err() == nil {
		t.Errorf("got %v and health %v, want an error of both", err, ix.Err())
	}
	if len(c.docs) > 0 {
		t.Errorf("documents: got %v, want none", c.docs)
	}
}

// stand returns a stand-in cluster and an index on it.
func stand(t *testing.T, faults ...fault) (*cluster, *Index) {
	t.Helper()
	c := &cluster{faults: faults, docs: map[string]float64{}}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	built, err := schema.New(films)
	if err != nil {
		t.Fatal(err)
	}
	ix := &Index{Requests: fulltext.Requests{Schema: built}, wire: newWire(config(t, s.URL)), name: "films-g7", alias: "films-w", generation: 7, patience: 20 * time.Second}
	ix.ctx, ix.cancel = context.WithCancel(context.Background())
	t.Cleanup(ix.cancel)
	return c, ix
}

// A red index answers 200 with fewer documents. Neither a listing nor a count nor a
// version is read from it.
func TestRedIndexIsNotRead(t *testing.T) {
	red := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/_mget") {
			fmt.Fprintf(w, `{"docs":[{"_id":%q,"error":{"type":"no_shard_available_action_exception"}}]}`, id(oid(t, 1)))
			return
		}
		fmt.Fprint(w, `{"_shards":{"total":3,"successful":2,"failed":0},"hits":{"total":{"value":199},"hits":[]}}`)
	}
	_, ix := stand(t)
	s := httptest.NewServer(http.HandlerFunc(red))
	defer s.Close()
	ix.wire = newWire(config(t, s.URL))
	if docs, _, err := ix.Documents("", 10); err == nil {
		t.Errorf("documents: got %v, want an error", docs)
	}
	if n, err := ix.Count(); err == nil {
		t.Errorf("count: got %d, want an error", n)
	}
	if vs, err := ix.Versions([]doc.OID{oid(t, 1)}); err == nil {
		t.Errorf("versions: got %v, want an error", vs)
	}
}

// A listing whose index or search context is gone in the middle fails: its end is not that of
// the documents.
func TestLostListingIsNoEnd(t *testing.T) {
	gone := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/_refresh"):
			fmt.Fprint(w, `{}`)
		case gone:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"type":"search_context_missing_exception"},"status":404}`)
		default:
			fmt.Fprintf(w, `{"_shards":{"total":1,"successful":1},"hits":{"total":{"value":3},"hits":[{"_version":1,"sort":[%q]},{"_version":2,"sort":[%q]}]}}`, sortKey(oid(t, 1)), sortKey(oid(t, 2)))
		}
	}))
	defer s.Close()
	_, ix := stand(t)
	ix.wire = newWire(config(t, s.URL))
	docs, next, err := ix.Documents("", 1)
	if err != nil || len(docs) != 1 || next == "" {
		t.Fatalf("the first page: got %v, next %q, %v", docs, next, err)
	}
	gone = true
	if docs, next, err := ix.Documents(next, 1); err == nil {
		t.Errorf("the second page: got %v, next %q, want an error", docs, next)
	}
}
