package postgres

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
	"indexerd/internal/test/pgtest"
)

// foreignRelations are relations whose rows others stamp or show, and what
// hides them in an SQL.
const foreignRelations = `
	CREATE TABLE doc (id int, u timestamptz);
	CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
	CREATE FOREIGN TABLE far (id int, u timestamptz) SERVER files OPTIONS (filename '/dev/null', format 'csv');
	CREATE SCHEMA "Other"; CREATE FOREIGN TABLE "Other"."Far" (id int, u timestamptz) SERVER files OPTIONS (filename '/dev/null', format 'csv');
	CREATE VIEW docs AS SELECT * FROM doc;
	CREATE MATERIALIZED VIEW kept AS SELECT * FROM doc;
	CREATE VIEW above AS SELECT * FROM kept; CREATE VIEW higher AS SELECT * FROM docs UNION ALL SELECT * FROM above;
	CREATE FUNCTION inlined() RETURNS TABLE (id int, u timestamptz) LANGUAGE sql STABLE AS 'SELECT id, u FROM far';
	CREATE TABLE heir () INHERITS (doc);
	CREATE TABLE log (id int, u timestamptz) PARTITION BY RANGE (u);
	CREATE TABLE log_new PARTITION OF log FOR VALUES FROM ('2024-01-01Z') TO ('2124-01-01Z');
	CREATE FOREIGN TABLE log_old PARTITION OF log FOR VALUES FROM ('2000-01-01Z') TO ('2024-01-01Z') SERVER files OPTIONS (filename '/dev/null', format 'csv');
	CREATE VIEW logs AS SELECT * FROM log;
	CREATE EXTENSION postgres_fdw;
	DO $$ BEGIN EXECUTE format('CREATE SERVER loop FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host ''127.0.0.1'', port %L, dbname %L)', current_setting('port'), current_database()); END $$;
	CREATE USER MAPPING FOR public SERVER loop OPTIONS (user 'postgres');
	CREATE FOREIGN TABLE loop1 (id int, u timestamptz) SERVER loop OPTIONS (table_name 'doc'); CREATE FOREIGN TABLE loop2 (id int) SERVER loop OPTIONS (table_name 'doc')`

// Rows that this server's transactions do not stamp or show have no exact
// horizon, whichever SQL of the table reads them.
func TestForeignAndMaterializedRowsAreInexact(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, foreignRelations)
	const foreign, view = "whose updateTimes another server sets: set horizon: timeout", "whose rows appear with a later REFRESH: set horizon: timeout"
	for _, c := range []struct {
		sqls []string
		want string // "": exact
	}{
		{[]string{"SELECT * FROM doc"}, ""},
		{[]string{"SELECT * FROM docs"}, ""},
		{[]string{"SELECT * FROM docs", "SELECT id FROM heir"}, ""},
		{[]string{"SELECT * FROM log_new"}, ""},
		{[]string{"SELECT * FROM log WHERE u >= '2024-01-01Z'"}, ""}, // this can't return a row of the foreign partition
		{[]string{"SELECT * FROM far"}, "the SQL reads foreign table far, " + foreign},
		{[]string{`SELECT * FROM "Other"."Far"`}, `the SQL reads foreign table "Other"."Far", ` + foreign},
		{[]string{"SELECT d.* FROM doc d WHERE EXISTS (SELECT FROM far f WHERE f.id = d.id)"}, "the SQL reads foreign table far, " + foreign},
		{[]string{"SELECT * FROM inlined()"}, "the SQL reads foreign table far, " + foreign},
		{[]string{"SELECT loop1.* FROM loop1 JOIN loop2 USING (id)"}, "the SQL reads foreign table loop1, " + foreign},
		{[]string{"SELECT * FROM log"}, "the SQL reads foreign table log_old, " + foreign},
		{[]string{"SELECT * FROM logs WHERE u > now() - interval '1 minute'"}, "the SQL reads foreign table log_old, " + foreign},
		{[]string{"SELECT * FROM kept"}, "the SQL reads materialized view kept, " + view},
		{[]string{"SELECT * FROM above"}, "the SQL reads materialized view kept, " + view},
		{[]string{"SELECT * FROM higher"}, "the SQL reads materialized view kept, " + view},
		{[]string{"SELECT * FROM doc", "SELECT id FROM above"}, "the SQL reads materialized view kept, " + view},
		{[]string{"SELECT * FROM doc", "SELECT id FROM far"}, "the SQL reads foreign table far, " + foreign},
		{[]string{"SELECT * FROM doc", "SELECT id, u FROM higher"}, "the SQL reads materialized view kept, " + view},
	} {
		if got := inexact(t, dsn, c.sqls...); got != c.want {
			t.Errorf("%q: got %q, want %q", c.sqls, got, c.want)
		}
	}
}

