package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// What p99 may be of p50, of one search of many clients, and of p99 alone, while slow
// searches, a load or merges run.
const (
	manySpread = 4.0
	manyBeside = 1.5

	manyRounds = 5 // of which the median counts
)

// BenchmarkSearchMany prints what searches over HTTP take of 1, 8 and 64 clients at once:
// searches a second, alone and for each processor that the daemon used, and p50 and p99.
// Then the same for 8 clients beside clients whose searches are slow, while another table
// is loaded, and while rows are changed and segments merged, each time when the daemon has
// nothing else to do. INDEXERD_ROWS is the number of rows.
func BenchmarkSearchMany(b *testing.B) {
	rows := rounds(b, "INDEXERD_ROWS", 100_000, 100_000)
	all := besideTexts(b, rows)
	dsn := textTable(b, all)
	config := textConfig(dsn, filepath.Join(b.TempDir(), "data"))
	_, table, _ := strings.Cut(config, "  text:\n")
	p := start(b, "run", "-c", writeFile(b, config+"  other:\n"+table))
	p.readyWithin(b, time.Hour)
	settledCPU(b, p, func() {})
	m := searchMany{b: b, p: p}
	for _, q := range besideSearches(all) {
		if !strings.HasPrefix(q.name, "OR of 32") {
			m.mixed = append(m.mixed, q.params())
		}
		if q.name == "AND of two" {
			m.one = q.params()
		}
	}
	m.slow = m.slowQuery(all)
	m.print(dsn)
}

// A searchMany measures searches of several clients.
type searchMany struct {
	b      *testing.B
	p      *proc
	one    url.Values
	mixed  []url.Values
	slow   string
	missed []string
}

// A manyTimes is what searches of several clients took.
type manyTimes struct {
	searches, refused int
	seconds, cpu      float64
	p50, p99          float64 // ms
}

func (t manyTimes) String() string {
	return fmt.Sprintf("%.0f a second, %.0f a second of CPU, p50/p99 %.2f/%.2f ms, %.1f times, %d refused", float64(t.searches)/t.seconds, float64(t.searches)/t.cpu, t.p50, t.p99, t.p99/t.p50, t.refused)
}

// slowQuery is a query of the most frequent words, of which each search takes all.
func (m *searchMany) slowQuery(all []bodyText) string {
	texts := make([]string, min(len(all), 5000))
	for i := range texts {
		texts[i] = all[i].Text
	}
	counted, _ := countWords(texts)
	words := make([]string, min(len(counted), 400))
	for i := range words {
		words[i] = counted[i].word
	}
	return strings.Join(words, " OR ")
}

func (m *searchMany) print(dsn string) {
	for _, n := range []int{1, 8, 64} {
		var all []manyTimes
		for range manyRounds {
			all = append(all, m.clients(n, m.one))
		}
		one, mixed := medianTimes(all), m.clients(n, m.mixed...)
		fmt.Printf("%2d clients, AND of two: %v\n%2d clients, mixed:      %v\n", n, one, n, mixed)
		if n > 1 && one.p99 > manySpread*one.p50 {
			m.missed = append(m.missed, fmt.Sprintf("%d clients: p99 %.1f times p50", n, one.p99/one.p50))
		}
	}
	slow := func(ctx context.Context) {
		var clients sync.WaitGroup
		for range 2 * runtime.GOMAXPROCS(0) {
			clients.Go(func() {
				for ctx.Err() == nil {
					_, _ = m.ask(ctx, url.Values{"q": {m.slow}, "strict": {"true"}}) // it may be refused
				}
			})
		}
		clients.Wait()
	}
	m.beside("slow searches", slow)
	m.beside("a load", func(context.Context) { m.reload("other") })
	m.beside("changes and merges", func(ctx context.Context) {
		for from := 0; ctx.Err() == nil; from++ {
			pgtest.Exec(m.b, dsn, fmt.Sprintf("UPDATE text SET updated = clock_timestamp(), body = body || ' again' WHERE oid %% 100 = %d", from%100))
			<-time.After(time.Second / 2)
		}
	})
	verdict := "ok"
	if len(m.missed) > 0 {
		verdict = "MISS: " + strings.Join(m.missed, "; ")
	}
	fmt.Printf("search-many: processors=%d %s\n", runtime.GOMAXPROCS(0), verdict)
}

// reload loads a table again.
func (m *searchMany) reload(table string) {
	response, err := http.Post(m.p.base+"/api/v1/tables/"+table+"/reload", "", nil)
	if err == nil {
		response.Body.Close()
	}
	if err != nil || response.StatusCode != http.StatusAccepted {
		m.b.Errorf("reload %s: %v: %v", table, response, err)
	}
}

// beside measures 8 clients alone and while something runs, in turn, and prints those of the
// medians.
func (m *searchMany) beside(what string, run func(context.Context)) {
	var alone, beside []manyTimes
	for range manyRounds {
		settledCPU(m.b, m.p, func() {}) // a load or merges of the round before may still run
		alone = append(alone, m.clients(8, m.one))
		ctx, stop := context.WithCancel(m.b.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); run(ctx) }()
		<-time.After(200 * time.Millisecond)
		beside = append(beside, m.clients(8, m.one))
		stop()
		<-ended
	}
	t, quiet := medianTimes(beside), medianTimes(alone)
	fmt.Printf(" 8 clients beside %s: %v; alone %v; p99 %.1f times\n", what, t, quiet, t.p99/quiet.p99)
	if t.p99 > manyBeside*quiet.p99 {
		m.missed = append(m.missed, fmt.Sprintf("beside %s: p99 %.1f times", what, t.p99/quiet.p99))
	}
}

// medianTimes returns the times of the median p99.
func medianTimes(all []manyTimes) manyTimes {
	slices.SortFunc(all, func(a, b manyTimes) int { return cmp.Compare(a.p99, b.p99) })
	return all[len(all)/2]
}

// clients has so many clients ask for searches in turn.
func (m *searchMany) clients(n int, searches ...url.Values) (t manyTimes) {
	m.b.Helper()
	var mu sync.Mutex
	var took []float64
	var clients sync.WaitGroup
	lasting := 2 * searchFor()
	before, began := m.p.cpu(m.b), time.Now()
	for i := range n {
		clients.Go(func() {
			for k := i; time.Since(began) < lasting; k++ {
				at := time.Now()
				status, err := m.ask(m.b.Context(), searches[k%len(searches)])
				ms := time.Since(at).Seconds() * 1000
				mu.Lock()
				switch {
				case err != nil:
					m.b.Error(err)
				case status == http.StatusTooManyRequests:
					t.refused++
				case status != http.StatusOK:
					m.b.Errorf("status %d", status)
				default:
					took = append(took, ms)
				}
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	t.searches, t.seconds, t.cpu = len(took), time.Since(began).Seconds(), m.p.cpu(m.b)-before
	slices.Sort(took)
	if len(took) > 0 {
		t.p50, t.p99 = took[len(took)/2], took[len(took)*99/100]
	}
	return t
}

// manyClient keeps a connection for each client.
var manyClient = http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

func (m *searchMany) ask(ctx context.Context, params url.Values) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.p.base+"/api/v1/tables/text/search?"+params.Encode(), http.NoBody)
	if err != nil {
		return 0, err
	}
	response, err := manyClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}
