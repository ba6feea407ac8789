package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/search"
)

// A heavyEngine finds so many documents, each with a text of so many bytes.
type heavyEngine struct {
	fakeEngine
	hits, bytes int
	broken      int           // the hit that can't be read; 0: none
	each        time.Duration // what a hit takes to make
	read        atomic.Int64  // hits that were made
}

func (h *heavyEngine) Search(_ context.Context, table string, _ search.Params) (search.Results, error) {
	r := resultsOf(table, make([]search.Hit, h.hits)...)
	r.Hit = func(_ context.Context, i int) (search.Hit, error) {
		h.read.Add(1)
		time.Sleep(h.each)
		if h.broken > 0 && i == h.broken {
			return search.Hit{}, errors.New("wrong checksum")
		}
		return search.Hit{OID: strconv.Itoa(i), Fields: search.Fields{{Name: "text", Value: strings.Repeat("x", h.bytes)}}}, nil
	}
	r.Next = func(n int) *string {
		next := "after " + strconv.Itoa(n)
		return &next
	}
	return r, nil
}

// An answer has as many hits as fit, and says where to go on.
func TestAnswersAreBounded(t *testing.T) {
	e := &heavyEngine{hits: 1000, bytes: 1 << 20}
	w := serve(e, "GET", "/api/v1/tables/film/search?size=1000", "")
	var a search.Answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
		t.Fatalf("got %d, %v", w.Code, err)
	}
	if n := len(a.Hits); n != 15 || a.Next == nil || *a.Next != "after 15" || e.read.Load() != 16 {
		t.Errorf("got %d hits of %d that were read, next %v; want 15 of 16, and what follows them", n, e.read.Load(), a.Next)
	}
	if w.Body.Len() > maxAnswer+heldAnswer {
		t.Errorf("got %d bytes, want about %d at most", w.Body.Len(), maxAnswer)
	}
	w = serve(&heavyEngine{hits: 2, bytes: maxAnswer}, "GET", "/api/v1/tables/film/search", "")
	if w.Code != 400 || !strings.Contains(w.Body.String(), "document 0 alone is larger than an answer may be, 16 MiB") {
		t.Errorf("one document that is too large: got %d %.200s, want 400 and which one", w.Code, w.Body)
	}
}

// An error before the first byte is an answer; behind it the answer ends, so
// that no client takes half of it for the whole.
func TestErrorsInAnswers(t *testing.T) {
	if w := serve(&heavyEngine{hits: 3, bytes: 100, broken: 2}, "GET", "/api/v1/tables/film/search", ""); w.Code != 500 || !strings.Contains(w.Body.String(), "wrong checksum") {
		t.Errorf("a short one: got %d %s, want 500 and the error", w.Code, w.Body)
	}
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			t.Errorf("a long one: got %v, want the answer cut off", got)
		}
	}()
	serve(&heavyEngine{hits: 3, bytes: heldAnswer, broken: 2}, "GET", "/api/v1/tables/film/search", "")
}

// A slowClient takes its time for each piece of an answer.
type slowClient struct {
	*httptest.ResponseRecorder
	each time.Duration
}

func (s slowClient) Write(p []byte) (int, error) {
	time.Sleep(s.each)
	return s.ResponseRecorder.Write(p)
}

// The work of an answer ends at the deadline of its search, with the hits that
// were made by then; what a client takes to read them is not work.
func TestWorkOfAnswersIsBounded(t *testing.T) {
	for name, c := range map[string]struct{ each, read time.Duration }{
		"a client that reads at once": {each: 100 * time.Millisecond},
		"a slow client":               {each: 100 * time.Millisecond, read: 20 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := slowClient{httptest.NewRecorder(), c.read}
			e := &heavyEngine{hits: 1000, bytes: 100_000, each: c.each}
			Handler(e, Access{}).ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/tables/film/search?size=1000", nil))
			var a search.Answer
			if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
				t.Fatalf("%s: got %d, %v", name, w.Code, err)
			}
			most := int(SearchWithin/c.each) + 1
			if n := len(a.Hits); n < most-1 || n > most || a.Next == nil || *a.Next != "after "+strconv.Itoa(n) {
				t.Errorf("%s: got %d hits, next %v, want the %d of %v of work, and what follows them", name, n, a.Next, most, SearchWithin)
			}
		})
	}
}

