package pgsource

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

// explain returns the plan of a query, one line per node.
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

// Ranges, lookups and windows are answered by an index, whatever the types of
// key and updateTime, and through a join as well.
func TestIndexesAreUsed(t *testing.T) {
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

// The queries of families, of the sweep and of children's windows are answered
// by an index too.
func TestIndexesOfChildrenAreUsed(t *testing.T) {
	dsn := pgtest.DB(t)
	for _, c := range []struct {
		name, key, values string
		row               []any
	}{
		{"integer", "id int", "n", []any{int64(50000)}},
		{"uuid", "id uuid", "lpad(n::text, 32, '0')::uuid", []any{[16]byte{13: 0x05}}},
		{"text", `id text COLLATE "en-x-icu"`, "lpad(n::text, 8, '0')", []any{"00050000"}},
		{"composite", "tenant text, id bigint", "'t' || n / 1000, n", []any{"t50", int64(50000)}},
	} {
		key := []string{"id"}
		if len(c.row) == 2 {
			key = []string{"tenant", "id"}
		}
		columns := strings.Join(key, ", ")
		table := tableIn(t, dsn, fmt.Sprintf(`DROP TABLE IF EXISTS doc; DROP TABLE IF EXISTS part; DROP TABLE IF EXISTS gone;
			CREATE TABLE doc (%[1]s, u timestamptz, active int, PRIMARY KEY (%[2]s)); CREATE TABLE part (%[1]s, u timestamptz, v text); CREATE TABLE gone (%[1]s, PRIMARY KEY (%[2]s));
			INSERT INTO doc SELECT %[3]s, '2024-01-01Z'::timestamptz + n * interval '1 s', 1 FROM generate_series(1, 100000) n;
			INSERT INTO part SELECT %[3]s, '2024-01-01Z'::timestamptz + n * interval '1 s', 'x' FROM generate_series(1, 100000) n;
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
		err = table.read(t.Context(), func(x *tx) error {
			queries["keys by OID"], err = table.unionQuery(t.Context(), x, unionPage{window: window, after: texts})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, q := range queries {
			plan := explain(t, table, q)
			// The keys that are marked deleted are few, and may be read as a whole.
			if !strings.Contains(plan, "Index Cond") || strings.Contains(strings.ReplaceAll(plan, "Seq Scan on gone", ""), "Seq Scan") {
				t.Errorf("%s, %s: got a plan without an index, want one with:\n%s\n%s", c.name, name, q.sql, plan)
			}
		}
	}
}
