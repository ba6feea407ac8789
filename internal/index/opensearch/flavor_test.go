package opensearch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
	"indexerd/internal/test/nodetest"
)

// A cluster is recognized by its answer to GET /. The answers are those that the products
// document.
func TestFlavor(t *testing.T) {
	for _, test := range []struct {
		header, body string
		want         string // part of the error, or product and version
		tested       bool
	}{
		{"", `{"version":{"distribution":"opensearch","number":"2.19.1"}}`, "OpenSearch 2.19.1", true},
		{"", `{"version":{"distribution":"opensearch","number":"3.8.0"}}`, "OpenSearch 3.8.0", true},
		{"", `{"version":{"distribution":"opensearch","number":"1.3.20"}}`, "OpenSearch 1.3.20", false},
		{"Elasticsearch", `{"version":{"number":"8.19.3","build_flavor":"default"},"tagline":"You Know, for Search"}`, "Elasticsearch 8.19.3", false},
		{"Elasticsearch", `{"version":{"number":"9.1.0","build_flavor":"default"},"tagline":"You Know, for Search"}`, "Elasticsearch 9.1.0", false},
		{"Elasticsearch", `{"version":{"number":"8.11.0","build_flavor":"serverless"}}`, "Serverless, which has no shards", false},
		{"Elasticsearch", `{"version":{"number":"7.17.0","build_flavor":"default"}}`, "update it to 8", false},
		{"", `{"version":{"number":"7.10.2","build_flavor":"oss"},"tagline":"You Know, for Search"}`, "neither OpenSearch nor Elasticsearch", false},
		{"", `{"version":{"number":"8.19.3","build_flavor":"default"},"tagline":"You Know, for Search"}`, "neither", false},
		{"", `{"version":{"distribution":"other","number":"3.0.0"}}`, "but other (unknown product) version 3.0.0", false},
		{"", `{}`, "neither", false},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if test.header != "" {
				w.Header().Set("X-Elastic-Product", test.header)
			}
			fmt.Fprint(w, test.body)
		}))
		f, err := config(t, s.URL).Flavor(t.Context())
		got := f.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) || f.Tested != test.tested {
			t.Errorf("%s %s: got %s, tested %t, want %s, %t", test.header, test.body, got, f.Tested, test.want, test.tested)
		}
		s.Close()
	}
}

// front is a real node behind a server that may answer in its place.
func front(t *testing.T, answers func(http.ResponseWriter, *http.Request) bool, change func(*http.Response) error) Config {
	t.Helper()
	to, err := url.Parse(nodetest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(to)
	forward.ModifyResponse = change
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding") // so that answers can be changed
		if !answers(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return config(t, s.URL)
}

func forbid(w http.ResponseWriter) {
	w.WriteHeader(http.StatusForbidden)
	fmt.Fprint(w, `{"error":{"type":"security_exception","reason":"no permissions for [...] and User [name=indexer]"},"status":403}`)
}

// The error of a user that lacks one privilege names it.
func TestTryNamesTheMissingPrivilege(t *testing.T) {
	nodetest.URL(t)
	for _, r := range rights {
		if r.action == "cluster:monitor/main" {
			continue // without it there is no flavor
		}
		missing := strings.TrimSuffix(r.action, "*")
		if missing == "indices:data/write/index" || missing == "indices:data/write/delete" {
			continue // of items: TestTryNamesThePrivilegesOfItems
		}
		c := front(t, func(w http.ResponseWriter, r *http.Request) bool {
			if actionOf(r.Method, r.URL.Path) != missing {
				return false
			}
			forbid(w)
			return true
		}, nil)
		refused := c.Try(t.Context(), Flavor{Product: openSearch})
		if len(refused) == 0 || !strings.Contains(refused[0].Privilege, r.action) || refused[0].Err == nil {
			t.Errorf("without %s: got %+v, want that it is missing", r.action, refused)
		}
		if got := (Flavor{Product: elasticsearch}).privileges(missing); !strings.Contains(got, r.elastic) {
			t.Errorf("Elasticsearch, %s: got %s, want %s", missing, got, r.elastic)
		}
		if missing == "indices:admin/delete" {
			_ = remove(&Index{name: c.Name + "-check-*", wire: newWire(config(t, nodetest.URL(t))), cancel: func() {}})
		}
	}
	if refused := config(t, nodetest.URL(t)).Try(t.Context(), Flavor{Product: openSearch}); len(refused) > 0 {
		t.Errorf("with all privileges: got %+v, want none", refused)
	}
}

// A bulk whose items are refused needs the privileges of writes.
func TestTryNamesThePrivilegesOfItems(t *testing.T) {
	c := front(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/_bulk") {
			return false
		}
		fmt.Fprintf(w, `{"errors":true,"items":[{"index":{"_id":%q,"status":403,"error":{"type":"security_exception"}}}]}`, id(oid(t, 1)))
		return true
	}, nil)
	refused := c.Try(t.Context(), Flavor{Product: openSearch})
	if len(refused) != 1 || refused[0].Privilege != "indices:data/write/bulk, indices:data/write/bulk*, indices:data/write/index, indices:data/write/delete" {
		t.Errorf("got %+v, want the privileges of writes", refused)
	}
}

