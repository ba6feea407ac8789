package postgres

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/horizon"
	"indexerd/internal/test/pgtest"
)

// A watched is a database with a table, writers and a watch. Each horizon is
// followed by a look at the table. At the end no row may have appeared below an
// exact horizon.
type watched struct {
	*testing.T
	dsn   string // of the superuser
	admin *pgx.Conn
	db    *DB
	watch *horizon.Watch
	looks []look
}

// A look is the rows below a horizon, in their versions.
type look struct {
	at   time.Time
	rows []string
}

// slack is short, so that every bound shows.
const slack = 20 * time.Millisecond

const watchedTable = `CREATE TABLE doc (id serial PRIMARY KEY, u timestamptz DEFAULT now(), note text)`

// The role of a watch: the superuser, a role with a granted role, or one with
// nothing.
const (
	superuser = "superuser"
	plain     = "plain"
)

// watchOf returns a watch that shares its readings with no other.
func watchOf(db *DB, o horizon.Options) *horizon.Watch { return horizon.NewReadings(db, nil).Watch(o) }

// watchDatabase watches a database as such a role.
func watchDatabase(t *testing.T, dsn, granted string) *watched {
	t.Helper()
	w := &watched{T: t, dsn: dsn, admin: pgtest.Connect(t, dsn)}
	pgtest.Exec(t, dsn, watchedTable)
	w.db = openDB(t, w.login(granted))
	w.restart(doc.Horizon{})
	return w
}

// login creates such a role and returns its DSN.
func (w *watched) login(granted string) string {
	w.Helper()
	if granted == superuser {
		return w.dsn
	}
	role := "test_" + strings.ToLower(rand.Text())
	pgtest.Exec(w, w.dsn, "CREATE ROLE "+role+" LOGIN")
	w.Cleanup(func() { pgtest.Exec(w, w.dsn, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	if granted != plain {
		pgtest.Exec(w, w.dsn, "GRANT "+granted+" TO "+role)
	}
	return strings.Replace(w.dsn, "postgres@", role+"@", 1)
}

// value runs a query as the superuser.
func value[T any](w *watched, sql string, args ...any) T {
	w.Helper()
	var v T
	if err := w.admin.QueryRow(w.Context(), sql, args...).Scan(&v); err != nil {
		w.Fatalf("%s: %v", sql, err)
	}
	return v
}

// restart starts a new watch.
func (w *watched) restart(last doc.Horizon) {
	w.watch = watchOf(w.db, horizon.Options{Slack: slack, Last: last})
}

func (w *watched) horizon() doc.Horizon {
	w.Helper()
	h, err := w.watch.Horizon(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return h
}

// read reads a horizon and the rows below it.
func (w *watched) read() doc.Horizon {
	w.Helper()
	h := w.horizon()
	if h.Exact {
		rows := value[[]string](w, "SELECT coalesce(array_agg((id, u)::text), '{}') FROM doc WHERE u < $1", h.At)
		w.looks = append(w.looks, look{h.At, rows})
	}
	return h
}

// exact reads horizons until one is exact, as free does: a session of another test that is
// starting hides its transaction, but for a moment only.
func (w *watched) exact() doc.Horizon {
	w.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		h := w.read()
		switch {
		case h.Exact && !h.At.IsZero() && h.Reason == "":
			return h
		case !h.Hidden || time.Now().After(deadline):
			w.Fatalf("got %+v, want it exact", h)
		}
	}
}

// atMost reads an exact horizon, which must not exceed the updateTime that the
// session has written.
func (w *watched) atMost(s *pgx.Conn) doc.Horizon {
	w.Helper()
	h := w.exact()
	var u time.Time
	if err := s.QueryRow(w.Context(), "SELECT max(u) FROM doc WHERE note = 'late'").Scan(&u); err != nil {
		w.Fatal(err)
	}
	if h.At.After(u) {
		w.Errorf("got %v, want at most %v, which is still to be committed", h.At, u)
	}
	return h
}

// pinned reads an exact horizon that names the session holding it back.
func (w *watched) pinned(s *pgx.Conn) doc.Horizon {
	w.Helper()
	h := w.pinnedBy(int(s.PgConn().PID()))
	if h.Pin.Application != "writer" || h.Pin.User == "" || h.Pin.Age < slack {
		w.Errorf("got %+v pinned by %+v, want it pinned by the writer", h, h.Pin)
	}
	return h
}

// pinnedBy reads horizons until an exact one names the process holding it back. A session of
// another test that is starting may hold it back too.
func (w *watched) pinnedBy(pid int) doc.Horizon {
	w.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		h := w.exact()
		if h.Pin != nil && h.Pin.PID == pid {
			return h
		}
		if time.Now().After(deadline) {
			w.Fatalf("got %+v pinned by %+v, want it pinned by %d", h, h.Pin, pid)
		}
	}
}

// free reads horizons until one is exact and nothing holds it back. A session of
// another test that is starting has a transaction that no role sees. Tests that
// need an exact horizon are not parallel for the same reason.
func (w *watched) free() doc.Horizon {
	w.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		h := w.read()
		if h.Exact && h.Pin == nil && h.Now.Sub(h.At) <= time.Second {
			return h
		}
		if time.Now().After(deadline) {
			w.Fatalf("got %+v pinned by %+v, want it exact and nothing to hold it back", h, h.Pin)
		}
	}
}

// inexact reads horizons, none of which may be exact, until one is inexact for this reason.
// A session that is starting may be another reason.
func (w *watched) inexact(reason string) {
	w.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		h := w.read()
		if h.Exact || !h.At.IsZero() || strings.Contains(h.Reason, "\n") {
			w.Fatalf("got %+v, want it inexact: %s", h, reason)
		}
		if strings.Contains(h.Reason, reason) {
			return
		}
		if time.Now().After(deadline) {
			w.Fatalf("got %+v, want the reason %s", h, reason)
		}
	}
}

