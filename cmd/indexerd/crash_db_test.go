package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/cluster"
)

// TestDatabaseCrash crashes the database server CRASH_N times under load. It
// runs with synchronous_commit=off, so that rows that the daemon has read may
// never have been. The daemon stays up, goes on by itself, and compares
// everything.
func TestDatabaseCrash(t *testing.T) {
	t.Parallel()
	n := rounds(t, "CRASH_N", 3, 1)
	pgtest.DB(t) // skips or fails where there is no PostgreSQL
	server := forgetful(t)
	between, reach := newProxy(t, server.DSN())
	c := &crashing{chaos: newChaos(t, server.DSN(), reach, freshData(t)), server: server}
	pgtest.Exec(t, c.dsn, "CHECKPOINT") // no crash takes the schema
	c.daemon = follow(t, c.file)
	began := time.Now()
	for i := range n {
		c.crash(t, i)
	}
	v := c.proves(t, c.daemon)

	seconds, dialled := time.Since(began).Seconds(), float64(between.dialled.Load())
	const pool = 4 // as many at once, at the start and after each crash
	if dialled > seconds+float64(pool*(n+1)) {
		t.Errorf("%.0f connects in %.0f s and %d crashes: want no more than one a second", dialled, seconds, n)
	}
	c.figures(t, "crash", fmt.Sprintf("n=%d commits=%d taken_back=%d connects=%.0f seconds=%.0f verified_max_ms=%d",
		n, c.commits, c.takenBack, dialled, seconds, c.slowest.Milliseconds()), v)
}

// forgetful starts a server that writes its log only when it must.
func forgetful(t *testing.T) *cluster.Cluster {
	t.Helper()
	server, err := cluster.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	for _, setting := range []string{"wal_writer_delay = '10s'", "wal_writer_flush_after = '1GB'", "bgwriter_lru_maxpages = 0"} {
		pgtest.Exec(t, server.DSN(), "ALTER SYSTEM SET "+setting)
	}
	pgtest.Exec(t, server.DSN(), "SELECT pg_reload_conf()")
	return server
}

// A crashing is a TestDatabaseCrash under way.
type crashing struct {
	*chaos
	server    *cluster.Cluster
	daemon    *proc
	commits   int64
	takenBack int           // rows that were found by a search and taken back by the crash
	slowest   time.Duration // from the server's answer until the index was verified
}

// crash has a row found, crashes the server, and wants what is found then to be
// what the server still has. Every third crash follows a silence, and mostly
// takes the row back; each other falls into the load.
func (c *crashing) crash(t *testing.T, i int) {
	t.Helper()
	word := "taken" + strconv.Itoa(i)
	stop := c.storm(t)
	quiet := i%3 == 0
	if quiet { // what no client reads stays in the server's memory
		<-time.After(time.Second)
		c.commits += stop()
	}
	pgtest.Exec(t, c.dsn, "INSERT INTO note (id, body) VALUES ($1, $2)", 20_000+i, word)
	c.daemon.found(t, "note", word, 1)
	before := c.marks(t)
	if i%3 < 2 {
		if err := c.server.Restart(context.Background()); err != nil {
			t.Fatal(err)
		}
	} else {
		c.killPostmaster(t)
	}
	up := time.Now()
	// The sweep may have ended before anybody sees that status said unverified;
	// what it was for stays in the marks.
	eventually(t, recoverWithin, "the daemon notices another server", func() error {
		if err := c.daemon.unbroken(); err != nil {
			t.Fatal(err)
		}
		if marks := c.marks(t); marks.Rewinds == before.Rewinds {
			return fmt.Errorf("status: %+v", c.daemon.status(t).Tables[0])
		}
		return nil
	})
	// The file of marks is there a moment before status shows it.
	eventually(t, recoverWithin, "a sweep verifies the index", func() error {
		if marks := c.marks(t); marks.Unverified != "" || !marks.Sweep.After(before.Sweep) {
			return fmt.Errorf("verified at %v, unverified %q, the last sweep was at %v", marks.Sweep, marks.Unverified, before.Sweep)
		}
		return nil
	})
	c.daemon.swept(t, recoverWithin)
	c.slowest = max(c.slowest, time.Since(up))
	if !quiet {
		c.commits += stop()
	}
	left := pgtest.Value[int](t, c.dsn, "SELECT count(*)::int FROM note WHERE body = $1", word)
	if err := finds(c.daemon, t, word, uint64(left)); err != nil {
		t.Errorf("after the sweep: %v", err)
	}
	c.takenBack += 1 - left
}

// killPostmaster kills the server's first process with SIGKILL. The others end
// when they notice, and only then can it be started again.
func (c *crashing) killPostmaster(t *testing.T) {
	t.Helper()
	first, _, _ := strings.Cut(pgtest.Value[string](t, c.dsn, "SELECT pg_read_file('postmaster.pid')"), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-time.After(c.within(3 * time.Second))
	eventually(t, soon, "the server starts again", func() error {
		err := c.server.Restart(context.Background())
		if err != nil {
			return errors.New(lastLine(err.Error()))
		}
		return nil
	})
}
