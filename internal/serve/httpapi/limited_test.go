package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/index/search"
)

// A largeEngine finds hits documents with a text of bytes bytes each.
type largeEngine struct {
	fakeEngine
	hits, bytes int
	broken      int           // index of a hit that can't be read; 0: none
	delay       time.Duration // to read a hit
	read        atomic.Int64  // hits read
}

func (e *largeEngine) Search(_ context.Context, table string, _ search.Params) (search.Results, error) {
	r := resultsOf(table, make([]search.Hit, e.hits)...)
	r.Hit = func(_ context.Context, i int) (search.Hit, error) {
		e.read.Add(1)
		time.Sleep(e.delay)
		if e.broken > 0 && i == e.broken {
			return search.Hit{}, errors.New("wrong checksum")
		}
		return search.Hit{OID: strconv.Itoa(i), Fields: search.Fields{{Name: "text", Value: strings.Repeat("x", e.bytes)}}}, nil
	}
	r.Next = func(n int) *string {
		next := "after " + strconv.Itoa(n)
		return &next
	}
	return r, nil
}

func TestResponseEndsAtItsMaximumSize(t *testing.T) {
	e := &largeEngine{hits: 1000, bytes: 1 << 20}
	w := serve(e, "GET", "/api/v1/tables/film/search?size=1000", "")
	var a search.Answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
		t.Fatalf("got %d, %v", w.Code, err)
	}
	if n := len(a.Hits); n != 15 || a.Next == nil || *a.Next != "after 15" || e.read.Load() != 16 {
		t.Errorf("got %d hits of %d that were read, next %v; want 15 of 16, and a next", n, e.read.Load(), a.Next)
	}
	if w.Body.Len() > maxHits+maxBuffered {
		t.Errorf("got %d bytes, want about %d at most", w.Body.Len(), maxHits)
	}
	w = serve(&largeEngine{hits: 2, bytes: maxHits}, "GET", "/api/v1/tables/film/search", "")
	if w.Code != 400 || !strings.Contains(w.Body.String(), "document 0 is larger than the maximum of a response, 16 MiB") {
		t.Errorf("one large document: got %d %.200s, want 400 and its OID", w.Code, w.Body)
	}
}

func TestErrorAfterTheFirstByteAbortsTheResponse(t *testing.T) {
	if w := serve(&largeEngine{hits: 3, bytes: 100, broken: 2}, "GET", "/api/v1/tables/film/search", ""); w.Code != 500 || !strings.Contains(w.Body.String(), "wrong checksum") {
		t.Errorf("before the first byte: got %d %s, want 500 and the error", w.Code, w.Body)
	}
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("after the first byte: got %v, want an aborted response", got)
		}
	}()
	serve(&largeEngine{hits: 3, bytes: maxBuffered, broken: 2}, "GET", "/api/v1/tables/film/search", "")
}

// Reading hits ends at the deadline of the search. Time spent in writes does not
// count.
func TestResponseEndsAtItsDeadline(t *testing.T) {
	for name, c := range map[string]struct{ hit, write time.Duration }{
		"fast client": {hit: 100 * time.Millisecond},
		"slow client": {hit: 100 * time.Millisecond, write: 20 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newSlowReader(c.write)
			e := &largeEngine{hits: 1000, bytes: 100_000, delay: c.hit}
			Handler(e, Access{}).ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/tables/film/search?size=1000", nil))
			var a search.Answer
			if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
				t.Fatalf("%s: got %d, %v", name, w.Code, err)
			}
			most := int(SearchWithin/c.hit) + 1
			if n := len(a.Hits); n < most-1 || n > most || a.Next == nil || *a.Next != "after "+strconv.Itoa(n) {
				t.Errorf("%s: got %d hits, next %v, want the %d hits of %v and a next", name, n, a.Next, most, SearchWithin)
			}
		})
	}
}

// A response keeps its slot until it is written. A stalled response is aborted
// when another search waits for a slot.
func TestStalledResponseLosesItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := NewLimits(nil)
		limits.searches.max, limits.searches.perKey = 2, 2
		h := Handler(&largeEngine{hits: 2, bytes: 100}, Access{Limits: limits})
		ended := make(chan any, 2)
		for range 2 {
			go func() {
				defer func() { ended <- recover() }()
				h.ServeHTTP(newSlowReader(time.Hour), httptest.NewRequest("GET", "/api/v1/tables/film/search", nil))
			}()
		}
		synctest.Wait()
		if limits.AbortStalled(); limits.searches.aborted.Load() != 0 {
			t.Errorf("before %v without a read: got a response aborted", stalledAfter)
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if n := len(limits.searches.running); n != 2 {
			t.Errorf("no search waits: got %d running responses, want 2", n)
		}
		w, began := httptest.NewRecorder(), time.Now()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/tables/film/search", nil))
		if took := time.Since(began); w.Code != 200 || took > checkEvery {
			t.Errorf("waiting search: got %d after %v, want 200 within %v", w.Code, took, checkEvery)
		}
		if got := <-ended; got != http.ErrAbortHandler {
			t.Errorf("stalled response: got %v, want it aborted", got)
		}
		if got := limits.searches.aborted.Load(); got != 1 {
			t.Errorf("got %d responses aborted, want 1", got)
		}
		limits.AbortStalled()
		<-ended
	})
}
