package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// TestKillTables kills a daemon that follows many tables with SIGKILL, KILL_N times,
// while rows of random tables change. S of no table falls, and nothing is lost.
// KILL_TABLES sets how many tables.
func TestKillTables(t *testing.T) {
	t.Parallel()
	tables := rounds(t, "KILL_TABLES", 6, 6)
	n := rounds(t, "KILL_N", 5, 2)
	m := newTables(t, tables)
	stop := m.write(t)
	settled, fell := map[string]time.Time{}, 0
	for i := range n {
		m.proc = start(t, "run", "-c", m.config)
		within := 3 * time.Second
		if i < n/10 {
			within = 300 * time.Millisecond // while tables are created, load, or are opened
		}
		for end := time.Now().Add(rand.N(within)); time.Now().Before(end); <-time.After(50 * time.Millisecond) {
			fell += m.look(t, settled)
		}
		if err := m.unbroken(); err != nil {
			t.Fatal(err)
		}
		m.kill()
	}
	m.proc = follow(t, m.config)
	<-time.After(time.Second) // changes that only following finds
	commits, last := stop()
	lost := m.lost(t, last)
	fmt.Printf("kill tables: tables=%d n=%d commits=%d S_back=%d lost=%d %s\n", tables, n, commits, fell, lost, outcome(t.Failed()))
}

// look reads S of all tables, and returns how many have fallen.
func (m *tablesRun) look(t *testing.T, settled map[string]time.Time) (fell int) {
	t.Helper()
	for _, s := range m.status(t).Tables {
		if s.Settled.At == nil {
			continue
		}
		at := time.Time(*s.Settled.At)
		if at.Before(settled[s.Table]) && !s.Settled.Unverified {
			fell++
			t.Errorf("%s: S fell from %v to %v", s.Table, settled[s.Table], at)
		}
		settled[s.Table] = at
	}
	return fell
}

// write changes and inserts rows of random tables until stop is called, which
// returns how many transactions it committed, and the last text of each table.
func (m *tablesRun) write(t *testing.T) (stop func() (commits int, last map[string]string)) {
	t.Helper()
	writer := pgtest.Connect(t, m.dsn)
	ctx, cancel := context.WithCancel(context.Background())
	commits, last, done := 0, map[string]string{}, make(chan error, 1)
	go func() {
		for n := 0; ctx.Err() == nil; n++ {
			sql := "UPDATE t%d SET body = $1, updated = now() WHERE id = $2"
			id := 1 + rand.IntN(rowsOfTable)
			if n%4 == 0 {
				sql, id = "INSERT INTO t%d (body, id) VALUES ($1, $2)", rowsOfTable+1+n
			}
			table, text := rand.IntN(m.tables), fmt.Sprintf("change%d", n)
			if _, err := writer.Exec(context.Background(), fmt.Sprintf(sql, table), text, id); err != nil {
				done <- err
				return
			}
			last[fmt.Sprintf("t%d", table)] = text
			commits++
			<-time.After(rand.N(20 * time.Millisecond))
		}
		done <- nil
	}()
	return func() (int, map[string]string) {
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		return commits, last
	}
}

// lost waits until every table has its last text, and those with an updateTime are
// settled past it: S of others stays where counters show that they did not change. It
// verifies all tables, and returns how many documents are missing or stale.
func (m *tablesRun) lost(t *testing.T, last map[string]string) (lost int) {
	t.Helper()
	past := pgtest.Value[time.Time](t, m.dsn, "SELECT clock_timestamp()")
	eventually(t, 2*time.Minute, "every table is settled", func() error {
		for _, s := range m.status(t).Tables {
			if text := last[s.Table]; text != "" && m.search(t, s.Table, text).Total != 1 {
				return fmt.Errorf("%s does not have %s", s.Table, text)
			}
			if s.FollowedBy == "updated" && (s.Settled.At == nil || time.Time(*s.Settled.At).Before(past)) {
				return fmt.Errorf("%s is not settled to %v", s.Table, past)
			}
		}
		return nil
	})
	stdout, stderr, code := ask(t, "verify", "-c", m.config, "--json")
	var v httpapi.VerifyResult
	if err := json.Unmarshal([]byte(stdout), &v); err != nil || len(v.Tables) != m.tables || code != 0 {
		t.Errorf("verify: exit %d, %v, %d tables: %s", code, err, len(v.Tables), stderr)
	}
	for _, table := range v.Tables {
		lost += table.Lost + table.Stale
	}
	return lost
}