// The privileges that are documented are enough for everything that is done to an index.
func TestRightsAreEnough(t *testing.T) {
	var mu sync.Mutex
	used, more := map[string]bool{}, []string{}
	c := front(t, func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		action := actionOf(r.Method, r.URL.Path)
		used[action] = true
		if slices.ContainsFunc(rights, func(r right) bool { return strings.TrimSuffix(r.action, "*") == action }) {
			return false
		}
		more = append(more, r.Method+" "+r.URL.Path)
		forbid(w)
		return true
	}, nil)
	c.Shards = 3
	if _, err := c.Flavor(t.Context()); err != nil {
		t.Fatal(err)
	}
	create(t, c)
	ix, openErr := c.Open(t.Context(), 7)
	next, err := c.Create(t.Context(), 8, 0) // a reindex
	if err := errors.Join(openErr, err); err != nil {
		t.Fatal(err)
	}
	key := oid(t, 1)
	_, _, listErr := ix.Documents("", 10)
	_, countErr := ix.Count()
	_, bytesErr := ix.Bytes()
	_, versionsErr := ix.Versions([]doc.OID{key})
	_, healthErr := ix.Health(t.Context())
	_, searchErr := ix.Search(t.Context(), query.Request{Query: query.All{}, Size: 1})
	for what, err := range map[string]error{
		"put": ix.Apply([]doc.Doc{film(t, 1, 1, "a")}, nil), "delete": ix.Apply(nil, doc.Removals(2, key)), "list": listErr, "count": countErr, "size": bytesErr,
		"versions": versionsErr, "health": healthErr, "search": searchErr, "examine": ix.Examine(t.Context()), "claim": c.Claim(t.Context()), "serve": next.Serve(t.Context()),
		"use": next.Use(t.Context()), "clean": c.Clean(t.Context()), "remove": next.Remove(t.Context()), "close": next.Close(),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(more) > 0 {
		t.Errorf("got requests without a privilege: %v", more)
	}
	for _, r := range rights {
		if action := strings.TrimSuffix(r.action, "*"); !used[action] && !strings.HasPrefix(action, "indices:data/write/") {
			t.Errorf("%s is not needed", r.action)
		}
	}
}

// docs/engines.md names the privileges.
func TestRightsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/engines.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, product := range []string{openSearch, elasticsearch} {
		cluster, index := Flavor{Product: product}.Rights()
		for _, all := range [][]string{cluster, index} {
			if list := "`" + strings.Join(all, "`, `") + "`"; !strings.Contains(string(text), list) {
				t.Errorf("docs/engines.md: the privileges of %s: got none, want %s", product, list)
			}
		}
	}
}

// Elasticsearch is played by a real OpenSearch node whose answers are changed to the
// documented ones of Elasticsearch 8 and 9: GET /, the product header, and the type of the
// error of a document that does not fit. It has none of OpenSearch's own paths.
func TestElasticsearch(t *testing.T) {
	for _, version := range []string{"8.19.3", "9.1.0"} {
		c := front(t, func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("X-Elastic-Product", elasticsearch)
			switch {
			case r.URL.Path == "/":
				fmt.Fprintf(w, `{"name":"one","version":{"number":%q,"build_flavor":"default"},"tagline":"You Know, for Search"}`, version)
			case strings.Contains(r.URL.Path, "point_in_time") || strings.HasPrefix(r.URL.Path, "/_plugins"):
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"error":"no handler found for uri"}`)
			default:
				return false
			}
			return true
		}, func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			body = bytes.ReplaceAll(body, []byte("mapper_parsing_exception"), []byte("document_parsing_exception"))
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.ContentLength = int64(len(body))
			r.Header.Set("Content-Length", fmt.Sprint(len(body)))
			return nil
		})
		f, err := c.Flavor(t.Context())
		if err != nil || f.Product != elasticsearch || f.Version != version || f.Tested {
			t.Errorf("%s: got %+v, %v", version, f, err)
		}
		if refused := c.Try(t.Context(), f); len(refused) > 0 {
			t.Errorf("%s: got %+v, want no refusal", version, refused)
		}
		ix := create(t, c)
		wrong := []byte(`{"index":{"_id":"` + id(oid(t, 2)) + `","version":1,"version_type":"external_gte"}}` + "\n" + `{"title":{"a":1}}` + "\n")
		outcomes, kinds, err := ix.bulk([]item{{oid: oid(t, 2), v: 1, lines: wrong}})
		if err != nil || outcomes[0] != refused || kinds[0] != "document_parsing_exception" {
			t.Errorf("%s: a document that does not fit: got %v %v, %v", version, outcomes, kinds, err)
		}
		if err := ix.Apply([]doc.Doc{film(t, 1, 1, "academy")}, nil); err != nil {
			t.Error(err)
		}
		if res, err := ix.Search(t.Context(), query.Request{Query: query.Word{Text: "academy"}, Size: 1}); err != nil || res.Total != 1 {
			t.Errorf("%s: search: got %+v, %v, want one hit", version, res, err)
		}
	}
}
