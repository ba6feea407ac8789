package main

import (
	"context"
	"fmt"
	"testing"

	"indexerd/internal/test/pgtest"
)

// TestKeys takes every kind of key through load, incremental, compensation,
// sweep and verify.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, columns, key string
		loaded             []string // keys before the load
		inserted, late     string   // after it
		deleted            string   // as the database names it
		printed            string   // deleted, as indexerd prints it
	}{
		{"bigint", "id bigint PRIMARY KEY", "id", []string{"-9223372036854775808", "-5", "0", "7", "9223372036854775807"}, "-1", "8", "-5", "-5"},
		{"uuid", "id uuid PRIMARY KEY", "id",
			[]string{"'00000000-0000-0000-0000-000000000000'", "'7f000000-0000-4000-8000-000000000001'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"},
			"'80000000-0000-4000-8000-000000000000'", "'12345678-0000-4000-8000-000000000000'",
			"'7f000000-0000-4000-8000-000000000001'", "7f000000-0000-4000-8000-000000000001"},
		{"text in a language's order", `id text COLLATE "de-x-icu" PRIMARY KEY`, "id",
			[]string{"'apfel'", "'Apfel'", "'Äpfel'", "'zebra'", "'Zebra'", "'öl'", "'a,b/c%'", "''"}, "'Österreich'", "'eule'", "'Äpfel'", "Äpfel"},
		{"text and bigint", `tenant text COLLATE "en-x-icu", id bigint, PRIMARY KEY (tenant, id)`, "[tenant, id]",
			[]string{"'acme', -1", "'Acme', 0", "'acme', 2", "'émile', 3", "'zoo', -4"}, "'Zoo', 5", "'bar', 6", "'émile', 3", "émile,3"},
		{"date and numeric", `tenant date, id numeric(10,2), PRIMARY KEY (tenant, id)`, "[tenant, id]",
			[]string{"'2026-02-15', 10", "'2026-02-15', 9.50", "'0044-03-15 BC', -1", "'infinity', 0"}, "'2026-02-15', 9.51", "'1999-12-31', 1", "'2026-02-15', 9.5", "2026-02-15,9.5"},
		{"timestamptz", "id timestamptz PRIMARY KEY", "id",
			[]string{"'2026-02-15 01:02:03.5+00'", "'-infinity'", "'1999-12-31 23:59:59.999999+00'"}, "'2000-01-01Z'", "'infinity'", "'2026-02-15 02:02:03.5+01'", "2026-02-15T01:02:03.500000Z"},
		{"bytea and boolean", "tenant bytea, id boolean, PRIMARY KEY (tenant, id)", "[tenant, id]",
			[]string{`'\x00', true`, `'\x00', false`, `'\x', true`, `'\x00ff', true`}, `'\xff', true`, `'\x01', false`, `'\x00ff', true`, "00ff,true"},
		{"double precision", "id float8 PRIMARY KEY", "id", []string{"-1.5", "0.1", "1e300", "10", "9"}, "9.5", "'-0'", "0.1", "0.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.DB(t)
			pgtest.Exec(t, dsn, "CREATE TABLE item ("+c.columns+", updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL)")
			insert := func(key, body string) string {
				columns := "id"
				if c.key != "id" {
					columns = "tenant, id"
				}
				return fmt.Sprintf("INSERT INTO item (%s, body) VALUES (%s, '%s')", columns, key, body)
			}
			for _, key := range c.loaded {
				pgtest.Exec(t, dsn, insert(key, "loaded"))
			}
			file := writeFile(t, fmt.Sprintf(`data: %s
http: {listen: 127.0.0.1:0}
sources: {db: {driver: postgres, dsn: %q}}
tables:
  item:
    {source: db, sql: SELECT * FROM item, key: %s, updated: updated, content: {fields: [body]}, batch: 2, compensate: {every: 500ms, slack: 500ms}}
`, t.TempDir(), dsn, c.key))
			p := start(t, "run", "-c", file)
			p.ready(t)
			wants := func(word string, n int) {
				t.Helper()
				eventually(t, soon, word, func() error {
					if got := p.search(t, "item", word, "size=0").Total; got != uint64(n) {
						return fmt.Errorf("got %d, want %d", got, n)
					}
					return nil
				})
			}
			wants("loaded", len(c.loaded))

			late, err := pgtest.Connect(t, dsn).Begin(context.Background())
			if err == nil {
				_, err = late.Exec(context.Background(), insert(c.late, "late"))
			}
			if err != nil {
				t.Fatal(err)
			}
			pgtest.Exec(t, dsn, insert(c.inserted, "inserted"))
			pgtest.Exec(t, dsn, "UPDATE item SET body = 'updated', updated = clock_timestamp() WHERE body = 'loaded'")
			wants("inserted", 1)
			wants("updated", len(c.loaded))
			passedBy(t, p)
			commit(t, late)
			wants("late", 1)

			where := "id = " + c.deleted
			if c.key != "id" {
				where = "(tenant, id) = (" + c.deleted + ")"
			}
			settledPast(t, p, dsn) // compensation looks at none of these rows any more
			p.stop(t)              // no narrowed sweep removes the document
			pgtest.Exec(t, dsn, "DELETE FROM item WHERE "+where)
			pgtest.Exec(t, dsn, "UPDATE item SET body = 'backdated', updated = '2001-01-01' WHERE body = 'inserted'")
			if got := verifies(t, 1, file); got.Stale != 1 || got.Pending != 1 {
				t.Errorf("verify before the sweep: got %+v, want one stale and one pending", got)
			}
			if got := sweeps(t, 0, file, "item"); got.Deleted != 1 || got.Updated != 1 {
				t.Errorf("sweep: got %+v, want one removed and one updated", got)
			}
			verifies(t, 0, file, "--content")
			if _, _, code := ask(t, nil, "explain", "-c", file, "item", "--", c.printed); code != 1 {
				t.Errorf("explain %s, which is gone: exit %d, want 1", c.printed, code)
			}
		})
	}
}
