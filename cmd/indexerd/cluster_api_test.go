package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var servesAPIAt = regexp.MustCompile(`serves the OpenSearch API" url=(\S+)`)

// An apiOnCluster is the OpenSearch API of a daemon whose index is in a cluster.
type apiOnCluster struct {
	*clustered
	*proc
}

// newAPIOnCluster loads 3000 items. The token of reader has groups; each sees a third of
// the items.
func newAPIOnCluster(t *testing.T, groups string) apiOnCluster {
	t.Helper()
	a := apiOnCluster{clustered: newClustered(t)}
	a.file = filepath.Join(a.dir, "api.yaml")
	a.allow(t, groups)
	a.proc = start(t, "run", "-c", a.file)
	a.ready(t)
	url := servesAPIAt.FindStringSubmatch(a.log.String())
	if url == nil {
		t.Fatalf("the log has no address of the API: %s", a.log)
	}
	a.base = url[1]
	return a
}

// allow writes the configuration with the groups of reader.
func (a *apiOnCluster) allow(t *testing.T, groups string) {
	t.Helper()
	text := readFile(t, a.configure(t, "data", "metadata: {kind: keyword, grp: keyword}, acl: grp, "))
	tokens := fmt.Sprintf("http: {listen: 127.0.0.1:0, tokens: {ops: {token: ops-of-the-cluster, admin: true}, reader: {token: reader-of-the-cluster, groups: [%s]}}}\nopensearch_api: {listen: 127.0.0.1:0}\n", groups)
	replace(t, a.file, strings.NewReplacer("http: {listen: 127.0.0.1:0}\n", tokens, "u, kind, title", "u, kind, kind AS grp, title").Replace(text))
}

// An apiPage is what an answer has of a search.
type apiPage struct {
	Scroll string `json:"_scroll_id"`
	Point  string `json:"pit_id"`
	Hits   struct {
		Total struct{ Value int }
		Hits  []struct {
			ID   string `json:"_id"`
			Sort []any
		}
	}
	Aggregations map[string]struct {
		Buckets []struct {
			Key   string
			Count int `json:"doc_count"`
		}
	}
}

// ask sends a request with the token of reader, and again while the cluster is too busy
// to search.
func (a *apiOnCluster) ask(t *testing.T, method, path string, body any, status int) (p apiPage) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	reader := visitor{http.DefaultClient, a.base, "reader-of-the-cluster"}
	eventually(t, soon, method+" "+path, func() error {
		got, answer := reader.ask(t, method, path, string(text))
		if got == http.StatusServiceUnavailable && got != status {
			return errors.New(answer)
		}
		if err := readAnswer(answer, &p); err != nil || got != status {
			t.Fatalf("%s %s: got %d, want %d: %v: %s", method, path, got, status, err, answer)
		}
		return nil
	})
	return p
}

