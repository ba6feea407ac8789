package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// A many is a daemon with many tables of three databases: a PostgreSQL with few
// connections, a SQLite file, and one that is down. One table has slow rows.
type many struct {
	*proc
	dsn    string
	tables int // of the PostgreSQL: t0, t1 and so on
}

// sleepy is the table whose rows are slow, fileTables how many the file has.
const (
	sleepy     = 2
	fileTables = 5
)

func newMany(t *testing.T, tables int) *many {
	t.Helper()
	m := &many{dsn: pgtest.DB(t), tables: tables}
	file := filepath.Join(t.TempDir(), "file.db")
	writer := openSQLite(t, file)
	var yaml strings.Builder
	fmt.Fprintf(&yaml, "data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n", t.TempDir())
	fmt.Fprintf(&yaml, "  pg: {driver: postgres, dsn: %q, limits: {connections: 5}}\n  file: {driver: sqlite, dsn: %q}\n", m.dsn, file)
	fmt.Fprintf(&yaml, "  down: {driver: postgres, dsn: 'postgres://none@127.0.0.1:1/none?sslmode=disable'}\ntables:\n")
	table := func(source, name, body string) {
		fmt.Fprintf(&yaml, "  %s: {source: %s, sql: 'SELECT id, updated, %s AS body FROM %s', key: id, updated: updated, content: {fields: [body]}}\n", name, source, body, name)
	}
	for i := range tables {
		pgtest.Exec(t, m.dsn, fmt.Sprintf(`CREATE TABLE t%[1]d (id int PRIMARY KEY, updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL);
			CREATE INDEX ON t%[1]d (updated); INSERT INTO t%[1]d SELECT i, now(), 'first' FROM generate_series(1, 30) i`, i))
		body := "body"
		if i == sleepy {
			body = "body || coalesce(nullif(pg_sleep(0.02)::text, ''), '')"
		}
		table("pg", fmt.Sprintf("t%d", i), strings.ReplaceAll(body, "'", "''"))
	}
	for i := range fileTables {
		execute(t, writer, fmt.Sprintf(`CREATE TABLE f%[1]d (id INTEGER PRIMARY KEY, updated TEXT, body TEXT);
			CREATE INDEX f%[1]d_updated ON f%[1]d (updated); INSERT INTO f%[1]d VALUES (1, strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now'), 'first')`, i))
		table("file", fmt.Sprintf("f%d", i), "body")
	}
	table("down", "absent", "body")
	m.proc = start(t, "run", "-c", writeFile(t, yaml.String()))
	return m
}

// following waits until the tables from the first on that the PostgreSQL has,
// and those of the file, have a window not older than that.
func (m *many) following(t *testing.T, first int, lag time.Duration) {
	t.Helper()
	eventually(t, time.Minute, "the healthy tables follow", func() error {
		for _, s := range m.status(t).Tables {
			n, err := strconv.Atoi(strings.TrimPrefix(s.Table, "t"))
			if s.Source == "down" || err == nil && n < first {
				continue
			}
			if s.State != "following" || s.LagS == nil || *s.LagS > lag.Seconds() {
				return fmt.Errorf("%s: %s, lag %v", s.Table, s.State, s.LagS)
			}
		}
		return nil
	})
}

