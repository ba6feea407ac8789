package postgres

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"indexerd/internal/test/pgtest"
)

// A role sees some starts and not others, and some sessions are not
// transactions that write.
func TestWatchVisibility(t *testing.T) {
	runScenarios(t, []scenario{
		{"no other session", allRoles, func(w *watched) {
			w.free()
		}},
		{"a session turns track_activities off", seeing, func(w *watched) {
			w.free()
			s := w.late()
			w.exec(s, "SET track_activities = off")
			w.atMost(s)
			w.exec(s, "COMMIT")
			w.free()
		}},
		{"a session turns track_activities on", seeing, func(w *watched) {
			w.free()
			s := w.writer()
			w.exec(s, "SET track_activities = off")
			w.exec(s, "BEGIN; INSERT INTO doc (note) VALUES ('late')")
			w.passTime()
			w.exec(s, "SET track_activities = on")
			w.exec(s, "SELECT 1")
			h := w.atMost(s)
			g := w.gate()
			end := w.start(s, "SELECT pg_advisory_xact_lock(1)") // this statement's start is visible, not the transaction's
			g.reached(1)
			if p := w.exact(); p.At.After(h.At) {
				w.Errorf("got %v, want %v as before", p.At, h.At)
			}
			g.open(1)
			end()
			w.exec(s, "COMMIT")
		}},
		{"track_activities off for a role, open before the watch", seeing, func(w *watched) {
			dsn := w.login(plain)
			role := dsn[strings.Index(dsn, "test_"):strings.Index(dsn, "@")]
			pgtest.Exec(w, w.dsn, "ALTER ROLE "+role+" SET track_activities = off; GRANT ALL ON doc, doc_id_seq TO "+role)
			s := pgtest.Connect(w, dsn)
			w.exec(s, "BEGIN; INSERT INTO doc (note) VALUES ('late')")
			w.inexact("turn track_activities on in every session")
			w.exec(s, "COMMIT")
			w.free()
			w.exec(s, "BEGIN; INSERT INTO doc (note) VALUES ('late')")
			w.passTime()
			w.atMost(s)
			w.exec(s, "COMMIT")
			w.free()
		}},
		{"track_activities off in the database", both, func(w *watched) {
			pgtest.Exec(w, w.dsn, "ALTER DATABASE "+w.database()+" SET track_activities = off")
			w.free()
			s := w.late()
			w.atMost(s)
			w.exec(s, "COMMIT")
			w.free()
		}},
		{"prepared across a restart of the watch", both, func(w *watched) {
			w.free()
			s := w.late()
			h := w.atMost(s)
			w.exec(s, "PREPARE TRANSACTION '"+w.database()+"'")
			w.restart(h)
			if p := w.exact(); !p.At.Equal(h.At) {
				w.Errorf("got %v after the restart, want %v as before", p.At, h.At)
			}
			w.exec(s, "COMMIT PREPARED '"+w.database()+"'")
			w.free()
		}},
		{"open across a restart of the watch", both, func(w *watched) {
			w.free()
			s := w.late()
			h := w.atMost(s)
			w.restart(h)
			if p := w.atMost(s); p.At.Before(h.At) {
				w.Errorf("got %v after the restart, want %v or later", p.At, h.At)
			}
			w.exec(s, "COMMIT")
			w.free()
		}},
		{"a restart of the watch that knows another server", blind, func(w *watched) {
			h := w.free()
			s := w.late()
			h.Server = "another"
			w.restart(h)
			w.inexact("hides the start of its transaction")
			w.exec(s, "COMMIT")
		}},
		{"a procedure that commits and stamps with its call, hidden", blind, func(w *watched) {
			w.free()
			pgtest.Exec(w, w.dsn, procedure("statement_timestamp()"))
			w.inexact("function work uses statement_timestamp()")
			pgtest.Exec(w, w.dsn, "DROP PROCEDURE work; ALTER TABLE doc ALTER u SET DEFAULT statement_timestamp()")
			w.inexact("the default of a column of doc uses statement_timestamp()")
			pgtest.Exec(w, w.dsn, "ALTER TABLE doc ALTER u SET DEFAULT now()")
			w.free()
		}},
		{"a session without track_activities beside a default of statement_timestamp()", seeing, func(w *watched) {
			pgtest.Exec(w, w.dsn, "ALTER TABLE doc ALTER u SET DEFAULT statement_timestamp()")
			w.free()
			s := w.writer()
			w.exec(s, "SET track_activities = off")
			w.inexact("the default of a column of doc uses statement_timestamp(), and when a statement began can't be seen: turn track_activities on")
			w.exec(s, "SET track_activities = on")
			w.exec(s, "SELECT 1")
			w.free()
		}},
		{"another database", both, func(w *watched) {
			s := pgtest.Connect(w, pgtest.DB(w.T))
			w.exec(s, "BEGIN; CREATE TABLE doc (id int)")
			w.passTime()
			w.free()
		}},
		{"a parallel query", seeing, func(w *watched) {
			g, s := w.gate(), w.writer()
			// The setting's name depends on the version.
			w.exec(s, "SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode')")
			w.exec(s, "CREATE FUNCTION slow() RETURNS int PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN 1; END'")
			end := w.start(s, "SELECT slow()")
			g.reached(1)
			w.pinned(s)
			g.open(1)
			end()
			w.free()
		}},
		{"an own transaction", both, func(w *watched) {
			w.free()
			within(w, w.db, func(x *session) {
				w.passTime()
				w.free()
			})
		}},
		{"the process of a transaction that was an own one", seeing, func(w *watched) {
			s := w.late()
			w.db.own.add(backend{pid: fmt.Sprint(s.PgConn().PID()), start: "0"})
			w.pinned(s)
			w.exec(s, "COMMIT")
		}},
		{"the same role's other program", both, func(w *watched) {
			pgtest.Exec(w, w.dsn, "GRANT ALL ON doc, doc_id_seq TO public")
			w.free()
			s, err := pgconn.Connect(w.Context(), w.db.pool.Config().ConnString()+"&application_name=indexerd")
			if err != nil {
				w.Fatal(err)
			}
			defer s.Close(w.Context())
			results, err := s.Exec(w.Context(), "BEGIN; INSERT INTO doc (note) VALUES ('late'); SELECT pg_backend_pid()").ReadAll()
			if err != nil {
				w.Fatal(err)
			}
			w.passTime()
			pid, err := strconv.Atoi(string(results[2].Rows[0][0]))
			if err != nil {
				w.Fatal(err)
			}
			w.pinnedBy(pid)
			if _, err := s.Exec(w.Context(), "COMMIT").ReadAll(); err != nil {
				w.Fatal(err)
			}
		}},
		{"a session that holds an advisory lock", both, func(w *watched) {
			w.gate()
			w.free()
		}},
		{"listen and notify", both, func(w *watched) {
			listener := w.writer()
			w.exec(listener, "LISTEN doc")
			w.free()
			s := w.late()
			w.exec(s, "NOTIFY doc")
			w.atMost(s)
			w.exec(s, "COMMIT")
			w.free()
		}},
		{"a subscription", both, func(w *watched) {
			pgtest.Exec(w, w.dsn, "CREATE SUBSCRIPTION "+w.database()+" CONNECTION 'dbname=nowhere' PUBLICATION p WITH (connect = false)")
			drop := func() {
				pgtest.Exec(w, w.dsn, "ALTER SUBSCRIPTION "+w.database()+" SET (slot_name = NONE)")
				pgtest.Exec(w, w.dsn, "DROP SUBSCRIPTION "+w.database())
			}
			w.inexact("replicates rows whose updateTimes another server set")
			drop()
			w.free()
		}},
		{"logical replication", seeing, func(w *watched) {
			w.stream()
			w.free()
			s := w.late()
			w.pinned(s)
			w.exec(s, "COMMIT")
			w.free()
		}},
		{"a server that hides pg_locks", blind, func(w *watched) {
			pgtest.Exec(w, w.dsn, "REVOKE SELECT ON pg_locks FROM public")
			w.inexact("the server does not show open transactions: permission denied for view pg_locks (SQLSTATE 42501)")
		}},
	})
}

func (w *watched) database() string {
	w.Helper()
	return value[string](w, "SELECT current_database()")
}

// stream receives the database's changes, as a subscriber does, until the test
// ends.
func (w *watched) stream() {
	w.Helper()
	slot := w.database()
	pgtest.Exec(w, w.dsn, "CREATE PUBLICATION p FOR ALL TABLES")
	pgtest.Exec(w, w.dsn, "SELECT pg_create_logical_replication_slot($1, 'pgoutput')", slot)
	s, err := pgconn.Connect(w.Context(), w.dsn+"&replication=database")
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		pgtest.Exec(w, w.dsn, "SELECT pg_terminate_backend($1, 10000)", s.PID())
		pgtest.Exec(w, w.dsn, "SELECT pg_drop_replication_slot($1)", slot)
		s.Close(w.Context())
	})
	s.Frontend().Send(&pgproto3.Query{String: "START_REPLICATION SLOT " + slot + " LOGICAL 0/0 (proto_version '1', publication_names 'p')"})
	if err := s.Frontend().Flush(); err != nil {
		w.Fatal(err)
	}
	w.until("EXISTS (SELECT FROM pg_stat_replication WHERE pid = $1 AND state = 'streaming')", s.PID())
	w.passTime()
}
