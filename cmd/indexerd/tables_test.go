package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// What a daemon with many tables may take on two quiet cores, judged by `make
// many`. Times are judged on a machine that does nothing else.
const (
	tablesReady      = 20 * time.Second
	tablesRestart    = 10 * time.Second
	tablesIdleCPU    = 4.0  // per cent of a core; 1 with up to 36 tables
	tablesStatements = 10.0 // a second, while nothing changes
	tablesDB         = 2.0  // milliseconds of the database a second, while nothing changes
	tablesFresh      = 3 * time.Second
	tablesRSS        = 500.0 // MB
	tablesFiles      = 4.0   // open files a table
	rowsOfTable      = 200
	changesPerSecond = 20
)

// TestTables runs a daemon with many tables of 200 rows, half of them without
// updateTime: load, restart, idle, and changes of random tables. MANY_TABLES sets
// how many (make many); then what it takes is judged. MANY_SECONDS sets how long it is
// idle, and how long rows change.
func TestTables(t *testing.T) {
	tables, judged := rounds(t, "MANY_TABLES", 12, 12), os.Getenv("MANY_TABLES") != ""
	seconds := 3
	if judged {
		seconds = rounds(t, "MANY_SECONDS", 30, 30)
	} else {
		t.Parallel()
	}
	m := newTables(t, tables)
	m.load(t)
	m.restart(t)
	m.idle(t, seconds, judged)
	m.change(t, seconds)
	m.print(t, judged)
}

// A tablesRun is a daemon with many tables, and what it took.
type tablesRun struct {
	*proc
	dsn, config string
	tables      int

	ready, restarted       time.Duration
	readyCPU, restartCPU   float64 // seconds
	idleCPU, changeCPU     float64 // per cent
	statements, db         float64 // a second, idle; of db milliseconds
	changeStatements       float64 // a second
	fresh                  []time.Duration
	lag                    float64 // seconds, the worst while rows change
	rss, files, goroutines float64 // files is open files a table
}

func newTables(t *testing.T, tables int) *tablesRun {
	t.Helper()
	m := &tablesRun{dsn: pgtest.DB(t), tables: tables}
	var yaml, ddl strings.Builder
	fmt.Fprintf(&yaml, "data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  pagila: {driver: postgres, dsn: %q}\ntables:\n", freshData(t), m.dsn)
	for i := range tables {
		columns, updated := "id, updated, body", "updated: updated, "
		if i%2 == 1 { // followed by comparison
			columns, updated = "id, body", ""
		}
		fmt.Fprintf(&ddl, `CREATE TABLE t%[1]d (id int PRIMARY KEY, updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL) WITH (autovacuum_enabled = off);
			CREATE INDEX ON t%[1]d (updated);
			INSERT INTO t%[1]d SELECT i, now(), 'the first text of row ' || i FROM generate_series(1, %[2]d) i;`, i, rowsOfTable)
		fmt.Fprintf(&yaml, "  t%[1]d: {source: pagila, sql: 'SELECT %[2]s FROM t%[1]d', key: id, %[3]scontent: {fields: [body]}}\n", i, columns, updated)
		if i%100 == 99 || i == tables-1 { // one transaction would hold too many locks
			pgtest.Exec(t, m.dsn, ddl.String())
			ddl.Reset()
		}
	}
	pgtest.Exec(t, m.dsn, "VACUUM ANALYZE") // else autovacuum analyzes the catalog while the daemon idles
	m.config = writeFile(t, yaml.String())
	return m
}

// load starts the daemon for the first time.
func (m *tablesRun) load(t *testing.T) {
	t.Helper()
	began := time.Now()
	m.proc = start(t, "run", "-c", m.config)
	eventually(t, 20*time.Minute, "every table is loaded", func() error {
		<-time.After(200 * time.Millisecond)
		_, err := get(m.base + "/readyz")
		return err
	})
	m.ready = time.Since(began)
	m.readyCPU = m.cpu(t)
	m.follows(t)
}

// follows waits until every table has read a window, and is settled.
func (m *tablesRun) follows(t *testing.T) {
	t.Helper()
	eventually(t, 10*time.Minute, "every table follows", func() error {
		<-time.After(200 * time.Millisecond)
		for _, s := range m.status(t).Tables {
			if s.LagS == nil || s.State != "following" || s.Documents != rowsOfTable {
				return fmt.Errorf("%s: %s, %d documents", s.Table, s.State, s.Documents)
			}
		}
		return nil
	})
}

// restart ends the daemon and starts it again.
func (m *tablesRun) restart(t *testing.T) {
	t.Helper()
	m.stop(t)
	began := time.Now()
	m.proc = start(t, "run", "-c", m.config)
	m.follows(t)
	m.restarted, m.restartCPU = time.Since(began), m.cpu(t)
}

