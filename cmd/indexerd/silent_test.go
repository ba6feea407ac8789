package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/mariatest"
	"indexerd/internal/test/pgtest"
)

// The goal of make silent: from the commit of a change that leaves updateTime alone until
// a search shows it, in a table of up to 100,000 rows and of up to a million.
const (
	silentSmall = 5 * time.Second
	silentLarge = time.Minute
)

const (
	silentTries  = 8 // of each kind
	silentWrites = 100
)

// A silentDB is a database whose table changes without a moved updateTime.
type silentDB struct {
	driver, dsn string
	db          *sql.DB
	create      []string // the table of note, and its rows 1 to %d
	now         string
}

var silentDBs = map[string]func(*testing.T) silentDB{
	"postgres": func(t *testing.T) silentDB {
		dsn := pgtest.DB(t)
		db, err := sql.Open("pgx", dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return silentDB{"postgres", dsn, db, []string{
			"CREATE TABLE note (id bigint PRIMARY KEY, updated timestamptz DEFAULT now(), body text NOT NULL)",
			"INSERT INTO note SELECT i, now() - interval '1 day', 'word' || i FROM generate_series(1, %d) i", "CREATE INDEX ON note (updated)", "ANALYZE note",
		}, "now()"}
	},
	"mariadb": func(t *testing.T) silentDB {
		dsn := mariatest.New(t).DB(t)
		return silentDB{"mysql", dsn, mariatest.Open(t, dsn), []string{
			"CREATE TABLE note (id bigint PRIMARY KEY, updated timestamp(6) NULL DEFAULT CURRENT_TIMESTAMP(6), body text NOT NULL, KEY (updated))",
			"INSERT INTO note SELECT seq, now(6) - interval 1 day, concat('word', seq) FROM seq_1_to_%d",
		}, "now(6)"}
	},
	"sqlite": func(t *testing.T) silentDB {
		dsn := filepath.Join(t.TempDir(), "silent.db")
		const now = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
		return silentDB{"sqlite", dsn, openSQLite(t, dsn), []string{
			"PRAGMA journal_mode = WAL", "CREATE TABLE note (id INTEGER PRIMARY KEY, updated INTEGER, body TEXT NOT NULL)",
			"WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < %d) INSERT INTO note SELECT i, " + now + " - 86400000, 'word' || i FROM s",
			"CREATE INDEX noted ON note (updated)",
		}, now}
	},
}

// TestSilent changes rows of a table of SILENT_N rows and leaves their updateTime alone:
// first beside nothing else, then beside a hundred changes a second that move it. A search
// shows each, without a sweep. Then it measures for SILENT_SECONDS what the daemon takes
// beside these changes, and what it would take if it compared nothing.
func TestSilent(t *testing.T) {
	t.Parallel()
	for name, open := range silentDBs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, seconds := rounds(t, "SILENT_N", 3000, 1000), rounds(t, "SILENT_SECONDS", 2, 1)
			s := open(t)
			for _, statement := range s.create {
				s.exec(t, strings.ReplaceAll(statement, "%d", strconv.Itoa(rows)))
			}
			data := freshData(t)
			p := follow(t, s.config(t, data, 0.1))
			p.found(t, "note", "word7", 1)
			alone := s.change(t, p, 0)
			ctx, cancel := context.WithCancel(t.Context())
			written := make(chan error, 1)
			go func() { written <- s.write(ctx, rows) }()
			beside := s.change(t, p, time.Duration(seconds)*time.Second)
			cpu, db := s.costs(t, p, seconds)
			status := p.status(t).Tables[0]
			p.stop(t)
			file := s.config(t, data, 1e-4)
			p = follow(t, file)
			compare := p.firstComparison(t)
			plainCPU, plainDB := s.costs(t, p, seconds)
			cancel()
			if err := <-written; err != nil {
				t.Fatal(err)
			}
			goal := silentSmall
			if rows > 100_000 {
				goal = silentLarge
			}
			misses := max(alone[len(alone)-1], beside[len(beside)-1]) > goal
			if status.Comparison != nil {
				compare = *status.Comparison
			}
			fmt.Printf("silent: db=%s rows=%d alone_p50_ms=%d alone_max_ms=%d beside_p50_ms=%d beside_max_ms=%d target=%v cpu_share=%.3f uncompared=%.3f db_share=%.3f uncompared=%.3f found=%d compare_ms=%.0f every_s=%.0f %s\n",
				name, rows, alone[len(alone)/2].Milliseconds(), alone[len(alone)-1].Milliseconds(), beside[len(beside)/2].Milliseconds(), beside[len(beside)-1].Milliseconds(), goal,
				cpu, plainCPU, db, plainDB, status.Silent, compare.TakesMS, compare.EveryS, outcome(misses))
			if misses && rows >= 100_000 {
				t.Errorf("got %v at most alone, and %v beside other changes, want %v", alone[len(alone)-1], beside[len(beside)-1], goal)
			}
			if status.Silent == 0 {
				t.Error("status counts no silent changes")
			}
			verifies(t, 0, file)
		})
	}
}

