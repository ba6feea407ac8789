package pgsource

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
	"indexerd/internal/pgtest/cluster"
)

func TestRelations(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE film (id int PRIMARY KEY, u timestamptz, lang int); CREATE TABLE language (id int PRIMARY KEY, u timestamptz, name text);
		CREATE SCHEMA other; CREATE TABLE other.film (id int, u timestamptz); CREATE TABLE "Odd name" (id int, u timestamptz);
		CREATE VIEW films AS SELECT * FROM film; CREATE FUNCTION forbidden() RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''run''; END';
		CREATE TABLE log (id int, u timestamptz) PARTITION BY RANGE (id); CREATE TABLE log1 PARTITION OF log FOR VALUES FROM (1) TO (2); CREATE TABLE log2 PARTITION OF log FOR VALUES FROM (2) TO (3)`)
	for _, c := range []struct {
		sql  string
		want []doc.Relation
	}{
		{"SELECT * FROM film", []doc.Relation{{Name: "film", Path: "sql", Origin: true}}},
		{"SELECT f.id, l.u, l.name FROM film f JOIN language l ON l.id = f.lang", []doc.Relation{{Name: "film", Path: "sql", Origin: false}, {Name: "language", Path: "sql", Origin: true}}},
		{"SELECT f.id, greatest(f.u, l.u) AS u, l.name FROM film f JOIN language l ON l.id = f.lang", []doc.Relation{{Name: "film", Path: "sql", Origin: false}, {Name: "language", Path: "sql", Origin: false}}},
		{`SELECT o.*, n.id AS n FROM other.film o, "Odd name" n`, []doc.Relation{{Name: `"Odd name"`, Path: "sql", Origin: false}, {Name: "other.film", Path: "sql", Origin: true}}},
		{"SELECT * FROM films", []doc.Relation{{Name: "film", Path: "sql", Origin: false}}},
		{"WITH f AS MATERIALIZED (SELECT * FROM film) SELECT *, (SELECT name FROM language WHERE id = lang) FROM f", []doc.Relation{{Name: "film", Path: "sql", Origin: true}, {Name: "language", Path: "sql", Origin: false}}},
		{"SELECT * FROM log", []doc.Relation{{Name: "log", Path: "sql", Origin: true}}},
		{"SELECT id, u, forbidden() FROM film", []doc.Relation{{Name: "film", Path: "sql", Origin: true}}}, // planned, not run
		{"SELECT 1 AS id, now() AS u", nil},
	} {
		table := tableIn(t, dsn, "", TableConfig{SQL: c.sql})
		got, err := table.Relations(t.Context())
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, %v, want %v", c.sql, got, err, c.want)
		}
	}
	table := tableIn(t, dsn, "", TableConfig{SQL: "SELECT * FROM film", Children: []ChildConfig{
		{Name: "languages", Path: "children.languages", SQL: "SELECT * FROM language", Key: []string{"id"}, Updated: "u"},
		{Name: "acl", Path: "extra.acl", SQL: "SELECT id, lang FROM film", Key: []string{"id"}},
	}})
	want := []doc.Relation{{Name: "film", Path: "sql", Origin: true}, {Name: "language", Path: "children.languages", Origin: true}, {Name: "film", Path: "extra.acl", Origin: false}}
	if got, err := table.Relations(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// On a standby the absence of a row is reliable only once everything received
// is replayed.
func TestBehind(t *testing.T) {
	t.Parallel()
	pgtest.DB(t) // skips without a server
	ctx := t.Context()
	primary, err := cluster.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { primary.Stop() })
	pgtest.Exec(t, primary.DSN(), "CREATE TABLE doc (id int, u timestamptz); CREATE ROLE reader LOGIN; GRANT SELECT ON doc TO reader")
	standby, err := primary.Standby(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { standby.Stop() })
	table := func(dsn string) *Table { return tableIn(t, dsn, "", TableConfig{}) }
	source := standby.DSN()
	byAll, byReader := table(source), table(source+"&options=-c%20role%3Dreader")
	await := func(want string) {
		t.Helper()
		deadline := time.Now().Add(20 * time.Second)
		for {
			all, err1 := byAll.Behind(ctx)
			reader, err2 := byReader.Behind(ctx)
			if all == want && reader == want {
				return
			}
			if err1 != nil || err2 != nil || time.Now().After(deadline) {
				t.Fatalf("got %q, %v and %q, %v, want %q", all, err1, reader, err2, want)
			}
		}
	}
	if got, err := table(primary.DSN()).Behind(ctx); got != "" || err != nil {
		t.Errorf("got %q, %v on the primary, want nothing", got, err)
	}
	await("")
	pgtest.Exec(t, source, "SELECT pg_wal_replay_pause()")
	await("the server is a standby whose replay is paused")
	pgtest.Exec(t, source, "SELECT pg_wal_replay_resume()")
	await("")

	// A query on the standby that needs rows removed by the primary delays replay.
	pgtest.Exec(t, source, "ALTER SYSTEM SET max_standby_streaming_delay = -1")
	pgtest.Exec(t, source, "SELECT pg_reload_conf()")
	pgtest.Exec(t, primary.DSN(), "INSERT INTO doc SELECT 1 FROM generate_series(1, 100)")
	await("")
	reader := pgtest.Connect(t, source)
	if _, err := reader.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ"); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Exec(ctx, "SELECT count(*) FROM doc"); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, primary.DSN(), "ALTER TABLE doc ADD v int")
	byAll.src.replayTimeout, byReader.src.replayTimeout = time.Millisecond, time.Millisecond
	await("the server is a standby that does not replay what it received")
	byAll.src.replayTimeout, byReader.src.replayTimeout = replayTimeout, replayTimeout
	if _, err := reader.Exec(ctx, "COMMIT"); err != nil {
		t.Fatal(err)
	}
	await("")

	if err := primary.Stop(); err != nil {
		t.Fatal(err)
	}
	await("the server is a standby that is not connected to its primary")
}

// explain returns the plan of a query, one line for each node.
func explain(t testing.TB, table *Table, q query) string {
	t.Helper()
	q = q.explained("EXPLAIN (COSTS OFF) ")
	var lines []string
	err := table.read(t.Context(), func(x *tx) error {
		rows, err := x.all(t.Context(), q)
		for _, row := range rows {
			lines = append(lines, string(row[0]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// Ranges, keys and windows use an index, whatever the types of key and
// updateTime, also through a join.
func TestIndexesAreUsed(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, c := range []struct {
		name, columns, values string
		key                   []string
		sql                   string
		low, high             []any
	}{
		{name: "integer and timestamptz", columns: "id int, u timestamptz", values: "n, '2024-01-01Z'::timestamptz + n * interval '1 s'",
			low: []any{int64(5000)}, high: []any{int64(5100)}},
		{name: "smallint and timestamp", columns: "id smallint, u timestamp", values: "n, '2024-01-01'::timestamp + n * interval '1 s'",
			low: []any{int64(5000)}, high: []any{int64(5100)}},
		{name: "numeric and epoch", columns: "id numeric(20,0), u int", values: "n, 1704067200 + n",
			low: []any{int64(5000)}, high: []any{int64(5100)}},
		{name: "text and epoch", columns: "id text, u bigint", values: "lpad(n::text, 8, '0'), 1704067200000 + n * 1000",
			low: []any{"00005000"}, high: []any{"00005100"}},
		{name: "varchar and numeric", columns: "id varchar(20), u numeric", values: "lpad(n::text, 8, '0'), 1704067200 + n",
			low: []any{"00005000"}, high: []any{"00005100"}},
		{name: "char", columns: "id char(8), u timestamptz", values: "lpad(n::text, 8, '0'), '2024-01-01Z'::timestamptz + n * interval '1 s'",
			low: []any{"00005000"}, high: []any{"00005100"}},
		{name: "uuid", columns: "id uuid, u timestamptz(0)", values: "lpad(n::text, 32, '0')::uuid, '2024-01-01Z'::timestamptz + n * interval '1 s'",
			low: []any{[16]byte{14: 0x50}}, high: []any{[16]byte{14: 0x51}}},
		{name: "composite", columns: "tenant int, id text, u timestamptz", values: "n / 1000, lpad(n::text, 8, '0'), '2024-01-01Z'::timestamptz + n * interval '1 s'",
			key: []string{"tenant", "id"}, low: []any{int64(5), "00005000"}, high: []any{int64(5), "00005100"}},
		{name: "join", columns: "id int, u timestamptz, lang int", values: "n, '2024-01-01Z'::timestamptz + n * interval '1 s', n % 6",
			sql: "SELECT doc.*, l.name FROM doc JOIN (VALUES (0, 'a'), (1, 'b'), (2, 'c'), (3, 'd'), (4, 'e'), (5, 'f')) l(id, name) ON l.id = doc.lang",
			low: []any{int64(5000)}, high: []any{int64(5100)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			key := strings.Join(c.key, ", ")
			if key == "" {
				key = "id"
			}
			table := tableIn(t, dsn, fmt.Sprintf(`DROP TABLE IF EXISTS doc; CREATE TABLE doc (%s, PRIMARY KEY (%s));
				INSERT INTO doc SELECT %s FROM generate_series(1, 20000) n; CREATE INDEX ON doc (u); ANALYZE doc`, c.columns, key, c.values),
				TableConfig{SQL: c.sql, Key: c.key, Zone: time.UTC})
			low, high := oid(t, c.low...), oid(t, c.high...)

			inRange, err := table.rangeQuery(doc.Range{From: low, To: high})
			if err != nil {
				t.Fatal(err)
			}
			docs, err := table.docsQuery([]doc.OID{low, high})
			if err != nil {
				t.Fatal(err)
			}
			from := at(t, "2024-01-01T01:00:00Z")
			lower, upper := table.updated.bounds(doc.Window{From: from, To: from.Add(time.Minute)}, time.Duration(table.updated.unit.Load()))
			keys, err := table.key.texts(low)
			if err != nil {
				t.Fatal(err)
			}
			for name, q := range map[string]query{
				"range":       inRange,
				"docs":        docs,
				"first page":  table.stampsQuery(windowPage{from: lower, to: upper, first: true}, true),
				"second page": table.stampsQuery(windowPage{from: lower, to: upper, after: append([]string{lower}, keys...)}, true),
			} {
				plan := explain(t, table, q)
				if !strings.Contains(plan, "Index Cond") || strings.Contains(plan, "Seq Scan") {
					t.Errorf("%s: got a plan without an index, want one with:\n%s\n%s", name, q.sql, plan)
				}
			}
		})
	}
}

// The queries for children, sweep and children's windows use an index.
func TestIndexesOfChildrenAreUsed(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, c := range []struct {
		name, key, values string
		row               []any
	}{
		{"integer", "id int", "n", []any{int64(15000)}},
		{"uuid", "id uuid", "lpad(n::text, 32, '0')::uuid", []any{[16]byte{13: 0x01, 14: 0x50}}},
		{"text", `id text COLLATE "en-x-icu"`, "lpad(n::text, 8, '0')", []any{"00015000"}},
		{"composite", "tenant text, id bigint", "'t' || n / 1000, n", []any{"t15", int64(15000)}},
	} {
		key := []string{"id"}
		if len(c.row) == 2 {
			key = []string{"tenant", "id"}
		}
		columns := strings.Join(key, ", ")
		table := tableIn(t, dsn, fmt.Sprintf(`DROP TABLE IF EXISTS doc; DROP TABLE IF EXISTS part; DROP TABLE IF EXISTS gone;
			CREATE TABLE doc (%[1]s, u timestamptz, active int, PRIMARY KEY (%[2]s)); CREATE TABLE part (%[1]s, u timestamptz, v text); CREATE TABLE gone (%[1]s, PRIMARY KEY (%[2]s));
			INSERT INTO doc SELECT %[3]s, '2024-01-01Z'::timestamptz + n * interval '1 s', 1 FROM generate_series(1, 30000) n;
			INSERT INTO part SELECT %[3]s, '2024-01-01Z'::timestamptz + n * interval '1 s', 'x' FROM generate_series(1, 30000) n;
			INSERT INTO gone SELECT %[3]s FROM generate_series(1, 1000) n;
			CREATE INDEX ON doc (u); CREATE INDEX ON part (%[2]s); CREATE INDEX ON part (u); ANALYZE doc; ANALYZE part; ANALYZE gone`, c.key, columns, c.values),
			TableConfig{Key: key, Children: parts("SELECT * FROM part", key...), Deleted: DeletedConfig{SQL: "SELECT * FROM gone"}, Batch: 2000})
		table.stampPage = 1000
		oids := []doc.OID{oid(t, c.row...)}
		texts, err := table.key.texts(oids[0])
		if err != nil {
			t.Fatal(err)
		}
		window := doc.Window{From: at(t, "2024-01-01T01:00:00Z"), To: at(t, "2024-01-01T01:01:00Z")}
		from, to := table.updated.bounds(window, 0)
		child := table.children[0]
		queries := map[string]query{
			"child's window":              child.changedQuery(noCondition, from, to, nil, 1000),
			"child's window, second page": child.changedQuery(noCondition, from, to, append([]string{from}, texts...), 1000),
		}
		for name, ask := range map[string]func() (query, error){
			"digests":      func() (query, error) { return child.digestQuery(oids, time.Second) },
			"stamps":       func() (query, error) { return table.byKeyQuery(oids, true) },
			"range":        func() (query, error) { return table.inRangeQuery(doc.Range{From: oids[0]}, nil, true) },
			"range's page": func() (query, error) { return table.inRangeQuery(doc.Range{}, texts, true) },
			"keys":         func() (query, error) { return table.keysQuery(doc.Range{From: oids[0]}, table.live, texts) },
			"deleted":      func() (query, error) { q, _, err := table.deletedQuery(oids); return q, err },
		} {
			if queries[name], err = ask(); err != nil {
				t.Fatal(err)
			}
		}
		for name, q := range queries {
			plan := explain(t, table, q)
			// The few keys marked deleted may be read completely.
			if !strings.Contains(plan, "Index Cond") || strings.Contains(strings.ReplaceAll(plan, "Seq Scan on gone", ""), "Seq Scan") {
				t.Errorf("%s, %s: got a plan without an index, want one with:\n%s\n%s", c.name, name, q.sql, plan)
			}
		}
	}
}
