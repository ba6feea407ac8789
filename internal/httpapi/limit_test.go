package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/search"
)

// Two turns: the third search waits, gets the first turn that is free, and is
// refused when none is free in time.
func TestSearchLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &searchLimit{most: 2, share: 2, wait: 500 * time.Millisecond, within: 5 * time.Second}
		search := func(d time.Duration) (took time.Duration, err error) {
			began := time.Now()
			err = l.do(t.Context(), party{}, func(ctx context.Context, _ *turn) error {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(d):
					return nil
				}
			})
			return time.Since(began), err
		}
		go search(300 * time.Millisecond)
		go search(time.Minute)
		synctest.Wait()

		if took, err := search(time.Second); err != nil || took != 1300*time.Millisecond {
			t.Errorf("the third: got %v after %v, want success after 1.3s", err, took)
		}
		go search(time.Minute)
		synctest.Wait()
		var busy *Error
		if took, err := search(0); !errors.As(err, &busy) || busy.Status != http.StatusTooManyRequests || busy.Code != "busy" || took != 500*time.Millisecond {
			t.Errorf("with two long ones under way: got %v after %v, want busy after 0.5s", err, took)
		}
		time.Sleep(10 * time.Second) // their deadlines end them
		if took, err := search(time.Minute); !errors.Is(err, context.DeadlineExceeded) || took != 5*time.Second {
			t.Errorf("a long one: got %v after %v, want its deadline after 5s", err, took)
		}
		synctest.Wait()
		if len(l.running) != 0 || len(l.waiting) != 0 {
			t.Errorf("%d turns are taken when all is over and %d wait, want none", len(l.running), len(l.waiting))
		}
	})
}

// A slowEngine answers no search before its time is up.
type slowEngine struct{ fakeEngine }

func (*slowEngine) Search(ctx context.Context, _ string, _ search.Params) (search.Results, error) {
	<-ctx.Done()
	return search.Results{}, ctx.Err()
}

func TestBusyAndLateAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := Handler(&slowEngine{}, Access{})
		ask := func() *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/tables/film/search?q=x", nil))
			return w
		}
		late := make(chan *httptest.ResponseRecorder, 1)
		go func() { late <- ask() }()
		for range newSearchLimit().share - 1 {
			go ask()
		}
		synctest.Wait()
		w := ask()
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" {
			t.Errorf("got %d, Retry-After %q; want 429 and 1", w.Code, w.Header().Get("Retry-After"))
		}
		if w := <-late; w.Code != http.StatusGatewayTimeout || w.Header().Get("Retry-After") != "" {
			t.Errorf("got %d, want 504: %s", w.Code, w.Body)
		}
	})
}
