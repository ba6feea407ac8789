package osapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/test/nodetest"
)

var shopMapping = schema.Mapping{
	Content: []string{"title"}, Analyzer: "standard", Positions: true,
	Metadata: []schema.Field{{Name: "title", Type: schema.Keyword}, {Name: "tags", Type: schema.Keyword}, {Name: "price", Type: schema.Number}, {Name: "seen", Type: schema.Date}, {Name: "free", Type: schema.Boolean}, {Name: "grp", Type: schema.Keyword}},
}

// shop are the documents of the tests of aggregations. The last one is hidden from sales.
var shop = []map[string]any{
	{"id": 0, "title": "red one", "tags": []any{"a", "b"}, "price": 2.5, "seen": "2006-02-15T04:34:33.123Z", "free": true},
	{"id": 1, "title": "red two", "tags": []any{"a"}, "price": []any{3.0, 10.0}, "seen": "2006-04-15T00:00:00Z", "free": false},
	{"id": 2, "title": "blue", "price": 1e7, "seen": "2006-02-16T23:00:00Z"},
	{"id": 3, "title": "green", "tags": []any{"c"}, "free": true},
	{"id": 4, "title": "red three", "tags": []any{"ab", "b"}, "price": -7.25, "seen": "1969-12-31T23:59:59.999Z", "free": true},
	{"id": 5, "title": "blue red", "tags": []any{"武", "x.y"}, "price": 0.0001, "seen": "2006-10-29T00:30:00Z"},
	{"id": 6, "title": "plain", "tags": []any{"c"}, "price": 0.0, "seen": "2006-10-29T01:30:00Z", "free": false},
}

// newShop returns a world with the table shop.
func newShop(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.add(t, "shop", "grp", shopMapping)
	for _, row := range shop {
		seen := map[string]any{"grp": "sales"}
		for name, v := range row {
			seen[name] = v
		}
		w.put(t, "shop", seen)
	}
	w.put(t, "shop", map[string]any{"id": 99, "title": "red secret", "tags": []any{"hidden", "a"}, "price": 1e9, "seen": "2020-01-01T00:00:00Z", "free": true, "grp": "boss"})
	return w
}

// A nodeShop is the same documents on a real node.
type nodeShop struct{ url string }

func newNodeShop(t *testing.T) nodeShop {
	t.Helper()
	n := nodeShop{nodetest.URL(t)}
	if status, body := n.ask(t, http.MethodPut, "/shop", `{"settings": {"number_of_shards": 1, "number_of_replicas": 0}, "mappings": {"properties": {"title": {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
		"tags": {"type": "keyword"}, "price": {"type": "double"}, "seen": {"type": "date"}, "free": {"type": "boolean"}}}}`); status != http.StatusOK {
		t.Fatalf("create the index: got %d %s", status, body)
	}
	t.Cleanup(func() { n.ask(t, http.MethodDelete, "/shop", "") })
	for _, row := range shop {
		fields := map[string]any{}
		for name, v := range row {
			if name != "id" {
				fields[name] = v
			}
		}
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		if status, body := n.ask(t, http.MethodPut, fmt.Sprintf("/shop/_doc/%d?refresh=true", row["id"]), string(text)); status/100 != 2 {
			t.Fatalf("write: got %d %s", status, body)
		}
	}
	return n
}

func (n nodeShop) ask(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, n.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// Aggregations have the form and the numbers of a real node. Where the node reports an
// error, so does the API.
func TestAggregationsAreThoseOfANode(t *testing.T) {
	n, w := newNodeShop(t), newShop(t)
	for _, body := range nodeCases() {
		text := fmt.Sprintf(`{"size": 0, "aggs": {"t": %s}}`, body)
		if strings.HasPrefix(body, `{"query"`) || strings.HasPrefix(body, `{"post_filter"`) {
			text = body
		}
		wantStatus, want := n.ask(t, http.MethodPost, "/shop/_search?typed_keys=true", text)
		status, got := w.ask(sales, http.MethodPost, "/shop/_search?typed_keys=true", text)
		if wantStatus != http.StatusOK {
			if status/100 == 2 || status == http.StatusInternalServerError {
				t.Errorf("%s: got %d %.300s, want an error like %d %.300s", text, status, got, wantStatus, want)
			}
			continue
		}
		if status != http.StatusOK || !alike(aggregationsOf(t, got), aggregationsOf(t, want)) {
			t.Errorf("%s: got %d %s, want %s", text, status, got, want)
		}
	}
}

// aggregationsOf returns the aggregations of an answer, and its total. Scores differ, so
// they are 1.
func aggregationsOf(t *testing.T, body string) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(body)))
	d.UseNumber()
	var answer struct {
		Hits         struct{ Total any }
		Aggregations any
	}
	if err := d.Decode(&answer); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return map[string]any{"total": answer.Hits.Total, "aggregations": withoutScores(answer.Aggregations)}
}

func withoutScores(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "_source") // times of rows have microseconds
		if meta, ok := v["meta"].(map[string]any); ok && len(meta) == 0 {
			delete(v, "meta") // a node adds it to a filter that matches nothing
		}
		for name, one := range v {
			if _, scored := one.(json.Number); scored && (name == "_score" || name == "max_score") {
				v[name] = json.Number("1")
			} else if name == "_index" {
				v[name] = "shop"
			} else {
				v[name] = withoutScores(one)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutScores(v[i])
		}
	}
	return v
}

// alike compares answers. Numbers have the same text, or differ in their last digits.
func alike(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name := range a {
			if other, there := b[name]; !there || !alike(a[name], other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !alike(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		if !ok || a == b {
			return ok
		}
		x, errX := a.Float64()
		y, errY := b.Float64()
		return errX == nil && errY == nil && strings.Contains(a.String(), ".") == strings.Contains(b.String(), ".") && math.Abs(x-y) <= 1e-9*math.Abs(y)
	}
	return reflect.DeepEqual(a, b)
}
