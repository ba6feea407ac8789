package main

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// memoryTarget is the most that a daemon with the default limits may take for
// any text, in MB.
const memoryTarget = 1024

// different is an SQL expression: so many bytes of text in which no word stands
// twice.
func different(bytes int) string {
	const word = 8 // bytes, with the space after it
	return fmt.Sprintf("(SELECT string_agg(to_char(w, 'FM0000000'), ' ') FROM generate_series(1, %d) w)", bytes/word)
}

// fits is an SQL expression: the text that takes the most memory of those that
// the default limits allow, of words of five letters.
func fits() string {
	const word, distinct = 6, 250_000
	return fmt.Sprintf("(SELECT string_agg(to_hex(w %% %d + 65536), ' ') FROM generate_series(1, %d) w)", distinct, (8<<20-1<<10)/word)
}

// BenchmarkMemory loads what takes the most memory for its size, each with a
// separate daemon, and prints the peak of the daemon's resident memory: after
// the load and a start that meets the same rows again.
func BenchmarkMemory(b *testing.B) {
	cases := []struct {
		name string
		rows int
		text string // an SQL expression
		more string // of the table's configuration
	}{
		{"words10_mb", 1, different(10_000_000), ""},
		{"words56_mb", 1, different(56_000_000), ""},
		{"rows_mb", 200, different(1_160_000), "    batch: 20\n"},
		{"most_mb", 4, fits(), "    batch: 2\n"},
	}
	for range b.N {
		figures := ""
		for _, c := range cases {
			began := time.Now()
			peak := peakOf(b, c.rows, c.text, c.more)
			figures += fmt.Sprintf(" %s=%.0f", c.name, peak)
			fmt.Printf("%-12s %4.0f MB in %.0f s\n", c.name, peak, time.Since(began).Seconds())
			if peak > memoryTarget {
				b.Errorf("%s: peak %.0f MB, target %d", c.name, peak, memoryTarget)
			}
		}
		fmt.Printf("memory:%s target=%d %s\n", figures, memoryTarget, outcome(b.Failed()))
	}
}

// peakOf is the peak of a daemon that loads so many rows of this text.
func peakOf(b *testing.B, rows int, text, more string) float64 {
	b.Helper()
	dsn := pgtest.DB(b)
	pgtest.Exec(b, dsn, "CREATE TABLE text (oid bigint PRIMARY KEY, body text NOT NULL, updated timestamptz NOT NULL)")
	pgtest.Exec(b, dsn, fmt.Sprintf("INSERT INTO text SELECT i, t.body, now() - interval '1 day' FROM generate_series(1, %d) i, (SELECT %s) t(body)", rows, text))
	file := writeFile(b, memoryConfig(dsn, filepath.Join(b.TempDir(), "data"), more))
	p := start(b, "run", "-c", file)
	p.readyWithin(b, 30*time.Minute)
	peak := p.memory(b, "VmHWM")
	p.kill()
	p = start(b, "run", "-c", file)
	p.readyWithin(b, 30*time.Minute)
	sweeps(b, 0, file, "text")
	peak = max(peak, p.memory(b, "VmHWM"))
	p.stop(b)
	return peak
}

func memoryConfig(dsn, data, more string) string {
	return configOf("postgres", dsn, data, `  text:
    source: db
    sql: SELECT oid, updated, body FROM text
    key: oid
    updated: updated
    content: {fields: [body]}
`, more)
}