// inexact returns why no horizon is exact for the rows of some SQLs.
func inexact(t *testing.T, dsn string, sqls ...string) (why string) {
	t.Helper()
	within(t, openDB(t, dsn), func(x *session) {
		var all []*dialect.Described
		for _, text := range sqls {
			all = append(all, &dialect.Described{Wrapped: wrapped(text)})
		}
		var err error
		if why, err = x.db.Inexact(t.Context(), x, all); err != nil {
			t.Fatal(err)
		}
	})
	return why
}

// A server that hides what an SQL reads has no exact horizon, but the table is
// readable.
func TestHiddenLocksAreInexact(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, u timestamptz); GRANT SELECT ON doc TO pg_monitor; REVOKE SELECT ON pg_locks FROM public")
	got := inexact(t, dsn+"&options=-c%20role%3Dpg_monitor", "SELECT * FROM doc")
	if want := "the server does not show what the SQL reads: permission denied for view pg_locks (SQLSTATE 42501): set horizon: timeout"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// functions are called by the test's SQLs. Any of them could read the foreign
// table.
const functions = `
	CREATE TABLE doc (id int, u timestamptz);
	CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
	CREATE FOREIGN TABLE far (id int, u timestamptz) SERVER files OPTIONS (filename '/dev/null', format 'csv');
	CREATE FUNCTION reads() RETURNS TABLE (id int, u timestamptz) LANGUAGE plpgsql STABLE AS 'BEGIN RETURN QUERY SELECT far.id, far.u FROM far; END';
	CREATE FUNCTION shout(t text) RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN upper(t); END';
	CREATE FUNCTION whisper(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN lower(t); END';
	CREATE FUNCTION inlined(t text) RETURNS text LANGUAGE sql STABLE AS 'SELECT upper(t)';
	CREATE FUNCTION kept(t text) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT upper(t) FROM far';
	CREATE SCHEMA "Other"; CREATE FUNCTION "Other"."Shout it!"(t text) RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN upper(t); END';
	CREATE SCHEMA hidden; CREATE FUNCTION hidden.length(t text) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN 1; END';
	CREATE FUNCTION public.lower(t text) RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN 1; END';
	CREATE FUNCTION named(d doc) RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN d.id; END';
	CREATE FUNCTION step(a text, b int) RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN a; END'; CREATE AGGREGATE folded(int) (sfunc = step, stype = text);
	CREATE FUNCTION plain(a text, b int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN a; END'; CREATE AGGREGATE joined(int) (sfunc = plain, stype = text);
	CREATE EXTENSION unaccent; CREATE EXTENSION dblink; CREATE EXTENSION tablefunc;
	CREATE VIEW shouted AS SELECT *, shout('a') FROM doc;
	CREATE TABLE guarded (id int, u timestamptz); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
	CREATE POLICY visible ON guarded USING (shout('a') = 'A');
	GRANT SELECT ON guarded TO pg_monitor`

