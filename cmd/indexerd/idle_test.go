package main

import (
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/films"
)

// What an idle daemon may take where updateTime has an index: of a core, and of
// the database for each window.
const (
	idleCPU = 1.0 // per cent
	idleDB  = 2.0 // milliseconds
)

// idleCustomers is a table beside the films.
const idleCustomers = `
  customer:
    source: pagila
    sql: SELECT customer_id, last_update, first_name, last_name, email, activebool FROM customer
    key: customer_id
    updated: last_update
    content: {fields: [first_name, last_name, email]}
    metadata: {activebool: boolean}
`

// idleIndexed is films and customers whose updateTime has an index.
const idleIndexed = `data: %s
http: {listen: 127.0.0.1:0}
sources:
  pagila: {driver: postgres, dsn: %q}
tables:
  film:
    source: pagila
    sql: SELECT film_id, last_update, title, description, rating, release_year FROM film
    key: film_id
    updated: last_update
    content: {fields: [title, description]}
    metadata: {rating: keyword, release_year: number}
`

// TestIdle watches a daemon that has nothing to do, by default settings. It may
// leak nothing.
//
// IDLE_SECONDS sets for how long (make idle: 600); then what it takes is judged
// as well, where updateTime has an index. Children that are joined, and dated by
// the later of two columns, have none that a window could use: what a look at
// those costs depends on the database, so it is reported and not judged.
func TestIdle(t *testing.T) {
	seconds, judged := rounds(t, "IDLE_SECONDS", 8, 5), os.Getenv("IDLE_SECONDS") != ""
	if !judged { // no time is measured
		t.Parallel()
	}
	t.Run("indexed", func(t *testing.T) {
		dsn := films.DB(t)
		pgtest.Exec(t, dsn, "CREATE INDEX ON film (last_update); CREATE INDEX ON customer (last_update); ANALYZE film, customer")
		idles(t, dsn, writeFile(t, fmt.Sprintf(idleIndexed, freshData(t), dsn)+idleCustomers), seconds, judged)
	})
	t.Run("joined", func(t *testing.T) {
		dsn, file := pagilaWith(t, idleCustomers)
		idles(t, dsn, file, min(max(seconds/10, 3), 60), false)
	})
}

// idles prints what a daemon of two tables takes in some seconds, in a line that
// has the name of the subtest, and makes sure that nothing leaks.
func idles(t *testing.T, dsn, file string, seconds int, judged bool) {
	t.Helper()
	p := follow(t, file)
	settle(t, p)
	first := p.takes(t, dsn)
	<-time.After(time.Duration(seconds) * time.Second)
	last := p.takes(t, dsn)

	const tables = 2
	took := last.at.Sub(first.at).Seconds()
	windows := took * tables // one a second and table
	cpu := 100 * (last.cpu - first.cpu) / took
	db := 1000 * (last.db - first.db) / windows
	if judged && (cpu > idleCPU || db > idleDB || last.rss > 1.1*first.rss) {
		t.Errorf("got cpu %.2f %%, %.2f ms of the database a window, %.0f MB after %.0f, want at most %v %%, %v ms, and the same", cpu, db, last.rss, first.rss, idleCPU, idleDB)
	}
	if last.fds > first.fds+idleMore || last.goroutines > first.goroutines+idleMore {
		t.Errorf("got %d file handles after %d, %d goroutines after %d, want the same but for what a pass takes", last.fds, first.fds, last.goroutines, first.goroutines)
	}
	verdict := "ok"
	if t.Failed() {
		verdict = "MISS"
	} else if !judged {
		verdict = "not judged"
	}
	fmt.Printf("idle: config=%s seconds=%.0f cpu_pct=%.2f db_ms_per_window=%.2f answers_ms_per_window=%.2f statements_per_window=%.1f first_rss_mb=%.0f first_fds=%d first_goroutines=%d rss_mb=%.0f fds=%d goroutines=%d %s\n",
		path.Base(t.Name()), took, cpu, db, 1000*(last.answers-first.answers)/windows, (last.statements-first.statements)/windows,
		first.rss, first.fds, first.goroutines, last.rss, last.fds, last.goroutines, verdict)
}

// idleMore is what one pass under way may have open.
const idleMore = 12

// settle waits until both tables have been compared, and what the load has left
// is merged.
func settle(t *testing.T, p *proc) {
	t.Helper()
	eventually(t, time.Minute, "every table is settled exactly", func() error {
		for _, s := range p.status(t).Tables {
			if s.Settled.Mode != "exact" || s.LagS == nil {
				return fmt.Errorf("%s: %+v", s.Table, s.Settled)
			}
		}
		return nil
	})
	<-time.After(3 * time.Second)
}

// taken is what a daemon has taken so far.
type taken struct {
	at              time.Time
	cpu, db         float64 // seconds
	answers         float64 // seconds, as the daemon waits for them beside whatever else runs here
	statements      float64
	rss             float64 // MB
	fds, goroutines int
}

func (p *proc) takes(t *testing.T, dsn string) taken {
	t.Helper()
	metrics := p.metrics(t)
	fds, err := p.handles()
	if err != nil {
		t.Skipf("what a process takes is read from /proc: %v", err)
	}
	return taken{
		at: time.Now(), cpu: p.cpu(t), rss: p.memory(t, "VmRSS"), fds: fds, goroutines: int(metrics.must(t, "indexerd_go_goroutines")),
		db:      serverTime(t, dsn),
		answers: metrics.must(t, `indexerd_source_statement_seconds_total{source="pagila"}`), statements: metrics.must(t, `indexerd_source_statements_total{source="pagila"}`),
	}
}

// serverTime is the processor time of the server's processes that work for the
// daemon, in seconds.
func serverTime(t *testing.T, dsn string) float64 {
	t.Helper()
	sum := 0.0
	for _, pid := range pgtest.Value[[]int32](t, dsn, "SELECT array_agg(pid) FROM pg_stat_activity WHERE application_name = 'indexerd' AND datname = current_database()") {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if err != nil {
			t.Skipf("what a server takes is read from /proc: %v", err)
		}
		ns, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += ns / 1e9
	}
	return sum
}
