package pgsource

import (
	"context"
	"errors"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/horizon"
	"indexerd/internal/pace"
	"indexerd/internal/pgtest"
)

// A late commit is above every watch's horizon, whichever watch took the
// reading.
func TestSharedReadingKnowsLateCommits(t *testing.T) {
	w := watchDatabase(t, pgtest.DB(t), superuser)
	reader, other := w.watch, w.source.Watch(horizon.Options{Slack: slack, Fresh: time.Second})
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

// A reading that takes too long between two statements is a failure of the
// server, as one during a statement is.
func TestReadingThatTakesTooLong(t *testing.T) {
	s := openSource(t, pgtest.DB(t))
	err := sampler{s}.Connect(t.Context(), func(context.Context, horizon.Conn) error { return errNoAnswer })
	if !errors.Is(err, doc.ErrUnavailable) {
		t.Errorf("got %v, want %v", err, doc.ErrUnavailable)
	}
}

// Every statement except COMMIT counts, and none waits inside a transaction.
func TestPaceOfASource(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc VALUES (1, '2024-01-01Z')")
	s := openConfig(t, dsn, Config{Limits: pace.Limits{PerSecond: 60}})
	table := tableOf(t, s, TableConfig{SQL: "SELECT id, u FROM doc"})
	before, began := s.Figures(), time.Now()
	for range 20 {
		if _, err := table.Now(t.Context()); err != nil {
			t.Fatal(err)
		}
		readStamps(t, table.Stamps(t.Context(), doc.Window{From: minTime, To: maxTime}))
	}
	asked, took := s.Figures().Statements-before.Statements, time.Since(began)
	if asked != 20*3 || took < 600*time.Millisecond {
		t.Errorf("got %d statements in %v, want 60 in 1 s or little less: a clock, BEGIN and a window each", asked, took)
	}
	if busy := s.Figures().Busy; busy <= 0 || busy > took {
		t.Errorf("statements took %v of %v, want less and not nothing", busy, took)
	}
}

// The version stays the same only while no transaction commits, in any database
// of the server.
func TestVersionChangesWithEveryCommit(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, watchedTable)
	w := openSource(t, dsn).Watch(horizon.Options{})
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
