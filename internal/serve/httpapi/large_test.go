package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"indexerd/internal/index/search"
)

// Few large bodies are in memory at once. Small ones do not wait for them.
func TestLargeBodiesWaitForAPlace(t *testing.T) {
	a := Access{Limits: NewLimits(nil)}
	a.Limits.bodies = newLimit(2)
	a.Limits.bodies.wait = 10 * time.Millisecond
	mux := http.NewServeMux()
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, done, err := a.ReadBody(w, r)
		if err != nil {
			WriteError(w, err)
			return
		}
		defer done()
		a.Respond(w, r, func(context.Context, search.Caller) (any, error) { return len(body), nil }, uncounted)
	})
	post := func(body io.Reader) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("POST", "/", body))
		return w
	}
	large := strings.Repeat("x", maxBody+1)
	var held []*io.PipeWriter
	answers := make(chan int)
	for range 2 {
		r, w := io.Pipe()
		held = append(held, w)
		go func() { answers <- post(r).Code }()
		if _, err := io.WriteString(w, large); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, "x"); err != nil { // it is read by one with a place
			t.Fatal(err)
		}
	}
	if w := post(strings.NewReader(large)); w.Code != 429 || w.Header().Get("Retry-After") == "" {
		t.Errorf("a third large body: got %d %s, want 429", w.Code, w.Body)
	}
	if w := post(strings.NewReader(large[1:])); w.Code != 200 || strings.TrimSpace(w.Body.String()) != "65536" {
		t.Errorf("a small body: got %d %s, want 200", w.Code, w.Body)
	}
	for _, w := range held {
		w.Close()
		if code := <-answers; code != 200 {
			t.Errorf("a large body: got %d, want 200", code)
		}
	}
	for range 3 {
		if w := post(strings.NewReader(large)); w.Code != 200 {
			t.Errorf("one large body after the other: got %d, want 200", w.Code)
		}
	}
	for range 3 {
		if w := post(strings.NewReader(strings.Repeat("x", maxLarge+1))); w.Code != 413 {
			t.Errorf("a body that is too large: got %d, want 413", w.Code)
		}
	}
}
