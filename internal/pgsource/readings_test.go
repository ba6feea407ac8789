package pgsource

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pace"
	"indexerd/internal/pgtest"
)

// One reading serves all watches of a database, and no watch gets the same one
// twice.
func TestReadingsAreShared(t *testing.T) {
	s := openSource(t, pgtest.DB(t))
	var watches []*Watch
	for range 30 {
		w := s.Watch(WatchOptions{})
		w.fresh = time.Hour // however slow this machine is
		watches = append(watches, w)
	}
	for round := uint64(1); round <= 3; round++ {
		var all sync.WaitGroup
		horizons := make([]doc.Horizon, len(watches))
		for i, w := range watches {
			all.Go(func() {
				var err error
				if horizons[i], err = w.Horizon(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for _, h := range horizons {
			if !h.Exact || !h.At.Equal(horizons[0].At) || h.Server == "" {
				t.Errorf("round %d: got %+v, want it exact and the same for all, %v", round, h, horizons[0].At)
			}
		}
		if got := s.readings.number; got != round {
			t.Errorf("readings: got %d, want %d, one a round", got, round)
		}
	}
}

// A reading older than Fresh serves only the watches that waited for it.
func TestStaleReadingIsNotShared(t *testing.T) {
	s := openSource(t, pgtest.DB(t))
	a, b := s.Watch(WatchOptions{}), s.Watch(WatchOptions{})
	for i := range uint64(3) {
		for j, w := range []*Watch{a, b} {
			if _, err := w.Horizon(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, want := s.readings.number, 2*i+uint64(j)+1; got != want {
				t.Errorf("readings: got %d, want %d, one each", got, want)
			}
		}
	}
}

// A new watch uses no reading that began before it was made.
func TestNewWatchReadsForItself(t *testing.T) {
	dsn := pgtest.DB(t)
	s := openSource(t, dsn)
	old := s.Watch(WatchOptions{Fresh: time.Hour})
	read := func(w *Watch) doc.Horizon {
		t.Helper()
		h, err := w.Horizon(t.Context())
		if err != nil || !h.Exact {
			t.Fatalf("got %+v, %v, want it exact", h, err)
		}
		return h
	}
	read(old)
	var made time.Time
	if err := pgtest.Connect(t, dsn).QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&made); err != nil {
		t.Fatal(err)
	}
	restarted := s.Watch(WatchOptions{Fresh: time.Hour})
	if h := read(restarted); h.Now.Before(made) {
		t.Errorf("got a reading of %v, want none from before the watch, %v", h.Now, made)
	}
	if restarted.fresh != maxFresh {
		t.Errorf("a reading may be %v old, want at most %v", restarted.fresh, maxFresh)
	}
	if !s.readings.serves(old, time.Now()) && time.Since(s.readings.ended) < maxFresh {
		t.Error("the new watch's reading is not shared with the other")
	}
	// A reading that began before the watch was made and ended after it asked.
	asked := time.Now()
	late := s.Watch(WatchOptions{})
	s.readings.number, s.readings.began, s.readings.ended = 9, late.made.Add(-1), time.Now().Add(time.Second)
	if s.readings.serves(late, asked) {
		t.Error("a reading that was under way served a watch that was made meanwhile")
	}
}

// A late commit is above every watch's horizon, whichever watch took the
// reading.
func TestSharedReadingKnowsLateCommits(t *testing.T) {
	w := watchDatabase(t, pgtest.DB(t), superuser)
	reader, other := w.watch, w.source.Watch(WatchOptions{Slack: slack})
	other.fresh = time.Hour // however slow this machine is
	for range 3 {
		late := w.late()
		stamp := value[time.Time](w, "SELECT clock_timestamp()")
		w.watch = reader
		w.atMost(late)
		w.watch = other
		if h := w.atMost(late); !h.At.Before(stamp) || other.lastReading != reader.lastReading {
			t.Errorf("got %v from reading %d, want it below %v and of reading %d", h.At, other.lastReading, stamp, reader.lastReading)
		}
		w.exec(late, "COMMIT")
	}
	w.finish()
}

// A failure serves the watches that waited for it. A cancelled reading serves
// none.
func TestFailureIsSharedWithWaiters(t *testing.T) {
	t.Parallel()
	s := openSource(t, "postgres://unknown@127.0.0.1:1/none?sslmode=disable")
	w, waited := s.Watch(WatchOptions{}), s.Watch(WatchOptions{})
	asked := time.Now()
	if _, err := w.Horizon(t.Context()); !errors.Is(err, doc.ErrUnavailable) {
		t.Fatalf("got %v, want %v", err, doc.ErrUnavailable)
	}
	if !s.readings.serves(waited, asked) || s.readings.serves(waited, time.Now()) {
		t.Error("the failure is not shared by exactly those who waited")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.readings.take(gone, waited); !errors.Is(err, context.Canceled) || s.readings.number != 1 {
		t.Errorf("got %v and %d readings, want %v and the one before", err, s.readings.number, context.Canceled)
	}
}

// The consumer of a page can use another connection, even if the source has
// only one or all others are held for pages.
func TestStampsByOIDLeavesAConnection(t *testing.T) {
	t.Parallel()
	for _, conns := range []int{1, 2, 3} {
		dsn := pgtest.DB(t)
		pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc SELECT i, '2024-01-01Z' FROM generate_series(1, 100) i")
		s, err := Open(t.Context(), Config{Name: "test", DSN: dsn, Conns: conns})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var readers sync.WaitGroup
		for range 4 {
			table := tableOf(t, s, TableConfig{SQL: "SELECT id, u FROM doc"})
			table.stampPage = 7
			readers.Go(func() {
				n := 0
				for page, err := range table.StampsByOID(ctx, doc.Window{To: maxTime}) {
					if err != nil {
						t.Errorf("%d connections: %v", conns, err)
						return
					}
					n += len(page)
					if _, err := table.Now(ctx); err != nil {
						t.Errorf("%d connections: %v", conns, err)
					}
				}
				if n != 100 {
					t.Errorf("%d connections: got %d stamps, want 100", conns, n)
				}
			})
		}
		readers.Wait()
	}
}

// Every statement except COMMIT counts, and none waits inside a transaction.
func TestPaceOfASource(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc VALUES (1, '2024-01-01Z')")
	s, err := Open(t.Context(), Config{Name: "test", DSN: dsn, Limits: pace.Limits{PerSecond: 60}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
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
	w := openSource(t, dsn).Watch(WatchOptions{})
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
