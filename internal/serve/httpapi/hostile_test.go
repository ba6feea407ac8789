package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/search"
)

// An indexEngine searches a real index with real pages.
type indexEngine struct {
	fakeEngine
	searcher *search.Searcher
}

func (e *indexEngine) Search(ctx context.Context, _ string, p search.Params) (search.Results, error) {
	return e.searcher.Search(ctx, p)
}

// testPages are pages in memory.
type testPages map[doc.OID]doc.Page

var errNoPage = errors.New("no such page")

func (p testPages) View(oid doc.OID, see func(doc.Page) error) error {
	page, ok := p[oid]
	if !ok {
		return errNoPage
	}
	return see(page)
}

func (p testPages) Meta(oid doc.OID) (doc.Meta, bool, error) {
	page, ok := p[oid]
	return page.Meta, ok, nil
}

func (p testPages) NewestVersions(oid doc.OID, _ int) ([]doc.Page, bool, error) {
	return []doc.Page{p[oid]}, false, nil
}

// newIndexEngine indexes n documents: some words are in all of them, many words
// in a few. Some texts repeat one word or have no spaces.
func newIndexEngine(t testing.TB, n int) *indexEngine {
	t.Helper()
	ix, err := fulltext.Create(filepath.Join(t.TempDir(), "index"), schema.Mapping{
		Content: []string{"title", "body"}, Analyzer: "standard", Positions: true,
		Metadata: []schema.Field{{Name: "rating", Type: schema.Keyword}, {Name: "code", Type: schema.Keyword}, {Name: "year", Type: schema.Number}},
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(ix.Err(), ix.Close()); err != nil {
			t.Error(err)
		}
	})
	pages, r := testPages{}, rand.New(rand.NewPCG(1, 1))
	var docs []doc.Doc
	for i := range n {
		d := testDoc(t, i, r)
		body, err := d.Row.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		pages[d.OID] = doc.Page{Meta: d.Meta, Body: body}
		docs = append(docs, d)
	}
	if err := ix.Apply(docs, nil); err != nil {
		t.Fatal(err)
	}
	return &indexEngine{searcher: &search.Searcher{
		Index: ix, Pages: pages, Table: "film", Content: []string{"title", "body"}, Metadata: []string{"rating", "code", "year"},
	}}
}

func testDoc(t testing.TB, i int, r *rand.Rand) doc.Doc {
	t.Helper()
	var body strings.Builder
	for range 60 {
		body.WriteString(testWord(r) + " ")
	}
	switch i % 500 {
	case 1:
		body.WriteString(strings.Repeat("aa ", 20_000))
	case 2:
		body.WriteString(strings.Repeat("今夜月明", 5_000))
	case 3:
		body.WriteString(strings.Repeat("."+strings.Repeat(" ", 9), 5_000))
	}
	oid, err := doc.NewOID(int64(i))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Doc{
		Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: doc.Version(i + 1)},
		Row: doc.Row{
			Names:  []string{"title", "body", "rating", "code", "year"},
			Values: []any{testWord(r) + " aa bb", body.String(), fmt.Sprint("r", i%5), fmt.Sprint("code", i), int64(i)},
		},
	}
}

// testWord draws a word. A few words are frequent.
func testWord(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return []string{"aa", "bb", "cc", "drama", "shark"}[r.IntN(5)]
	}
	return fmt.Sprintf("%c%c%d", 'a'+rune(r.IntN(26)), 'a'+rune(r.IntN(26)), r.IntN(30))
}

// hostile draws an expensive or invalid search.
func hostile(r *rand.Rand) *http.Request {
	kinds := []func(*rand.Rand) *http.Request{
		func(r *rand.Rand) *http.Request { return post(map[string]any{"q": hostileQuery(r)}) },
		func(r *rand.Rand) *http.Request {
			return post(map[string]any{"q": hostileQuery(r), "size": 1000, "sort": []string{"code", "-year"}, "facets": map[string]int{"code": 1000, "rating": 1}})
		},
		hostileList, hostileNumbers, hostileAddress, hostileBody,
	}
	return kinds[[]int{0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5}[r.IntN(11)]](r)
}