// An unread is a client that does not read its answer.
type unread struct {
	*httptest.ResponseRecorder
	cut chan struct{}
}

func (u unread) Write([]byte) (int, error) {
	<-u.cut
	return 0, errors.New("i/o timeout")
}

func (u unread) SetWriteDeadline(at time.Time) error {
	if at.Before(time.Now()) {
		close(u.cut)
	}
	return nil
}

// An answer keeps its turn until it is written, and loses it to a search that
// waits when it is not read.
func TestUnreadAnswersGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := NewLimits(nil)
		limits.searches.most, limits.searches.share = 2, 2
		h := Handler(&heavyEngine{hits: 2, bytes: 100}, Access{Limits: limits})
		var cut [2]chan struct{}
		ended := make(chan any, len(cut))
		for i := range cut {
			cut[i] = make(chan struct{})
			go func() {
				defer func() { ended <- recover() }()
				h.ServeHTTP(unread{httptest.NewRecorder(), cut[i]}, httptest.NewRequest("GET", "/api/v1/tables/film/search", nil))
			}()
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if n := len(limits.searches.running); n != 2 {
			t.Errorf("no search waits: %d answers have their turns, want 2", n)
		}
		w, began := httptest.NewRecorder(), time.Now()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/tables/film/search", nil))
		if took := time.Since(began); w.Code != 200 || took > lookEvery {
			t.Errorf("a search that waits: got %d after %v, want 200 after %v", w.Code, took, lookEvery)
		}
		if got := <-ended; got != http.ErrAbortHandler {
			t.Errorf("the unread answer: got %v, want it cut off", got)
		}
		if got := limits.searches.cuts.Load(); got != 1 {
			t.Errorf("%d answers were cut off, want 1", got)
		}
		limits.CutStalled()
		<-ended
	})
}

// Turns go first to the party that has fewest, and no client or token has all.
func TestTurnsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &searchLimit{most: 4, share: 3, wait: time.Second, within: 5 * time.Second}
		mob, shop := func(client byte) party { return party{address(client), 1} }, party{address(1), 2}
		var refused atomic.Int64
		search := func(who party, d time.Duration) (began time.Time) {
			err := l.do(t.Context(), who, func(context.Context, *turn) error {
				began = time.Now()
				time.Sleep(d)
				return nil
			})
			if err != nil {
				refused.Add(1)
			}
			return began
		}
		for i := range 10 { // one token from many addresses
			go search(mob(byte(2+i)), 600*time.Millisecond)
		}
		synctest.Wait()
		if n := len(l.running); n != 3 {
			t.Fatalf("%d searches with one token are under way, want 3", n)
		}
		now := time.Now()
		if began := search(shop, 0); !began.Equal(now) {
			t.Errorf("another token waited %v, want no time", began.Sub(now))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if refused.Load() == 0 || len(l.running) != 0 || len(l.waiting) != 0 {
			t.Errorf("%d refused, %d under way, %d wait; want some and none", refused.Load(), len(l.running), len(l.waiting))
		}
		l = &searchLimit{most: 2, share: 2, wait: time.Second, within: 5 * time.Second}
		for range 5 {
			go search(party{client: address(2)}, 100*time.Millisecond)
		}
		synctest.Wait()
		now = time.Now()
		if began := search(party{client: address(1)}, 0); began.Sub(now) != 100*time.Millisecond {
			t.Errorf("a client without searches waited %v behind those of one with many, want 100ms: the next turn", began.Sub(now))
		}
		time.Sleep(time.Minute)
	})
}

func address(n byte) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{127, 0, 0, n}), 32)
}