// A function that the planner does not inline may read rows that no transaction
// of this server stamps.
func TestOpaqueFunctions(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, functions)
	for _, c := range []struct{ sql, function string }{ // "": exact
		{"SELECT id, u FROM doc", ""},
		{"SELECT * FROM reads()", "reads"},
		{"SELECT id, u, shout('a') FROM doc", "shout"},
		{"SELECT id, u, whisper('a') FROM doc", ""},
		{"SELECT id, u, inlined('a') FROM doc", ""},
		{"SELECT id, u, kept('a') FROM doc", "kept"},
		{`SELECT id, u, "Other"."Shout it!"('a') FROM doc`, `"Other"."Shout it!"`},
		{"SELECT id, u, length('a'), lower('A'), 'reads()' AS r, 'it''s reads()' AS s FROM doc", ""},
		{"SELECT id, u, hidden.length(id::text) FROM doc", "hidden.length"},
		{"SELECT id, u, public.lower(id::text) FROM doc", "public.lower"},
		{"SELECT id, u, d.named FROM doc d", "named"},
		{"SELECT id, max(u) AS u, joined(id) FROM doc GROUP BY id", ""},
		{"SELECT id, max(u) AS u, folded(id) FROM doc GROUP BY id", "step"},
		{"SELECT id, u, unaccent(id::text) FROM doc", ""},
		{"SELECT id, u FROM doc WHERE EXISTS (SELECT FROM dblink('', 'SELECT 1') r (n int))", "dblink"},
		{"SELECT id, u FROM doc WHERE EXISTS (SELECT FROM crosstab('SELECT 1, 2, 3') r (n int, m int))", "crosstab"},
		{"SELECT id, u, query_to_xml('SELECT * FROM far', true, true, '')::text AS x FROM doc", "query_to_xml"},
		{"SELECT id, u FROM shouted", ""}, // its function is not called
		{"SELECT * FROM shouted", "shout"},
	} {
		want := ""
		if c.function != "" {
			want = "the SQL calls function " + c.function + ", which may read foreign table far: declare it IMMUTABLE if it reads no table, or set horizon: timeout"
		}
		if got := inexact(t, dsn, c.sql); got != want {
			t.Errorf("%s: got %q, want %q", c.sql, got, want)
		}
	}
	if got := inexact(t, dsn+"&options=-c%20role%3Dpg_monitor", "SELECT * FROM guarded"); !strings.Contains(got, "calls function shout") {
		t.Errorf("a row's policy: got %q, want the function that it calls", got)
	}

	// Without foreign relations a function can't read any.
	pgtest.Exec(t, dsn, "DROP EXTENSION dblink; DROP EXTENSION file_fdw CASCADE")
	if got := inexact(t, dsn, "SELECT id, u, shout('a') FROM doc"); got != "" {
		t.Errorf("got %q, want nothing: the database has nothing that a function could read", got)
	}
}

