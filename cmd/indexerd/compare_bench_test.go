package main

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

// BenchmarkSweepWithoutUpdated compares a table without updateTimes after changes of
// single rows, and then as a sweep does, which lists all rows.
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

func compareBoth(b *testing.B, driver, dsn string, exec func(...string)) {
	file := writeFile(b, fmt.Sprintf(`data: %s
http: {listen: 127.0.0.1:0}
sources: {db: {driver: %s, dsn: %q, limits: {comparison_share: 1}}}
tables:
  album: {source: db, sql: 'SELECT id, title FROM album', key: id, content: {fields: [title]}}
`, b.TempDir(), driver, dsn))
	p := start(b, "run", "-c", file)
	eventually(b, time.Hour, "loaded and compared", func() error {
		if passSeconds(b, p, "compare", "count") == 0 {
			return fmt.Errorf("not compared yet")
		}
		return nil
	})
	took, count := passSeconds(b, p, "compare", "sum"), passSeconds(b, p, "compare", "count")
	for n := range 5 {
		exec(fmt.Sprintf("UPDATE album SET title = 'changed%d' WHERE id = %d", n, 1+n*benchRows(b)/5))
		eventually(b, time.Hour, "the change is found", func() error {
			if p.search(b, "album", "changed"+strconv.Itoa(n), "size=0").Total == 0 {
				return fmt.Errorf("it is not")
			}
			return nil
		})
	}
	summed := (passSeconds(b, p, "compare", "sum") - took) / (passSeconds(b, p, "compare", "count") - count)
	began := time.Now()
	sweeps(b, 0, file, "album")
	plain := time.Since(began).Seconds()
	fmt.Printf("comparison: driver=%s rows=%d summed_ms=%.0f plain_ms=%.0f ratio=%.1f ok\n", driver, benchRows(b), 1000*summed, 1000*plain, plain/summed)
}

// passSeconds returns a figure of the durations of a pass; 0 while the table is loading.
func passSeconds(b *testing.B, p *proc, pass, figure string) float64 {
	b.Helper()
	text, _ := get(p.base + "/metrics") // an error while it is loading
	v, _ := exported(text).figure(fmt.Sprintf("indexerd_pass_duration_seconds_%s{pass=%q,table=\"album\",tier=\"\"}", figure, pass))
	return v
}