// One table is locked, one has lost a column, one has slow rows, one database is
// down: all others go on, and status shows what is wrong with each. MANY_TABLES
// sets how many there are (make many: 30); then the lock is held until its
// table fails, the others' lag is watched all the while, and what was broken has
// to recover.
func TestManyTables(t *testing.T) {
	t.Parallel()
	tables := 8
	long := os.Getenv("MANY_TABLES")
	if long != "" {
		var err error
		if tables, err = strconv.Atoi(long); err != nil || tables < 4 {
			t.Fatalf("MANY_TABLES: got %q, want a number from 4", long)
		}
	}
	m := newMany(t, tables)
	m.following(t, 0, time.Minute)

	locker := pgtest.Connect(t, m.dsn)
	lock, err := locker.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Exec(t.Context(), "LOCK TABLE t0 IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, m.dsn, "ALTER TABLE t1 DROP COLUMN body")
	for i := 2; i < tables; i++ {
		pgtest.Exec(t, m.dsn, fmt.Sprintf("UPDATE t%d SET body = 'second', updated = now()", i))
	}
	for i := 2; i < tables; i++ {
		eventually(t, time.Minute, fmt.Sprintf("t%d is up to date", i), func() error {
			if got := m.search(t, fmt.Sprintf("t%d", i), "second", "size=0").Total; got != 30 {
				return fmt.Errorf("%d rows of 30", got)
			}
			return nil
		})
	}
	m.as("").fails(t, "t1", `column "body" does not exist`)
	m.as("").fails(t, "absent", "connect to 127.0.0.1:1/none")
	m.following(t, 2, 20*time.Second)
	if long != "" {
		m.watchLag(t, time.Duration(rounds(t, "MANY_SECONDS", 15, 15))*time.Second, 20*time.Second)
		m.as("").fails(t, "t0", "table locked by another session")
	}
	m.sources(t)
	if err := lock.Rollback(context.Background()); err != nil {
		t.Fatal(err)
	}
	if long != "" {
		pgtest.Exec(t, m.dsn, "ALTER TABLE t1 ADD COLUMN body text NOT NULL DEFAULT 'third'")
		m.following(t, 0, 20*time.Second)
		fmt.Printf("many: tables=%d ok\n", tables+fileTables+1)
	}
}

// watchLag watches the healthy tables for a while.
func (m *many) watchLag(t *testing.T, during, most time.Duration) {
	t.Helper()
	worst := 0.0
	for began := time.Now(); time.Since(began) < during; <-time.After(200 * time.Millisecond) {
		for _, s := range m.status(t).Tables {
			if s.Table == "t0" || s.Table == "t1" || s.LagS == nil {
				continue
			}
			if worst = max(worst, *s.LagS); worst > most.Seconds() {
				t.Fatalf("%s lags %.1f s beside a locked table, want at most %v", s.Table, *s.LagS, most)
			}
		}
	}
	t.Logf("the worst lag beside a locked table: %.1f s", worst)
}

// sources checks what is said of the databases, and that the limit is kept.
func (m *many) sources(t *testing.T) {
	t.Helper()
	for _, s := range m.status(t).Sources {
		if up := s.Source != "down"; s.Connected != up || (s.Error == nil) != up {
			t.Errorf("source %s: got connected %v, error %v, want connected %v", s.Source, s.Connected, s.Error, up)
		}
	}
	if n := pgtest.Value[int](t, m.dsn, "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'indexerd'"); n > 5 || n == 0 {
		t.Errorf("connections: got %d, want 1 to 5", n)
	}
	metrics := m.metrics(t)
	for _, want := range []string{`indexerd_source_statements_total{source="file"} `, `indexerd_source_slow{source="pg"} 0`, `indexerd_source_quiet{source="pg"} 0`} {
		if !strings.Contains(string(metrics), want) {
			t.Errorf("metrics: got no %q", want)
		}
	}
}

// In quiet hours a table that is loaded is followed, and another is not loaded;
// a caller gets the reason.
func TestQuietHours(t *testing.T) {
	t.Parallel()
	dsn, data := lateTable(t), t.TempDir()
	config := lateConfig(dsn, data, "{every: 500ms}")
	p := follow(t, writeFile(t, config))
	p.stop(t)

	now := time.Now()
	quiet := fmt.Sprintf("%s-%s", now.Add(-2*time.Hour).Format("15:04"), now.Add(2*time.Hour).Format("15:04"))
	config = strings.Replace(config, "driver: postgres,", "driver: postgres, limits: {quiet: '"+quiet+"'},", 1)
	config = strings.Replace(config, "compensate:", "deletecheck: {every: 1s}\n    compensate:", 1)
	config += "  other: {source: db, sql: 'SELECT id, updated, body FROM note', key: id, updated: updated, content: {fields: [body]}}\n"
	p = start(t, "run", "-c", writeFile(t, config))
	pgtest.Exec(t, dsn, "INSERT INTO note (id, body) VALUES (1000, 'followed')")
	p.found(t, "note", "followed", 1)
	eventually(t, time.Minute, "load and sweep say that they wait", func() error {
		for _, want := range []string{"initial waits for the end of the quiet hours", "deletecheck waits for the end of the quiet hours"} {
			if !strings.Contains(p.log.String(), want) {
				return fmt.Errorf("no %q in the log", want)
			}
		}
		return nil
	})
	response, err := http.Get(p.base + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("readyz: got %d, want %d: a table is not loaded", response.StatusCode, http.StatusServiceUnavailable)
	}
	for _, s := range p.status(t).Tables {
		if s.Table == "other" && s.Documents != 0 {
			t.Errorf("other: got %d documents in quiet hours, want none", s.Documents)
		}
	}
	if run := p.run(t, "note", "deletecheck"); run.State != "done" {
		t.Errorf("a sweep at a person's word: got %+v, want it done", run)
	}
	p.stop(t)
}

// A database that is slow is spared, which log and metrics show; what
// is new is found all the same.
func TestSlowDatabaseIsSpared(t *testing.T) {
	t.Parallel()
	dsn := lateTable(t)
	config := strings.Replace(lateConfig(dsn, t.TempDir(), "{every: 500ms}"), "driver: postgres,", "driver: postgres, limits: {slow: 1us},", 1)
	p := follow(t, writeFile(t, config))
	eventually(t, time.Minute, "the database is said to be slow", func() error {
		if slow, _ := p.metrics(t).figure(`indexerd_source_slow{source="db"}`); slow != 1 || !strings.Contains(p.log.String(), "spares a slow database") {
			return fmt.Errorf("log %s", p.log)
		}
		return nil
	})
	pgtest.Exec(t, dsn, "INSERT INTO note (id, body) VALUES (1000, 'followed')")
	p.found(t, "note", "followed", 1)
}
