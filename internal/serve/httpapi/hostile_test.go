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
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/search"
	"indexerd/internal/test/hostile"
)

// An indexEngine searches a real index with real pages.
type indexEngine struct {
	fakeEngine
	searcher *search.Searcher
}

func (e *indexEngine) Search(ctx context.Context, _ string, p search.Params) (search.Results, error) {
	return e.searcher.Search(ctx, p)
}

// newIndexEngine indexes n documents.
func newIndexEngine(t testing.TB, n int) *indexEngine {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	docs := make([]doc.Doc, n)
	for i := range docs {
		docs[i] = hostile.Doc(t, i, r)
	}
	return indexed(t, hostile.Mapping, docs)
}

// indexed indexes documents.
func indexed(t testing.TB, m schema.Mapping, docs []doc.Doc) *indexEngine {
	t.Helper()
	ix, err := fulltext.Create(filepath.Join(t.TempDir(), "index"), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(ix.Err(), ix.Close()); err != nil {
			t.Error(err)
		}
	})
	pages := hostile.Pages{}
	for _, d := range docs {
		body, err := d.Row.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		pages[d.OID] = doc.Page{Meta: d.Meta, Body: body}
	}
	for some := range slices.Chunk(docs, 5000) {
		if err := ix.Apply(some, nil); err != nil {
			t.Fatal(err)
		}
	}
	s := &search.Searcher{Index: ix, Pages: pages, Table: "film", Content: m.Content}
	for _, f := range m.Metadata {
		s.Metadata = append(s.Metadata, f.Name)
	}
	return &indexEngine{searcher: s}
}

// hostileSearch draws an expensive or invalid search.
func hostileSearch(r *rand.Rand) *http.Request {
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
		return "aa" + some(func() string { return " OR " + hostile.Word(r) }, 1200)
	case 2:
		return some(func() string { return field() + letter() + "* " }, 600)
	case 3:
		return some(func() string {
			return []string{"OR ", "", ""}[r.IntN(3)] + hostile.Word(r) + []string{"~ ", "~2 ", "~1 "}[r.IntN(3)]
		}, 70)
	case 4:
		return `"` + strings.Repeat("aa ", r.IntN(2500)) + []string{`bb"`, `"`, `"~100`, `bb"~2`}[r.IntN(4)]
	case 5:
		return `"` + some(func() string { return hostile.Word(r) + " " }, 64) + `"~100`
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
// BenchmarkHostile measures how soon.
func TestHostile(t *testing.T) {
	const within = 20 * time.Millisecond
	limits := NewLimits(nil)
	limits.searches.within = within
	hostile.Test(t, newMux(newIndexEngine(t, 500), limits), hostileSearch, within, http.StatusGatewayTimeout)
}

func BenchmarkHostile(b *testing.B) {
	limits := NewLimits(nil)
	hostile.Bench(b, newMux(newIndexEngine(b, 20_000), limits), hostileSearch, func(r *rand.Rand) *http.Request {
		return post(map[string]any{"q": hostile.Word(r) + " " + hostile.Word(r), "facets": map[string]int{"rating": 10}})
	}, limits.searches.within)
}
