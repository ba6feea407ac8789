package main

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// benchRows is how many rows the sweep is measured on; the backup on twice as
// many.
func benchRows(b *testing.B) int { return rounds(b, "INDEXERD_ROWS", 1_000_000, 1_000_000) }

// The targets for a million rows; more rows may take as much longer.
const (
	sweepTarget       = 10 * time.Second
	verifyTarget      = 15 * time.Second
	sweepMemoryTarget = 64 // MB more than before
)

// BenchmarkSweep sweeps and verifies a table of rows of about 500 bytes, of
// which nothing has changed, with the daemon running.
func BenchmarkSweep(b *testing.B) {
	rows := benchRows(b)
	file, _, p := notesOf500Bytes(b, rows)
	millions := time.Duration(max(1, rows/1_000_000))
	var sweep, verify time.Duration
	var more float64
	for range b.N {
		resetPeak(b, p)
		before := p.memory(b, "VmRSS")
		began := time.Now()
		if got := sweeps(b, 0, file, "note"); got.Compared < rows {
			b.Fatalf("sweep: got %+v, want %d compared", got, rows)
		}
		sweep = time.Since(began)
		more = p.memory(b, "VmHWM") - before
		began = time.Now()
		if got := verifies(b, 0, file, "--content"); got.Compared != rows {
			b.Fatalf("verify: got %+v, want %d compared", got, rows)
		}
		verify = time.Since(began)
	}
	misses := sweep > millions*sweepTarget || verify > millions*verifyTarget || more > sweepMemoryTarget
	fmt.Printf("sweep: rows=%d took=%.1fs target=%v more_memory=%.0fMB target=%dMB verify_content=%.1fs target=%v %s\n",
		rows, sweep.Seconds(), millions*sweepTarget, more, sweepMemoryTarget, verify.Seconds(), millions*verifyTarget, outcome(misses))
	if misses {
		b.Fail()
	}
}

// notesOf500Bytes has the daemon load so many rows, and returns its
// configuration and the database.
func notesOf500Bytes(b *testing.B, rows int) (file, dsn string, p *proc) {
	b.Helper()
	dsn = pgtest.DB(b)
	pgtest.Exec(b, dsn, `CREATE TABLE note (id bigint PRIMARY KEY, updated timestamptz NOT NULL, body text NOT NULL)`)
	pgtest.Exec(b, dsn, `INSERT INTO note SELECT i, now() - interval '1 day', repeat(md5(i::text) || ' ' || md5((i / 7)::text) || ' ', 7)
		FROM generate_series(1, `+strconv.Itoa(rows)+`) i`)
	pgtest.Exec(b, dsn, "CREATE INDEX ON note (updated)")
	pgtest.Exec(b, dsn, "VACUUM ANALYZE note")
	file = writeFile(b, lateConfig(dsn, b.TempDir(), "{horizon: auto}"))
	p = start(b, "run", "-c", file)
	p.readyWithin(b, time.Hour)
	return file, dsn, p
}

// resetPeak makes the process's peak what it takes now.
func resetPeak(b *testing.B, p *proc) {
	b.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0); err != nil {
		b.Fatal(err)
	}
}
