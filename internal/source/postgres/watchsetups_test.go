package postgres

import (
	"fmt"
	"testing"

	"indexerd/internal/test/pgtest"
)

// A scenario is what happens in a database while it is watched.
type scenario struct {
	name  string
	roles []string // of the watch
	run   func(*watched)
}

// Roles, each standing for all with the same visibility.
var (
	allRoles = []string{superuser, "pg_monitor", "pg_read_all_stats", plain}
	both     = []string{"pg_read_all_stats", plain}
	seeing   = []string{"pg_read_all_stats"}
	blind    = []string{plain}
)

// runScenarios runs each scenario as each of its roles. Every exact horizon is
// compared with what is committed after it.
func runScenarios(t *testing.T, setups []scenario) {
	for _, c := range setups {
		roles := c.roles
		if testing.Short() {
			roles = roles[len(roles)-1:]
		}
		for _, role := range roles {
			t.Run(c.name+"/"+role, func(t *testing.T) {
				t.Parallel()
				w := watchDatabase(t, pgtest.DB(t), role)
				c.run(w)
				w.finish()
			})
		}
	}
}

// Transactions begin, stamp and end in all their ways.
func TestWatchTransactions(t *testing.T) {
	runScenarios(t, []scenario{
		{"open before the watch, seen", seeing, func(w *watched) {
			s := w.late()
			w.atMost(s)
			w.pinned(s)
			w.exec(s, "COMMIT")
			w.free()
		}},
		{"open before the watch, hidden", blind, func(w *watched) {
			s := w.late()
			w.inexact("hides the start of its transaction, which was before the daemon watched the database: GRANT pg_read_all_stats")
			w.exec(s, "COMMIT")
			w.free()
		}},
		{"open after the watch", allRoles, func(w *watched) {
			w.free()
			s := w.late()
			w.atMost(s)
			w.pinned(s)
			w.exec(s, "COMMIT")
			w.free()
		}},
		{"before the first statement", both, func(w *watched) {
			w.free()
			s := w.writer()
			w.exec(s, "BEGIN")
			w.passTime()
			w.pinned(s)
			w.exec(s, "INSERT INTO doc (note) VALUES ('late')") // with the time of BEGIN
			w.atMost(s)
			w.exec(s, "COMMIT")
		}},
		{"after a statement that writes nothing", both, func(w *watched) {
			w.free()
			s := w.writer()
			w.exec(s, "BEGIN; SELECT count(*) FROM doc")
			w.passTime()
			w.pinned(s)
			w.exec(s, "INSERT INTO doc (note) VALUES ('late')")
			w.atMost(s)
			w.exec(s, "COMMIT")
		}},
		{"repeatable read", both, func(w *watched) {
			w.free()
			s := w.writer()
			w.exec(s, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM doc; INSERT INTO doc (note) VALUES ('late')")
			w.passTime()
			w.atMost(s)
			w.exec(s, "COMMIT")
		}},
		{"savepoints", both, func(w *watched) {
			w.free()
			s := w.writer()
			w.exec(s, "BEGIN; INSERT INTO doc (note) VALUES ('late'); SAVEPOINT a; INSERT INTO doc (u) VALUES (clock_timestamp()); ROLLBACK TO a; SAVEPOINT b; INSERT INTO doc (u) VALUES (clock_timestamp())")
			w.passTime()
			w.atMost(s)
			w.exec(s, "RELEASE b")
			w.atMost(s)
			w.exec(s, "COMMIT")
		}},
		{"rollback", both, func(w *watched) {
			s := w.writer()
			w.free()
			w.exec(s, "BEGIN; INSERT INTO doc (note) VALUES ('late')")
			w.atMost(s)
			w.exec(s, "ROLLBACK")
			w.free()
		}},
		{"prepared before the watch", both, func(w *watched) {
			s := w.late()
			w.exec(s, "PREPARE TRANSACTION '"+w.database()+"'")
			w.inexact(fmt.Sprintf("transaction %q was prepared before the daemon watched the database", w.database()))
			w.exec(s, "COMMIT PREPARED '"+w.database()+"'")
			w.free()
		}},
		{"prepared after the watch", allRoles, func(w *watched) {
			w.free()
			s := w.late()
			h := w.atMost(s)
			w.exec(s, "PREPARE TRANSACTION '"+w.database()+"'")
			w.passTime()
			named := false // a session of another test that is starting may hold it back too
			for range 3 {
				p := w.exact()
				if p.At.After(h.At) || p.Pin == nil {
					w.Errorf("got %v pinned by %+v, want at most %v", p.At, p.Pin, h.At)
				}
				named = named || p.Pin != nil && p.Pin.Application == fmt.Sprintf("prepared transaction %q", w.database())
			}
			if !named {
				w.Errorf("the prepared transaction does not hold it back")
			}
			w.exec(s, "COMMIT PREPARED '"+w.database()+"'")
			w.free()
		}},
		{"begun and prepared between two readings", both, func(w *watched) {
			h := w.free()
			s := w.late()
			w.exec(s, "PREPARE TRANSACTION '"+w.database()+"'")
			w.passTime()
			if p := w.exact(); p.At.After(h.Now) {
				w.Errorf("got %v, want at most %v", p.At, h.Now)
			}
			w.exec(s, "COMMIT PREPARED '"+w.database()+"'")
			w.free()
		}},
		{"several transactions in one message", both, func(w *watched) {
			w.free()
			g, s := w.gate(), w.writer()
			end := w.start(s, `BEGIN; SELECT pg_advisory_xact_lock(1); COMMIT;
				BEGIN; INSERT INTO doc (note) VALUES ('late'); SELECT pg_advisory_xact_lock(2); COMMIT`)
			g.reached(1)
			h := w.pinned(s)
			g.open(1)
			g.reached(2)
			// Its row has the time of the message.
			if p := w.exact(); p.At.After(h.At) {
				w.Errorf("got %v in the second transaction, want at most %v", p.At, h.At)
			}
			g.open(2)
			end()
			w.free()
		}},
		{"a procedure that commits", allRoles, func(w *watched) {
			pgtest.Exec(w, w.dsn, procedure("now()"))
			w.free()
			w.callProcedure()
		}},
		{"a procedure that commits and stamps with its call, seen", seeing, func(w *watched) {
			pgtest.Exec(w, w.dsn, procedure("statement_timestamp()"))
			w.free()
			w.callProcedure()
		}},
		{"a cursor with hold", both, func(w *watched) {
			w.free()
			s := w.late()
			w.exec(s, "DECLARE c CURSOR WITH HOLD FOR SELECT * FROM doc")
			w.atMost(s)
			w.exec(s, "COMMIT")
			w.free()
		}},
		{"a wait for an advisory lock", both, func(w *watched) {
			w.free()
			g, s := w.gate(), w.writer()
			end := w.start(s, "INSERT INTO doc (u) SELECT now() FROM (SELECT pg_advisory_xact_lock(1) OFFSET 0) l")
			g.reached(1)
			w.pinned(s)
			g.open(1)
			end()
			w.free()
		}},
		{"a statement that waits for a row", both, func(w *watched) {
			w.exec(w.writer(), "INSERT INTO doc (note) VALUES ('contended')")
			w.free()
			first, s := w.writer(), w.writer()
			w.exec(first, "BEGIN; UPDATE doc SET u = now()")
			end := w.start(s, "INSERT INTO doc (u) SELECT now(); UPDATE doc SET u = statement_timestamp() WHERE note = 'contended'")
			w.until("EXISTS (SELECT FROM pg_locks WHERE pid = $1 AND NOT granted)", s.PgConn().PID())
			w.passTime()
			w.exact()
			w.exec(first, "ROLLBACK")
			end()
			w.free()
		}},
		{"a lock on a table, then another transaction of the message", both, func(w *watched) {
			w.free()
			g, first, s := w.gate(), w.writer(), w.writer()
			w.exec(first, "CREATE TABLE other (id int)")
			w.exec(first, "BEGIN; LOCK TABLE other")
			end := w.start(s, "BEGIN; LOCK TABLE other IN SHARE MODE; COMMIT; BEGIN; INSERT INTO doc (note) VALUES ('late'); SELECT pg_advisory_xact_lock(1); COMMIT")
			w.until("EXISTS (SELECT FROM pg_locks WHERE pid = $1 AND NOT granted)", s.PgConn().PID())
			w.passTime()
			w.exact()
			w.exec(first, "COMMIT")
			g.reached(1)
			w.exact()
			g.open(1)
			end()
			w.free()
		}},
		{"a deferred trigger stamps at commit", both, func(w *watched) {
			pgtest.Exec(w, w.dsn, `CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS
				'BEGIN PERFORM pg_advisory_xact_lock(1); UPDATE doc SET u = now() WHERE id = NEW.id; RETURN NULL; END';
				CREATE CONSTRAINT TRIGGER stamp AFTER INSERT ON doc DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION stamp()`)
			w.free()
			g, s := w.gate(), w.late()
			end := w.start(s, "COMMIT")
			g.reached(1)
			w.pinned(s)
			g.open(1)
			end()
			w.free()
		}},
	})
}

// procedure commits in the middle.
func procedure(stamp string) string {
	return fmt.Sprintf(`CREATE PROCEDURE work() LANGUAGE plpgsql AS $$ BEGIN
		PERFORM pg_advisory_xact_lock(1); COMMIT;
		INSERT INTO doc (u, note) VALUES (%s, 'late'); PERFORM pg_advisory_xact_lock(2); COMMIT;
		PERFORM pg_advisory_xact_lock(3); END $$`, stamp)
}

func (w *watched) callProcedure() {
	w.Helper()
	g, s := w.gate(), w.writer()
	end := w.start(s, "CALL work()")
	for n := range 3 {
		g.reached(n + 1)
		w.exact()
		g.open(n + 1)
	}
	end()
	w.free()
}
