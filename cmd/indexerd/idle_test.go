package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"indexerd/internal/pgtest"
)

// What an idle daemon may take: of a core, and of the database for each window.
const (
	idleCPU = 1.0 // per cent
	idleDB  = 2.0 // milliseconds
)

// TestIdle watches a daemon that has nothing to do: films with their actors and
// categories, and customers, by default settings. It may leak nothing.
//
// IDLE_SECONDS sets for how long (make idle: 600); then what it takes is judged
// as well.
func TestIdle(t *testing.T) {
	seconds, judged := 20, false
	if s := os.Getenv("IDLE_SECONDS"); s != "" {
		var err error
		if seconds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
		judged = true
	} else if testing.Short() {
		seconds = 5
	}
	dsn, file := pagilaWith(t, `
  customer:
    source: pagila
    sql: SELECT customer_id, last_update, first_name, last_name, email, activebool FROM customer
    key: customer_id
    updated: last_update
    content: {fields: [first_name, last_name, email]}
    metadata: {activebool: boolean}
`)
	p := start(t, "run", "-c", file)
	p.ready(t)
	settle(t, p)
	first := p.takes(t, dsn)
	<-time.After(time.Duration(seconds) * time.Second)
	last := p.takes(t, dsn)

	const tables = 2
	took := last.at.Sub(first.at).Seconds()
	cpu := 100 * (last.cpu - first.cpu) / took
	db := 1000 * (last.db - first.db) / (took * tables) // one window a second and table
	verdict := "ok"
	if !judged {
		verdict = "not judged"
	} else if cpu > idleCPU || db > idleDB || last.rss > 1.1*first.rss {
		verdict = "MISS"
	}
	fmt.Printf("idle: first rss_mb=%.1f fds=%d goroutines=%d, statements_per_window=%.1f answers_ms_per_window=%.2f\n", first.rss, first.fds, first.goroutines,
		(last.statements-first.statements)/(took*tables), 1000*(last.answers-first.answers)/(took*tables))
	fmt.Printf("idle: seconds=%.0f cpu_pct=%.2f db_ms_per_window=%.2f rss_mb=%.0f fds=%d goroutines=%d %s\n", took, cpu, db, last.rss, last.fds, last.goroutines, verdict)
	if verdict == "MISS" {
		t.Errorf("got cpu %.2f %%, %.2f ms of the database a window, %.0f MB after %.0f, want at most %v %%, %v ms, and the same", cpu, db, last.rss, first.rss, idleCPU, idleDB)
	}
	if last.fds > first.fds+idleMore || last.goroutines > first.goroutines+idleMore {
		t.Errorf("got %d file handles after %d, %d goroutines after %d, want the same but for what a pass takes", last.fds, first.fds, last.goroutines, first.goroutines)
	}
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
	metrics, err := get(p.base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	figure := func(name string) float64 {
		_, after, _ := strings.Cut(string(metrics), "\n"+name+" ")
		text, _, _ := strings.Cut(after, "\n")
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("no metric %s: %v", name, err)
		}
		return v
	}
	dir := fmt.Sprintf("/proc/%d", p.cmd.Process.Pid)
	fds, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		t.Skipf("what a process takes is read from /proc: %v", err)
	}
	return taken{
		at: time.Now(), cpu: cpuOf(t, dir), rss: rssOf(t, dir), fds: len(fds), goroutines: int(figure("indexerd_go_goroutines")),
		db:      serverTime(t, dsn),
		answers: figure(`indexerd_source_statement_seconds_total{source="pagila"}`), statements: figure(`indexerd_source_statements_total{source="pagila"}`),
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

// cpuOf is the processor time of a process, in seconds: of user and system, in
// ticks of a hundredth.
func cpuOf(t *testing.T, dir string) float64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		t.Fatal(err)
	}
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		t.Fatal(err)
	}
	return float64(user+system) / 100
}

// rssOf is the memory of a process, in MB.
func rssOf(t *testing.T, dir string) float64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return float64(kb) / 1024
}
