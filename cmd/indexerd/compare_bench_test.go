package main

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

// BenchmarkSweepWithoutUpdated compares a table without updateTimes after changes of
// single rows, after one in each range of keys, and then as a sweep does, which lists all
// rows.
func BenchmarkSweepWithoutUpdated(b *testing.B) {
	const schema = "CREATE TABLE album (id bigint PRIMARY KEY, title text NOT NULL)"
	const rows = `INSERT INTO album WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i, 'a title with some words and the number ' || i FROM n`
	for _, driver := range []string{"postgres", "sqlite"} {
		b.Run(driver, func(b *testing.B) {
			dsn, exec := newDatabase(b, driver)
			exec(schema, fmt.Sprintf(rows, benchRows(b)), "ANALYZE album")
			compareBoth(b, driver, dsn, exec)
		})
	}
}

// summedTarget is how many times less a comparison by sums takes than one that lists all
// rows.
const summedTarget = 2

// cpuTargets are the daemon's CPU for a row in us, if all ranges were written since the last
// comparison. SQLite is a part of the daemon.
var cpuTargets = map[string]float64{"postgres": 1, "sqlite": 8}

func compareBoth(b *testing.B, driver, dsn string, exec func(...string)) {
	rows := benchRows(b)
	file := writeFile(b, fmt.Sprintf(`data: %s
http: {listen: 127.0.0.1:0}
sources: {db: {driver: %s, dsn: %q, limits: {comparison_share: 1}}}
tables:
  album: {source: db, sql: 'SELECT id, title FROM album', key: id, content: {fields: [title]}}
`, b.TempDir(), driver, dsn))
	p := start(b, "run", "-c", file)
	compared := func(after float64) {
		eventually(b, time.Hour, "compared", func() error {
			if passSeconds(b, p, "compare", "count") <= after {
				return fmt.Errorf("not compared yet")
			}
			return nil
		})
	}
	compared(0)
	// change changes rows, and returns what a comparison took until one was found, and the CPU.
	change := func(word, rows, one string) (took, cpu float64) {
		before, count := passSeconds(b, p, "compare", "sum"), passSeconds(b, p, "compare", "count")
		cpu = p.cpu(b)
		exec(fmt.Sprintf("UPDATE album SET title = '%s' WHERE %s", word, rows), fmt.Sprintf("UPDATE album SET title = '%slast' WHERE id = %s", word, one))
		p.found(b, "album", word+"last", 1)
		compared(count)
		return (passSeconds(b, p, "compare", "sum") - before) / (passSeconds(b, p, "compare", "count") - count), p.cpu(b) - cpu
	}
	var summed float64
	for n := range 5 {
		took, _ := change(fmt.Sprintf("single%d", n), "false", strconv.Itoa(1+n*rows/5))
		summed += took / 5
	}
	spread, spreadCPU := change("everywhere", "id % 100 = 0", "1")
	_, cpu := change("again", "false", "2")
	spreadCPU, cpu = spreadCPU*1e6/float64(rows), cpu*1e6/float64(rows)
	began := time.Now()
	sweeps(b, 0, file, "album")
	plain := time.Since(began).Seconds()
	misses := plain/summed < summedTarget || cpu > cpuTargets[driver]
	fmt.Printf("comparison: driver=%s rows=%d summed_ms=%.0f plain_ms=%.0f ratio=%.1f target=%d cpu_us_row=%.2f target=%.1f everywhere_ms=%.0f everywhere_cpu_us_row=%.2f %s\n",
		driver, rows, 1000*summed, 1000*plain, plain/summed, summedTarget, cpu, cpuTargets[driver], 1000*spread, spreadCPU, outcome(misses))
	if misses {
		b.Fail()
	}
}

// passSeconds returns a figure of the durations of a pass; 0 while the table is loading.
func passSeconds(b *testing.B, p *proc, pass, figure string) float64 {
	b.Helper()
	text, _ := get(p.base + "/metrics") // an error while it is loading
	v, _ := exported(text).figure(fmt.Sprintf("indexerd_pass_duration_seconds_%s{pass=%q,table=\"album\",tier=\"\"}", figure, pass))
	return v
}
