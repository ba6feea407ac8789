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
	q.sql = "EXPLAIN (COSTS OFF) " + q.sql
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

			ranges, err := table.rangeQueries(doc.Range{From: low, To: high})
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
				"range":       ranges[0],
				"docs":        docs,
				"first page":  table.stampsQuery(lower, upper, nil),
				"second page": table.stampsQuery(lower, upper, append([]string{lower}, keys...)),
			} {
				plan := explain(t, table, q)
				if !strings.Contains(plan, "Index Cond") || strings.Contains(plan, "Seq Scan") {
					t.Errorf("%s: got a plan without an index, want one with:\n%s\n%s", name, q.sql, plan)
				}
			}
		})
	}
}