func post(body map[string]any) *http.Request {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return httptest.NewRequest("POST", "/api/v1/tables/film/search", strings.NewReader(string(text)))
}

// hostileQuery draws a query that is deep, wide or invalid.
func hostileQuery(r *rand.Rand) string {
	some := func(piece func() string, most int) string {
		var b strings.Builder
		for range r.IntN(most) {
			b.WriteString(piece())
		}
		return b.String()
	}
	letter := func() string { return string(rune('a' + r.IntN(26))) }
	field := func() string { return []string{"", "title:", "body:", "rating:", "year:", "nosuch:"}[r.IntN(6)] }
	switch r.IntN(12) {
	case 0:
		n := r.IntN(60)
		return strings.Repeat([]string{"(", "-", "-("}[r.IntN(3)], n) + "aa" + strings.Repeat(")", n)
	case 1:
		return "aa" + some(func() string { return " OR " + testWord(r) }, 1200)
	case 2:
		return some(func() string { return field() + letter() + "* " }, 600)
	case 3:
		return some(func() string {
			return []string{"OR ", "", ""}[r.IntN(3)] + testWord(r) + []string{"~ ", "~2 ", "~1 "}[r.IntN(3)]
		}, 70)
	case 4:
		return `"` + strings.Repeat("aa ", r.IntN(2500)) + []string{`bb"`, `"`, `"~100`, `bb"~2`}[r.IntN(4)]
	case 5:
		return `"` + some(func() string { return testWord(r) + " " }, 64) + `"~100`
	case 6:
		return some(func() string { return fmt.Sprintf("year:[%d TO %g] OR ", r.IntN(9)-4, r.ExpFloat64()*1e6) }, 300) + "aa"
	case 7:
		return "-year:* -aa " + some(func() string { return "-" + letter() + "* " }, 300)
	case 8:
		return strings.Repeat("今夜月明", r.IntN(600)) + "*"
	case 9:
		return some(func() string { return string([]byte{byte(r.IntN(256))}) }, 9000)
	case 10:
		return some(func() string {
			return []string{`"`, `\`, "(", ")", "[", "]", "*", "~", "~2", ":", "-", " ", " OR ", " TO ", ">", "<=", "aa", "year", "title", "\x00", "\xff", "今", "5"}[r.IntN(23)]
		}, 200)
	default:
		return field() + strings.Repeat(letter(), r.IntN(9000)) + []string{"", "*", "~"}[r.IntN(3)]
	}
}

// hostileList draws long lists of values, facets, sorts and fields.
func hostileList(r *rand.Rand) *http.Request {
	n := []int{1, 900, 1025, 3000, 100_000}[r.IntN(5)]
	list := make([]string, n)
	counts := map[string]int{}
	for i := range list {
		list[i] = fmt.Sprint("r", i)
		counts[list[i]] = i
	}
	switch r.IntN(5) {
	case 0:
		return post(map[string]any{"q": "aa", "filter": map[string]any{"rating": list}})
	case 1:
		return post(map[string]any{"q": "aa", "facets": counts})
	case 2:
		return post(map[string]any{"q": "aa", "sort": list})
	case 3:
		return post(map[string]any{"q": "aa", "fields": list})
	}
	v := url.Values{}
	for _, value := range list {
		v.Add("filter", value+":"+value)
	}
	return httptest.NewRequest("GET", "/api/v1/tables/film/search?"+v.Encode(), nil)
}

func hostileNumbers(r *rand.Rand) *http.Request {
	number := func() any {
		return []any{-1, 0, 1, 1000, 1001, 9999, 10_000, 1 << 40, 1e300, 1.5, "x", nil}[r.IntN(12)]
	}
	return post(map[string]any{"q": "aa", "size": number(), "from": number(), "facets": map[string]any{"rating": number()}})
}

func hostileAddress(r *rand.Rand) *http.Request {
	v := url.Values{"q": {hostileQuery(r)}, "after": {strings.Repeat("A", r.IntN(3000))}, "sort": {strings.Repeat("year,", r.IntN(12))}}
	if r.IntN(3) == 0 {
		v[strings.Repeat("x", r.IntN(50_000))] = []string{"1"}
	}
	return httptest.NewRequest("GET", "/api/v1/tables/film/search?"+v.Encode(), nil)
}

func hostileBody(r *rand.Rand) *http.Request {
	n := r.IntN(30_000)
	text := []string{
		strings.Repeat("[", n), `{"q":` + strings.Repeat(`{"a":`, n), `{"q":"` + strings.Repeat(`\u0000`, n/6) + `"}`,
		`{"q":"aa","q":"bb"}`, "null", "\xff", strings.Repeat(" ", 3*n), `{"q":1e` + strings.Repeat("9", n) + "}",
	}[r.IntN(8)]
	return httptest.NewRequest("POST", "/api/v1/tables/film/search", strings.NewReader(text))
}

// Every hostile search ends with a regular status soon after its deadline.
// BenchmarkHostile measures how soon; this test allows for a busy machine.
func TestHostile(t *testing.T) {
	const within, grace = 20 * time.Millisecond, 10 * time.Second
	n := 100
	if more, err := strconv.Atoi(os.Getenv("HOSTILE_N")); err == nil {
		n = more
	}
	limits := NewLimits(nil)
	limits.searches.within = within
	h := newMux(newIndexEngine(t, 500), limits)
	regular := map[int]bool{200: true, 400: true, 413: true, 504: true}
	seen := map[int]int{}
	var late time.Duration
	for i := range n {
		req := hostile(rand.New(rand.NewPCG(7, uint64(i))))
		w, began := httptest.NewRecorder(), time.Now()
		h.ServeHTTP(w, req)
		seen[w.Code]++
		took := time.Since(began)
		late = max(late, took-within)
		if !regular[w.Code] || took > within+grace {
			t.Errorf("request %d: %d after %v: %.300s", i, w.Code, took, w.Body)
		}
	}
	t.Logf("%d requests, responses by status: %v; the slowest ended %v after its deadline", n, seen, late)
	if seen[200] == 0 || seen[400] == 0 || seen[413] == 0 {
		t.Errorf("responses by status: %v, want some 200, 400 and 413", seen)
	}
}

// BenchmarkHostile runs hostile searches beside ordinary ones. It reports how much
// slower the ordinary ones are, and how long after its deadline the slowest
// hostile one ended.
func BenchmarkHostile(b *testing.B) {
	limits := NewLimits(nil)
	h := newMux(newIndexEngine(b, 20_000), limits)
	alone := ordinary(h, 2000)
	var late time.Duration
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			began := time.Now()
			h.ServeHTTP(httptest.NewRecorder(), hostile(rand.New(rand.NewPCG(7, uint64(i)))))
			late = max(late, time.Since(began)-limits.searches.within)
		}
	})
	b.ResetTimer()
	var beside time.Duration
	for b.Loop() {
		beside = max(beside, ordinary(h, 2000))
	}
	cancel()
	wg.Wait()
	b.ReportMetric(float64(beside)/float64(alone), "p99-ratio")
	b.ReportMetric(float64(max(late, 0).Milliseconds()), "ms-late")
	b.ReportMetric(0, "ns/op")
}

// ordinary runs n ordinary searches and returns the 99th percentile of their
// durations.
func ordinary(h http.Handler, n int) time.Duration {
	r := rand.New(rand.NewPCG(3, 3))
	took := make([]time.Duration, n)
	for i := range took {
		req := post(map[string]any{"q": testWord(r) + " " + testWord(r), "facets": map[string]int{"rating": 10}})
		began := time.Now()
		h.ServeHTTP(httptest.NewRecorder(), req)
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[n*99/100]
}