// The next reading notices a relation or function that was attached, replaced
// or created after the table was described, and its removal.
func TestInexactReasonIsRefreshed(t *testing.T) {
	for name, c := range map[string]struct{ sql, change, undo, want string }{
		"a partition is attached": {"SELECT * FROM log", `CREATE FOREIGN TABLE log_far PARTITION OF log FOR VALUES FROM ('2200-01-01Z') TO ('2300-01-01Z') SERVER files OPTIONS (filename '/dev/null', format 'csv')`,
			"DROP FOREIGN TABLE log_far", "the SQL reads foreign table log_far"},
		"a child table is":         {"SELECT * FROM doc", "ALTER FOREIGN TABLE far INHERIT doc", "ALTER FOREIGN TABLE far NO INHERIT doc", "the SQL reads foreign table far"},
		"a view is replaced":       {"SELECT * FROM docs", "CREATE OR REPLACE VIEW docs AS SELECT * FROM far", "CREATE OR REPLACE VIEW docs AS SELECT * FROM doc", "the SQL reads foreign table far"},
		"a function is replaced":   {"SELECT id, u, f(id) FROM doc", "ALTER FUNCTION f STABLE", "ALTER FUNCTION f IMMUTABLE", "the SQL calls function f"},
		"a table takes its place":  {"SELECT * FROM doc", "ALTER TABLE doc RENAME TO old; ALTER FOREIGN TABLE far RENAME TO doc", "ALTER FOREIGN TABLE doc RENAME TO far; ALTER TABLE old RENAME TO doc", "the SQL reads foreign table doc"},
		"a table can't be planned": {"SELECT * FROM doc", "ALTER TABLE doc RENAME TO old", "ALTER TABLE old RENAME TO doc", "the server does not show what the SQL reads: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.DB(t)
			pgtest.Exec(t, dsn, `CREATE TABLE doc (id int, u timestamptz); CREATE VIEW docs AS SELECT * FROM doc;
				CREATE TABLE log (id int, u timestamptz) PARTITION BY RANGE (u);
				CREATE TABLE log_new PARTITION OF log FOR VALUES FROM ('2024-01-01Z') TO ('2124-01-01Z');
				CREATE FUNCTION f(n int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN n; END';
				CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
				CREATE FOREIGN TABLE far (id int, u timestamptz) SERVER files OPTIONS (filename '/dev/null', format 'csv')`)
			const slack = 1 // ns: each reading looks
			w := watchOf(openDB(t, dsn), horizon.Options{Slack: slack, Scope: func(context.Context) (string, error) { return inexact(t, dsn, c.sql), nil }})
			reads := func(want string) {
				t.Helper()
				h, err := w.Horizon(t.Context())
				if err != nil || h.Exact != (want == "") || !strings.HasPrefix(h.Reason, want) {
					t.Errorf("got %+v, %v, want the reason %q", h, err, want)
				}
			}
			reads("")
			pgtest.Exec(t, dsn, c.change)
			reads(c.want)
			reads(c.want)
			pgtest.Exec(t, dsn, c.undo)
			reads("")
		})
	}
}

// The time between two checks is less than the slack, by which S stays behind.
func TestInexactReasonIsRefreshedBeforeSMoves(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE doc (id int, u timestamptz); CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
		CREATE FOREIGN TABLE far (id int, u timestamptz) SERVER files OPTIONS (filename '/dev/null', format 'csv')`)
	db := openDB(t, dsn)
	table := tableOf(t, db, source.TableConfig{})
	checks := 0
	w := watchOf(db, horizon.Options{Slack: 100 * time.Millisecond, Scope: func(ctx context.Context) (string, error) {
		checks++
		return table.Inexact(ctx)
	}})
	var last doc.Horizon
	var checked time.Time // the server's clock at the last check
	for n := 0; checks < 3; n++ {
		before := checks
		pgtest.Exec(t, dsn, fmt.Sprintf("CREATE VIEW v%d AS SELECT 1", n)) // the catalog moves with every commit
		h, err := w.Horizon(t.Context())
		if err != nil || !h.Exact {
			t.Fatalf("got %+v, %v, want an exact horizon", h, err)
		}
		if checks > before {
			checked = h.Now
		}
		if h.At.After(checked) || h.At.Before(last.At) {
			t.Fatalf("got a horizon of %v, want at most %v, the last check", h.At, checked)
		}
		last = h
	}
	for range 50 {
		pgtest.Exec(t, dsn, "INSERT INTO doc VALUES (1, now())")
		if _, err := w.Horizon(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if checks > 4 {
		t.Errorf("got %d checks, want none while only rows change", checks)
	}
	pgtest.Exec(t, dsn, "ALTER FOREIGN TABLE far INHERIT doc")
	attached := pgtest.Value[string](t, dsn, "SELECT clock_timestamp()::text")
	for h := last; h.Exact; {
		var err error
		if h, err = w.Horizon(t.Context()); err != nil || h.Exact && pgtest.Value[bool](t, dsn, "SELECT $1 >= $2::timestamptz", h.At, attached) {
			t.Fatalf("got %+v, %v, want no exact horizon that passes %s, when the table was attached", h, err, attached)
		}
		pgtest.Exec(t, dsn, "INSERT INTO doc VALUES (1, now())")
	}
}
