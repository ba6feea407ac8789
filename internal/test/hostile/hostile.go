// Package hostile judges a handler of searches by requests that are expensive or invalid:
// each ends soon after its deadline, and ordinary requests beside them take hardly longer.
// HOSTILE_N is how many requests a test sends.
package hostile

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A Draw draws a request.
type Draw func(*rand.Rand) *http.Request

// request returns the ith request of a test.
func (d Draw) request(i int) *http.Request { return d(rand.New(rand.NewPCG(7, uint64(i)))) }

// grace is how long after its deadline a request may end on a busy machine.
const grace = 10 * time.Second

// Test sends requests with a deadline, one by one. Every answer has one of the regular
// statuses, and some have 200, 400 and 413.
func Test(t *testing.T, h http.Handler, d Draw, within time.Duration, regular ...int) {
	n, _ := strconv.Atoi(cmp.Or(os.Getenv("HOSTILE_N"), "100"))
	regular = append(regular, 200, 400, 413)
	seen := map[int]int{}
	var late time.Duration
	for i := range n {
		req := d.request(i)
		w, began := httptest.NewRecorder(), time.Now()
		h.ServeHTTP(w, req)
		seen[w.Code]++
		took := time.Since(began)
		late = max(late, took-within)
		if !slices.Contains(regular, w.Code) || took > within+grace {
			t.Errorf("request %d, %s: %d after %v: %.300s", i, req.URL.Path, w.Code, took, w.Body)
		}
	}
	t.Logf("%d requests, responses by status: %v; the slowest ended %v after its deadline", n, seen, late)
	if seen[200] == 0 || seen[400] == 0 || seen[413] == 0 {
		t.Errorf("responses by status: %v, want some 200, 400 and 413", seen)
	}
}

// Bench sends hostile requests beside ordinary ones. It reports how much slower the ordinary
// ones are, how long the slowest hostile one took, and how long after its deadline it ended.
func Bench(b *testing.B, h http.Handler, d, ordinary Draw, within time.Duration) {
	alone := p99(b, h, ordinary)
	var slowest, beside time.Duration
	ctx, cancel := context.WithCancel(b.Context())
	var sending sync.WaitGroup
	sending.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			began := time.Now()
			h.ServeHTTP(httptest.NewRecorder(), d.request(i))
			slowest = max(slowest, time.Since(began))
		}
	})
	b.ResetTimer()
	for b.Loop() {
		beside = max(beside, p99(b, h, ordinary))
	}
	cancel()
	sending.Wait()
	b.ReportMetric(float64(beside)/float64(alone), "p99-ratio")
	b.ReportMetric(float64(max(slowest-within, 0).Milliseconds()), "ms-late")
	b.ReportMetric(float64(slowest.Milliseconds()), "ms-slowest")
	b.ReportMetric(0, "ns/op")
}

// p99 sends ordinary requests and returns the 99th percentile of their durations.
func p99(b *testing.B, h http.Handler, ordinary Draw) time.Duration {
	b.Helper()
	r := rand.New(rand.NewPCG(3, 3))
	took := make([]time.Duration, 1000)
	for i := range took {
		req := ordinary(r)
		w, began := httptest.NewRecorder(), time.Now()
		h.ServeHTTP(w, req)
		if took[i] = time.Since(began); w.Code != http.StatusOK {
			b.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}
