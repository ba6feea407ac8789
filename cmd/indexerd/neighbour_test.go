package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// The goals with 200 tables and a neighbour of 500 commits a second: how soon a change is
// found, and what the daemon takes of a core while nothing changes.
const (
	neighbourWithin = 3 * time.Second
	neighbourCPU    = 0.05
	neighbourTables = 200 // from which on they are judged
)

// TestBusyNeighbour changes small tables without updated while another database of the
// server commits all the time. The session idles after each change, so that the server
// counts it 10 s later.
func TestBusyNeighbour(t *testing.T) {
	t.Parallel()
	tables := rounds(t, "NEIGHBOUR_N", 20, 10)
	settles, measured := 2*time.Second, 2*time.Second
	if tables >= neighbourTables {
		settles, measured = 15*time.Second, 20*time.Second
	}
	dsn, other := pgtest.DB(t), pgtest.DB(t)
	var create, config strings.Builder
	for i := range tables {
		fmt.Fprintf(&create, "CREATE TABLE t%d (id int PRIMARY KEY, body text); INSERT INTO t%d SELECT i, 'word' FROM generate_series(1, 100) i;", i, i)
		fmt.Fprintf(&config, "  t%d: {source: db, sql: 'SELECT id, body FROM t%d', key: id, content: {fields: [body]}}\n", i, i)
	}
	pgtest.Exec(t, dsn, create.String())
	pgtest.Exec(t, other, "CREATE TABLE busy (n int); INSERT INTO busy VALUES (0)")
	p := follow(t, writeFile(t, configOf("postgres", dsn, freshData(t), config.String())))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	busy := pgtest.Connect(t, other)
	var commits atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = busy.Exec(ctx, "SET synchronous_commit = off")
		for tick := time.NewTicker(2 * time.Millisecond); ctx.Err() == nil; <-tick.C {
			if _, err := busy.Exec(ctx, "UPDATE busy SET n = n + 1"); err == nil {
				commits.Add(1)
			}
		}
	}()
	session := pgtest.Connect(t, dsn)
	<-time.After(settles)
	cpu, db, committed, began := p.cpu(t), serverTime(t, dsn), commits.Load(), time.Now()
	<-time.After(measured)
	took := time.Since(began).Seconds()
	cpu, db = (p.cpu(t)-cpu)/took, (serverTime(t, dsn)-db)/took
	rate := float64(commits.Load()-committed) / took
	var all []time.Duration
	for n := range 6 {
		table, word := fmt.Sprintf("t%d", n%tables), fmt.Sprintf("changed%d", n)
		for range 2 { // a session reports its first commit at once
			if _, err := session.Exec(t.Context(), fmt.Sprintf("UPDATE %s SET body = '%s' WHERE id = 7", table, word)); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, p.reaches(t, table, word, 1))
	}
	stop()
	<-ended
	slices.Sort(all)
	misses := all[len(all)-1] > neighbourWithin || cpu > neighbourCPU
	fmt.Printf("neighbour: tables=%d commits_s=%.0f p50_ms=%d max_ms=%d target=%v daemon_cpu_share=%.3f target=%.2f db_share=%.3f %s\n", tables, rate,
		all[len(all)/2].Milliseconds(), all[len(all)-1].Milliseconds(), neighbourWithin, cpu, neighbourCPU, db, outcome(misses))
	if misses && tables >= neighbourTables {
		t.Errorf("got %v at most and a share of %.3f, want %v and %.2f", all[len(all)-1], cpu, neighbourWithin, neighbourCPU)
	}
}