// idle watches the daemon while nothing changes, not even a table's statistics, when
// each table was compared once after the start. Where that is not judged, commits of
// other tests keep the daemon busy.
func (m *tablesRun) idle(t *testing.T, seconds int, judged bool) {
	t.Helper()
	<-time.After(min(time.Duration(seconds)*time.Second, 15*time.Second)) // what the load left is merged
	if judged {
		eventually(t, 10*time.Minute, "the daemon idles", func() error {
			first := m.takes(t, m.dsn)
			<-time.After(3 * time.Second)
			if last := m.takes(t, m.dsn); last.statements-first.statements > 3*tablesStatements {
				return fmt.Errorf("%.0f statements in %v", last.statements-first.statements, last.at.Sub(first.at))
			}
			return nil
		})
	}
	first := m.takes(t, m.dsn)
	<-time.After(time.Duration(seconds) * time.Second)
	m.idleCPU = 100 * (m.cpu(t) - first.cpu) / time.Since(first.at).Seconds() // without answering the next request
	last := m.takes(t, m.dsn)
	took := last.at.Sub(first.at).Seconds()
	m.statements, m.db = (last.statements-first.statements)/took, 1000*(last.db-first.db)/took
	m.rss, m.files, m.goroutines = last.rss, float64(m.filesOfTables(t))/float64(m.tables), float64(last.goroutines)
}

// filesOfTables is how many files of tables the daemon has open.
func (m *tablesRun) filesOfTables(t *testing.T) (n int) {
	t.Helper()
	links, err := filepath.Glob(filepath.Join(m.kernelDir(), "fd", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if file, err := os.Readlink(link); err == nil && strings.Contains(file, "/data/t") {
			n++
		}
	}
	return n
}

// change changes rows of random tables, and measures when each change is found,
// and how far the tables lag.
func (m *tablesRun) change(t *testing.T, seconds int) {
	t.Helper()
	writer := pgtest.Connect(t, m.dsn)
	var searches sync.WaitGroup
	var mu sync.Mutex
	tick := time.NewTicker(time.Second / changesPerSecond)
	defer tick.Stop()
	first := m.takes(t, m.dsn)
	changed := map[string]time.Time{} // when, by table
	write := func(n int) (table, word string, committed time.Time) {
		<-tick.C
		table, word = fmt.Sprintf("t%d", rand.IntN(m.tables)), fmt.Sprintf("change%d", n)
		if _, err := writer.Exec(t.Context(), fmt.Sprintf("UPDATE %s SET body = $1, updated = now() WHERE id = $2", table), word, 1+n%rowsOfTable); err != nil {
			t.Fatal(err)
		}
		changed[table] = time.Now()
		return table, word, changed[table]
	}
	for n := range seconds * changesPerSecond {
		table, word, committed := write(n)
		searches.Go(func() {
			took, err := m.findWithin(table, word, committed)
			mu.Lock()
			defer mu.Unlock()
			if m.fresh = append(m.fresh, took); err != nil {
				t.Error(err)
			}
		})
		if n%(2*changesPerSecond) == 0 {
			asked := time.Now()
			for _, s := range m.status(t).Tables {
				if asked.Sub(changed[s.Table]) > 2*tablesFresh { // S of one that just changed may be old
					m.lag = max(m.lag, *s.LagS)
				}
			}
		}
	}
	last := m.takes(t, m.dsn)
	var found atomic.Bool
	go func() { searches.Wait(); found.Store(true) }()
	for n := seconds * changesPerSecond; !found.Load(); n++ {
		write(n) // a session that idles reports its counters 10 s later
	}
	took := last.at.Sub(first.at).Seconds()
	m.changeCPU, m.changeStatements = 100*(last.cpu-first.cpu)/took, (last.statements-first.statements)/took
}

// findWithin searches a word until the table has it, and returns how long that
// took.
func (m *tablesRun) findWithin(table, word string, since time.Time) (time.Duration, error) {
	for {
		answer, err := get(m.base + "/api/v1/tables/" + table + "/search?size=0&q=" + word)
		switch {
		case err != nil:
			return 0, err
		case strings.Contains(string(answer), `"total":1`):
			return time.Since(since), nil
		case time.Since(since) > 2*time.Minute:
			return time.Since(since), errors.New(table + ": a change is not found")
		}
		<-time.After(100 * time.Millisecond)
	}
}

// print prints what the daemon took, and judges it.
func (m *tablesRun) print(t *testing.T, judged bool) {
	t.Helper()
	slices.Sort(m.fresh)
	p99 := m.fresh[len(m.fresh)*99/100]
	cpu := tablesIdleCPU
	if m.tables <= 36 {
		cpu = idleCPU
	}
	verdict := "not judged"
	if judged {
		verdict = "ok"
	}
	miss := m.ready > tablesReady || m.restarted > tablesRestart || m.idleCPU > cpu || m.statements > tablesStatements || m.db > tablesDB ||
		p99 > tablesFresh || m.lag > tablesFresh.Seconds() || m.rss > tablesRSS || m.files > tablesFiles
	if judged && miss {
		verdict = "MISS"
		t.Fail()
	}
	fmt.Printf("many: tables=%d ready_s=%.1f ready_cpu_s=%.1f restart_s=%.1f restart_cpu_s=%.1f idle_cpu_pct=%.2f statements_per_s=%.1f db_ms_per_s=%.2f "+
		"fresh_p50_ms=%d fresh_p99_ms=%d worst_lag_s=%.1f changes_cpu_pct=%.1f changes_statements_per_s=%.1f rss_mib=%.0f files_per_table=%.2f goroutines=%.0f %s\n",
		m.tables, m.ready.Seconds(), m.readyCPU, m.restarted.Seconds(), m.restartCPU, m.idleCPU, m.statements, m.db,
		m.fresh[len(m.fresh)/2].Milliseconds(), p99.Milliseconds(), m.lag, m.changeCPU, m.changeStatements, m.rss, m.files, m.goroutines, verdict)
}
