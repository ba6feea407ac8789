package pgsource

import (
	"strings"
	"testing"

	"indexerd/internal/pgtest"
)

// elsewheres are relations whose rows are stamped or shown by others, and what
// hides them in an SQL.
const elsewheres = `
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

// What this server's transactions don't stamp, or don't show, has no exact
// horizon, wherever the SQLs of the table read it.
func TestRowsFromElsewhere(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, elsewheres)
	const foreign, view = "whose rows another server stamps: set horizon: timeout", "whose rows appear with a later REFRESH: set horizon: timeout"
	child := func(sql string) []ChildConfig {
		return []ChildConfig{{Name: "c", Path: "children.c", SQL: sql, Key: []string{"id"}}}
	}
	for _, c := range []struct {
		cfg  TableConfig
		want string // "": exact
	}{
		{TableConfig{}, ""},
		{TableConfig{SQL: "SELECT * FROM docs"}, ""},
		{TableConfig{SQL: "SELECT * FROM docs", Children: child("SELECT id FROM heir")}, ""},
		{TableConfig{SQL: "SELECT * FROM log_new"}, ""},
		{TableConfig{SQL: "SELECT * FROM log WHERE u >= '2024-01-01Z'"}, ""}, // can't return a row of the other
		{TableConfig{SQL: "SELECT * FROM far"}, "the SQL reads foreign table far, " + foreign},
		{TableConfig{SQL: `SELECT * FROM "Other"."Far"`}, `the SQL reads foreign table "Other"."Far", ` + foreign},
		{TableConfig{SQL: "SELECT d.* FROM doc d WHERE EXISTS (SELECT FROM far f WHERE f.id = d.id)"}, "the SQL reads foreign table far, " + foreign},
		{TableConfig{SQL: "SELECT * FROM inlined()"}, "the SQL reads foreign table far, " + foreign},
		{TableConfig{SQL: "SELECT loop1.* FROM loop1 JOIN loop2 USING (id)"}, "the SQL reads foreign table loop1, " + foreign},
		{TableConfig{SQL: "SELECT * FROM log"}, "the SQL reads foreign table log_old, " + foreign},
		{TableConfig{SQL: "SELECT * FROM logs WHERE u > now() - interval '1 minute'"}, "the SQL reads foreign table log_old, " + foreign},
		{TableConfig{SQL: "SELECT * FROM kept"}, "the SQL reads materialized view kept, " + view},
		{TableConfig{SQL: "SELECT * FROM above"}, "the SQL reads materialized view kept, " + view},
		{TableConfig{SQL: "SELECT * FROM higher"}, "the SQL reads materialized view kept, " + view},
		{TableConfig{Children: child("SELECT id FROM above")}, "the SQL reads materialized view kept, " + view},
		{TableConfig{Deleted: DeletedConfig{SQL: "SELECT id FROM far"}}, "the SQL reads foreign table far, " + foreign},
		{TableConfig{Changes: "SELECT id, u FROM higher"}, "the SQL reads materialized view kept, " + view},
	} {
		h, err := tableIn(t, dsn, "", c.cfg).Watch(WatchOptions{}).Horizon(t.Context())
		if err != nil || h.Exact != (c.want == "") || h.At.IsZero() == h.Exact || h.Reason != c.want || h.Server == "" || h.Now.IsZero() {
			t.Errorf("%+v: got %+v, %v, want the reason %q", c.cfg, h, err, c.want)
		}
	}
}

// A server that does not tell what an SQL reads is not believed, and not asked
// again; but the table can be read.
func TestElsewhereIsNotTold(t *testing.T) {
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, u timestamptz); GRANT SELECT ON doc TO pg_monitor; REVOKE SELECT ON pg_locks FROM public")
	table := tableIn(t, dsn+"&options=-c%20role%3Dpg_monitor", "", TableConfig{})
	if want := "the server does not tell what the SQL reads: permission denied for view pg_locks"; !strings.HasPrefix(table.inexactReason, want) {
		t.Errorf("got %q, want %q", table.inexactReason, want)
	}
	if n, err := table.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("got %d, %v, want a table without rows", n, err)
	}
}
