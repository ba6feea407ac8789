package postgres

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/horizon"
	"indexerd/internal/test/pgtest"
)

// A standby does not show its primary's transactions, which may be replayed
// much later.
func TestWatchOnStandby(t *testing.T) {
	t.Parallel()
	primary := ownCluster(t)
	pgtest.Exec(t, primary.DSN(), watchedTable)
	standby, err := primary.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { standby.Stop() })
	w := &watched{T: t, dsn: standby.DSN(), db: openDB(t, standby.DSN()), admin: pgtest.Connect(t, standby.DSN())}
	w.restart(doc.Horizon{})

	w.exec(w.admin, "SELECT pg_wal_replay_pause()")
	pgtest.Exec(t, primary.DSN(), "INSERT INTO doc DEFAULT VALUES")
	w.inexact("the server is a standby, which does not show its primary's transactions")
	w.exec(w.admin, "SELECT pg_wal_replay_resume()")
	w.until("EXISTS (SELECT FROM doc)")
	w.inexact("the server is a standby")
	before := w.read().Server

	// After promotion it is another server and shows all transactions.
	w.exec(w.admin, "SELECT pg_promote()")
	if h := w.free(); h.Server == before || h.Server == "" {
		t.Errorf("got server %q as before, want another", h.Server)
	}
}

// A crash ends all transactions except prepared ones. Their starts are unknown,
// since the server may have been restored to an older state.
func TestWatchAcrossACrash(t *testing.T) {
	t.Parallel()
	c := ownCluster(t)
	w := watchDatabase(t, c.DSN(), superuser)
	first := w.free()
	s := w.late()
	w.exec(s, "PREPARE TRANSACTION 'p'")
	if got := w.exact().Server; got != first.Server {
		t.Errorf("got server %q, want %q as before", got, first.Server)
	}
	last := w.exact()

	if err := c.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.admin = pgtest.Connect(t, c.DSN())
	if _, err := w.watch.Horizon(t.Context()); !errors.Is(err, doc.ErrUnavailable) {
		t.Errorf("got %v on a dead connection, want %v", err, doc.ErrUnavailable)
	}
	if h := w.read(); h.Exact || h.Server == first.Server || !strings.Contains(h.Reason, `"p" was prepared before the daemon watched the database`) {
		t.Errorf("got %+v after the crash, want another server than %q, and a doubt", h, first.Server)
	}
	w.restart(last) // which is of another server
	w.inexact(`"p" was prepared before the daemon watched the database`)
	w.exec(w.admin, "ROLLBACK PREPARED 'p'")
	w.free()
	w.finish()
}

// The version stays the same only while no transaction commits, in any database
// of the server.
func TestVersionChangesWithEveryCommit(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, watchedTable)
	w := watchOf(openDB(t, dsn), horizon.Options{})
	version := func() string {
		t.Helper()
		h, err := w.Horizon(t.Context())
		if err != nil || h.Version == "" {
			t.Fatalf("got version %q, %v", h.Version, err)
		}
		return h.Version
	}
	writer := pgtest.Connect(t, dsn)
	for range 3 {
		before := version()
		if _, err := writer.Exec(t.Context(), "INSERT INTO doc DEFAULT VALUES"); err != nil {
			t.Fatal(err)
		}
		if after := version(); after == before {
			t.Errorf("a commit was not seen: still %s", after)
		}
	}
	last := version()
	for deadline := time.Now().Add(time.Minute); ; {
		again := version()
		if again == last {
			return
		}
		if last = again; time.Now().After(deadline) {
			t.Fatal("nothing was committed: got another version all the same, for a minute")
		}
	}
}

// A reading that takes too long between two statements is a failure of the server,
// as one during a statement is.
func TestReadingThatTakesTooLong(t *testing.T) {
	err := openDB(t, pgtest.DB(t)).Connect(t.Context(), func(context.Context, horizon.Conn) error { return errNoAnswer })
	if !errors.Is(err, doc.ErrUnavailable) {
		t.Errorf("got %v, want %v", err, doc.ErrUnavailable)
	}
}

// A late commit is above every watch's horizon, whichever watch took the reading.
func TestSharedReadingKnowsLateCommits(t *testing.T) {
	w := watchDatabase(t, pgtest.DB(t), superuser)
	shared := horizon.NewReadings(w.db, nil)
	reader, other := shared.Watch(horizon.Options{Slack: slack}), shared.Watch(horizon.Options{Slack: slack, Fresh: time.Second})
	for range 3 {
		late := w.late()
		stamp := value[time.Time](w, "SELECT clock_timestamp()")
		w.watch = reader
		w.atMost(late)
		w.watch = other
		if h := w.atMost(late); !h.At.Before(stamp) {
			t.Errorf("got %v, want it below %v", h.At, stamp)
		}
		w.exec(late, "COMMIT")
	}
	w.finish()
}
