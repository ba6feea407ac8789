package apitest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/test/apitest"
)

// scrollHandler serves n short documents. Half of them have the kind even. Each has
// another code.
func scrollHandler(t testing.TB, n int) http.Handler {
	t.Helper()
	s := apitest.New()
	table := s.Create(t, "film", schema.Mapping{
		Content: []string{"title"}, Analyzer: "standard",
		Metadata: []schema.Field{{Name: "kind", Type: schema.Keyword}, {Name: "code", Type: schema.Number}},
	}, doc.Integer, nil)
	for from := 0; from < n; from += apitest.Batch {
		var docs []doc.Doc
		for i := from; i < min(from+apitest.Batch, n); i++ {
			oid, err := doc.NewOID(int64(i))
			if err != nil {
				t.Fatal(err)
			}
			row := doc.Row{Names: []string{"title", "kind", "code"}, Values: []any{"mad max", []string{"even", "odd"}[i%2], int64(i*7919) % int64(n)}}
			docs = append(docs, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}}, Row: row})
		}
		if err := table.Add(docs, true); err != nil {
			t.Fatal(err)
		}
	}
	return s.Handler()
}

// readScroll reads a scroll to its end. It returns how long each page took, and the ids
// of the hits.
func readScroll(t testing.TB, h http.Handler, body string) (took []time.Duration, ids []string) {
	t.Helper()
	path := "/film/_search?scroll=1m"
	for {
		w, began := httptest.NewRecorder(), time.Now()
		h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
		took = append(took, time.Since(began))
		var page struct {
			ID   string `json:"_scroll_id"`
			Hits struct {
				Hits []struct {
					ID string `json:"_id"`
				}
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != http.StatusOK {
			t.Fatalf("page %d: %d %v %.200s", len(took), w.Code, err, w.Body)
		}
		if len(page.Hits.Hits) == 0 {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("DELETE", "/_search/scroll", strings.NewReader(fmt.Sprintf(`{"scroll_id":%q}`, page.ID))))
			return took, ids
		}
		for _, hit := range page.Hits.Hits {
			ids = append(ids, hit.ID)
		}
		path, body = "/_search/scroll", fmt.Sprintf(`{"scroll":"1m","scroll_id":%q}`, page.ID)
	}
}

// A scroll has each hit once, in the order of a search, whatever it is sorted by and
// however many share its sort value.
func TestScrollHasEachHitOnce(t *testing.T) {
	const n = 3000
	h := scrollHandler(t, n)
	for _, test := range []struct {
		body string
		want int
	}{
		{`{"size":70,"sort":["_doc"]}`, n},
		{`{"size":70}`, n},
		{`{"size":70,"query":{"term":{"kind":"even"}},"sort":["_doc"]}`, n / 2},
		{`{"size":70,"query":{"range":{"code":{"lt":100}}},"sort":["_doc"]}`, 100}, // few of all, so their keys are read one by one
		{`{"size":70,"sort":["kind"]}`, n},
		{`{"size":70,"sort":["code"]}`, n},
	} {
		_, ids := readScroll(t, h, test.body)
		slices.Sort(ids)
		if each := len(slices.Compact(slices.Clone(ids))); len(ids) != test.want || each != test.want {
			t.Errorf("%s: %d hits, %d different ones, want %d", test.body, len(ids), each, test.want)
		}
	}
}

// BenchmarkScroll reads scrolls of 100,000 rows in 500 pages. It reports the median of
// the first and of the last 20 pages with hits, which is the cost of page 1 and of page
// 500.
func BenchmarkScroll(b *testing.B) {
	h := scrollHandler(b, 100_000)
	for _, c := range []struct{ name, body string }{
		{"all by key", `{"size":200,"sort":["_doc"]}`},
		{"all by score", `{"size":200}`},
		{"half by key", `{"size":100,"query":{"term":{"kind":"even"}},"sort":["_doc"]}`},
		{"all by number", `{"size":200,"sort":["code"]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			var first, last []time.Duration
			for b.Loop() {
				took, _ := readScroll(b, h, c.body)
				took = took[:len(took)-1] // the page without hits
				first, last = append(first, took[:20]...), append(last, took[len(took)-20:]...)
			}
			median := func(all []time.Duration) float64 {
				slices.Sort(all)
				return float64(all[len(all)/2].Microseconds())
			}
			b.ReportMetric(median(first), "µs-page-1")
			b.ReportMetric(median(last), "µs-page-500")
			b.ReportMetric(median(last)/median(first), "ratio")
		})
	}
}
