package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/cluster"
)

// standbyPair starts a primary with a small table of notes, which a role may
// read, and a standby of it.
func standbyPair(t *testing.T) (primary, standby string) {
	t.Helper()
	if testing.Short() {
		t.Skip("two servers, and longer than a minute")
	}
	if os.Getenv("INDEXERD_TEST_PG") == "" {
		pgtest.DB(t) // skips or fails with the reason
	}
	first, err := cluster.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { first.Stop() })
	// Without autovacuum nothing is committed but what the test commits.
	pgtest.Exec(t, first.DSN(), "ALTER SYSTEM SET autovacuum = off")
	pgtest.Exec(t, first.DSN(), `CREATE TABLE note (id bigint PRIMARY KEY, updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL);
		INSERT INTO note (id, updated, body) SELECT i, now() - interval '1 hour', 'note ' || i FROM generate_series(1, 100) i;
		CREATE ROLE plain LOGIN; GRANT SELECT ON note TO plain; CREATE ROLE sighted LOGIN; GRANT plain, pg_read_all_stats TO sighted`)
	second, err := first.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { second.Stop() })
	return first.DSN(), second.DSN()
}

// as is a DSN for another role.
func as(t *testing.T, dsn, role string) string {
	t.Helper()
	address, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.User(role)
	return address.String()
}

// settled is S of the only table, which is never after a time.
func settled(t *testing.T, p *proc, notAfter time.Time) httpapi.SettledStatus {
	t.Helper()
	s := p.status(t).Tables[0].Settled
	if s.At == nil || time.Time(*s.At).After(notAfter) {
		t.Fatalf("settled: got %+v, want at most %v, when the first row was committed that the standby does not show", s, notAfter)
	}
	return s
}

// A standby whose replay is paused for longer than the last tier's timeout does
// not show what is committed meanwhile. S waits, status shows why, and what is
// replayed late is found without a sweep.
func TestStandbyThatIsBehind(t *testing.T) {
	primary, standby := standbyPair(t)
	file := writeFile(t, lateConfig(as(t, standby, "sighted"), t.TempDir(), "{every: 1s, tiers: [{every: 1s, timeout: 2s, end: settled}]}"))
	p := follow(t, file)

	pgtest.Exec(t, standby, "SELECT pg_wal_replay_pause()")
	eventually(t, soon, "replay is paused", func() error {
		if state := pgtest.Value[string](t, standby, "SELECT pg_get_wal_replay_pause_state()"); state != "paused" {
			return errors.New(state)
		}
		return nil
	})
	pgtest.Exec(t, primary, "INSERT INTO note (id, body) VALUES (1001, 'tardigrade')")
	missed := pgtest.Value[time.Time](t, primary, "SELECT updated FROM note WHERE id = 1001")
	t.Parallel() // here, so that the minute until status shows it passes while other tests run
	n := 1001
	eventually(t, 3*time.Minute, "status shows that the standby is behind", func() error {
		n++
		pgtest.Exec(t, primary, "INSERT INTO note (id, body) VALUES ($1, 'tardigrade')", n)
		if s := settled(t, p, missed); !s.Unverified || !strings.Contains(s.Reason, "the server is a standby whose replay is paused since") {
			return fmt.Errorf("settled %+v", s)
		}
		return nil
	})
	if lag := p.status(t).Tables[0].LagS; lag == nil || *lag < 60 {
		t.Errorf("lag_s: got %v, want the time for which replay has been paused", lag)
	}
	pgtest.Exec(t, standby, "SELECT pg_wal_replay_resume()")
	p.found(t, "note", "tardigrade", uint64(n-1000))
	p.waitFor(t, "S goes on", func(s httpapi.TableStatus) bool {
		return !s.Settled.Unverified && time.Time(*s.Settled.At).After(missed)
	})
	commands(t, 0, "verify", "-c", file)
	if swept := p.status(t).Tables[0].Marks.Sweep; swept != nil {
		t.Errorf("got a sweep at %v, want none: this test proves nothing", time.Time(*swept))
	}
}

// An idle primary is believed where its messages can be seen. A role that may
// not see them does not take silence for proof, and removes nothing by it.
func TestStandbyOfAnIdlePrimary(t *testing.T) {
	primary, standby := standbyPair(t)
	config := func(role string) string {
		return lateConfig(as(t, standby, role), t.TempDir(), "{every: 1s, tiers: [{every: 1s, timeout: 2s, end: settled}]}")
	}
	sighted, plain := start(t, "run", "-c", writeFile(t, config("sighted"))), start(t, "run", "-c", writeFile(t, config("plain")))
	sighted.ready(t)
	plain.ready(t)
	pgtest.Exec(t, primary, "DELETE FROM note WHERE id = 7")
	last := pgtest.Value[time.Time](t, primary, "SELECT clock_timestamp()")
	t.Parallel() // here, so that the idle minute passes while other tests run
	sighted.waitFor(t, "S passes the last commit while the primary is idle", func(s httpapi.TableStatus) bool { return time.Time(*s.Settled.At).After(last.Add(10 * time.Second)) })
	if s := sighted.status(t).Tables[0].Settled; s.Unverified || s.Mode != "assumed" {
		t.Errorf("a role that sees the receiver: got %+v, want assumed, and not unverified", s)
	}
	eventually(t, 3*time.Minute, "status shows what the role can't see", func() error {
		replayed := pgtest.Value[time.Time](t, standby, "SELECT coalesce(pg_last_xact_replay_timestamp(), (SELECT checkpoint_time FROM pg_control_checkpoint()))")
		if s := settled(t, plain, replayed); !s.Unverified || !strings.Contains(s.Reason, "GRANT pg_read_all_stats to the daemon's role") {
			return fmt.Errorf("settled %+v", s)
		}
		return nil
	})
	if run := sighted.run(t, "note", "deletecheck"); run.State != "done" || sighted.status(t).Tables[0].Documents != 99 {
		t.Errorf("a sweep of a role that sees the receiver: got %+v, want one document removed", run)
	}
	if run := plain.run(t, "note", "deletecheck"); run.State != "failed" || plain.status(t).Tables[0].Documents != 100 {
		t.Errorf("a sweep of a role that does not: got %+v, want nothing removed", run)
	}
}