// finish checks every look after all commits.
func (w *watched) finish() {
	w.Helper()
	for _, l := range w.looks {
		late := value[[]string](w, "SELECT coalesce(array_agg((id, u)::text), '{}') FROM doc WHERE u < $1 AND (id, u)::text <> ALL ($2)", l.at, l.rows)
		if len(late) > 0 {
			w.Errorf("got rows %v below %v, which was exact, want none but %v", late, l.at, l.rows)
		}
	}
}

// writer opens a session of the superuser that writes.
func (w *watched) writer() *pgx.Conn {
	w.Helper()
	return pgtest.Connect(w, w.dsn+"&application_name=writer")
}

// late inserts a row in a transaction that stays open.
func (w *watched) late() *pgx.Conn {
	w.Helper()
	s := w.writer()
	w.exec(s, "BEGIN; INSERT INTO doc (note) VALUES ('late')")
	w.passTime()
	return s
}

// exec sends one message.
func (w *watched) exec(s *pgx.Conn, sql string) {
	w.Helper()
	if _, err := s.PgConn().Exec(w.Context(), sql).ReadAll(); err != nil {
		w.Fatalf("%s: %v", sql, err)
	}
}

// start sends one message. end waits for its result.
func (w *watched) start(s *pgx.Conn, sql string) (end func()) {
	done := make(chan error, 1)
	go func() {
		_, err := s.PgConn().Exec(context.Background(), sql).ReadAll()
		done <- err
	}()
	return func() {
		w.Helper()
		if err := <-done; err != nil {
			w.Errorf("%s: %v", sql, err)
		}
	}
}

// until waits for a condition in the database.
func (w *watched) until(condition string, args ...any) {
	w.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !value[bool](w, "SELECT "+condition, args...); {
		if time.Now().After(deadline) {
			w.Fatalf("waited for %s", condition)
		}
	}
}

// passTime waits until what is open is older than the slack.
func (w *watched) passTime() {
	w.Helper()
	w.until("pg_sleep(0.05) IS NOT NULL")
}

// A gate is a session that holds advisory locks for which others wait.
type gate struct {
	w *watched
	s *pgx.Conn
}

func (w *watched) gate() gate {
	w.Helper()
	g := gate{w, pgtest.Connect(w, w.dsn)}
	w.exec(g.s, "SELECT pg_advisory_lock(n) FROM generate_series(1, 3) n")
	return g
}

// reached waits until a session waits for the n-th of three locks.
func (g gate) reached(n int) {
	g.w.Helper()
	// Sessions of other databases wait for locks with the same numbers.
	g.w.until("EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))", n)
	g.w.passTime()
}

func (g gate) open(n int) {
	g.w.Helper()
	if _, err := g.s.Exec(g.w.Context(), "SELECT pg_advisory_unlock($1)", n); err != nil {
		g.w.Fatal(err)
	}
}
