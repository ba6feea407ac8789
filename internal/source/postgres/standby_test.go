package postgres

import (
	"os"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/cluster"
)

func TestStandbyBehindReason(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for _, c := range []struct {
		name  string
		s     standby
		seen  time.Duration // ago
		doubt string        // "": none
	}{
		{"a busy primary", standby{Replayed: micros{ago(time.Second)}, Connected: true, Visible: true, Sent: micros{ago(time.Second / 2)}, Received: micros{now}}, time.Second, ""},
		{"all is replayed", standby{Replayed: micros{ago(time.Hour)}, Connected: true, Visible: true, Sent: micros{ago(20 * time.Second)}, Received: micros{ago(19 * time.Second)}, Complete: true}, 20 * time.Second, ""},
		{"nothing was replayed since a start", standby{Restart: micros{ago(time.Hour)}, Connected: true, Visible: true, Sent: micros{ago(20 * time.Second)}, Received: micros{ago(19 * time.Second)}, Complete: true}, 20 * time.Second, ""},
		{"something is not replayed", standby{Replayed: micros{ago(time.Hour)}, Connected: true, Visible: true, Sent: micros{ago(time.Second)}, Received: micros{now}}, time.Hour, "has not replayed what was committed since 2026-05-04 02:00:00Z"},
		{"the receiver has begun, and has had no message", standby{Replayed: micros{ago(time.Hour)}, Connected: true, Visible: true, Sent: micros{now}, Received: micros{now}, Complete: true}, time.Hour, "has received no message from its primary since"},
		{"a message is old", standby{Replayed: micros{ago(time.Hour)}, Connected: true, Visible: true, Sent: micros{ago(2 * time.Minute)}, Received: micros{ago(2*time.Minute - 1)}, Complete: true}, 2 * time.Minute, "has received no message from its primary since 2026-05-04 02:58:00Z"},
		{"a message may be old", standby{Replayed: micros{ago(time.Hour)}, Connected: true, Visible: true, Sent: micros{ago(2 * time.Minute)}, Received: micros{ago(2*time.Minute - 1)}, Complete: true, Timeout: (5 * time.Minute).Microseconds()}, 2 * time.Minute, ""},
		{"messages are hidden", standby{Replayed: micros{ago(time.Hour)}, Connected: true}, time.Hour, "GRANT pg_read_all_stats to the daemon's role"},
		{"messages are hidden, of a busy primary", standby{Replayed: micros{ago(time.Second)}, Connected: true}, time.Second, ""},
		{"no receiver", standby{Replayed: micros{ago(time.Hour)}}, time.Hour, "is not connected to its primary"},
		{"paused", standby{Replayed: micros{ago(time.Hour)}, Connected: true, Visible: true, Paused: true}, time.Hour, "whose replay is paused since"},
	} {
		if got, want := c.s.seen(), ago(c.seen); !got.Equal(want) {
			t.Errorf("%s: got seen %v, want %v", c.name, got, want)
		}
		if got := c.s.behindReason(now); (got == "") != (c.doubt == "") || !strings.Contains(got, c.doubt) {
			t.Errorf("%s: got doubt %q, want %q", c.name, got, c.doubt)
		}
	}
}

// ownCluster starts a server for a test that stops or copies it.
func ownCluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("starting a separate server takes seconds")
	}
	if os.Getenv("INDEXERD_TEST_PG") == "" {
		pgtest.DB(t) // skips or fails with the reason
	}
	c, err := cluster.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Stop() })
	return c
}

// moment returns a database's moment.
func moment(t *testing.T, db *DB) (doc.Moment, error) {
	t.Helper()
	x, err := db.acquire(t.Context())
	if err != nil {
		return doc.Moment{}, err
	}
	defer x.End()
	return x.Moment(t.Context())
}

// behind returns why a missing row may exist.
func behind(t *testing.T, db *DB) (reason string, err error) {
	t.Helper()
	within(t, db, func(x *session) { reason, err = db.Behind(t.Context(), x) })
	return reason, err
}