// A scroll and a point in time over an index in a cluster show each row once, that the
// token may see when its page is read.
func TestCursorsOnACluster(t *testing.T) {
	t.Parallel()
	a := newAPIOnCluster(t, "k1, k2")
	type object = map[string]any
	words := object{"match": object{"title": "word7"}} // 300 items, 100 of each kind

	p := a.ask(t, "POST", "/item/_search", object{"query": words, "size": 0, "aggs": object{"kinds": object{"terms": object{"field": "kind"}}}}, http.StatusOK)
	if got := fmt.Sprint(p.Hits.Total.Value, p.Aggregations["kinds"].Buckets); got != "200 [{k1 100} {k2 100}]" {
		t.Errorf("aggregation: got %s, want the kinds of the token", got)
	}
	a.collapses(t)
	a.findsMoreLike(t)

	seen := map[string]bool{}
	collect := func(what string, p apiPage, want int) {
		t.Helper()
		for _, hit := range p.Hits.Hits {
			if seen[hit.ID] {
				t.Errorf("%s: %s a second time", what, hit.ID)
			}
			seen[hit.ID] = true
		}
		if len(seen) != want {
			t.Errorf("%s: got %d items so far, want %d", what, len(seen), want)
		}
	}
	p = a.ask(t, "POST", "/item/_search?scroll=1m", object{"query": words, "size": 80}, http.StatusOK)
	collect("scroll", p, 80)
	next := object{"scroll": "1m", "scroll_id": p.Scroll}
	collect("scroll, page 2", a.ask(t, "POST", "/_search/scroll", next, http.StatusOK), 160)
	collect("scroll, page 3", a.ask(t, "POST", "/_search/scroll", next, http.StatusOK), 200)
	collect("scroll, behind the last", a.ask(t, "POST", "/_search/scroll", next, http.StatusOK), 200)
	a.ask(t, "DELETE", "/_search/scroll", object{"scroll_id": p.Scroll}, http.StatusOK)
	a.ask(t, "POST", "/_search/scroll", next, http.StatusNotFound)

	clear(seen)
	point := object{"id": a.ask(t, "POST", "/item/_search/point_in_time?keep_alive=1m", nil, http.StatusOK).Point, "keep_alive": "1m"}
	body := object{"query": words, "size": 90, "pit": point, "sort": []any{object{"kind": "asc"}, object{"_shard_doc": "asc"}}}
	p = a.ask(t, "POST", "/_search", body, http.StatusOK)
	collect("point in time", p, 90)
	body["search_after"] = p.Hits.Hits[len(p.Hits.Hits)-1].Sort
	collect("point in time, page 2", a.ask(t, "POST", "/_search", body, http.StatusOK), 180)

	// A page shows what the token may see now.
	p = a.ask(t, "POST", "/item/_search?scroll=1m", object{"query": words, "size": 50, "sort": []any{object{"kind": "asc"}}}, http.StatusOK)
	clear(seen)
	collect("scroll of both kinds", p, 50)
	a.allow(t, "k2")
	a.hangUp(t)
	a.waitForLog(t, took, 1)
	p = a.ask(t, "POST", "/_search/scroll", object{"scroll": "1m", "scroll_id": p.Scroll}, http.StatusOK)
	if p.Hits.Total.Value != 100 {
		t.Errorf("scroll with fewer groups: got a total of %d, want 100", p.Hits.Total.Value)
	}
	for _, hit := range p.Hits.Hits {
		if id := a.kindOf(t, hit.ID); id != "k2" {
			t.Errorf("scroll with fewer groups: got item %s of %s, want k2 only", hit.ID, id)
		}
	}
}

// collapses checks that of each kind that the token may see the first item is a hit.
func (a *apiOnCluster) collapses(t *testing.T) {
	t.Helper()
	type object = map[string]any
	body := object{"query": object{"match": object{"title": "word7"}}, "collapse": object{"field": "kind"}, "sort": []any{object{"kind": "desc"}}, "indices_boost": object{"ite*": 2}}
	p := a.ask(t, "POST", "/item/_search", body, http.StatusOK)
	var kinds []any
	for _, hit := range p.Hits.Hits {
		kinds = append(kinds, hit.Sort...)
	}
	if got := fmt.Sprint(p.Hits.Total.Value, kinds); got != "200 [k2 k1]" {
		t.Errorf("collapse: got %s, want 200 [k2 k1]", got)
	}
	body["search_after"] = []any{"k2"}
	a.ask(t, "POST", "/item/_search", body, http.StatusBadRequest)
}

// findsMoreLike checks that more_like_this counts 200 items with word7, which the token may
// see, and not 300.
func (a *apiOnCluster) findsMoreLike(t *testing.T) {
	t.Helper()
	type object = map[string]any
	var hidden int
	if err := a.db.QueryRow(`SELECT min(id) FROM item WHERE kind = 'k0'`).Scan(&hidden); err != nil {
		t.Fatal(err)
	}
	shown := a.ask(t, "POST", "/item/_search", object{"query": object{"match": object{"title": "word7"}}, "size": 1}, http.StatusOK).Hits.Hits[0].ID
	for _, c := range []struct {
		options object
		want    int
	}{
		{object{"like": "word7"}, 200},
		{object{"like": "word7", "min_doc_freq": 200}, 200},
		{object{"like": "word7", "min_doc_freq": 201}, 0},
		{object{"like": "word7", "max_doc_freq": 200}, 200},
		{object{"like": object{"_id": shown}, "max_doc_freq": 200}, 199},
		{object{"like": object{"_id": shown}, "max_doc_freq": 200, "include": true}, 200},
		{object{"like": object{"_id": fmt.Sprint(hidden)}}, 0},
	} {
		c.options["fields"], c.options["min_term_freq"], c.options["minimum_should_match"] = []string{"title"}, 1, 1
		if got := a.ask(t, "POST", "/item/_search", object{"query": object{"more_like_this": c.options}}, http.StatusOK).Hits.Total.Value; got != c.want {
			t.Errorf("more_like_this %v: got %d items, want %d", c.options, got, c.want)
		}
	}
}

func (a *apiOnCluster) kindOf(t *testing.T, id string) (kind string) {
	t.Helper()
	if err := a.db.QueryRow(`SELECT kind FROM item WHERE id = ?`, id).Scan(&kind); err != nil {
		t.Fatal(err)
	}
	return kind
}
