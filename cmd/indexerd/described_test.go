package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// schemaTokens are those of an admin and of two groups.
const schemaTokens = "  tokens:\n    ops: {token: ops-of-schema-test, admin: true}\n" +
	"    seven: {token: seven-of-schema-test, groups: ['7']}\n    nine: {token: nine-of-schema-test, groups: ['9']}\n"

// schemaConfig is a configuration of tables in one database.
func schemaConfig(tokens, driver, dsn, data string, tables ...string) string {
	return fmt.Sprintf("data: %s\nhttp:\n  listen: 127.0.0.1:0\n%ssources:\n  db: {driver: %s, dsn: %q}\ntables:\n", data, tokens, driver, dsn) + strings.Join(tables, "\n") + "\n"
}

func schemaTable(name, sql, more string) string {
	return fmt.Sprintf("  %s: {source: db, sql: %q, key: id, updated: u, content: {fields: [body]}%s}", name, sql, more)
}

// An application alters its tables while the daemon follows them through
// SELECT *: what is found is never made of another column, and each table goes
// on by itself.
func TestColumnsChangeUnderADaemon(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, name := range []string{"secret", "tail", "flags", "swap"} {
		pgtest.Exec(t, dsn, "CREATE TABLE "+name+` (id int PRIMARY KEY, a text DEFAULT 'apple', b text DEFAULT 'banana', ok boolean DEFAULT true,
			u timestamptz DEFAULT now(), body text DEFAULT 'older'); INSERT INTO `+name+" SELECT i FROM generate_series(1, 20) i")
	}
	pgtest.Exec(t, dsn, "CREATE TABLE grp AS SELECT id, 9 AS grp FROM secret")
	data := filepath.Join(t.TempDir(), "data")
	file := writeFile(t, schemaConfig(schemaTokens, "postgres", dsn, data,
		schemaTable("secret", "SELECT c1.*, c2.grp FROM secret c1 JOIN grp c2 USING (id)", ", metadata: {grp: keyword}, acl: grp"),
		schemaTable("tail", "SELECT * FROM tail", ""),
		schemaTable("flags", "SELECT * FROM flags", ", metadata: {ok: boolean}"),
		schemaTable("swap", "SELECT * FROM swap", ", metadata: {a: keyword, b: keyword}")))
	p := follow(t, file)
	ops, seven, nine := p.as("ops-of-schema-test"), p.as("seven-of-schema-test"), p.as("nine-of-schema-test")
	change := func(table, alter string) {
		pgtest.Exec(t, dsn, alter+"; UPDATE "+table+" SET body = 'newer', u = clock_timestamp()")
	}

	t.Run("a column comes before the groups", func(t *testing.T) {
		change("secret", "ALTER TABLE secret ADD COLUMN priority int DEFAULT 7")
		eventually(t, soon, "group 9 finds what is new", func() error {
			if got := seven.finds(t, "secret", "").Total; got > 0 {
				t.Fatalf("group 7 finds %d documents of group 9", got)
			}
			if got := nine.finds(t, "secret", "newer").Total; got != 20 {
				return fmt.Errorf("got %d, want 20: %+v", got, ops.table(t, "secret").LastError)
			}
			return nil
		})
		ops.swept(t, "secret")
		if got := seven.finds(t, "secret", "").Total; got > 0 {
			t.Errorf("group 7 finds %d documents of group 9", got)
		}
	})
	t.Run("a boolean becomes text", func(t *testing.T) {
		change("flags", "ALTER TABLE flags ALTER COLUMN ok DROP DEFAULT, ALTER COLUMN ok TYPE text USING CASE WHEN ok THEN 'yes' ELSE 'no' END")
		eventually(t, soon, "the documents have no boolean", func() error {
			if got := ops.finds(t, "flags", "ok:false").Total; got > 0 {
				t.Fatalf("%d rows of 'yes' are false", got)
			}
			if got := ops.table(t, "flags"); got.Partial != 20 || got.Quarantined != 0 {
				return fmt.Errorf("%d partial rows and %d in quarantine, want 20 and 0", got.Partial, got.Quarantined)
			}
			ops.found(t, "flags", "ok:true", 0)
			ops.found(t, "flags", "newer", 20)
			return nil
		})
	})
	t.Run("two columns change names, and no row changes", func(t *testing.T) {
		pgtest.Exec(t, dsn, "ALTER TABLE swap RENAME COLUMN a TO x; ALTER TABLE swap RENAME COLUMN b TO a; ALTER TABLE swap RENAME COLUMN x TO b")
		ops.found(t, "swap", "a:banana b:apple", 20)
		ops.found(t, "swap", "a:apple", 0)
	})
	t.Run("what the configuration needs is dropped", func(t *testing.T) {
		pgtest.Exec(t, dsn, "ALTER TABLE swap DROP COLUMN a")
		ops.fails(t, "swap", "tables.swap.metadata", "column a is not in the SQL's result")
		ops.found(t, "swap", "a:banana", 20) // searches go on
		var run httpapi.Run
		if status := ops.body(t, "POST", "/api/v1/tables/swap/run/incremental", &run); status != http.StatusAccepted {
			t.Fatalf("run: got %d, want %d", status, http.StatusAccepted)
		}
		eventually(t, soon, "the run fails with one line", func() error {
			if ops.body(t, "GET", "/api/v1/runs/"+run.Run, &run); run.Error == nil || !strings.Contains(*run.Error, "column a is not in the SQL's result") || strings.Contains(*run.Error, "\n") {
				return fmt.Errorf("%s: %v", run.State, run.Error)
			}
			return nil
		})
		if _, stderr, code := ask(t, "check", "-c", file); code == 0 {
			t.Errorf("check: exit 0, want a fault: %s", stderr)
		}
		pgtest.Exec(t, dsn, "ALTER TABLE swap ADD COLUMN a text DEFAULT 'cherry'")
		ops.found(t, "swap", "a:cherry", 20) // by a sweep: no updateTime moved
		ops.swept(t, "swap")
	})
	t.Run("the key has another type", func(t *testing.T) {
		pgtest.Exec(t, dsn, "ALTER TABLE tail ALTER COLUMN id TYPE text; UPDATE tail SET u = clock_timestamp()")
		ops.fails(t, "tail", "indexerd reload tail")
		pgtest.Exec(t, dsn, "ALTER TABLE tail ALTER COLUMN id TYPE int USING id::int")
		ops.swept(t, "tail")
	})
	for _, table := range []string{"secret", "tail", "swap"} {
		isEqual(withToken(t, "ops-of-schema-test"), file, table)
	}
}
