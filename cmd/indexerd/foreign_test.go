package main

import (
	"strings"
	"testing"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// A foreign table that becomes a partition while the daemon runs, and a function
// that is replaced by one that may read it, are noticed without a
// start: S is no longer called exact, and status shows why. So is that they have
// gone.
func TestForeignRowsComeLater(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ change, undo, reason string }{
		"a partition": {
			"CREATE FOREIGN TABLE note_far PARTITION OF note FOR VALUES FROM (1000000) TO (2000000) SERVER files OPTIONS (filename '/dev/null', format 'csv')",
			"DROP FOREIGN TABLE note_far", "the SQL reads foreign table note_far, whose updateTimes another server sets",
		},
		"a function": {
			"CREATE OR REPLACE FUNCTION words(t text) RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN t; END'",
			"CREATE OR REPLACE FUNCTION words(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN t; END'",
			"the SQL calls function words, which may read foreign table far: declare it IMMUTABLE if it reads no table",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.DB(t)
			pgtest.Exec(t, dsn, `CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
				CREATE FOREIGN TABLE far (id int) SERVER files OPTIONS (filename '/dev/null', format 'csv');
				CREATE TABLE note (id bigint, updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL) PARTITION BY RANGE (id);
				CREATE TABLE note_near PARTITION OF note FOR VALUES FROM (0) TO (1000000);
				CREATE FUNCTION words(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN t; END';
				INSERT INTO note (id, body) SELECT i, 'note ' || i FROM generate_series(1, 100) i`)
			config := strings.Replace(lateConfig(dsn, t.TempDir(), "{every: 1s, tiers: [{every: 1s, timeout: 2s, end: settled}]}"),
				"SELECT id, updated, body FROM note", "SELECT id, updated, words(body) AS body FROM note", 1)
			p := follow(t, writeFile(t, config))
			is := func(mode, reason string) {
				t.Helper()
				p.waitFor(t, "the table is "+mode, func(s httpapi.TableStatus) bool {
					return s.Settled.Mode == mode && strings.HasPrefix(s.Settled.Reason, reason) && (reason != "" || s.Settled.Reason == "")
				})
			}
			is("exact", "")
			pgtest.Exec(t, dsn, c.change)
			is("assumed", c.reason)
			pgtest.Exec(t, dsn, c.undo)
			is("assumed", "what was committed before was assumed to be complete")
			p.run(t, "note", "deletecheck")
			is("exact", "")
		})
	}
}