// A standby's Seen is the primary's time. It stands still while replay is
// paused, and passes a commit once that is replayed.
func TestMomentOfAStandby(t *testing.T) {
	t.Parallel()
	primary := ownCluster(t)
	pgtest.Exec(t, primary.DSN(), "CREATE TABLE doc (id int, u timestamptz DEFAULT now()); CREATE ROLE plain LOGIN; GRANT SELECT ON doc TO plain")
	second, err := primary.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { second.Stop() })
	sees := openDB(t, second.DSN())
	blind := openDB(t, strings.Replace(second.DSN(), "postgres@", "plain@", 1))
	shows := func(db *DB) time.Time {
		t.Helper()
		m, err := moment(t, db)
		if err != nil || m.Seen.After(m.Now) || m.Seen.IsZero() {
			t.Fatalf("got %+v, %v, want a moment that sees something", m, err)
		}
		return m.Seen
	}
	passes := func(db *DB, at time.Time) {
		t.Helper()
		for end := time.Now().Add(time.Minute); shows(db).Before(at); {
			if time.Now().After(end) {
				t.Fatalf("got %v, want %v passed", shows(db), at)
			}
			<-time.After(20 * time.Millisecond)
		}
	}
	commit := func() time.Time {
		t.Helper()
		pgtest.Exec(t, primary.DSN(), "INSERT INTO doc (id) VALUES (1)")
		return pgtest.Value[time.Time](t, primary.DSN(), "SELECT max(u) FROM doc")
	}
	first := commit()
	passes(sees, first)
	passes(blind, first)

	pgtest.Exec(t, second.DSN(), "SELECT pg_wal_replay_pause()")
	for end := time.Now().Add(time.Minute); pgtest.Value[string](t, second.DSN(), "SELECT pg_get_wal_replay_pause_state()") != "paused"; {
		if time.Now().After(end) {
			t.Fatal("replay is not paused")
		}
	}
	missed := commit()
	for _, db := range []*DB{sees, blind} {
		for range 20 {
			if got := shows(db); got.After(missed) {
				t.Errorf("got %v while replay is paused, want at most %v, which is not replayed", got, missed)
			}
		}
	}
	pgtest.Exec(t, second.DSN(), "SELECT pg_wal_replay_resume()")
	passes(sees, missed)
	passes(blind, missed)

	if m, err := moment(t, openDB(t, primary.DSN())); err != nil || !m.Seen.Equal(m.Now) || m.Behind != "" || m.Local.Before(m.Asked) {
		t.Errorf("got %+v, %v of the primary, want all seen", m, err)
	}
}

// On a standby the absence of a row is reliable only once everything received
// is replayed.
func TestBehind(t *testing.T) {
	t.Parallel()
	ctx, primary := t.Context(), ownCluster(t)
	pgtest.Exec(t, primary.DSN(), "CREATE TABLE doc (id int, u timestamptz); CREATE ROLE reader LOGIN; GRANT SELECT ON doc TO reader")
	standby, err := primary.Standby(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { standby.Stop() })
	source := standby.DSN()
	byAll, byReader := openDB(t, source), openDB(t, source+"&options=-c%20role%3Dreader")
	await := func(want string) {
		t.Helper()
		deadline := time.Now().Add(2 * time.Minute)
		for {
			all, err1 := behind(t, byAll)
			reader, err2 := behind(t, byReader)
			if all == want && reader == want {
				return
			}
			if err1 != nil || err2 != nil || time.Now().After(deadline) {
				t.Fatalf("got %q, %v and %q, %v, want %q", all, err1, reader, err2, want)
			}
		}
	}
	if got, err := behind(t, openDB(t, primary.DSN())); got != "" || err != nil {
		t.Errorf("got %q, %v on the primary, want nothing", got, err)
	}
	await("")
	pgtest.Exec(t, source, "SELECT pg_wal_replay_pause()")
	await("the server is a standby whose replay is paused")
	pgtest.Exec(t, source, "SELECT pg_wal_replay_resume()")
	await("")

	// A query on the standby that needs rows removed by the primary delays replay.
	pgtest.Exec(t, source, "ALTER SYSTEM SET max_standby_streaming_delay = -1")
	pgtest.Exec(t, source, "SELECT pg_reload_conf()")
	pgtest.Exec(t, primary.DSN(), "INSERT INTO doc SELECT 1 FROM generate_series(1, 100)")
	await("")
	reader := pgtest.Connect(t, source)
	if _, err := reader.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ"); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Exec(ctx, "SELECT count(*) FROM doc"); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, primary.DSN(), "ALTER TABLE doc ADD v int")
	byAll.replayTimeout, byReader.replayTimeout = time.Millisecond, time.Millisecond
	await("the server is a standby that does not replay what it received")
	byAll.replayTimeout, byReader.replayTimeout = replayTimeout, replayTimeout
	if _, err := reader.Exec(ctx, "COMMIT"); err != nil {
		t.Fatal(err)
	}
	await("")

	if err := primary.Stop(); err != nil {
		t.Fatal(err)
	}
	await("the server is a standby that is not connected to its primary")
}