// config writes a configuration whose comparisons have a share of the time.
func (s silentDB) config(t *testing.T, data string, share float64) string {
	t.Helper()
	return writeFile(t, strings.Replace(configOf(s.driver, s.dsn, data,
		"  note: {source: db, sql: 'SELECT id, updated, body FROM note', key: id, updated: updated, content: {fields: [body]}, deletecheck: {every: 24h}}\n"),
		"}\ntables:", fmt.Sprintf(", limits: {comparison_share: %v}}\ntables:", share), 1))
}

// firstComparison waits for the first comparison of the daemon's only table, which is due
// at its start.
func (p *proc) firstComparison(t *testing.T) (c httpapi.ComparisonStatus) {
	t.Helper()
	p.waitFor(t, "compared", func(s httpapi.TableStatus) bool {
		if s.Comparison != nil {
			c = *s.Comparison
		}
		return s.Comparison != nil
	})
	return c
}

// costs returns what daemon and server take of a core while nothing is searched for.
func (s silentDB) costs(t *testing.T, p *proc, seconds int) (cpu, db float64) {
	t.Helper()
	cpu, db, began := p.cpu(t), s.took(t), time.Now()
	<-time.After(time.Duration(seconds) * time.Second)
	took := time.Since(began).Seconds()
	return (p.cpu(t) - cpu) / took, (s.took(t) - db) / took
}

func (s silentDB) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := s.db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// change makes silent changes one after the other for some time, at least some, and
// returns how long it took until a search showed each.
func (s silentDB) change(t *testing.T, p *proc, least time.Duration) (took []time.Duration) {
	t.Helper()
	for end, n := time.Now().Add(least), 0; n < silentTries || time.Now().Before(end); n++ {
		word := fmt.Sprintf("silent%d", rand.Uint64())
		id := 1 + rand.IntN(100)
		switch n % 4 {
		case 0, 1:
			s.exec(t, fmt.Sprintf("UPDATE note SET body = '%s' WHERE id = %d", word, id))
		case 2:
			s.exec(t, fmt.Sprintf("INSERT INTO note (id, updated, body) VALUES (%d, NULL, '%s')", -int(rand.Int32()), word))
		case 3:
			s.exec(t, fmt.Sprintf("UPDATE note SET body = '%s', updated = NULL WHERE id = %d", word, id))
		}
		took = append(took, p.reaches(t, "note", word, 1))
	}
	slices.Sort(took)
	return took
}

// write changes rows and moves their updateTime, until its context ends.
func (s silentDB) write(ctx context.Context, rows int) error {
	tick := time.NewTicker(time.Second / silentWrites)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		id := 101 + rand.IntN(max(rows-100, 1))
		if _, err := s.db.ExecContext(ctx, fmt.Sprintf("UPDATE note SET body = 'proper%d', updated = %s WHERE id = %d", n, s.now, id)); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// took returns the time of statements in the server, where it counts that.
func (s silentDB) took(t *testing.T) float64 {
	if s.driver != "postgres" {
		return 0
	}
	return serverTime(t, s.dsn)
}
