package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/horizon"
	"indexerd/internal/test/pgtest"
)

// pooledDB opens a database through a pooler, and the same without one.
func pooledDB(t *testing.T, dsn string) (pooled, direct *DB) {
	t.Helper()
	return openAsIs(t, pgtest.Pooler(t, dsn)), openAsIs(t, dsn)
}

// Behind a pooler, rows and stamps are the same, and no horizon is exact.
func TestPooler(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc SELECT i, now() FROM generate_series(1, 500) i")
	pooled, direct := pooledDB(t, dsn)
	const reason = "the connection leads through a connection pooler, which may have several servers: name the server itself in dsn, or set horizon: timeout"
	var stamps [][]doc.Stamp
	for _, c := range []struct {
		db     *DB
		pooled bool
		reason string
	}{{pooled, true, reason}, {direct, false, ""}} {
		s := source.New(c.db, pace.Limits{})
		table := tableFrom(t, s, source.TableConfig{})
		stamps = append(stamps, readStamps(t, table.Stamps(t.Context(), always)))
		d, err := s.Server(t.Context())
		if err != nil || d.Pooled != c.pooled {
			t.Errorf("got %+v, %v, want pooled %v", d, err, c.pooled)
		}
		if h := hiddenEnds(t, watchOf(c.db, horizon.Options{Scope: table.Inexact})); h.Exact == c.pooled || h.Reason != c.reason {
			t.Errorf("got %+v, want the reason %q", h, c.reason)
		}
	}
	if len(stamps[0]) != 500 || len(stamps[1]) != 500 {
		t.Fatalf("got %d and %d stamps, want 500", len(stamps[0]), len(stamps[1]))
	}
	for i, s := range stamps[0] {
		if !s.Same(stamps[1][i]) {
			t.Fatalf("got stamp %+v behind a pooler, want %+v", s, stamps[1][i])
		}
	}
}

// hiddenEnds reads horizons until none is inexact for a session that is just
// starting, of another test.
func hiddenEnds(t *testing.T, w *horizon.Watch) doc.Horizon {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		h, err := w.Horizon(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if h.Exact || !h.Hidden || time.Now().After(deadline) {
			return h
		}
	}
}

// A reading from the horizon alone notices a pooler too: the first pass reads
// the horizon before any row.
func TestHorizonNoticesPooler(t *testing.T) {
	pooled, _ := pooledDB(t, pgtest.DB(t))
	h, err := watchOf(pooled, horizon.Options{}).Horizon(t.Context())
	if err != nil || h.Exact || !strings.Contains(h.Reason, "connection pooler") {
		t.Errorf("got %+v, %v, want it inexact for the pooler", h, err)
	}
}

// A cancelled query ends on the server, though the pooler made up the process
// id that the driver names.
func TestCancelBehindPooler(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc VALUES (1, now())")
	pooled, _ := pooledDB(t, dsn)
	table := tableOf(t, pooled, source.TableConfig{SQL: "SELECT id, u FROM doc WHERE id = 1 OR pg_sleep(600) IS NULL"})
	pgtest.Exec(t, dsn, "INSERT INTO doc VALUES (2, now())") // from now on the SQL sleeps
	const sleeping = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep')"
	until := func(want bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); pgtest.Value[bool](t, dsn, sleeping) != want; {
			if time.Now().After(deadline) {
				t.Fatalf("got a query that runs: %v, want %v", !want, want)
			}
			<-time.After(10 * time.Millisecond)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := table.Count(ctx)
		ended <- err
	}()
	until(true)
	cancel()
	if err := <-ended; err == nil {
		t.Error("got no error from a cancelled query")
	}
	until(false)
}

// PgBouncer refuses settings of the session.
func TestPoolerRefusesSettings(t *testing.T) {
	db := openAsIs(t, pgtest.Pooler(t, pgtest.DB(t))+"&options=-c%20search_path%3Dpublic")
	_, err := db.Acquire(t.Context())
	if err == nil || !strings.Contains(err.Error(), "a connection pooler refused a setting of dsn, such as options or search_path (unsupported startup parameter: options, SQLSTATE 08P01): remove it") {
		t.Errorf("got %v, want an error that names the settings", err)
	}
}

// What is read every second, and what begins a transaction, is prepared, but not behind a
// pooler, which may run the next statement in another session.
func TestReadingsArePrepared(t *testing.T) {
	pooled, direct := pooledDB(t, pgtest.DB(t))
	for db, want := range map[*DB]int{pooled: 0, direct: 3} {
		for range 3 {
			if _, err := db.Changes(t.Context(), func(string) []string { return []string{} }); err != nil {
				t.Fatal(err)
			}
			x, err := db.acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = x.Begin(t.Context(), "")
			x.End()
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := one[struct{ N int }](t.Context(), acquired(t, db), query{sql: "SELECT count(*) AS n FROM pg_catalog.pg_prepared_statements WHERE name IN ('committed', 'counters', 'open')"})
		if err != nil || got.N != want {
			t.Errorf("pooled %t: got %d prepared statements, %v, want %d", db == pooled, got.N, err, want)
		}
	}
}
