package httpapi

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"testing"

	"indexerd/internal/index/query"
	"indexerd/internal/test/typed"
)

// typedSearch is a search with a text, as a page with a search box makes it.
func typedSearch(q string, r *rand.Rand) *http.Request {
	body := map[string]any{"q": q, "typing": r.IntN(3) > 0, "explain": r.IntN(4) == 0}
	if r.IntN(4) == 0 {
		body["match"] = query.Matches()[r.IntN(3)]
		body["facets"] = map[string]int{"rating": 8}
	}
	if r.IntN(8) == 0 {
		v := url.Values{"q": {q}, "typing": {"true"}}
		return httptest.NewRequest("GET", "/api/v1/tables/film/search?"+v.Encode(), nil)
	}
	return post(body)
}

// Whatever a person types is answered. With TYPED_N an answer takes 200 ms at most.
func TestTyped(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("TYPED_DOCS"))
	if err != nil {
		n = 300
	}
	docs := typed.Docs(t, n)
	typed.Judge(t, newMux(indexed(t, typed.Mapping, docs), NewLimits(nil)), typedSearch, docs)
}

// FuzzTyped: the same for any text.
func FuzzTyped(f *testing.F) {
	docs := typed.Docs(f, 50)
	mux := newMux(indexed(f, typed.Mapping, docs), NewLimits(nil))
	for i := range 60 {
		f.Add(typed.Draw(rand.New(rand.NewPCG(1, uint64(i))), docs), uint64(i))
	}
	f.Fuzz(func(t *testing.T, q string, seed uint64) {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, typedSearch(q, rand.New(rand.NewPCG(1, seed))))
		if w.Code != http.StatusOK && len(q) < maxBody/6 { // of a longer one the body may be too long
			t.Errorf("%.300q: %d %.300s", q, w.Code, w.Body)
		}
	})
}
