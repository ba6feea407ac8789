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
	"indexerd/internal/test/pgtest"
)

// An explained is a DB that notes the plan of every statement before it runs.
type explained struct {
	*DB
	plans []string // with the statement
}

// Acquire implements dialect.Dialect.
func (db *explained) Acquire(ctx context.Context) (dialect.Session, error) {
	x, err := db.acquire(ctx)
	return &explainedSession{x, db}, err
}

type explainedSession struct {
	*session
	of *explained
}

// Query implements dialect.Session.
func (x *explainedSession) Query(ctx context.Context, s dialect.Statement, row func([]any) bool) (bool, error) {
	q := newQuery(s)
	q.sql = "EXPLAIN (COSTS OFF) " + q.sql
	lines, err := x.rows(ctx, q)
	if err != nil {
		return false, err
	}
	plan := s.SQL
	for _, line := range lines {
		plan += "\n" + string(line[0])
	}
	x.of.plans = append(x.of.plans, plan)
	return x.session.Query(ctx, s, row)
}

// Ranges, keys and windows use an index on every page, whatever the types of key
// and updateTime, also through a join, with children and lists of deleted keys.
func TestIndexesAreUsed(t *testing.T) {
	t.Parallel()
	const seconds = "'2024-01-01Z'::timestamptz + n * interval '1 s'"
	dsn := pgtest.DB(t)
	for _, c := range []struct {
		name, key, updated string // columns
		keyOf, updatedOf   string // their values in row n
		sql                string
		low, high          []any // of two rows among the last
	}{
		{name: "smallint and timestamp", key: "id smallint", keyOf: "n", updated: "timestamp", updatedOf: "'2024-01-01'::timestamp + n * interval '1 s'",
			low: []any{int64(15000)}, high: []any{int64(15020)}},
		{name: "numeric and int", key: "id numeric(20,0)", keyOf: "n", updated: "int", updatedOf: "1704067200 + n",
			low: []any{doc.Number("15000")}, high: []any{doc.Number("15020")}},
		{name: "text and bigint", key: `id text COLLATE "en-x-icu"`, keyOf: "lpad(n::text, 8, '0')", updated: "bigint", updatedOf: "1704067200000 + n * 1000",
			low: []any{"00015000"}, high: []any{"00015020"}},
		{name: "varchar and numeric", key: "id varchar(20)", keyOf: "lpad(n::text, 8, '0')", updated: "numeric", updatedOf: "1704067200 + n",
			low: []any{"00015000"}, high: []any{"00015020"}},
		{name: "char", key: "id char(8)", keyOf: "lpad(n::text, 8, '0')", updated: "timestamptz", updatedOf: seconds,
			low: []any{"00015000"}, high: []any{"00015020"}},
		{name: "uuid", key: "id uuid", keyOf: "lpad(n::text, 32, '0')::uuid", updated: "timestamptz(0)", updatedOf: seconds,
			low: []any{[16]byte{13: 0x01, 14: 0x50}}, high: []any{[16]byte{13: 0x01, 14: 0x50, 15: 0x20}}},
		{name: "composite", key: "tenant text, id bigint", keyOf: "'t' || n / 1000, n", updated: "timestamptz", updatedOf: seconds,
			low: []any{"t15", int64(15000)}, high: []any{"t15", int64(15020)}},
		{name: "join", key: "id int", keyOf: "n", updated: "timestamptz", updatedOf: seconds,
			sql: "SELECT doc.*, l.name FROM doc JOIN (VALUES (0, 'a'), (1, 'b')) l(id, name) ON l.id = doc.n % 2",
			low: []any{int64(15000)}, high: []any{int64(15020)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			names := []string{"id"}
			if len(c.low) == 2 {
				names = []string{"tenant", "id"}
			}
			pgtest.Exec(t, dsn, fmt.Sprintf(`DROP TABLE IF EXISTS doc, part, gone;
				CREATE TABLE doc (%[1]s, u %[2]s, n int, PRIMARY KEY (%[3]s)); CREATE TABLE part (%[1]s, u %[2]s, v text); CREATE TABLE gone (%[1]s, PRIMARY KEY (%[3]s));
				INSERT INTO doc SELECT %[4]s, %[5]s, n FROM generate_series(1, 20000) n; INSERT INTO part SELECT %[4]s, %[5]s, 'x' FROM generate_series(1, 20000) n;
				INSERT INTO gone SELECT %[4]s FROM generate_series(20001, 32000) n;
				CREATE INDEX ON doc (u); CREATE INDEX ON part (%[3]s); CREATE INDEX ON part (u); ANALYZE doc; ANALYZE part; ANALYZE gone`,
				c.key, c.updated, strings.Join(names, ", "), c.keyOf, c.updatedOf))
			db := &explained{DB: openDB(t, dsn)}
			table := tableOf(t, db, source.TableConfig{SQL: c.sql, Key: names, Zone: time.UTC, Children: childOf("SELECT * FROM part", names...),
				Deleted: source.DeletedConfig{SQL: "SELECT * FROM gone"}, Batch: 15, StampPage: 15})
			// The first window finds the units of updateTimes, by a sample.
			at := at(t, "2024-01-01T04:10:00Z")
			window := doc.Window{From: at, To: at.Add(20 * time.Second)}
			readStamps(t, table.Stamps(t.Context(), window))
			low, high := oid(t, c.low...), oid(t, c.high...)
			for name, read := range map[string]func() int{
				"range": func() int {
					docs, _ := readAll(t, table.Range(t.Context(), doc.Range{From: low, To: high}))
					return len(docs)
				},
				"docs": func() int {
					docs, _ := readAll(t, table.Docs(t.Context(), []doc.OID{low, high}))
					return len(docs)
				},
				"stamps of keys": func() int {
					stamps, err := table.StampsOf(t.Context(), []doc.OID{low, high})
					if err != nil {
						t.Error(err)
					}
					return len(stamps)
				},
				"stamps": func() int {
					return len(readStamps(t, table.StampsInRange(t.Context(), doc.Range{From: low, To: high})))
				},
				"window": func() int { return len(readStamps(t, table.Stamps(t.Context(), window))) },
			} {
				db.plans = nil
				want := map[string]int{"docs": 2, "stamps of keys": 2, "window": 40}[name] // a window has each row by itself and by its child
				if want == 0 {
					want = 20
				}
				if got := read(); got != want {
					t.Errorf("%s: got %d rows, want %d", name, got, want)
				}
				for _, plan := range db.plans {
					// Some versions see that a part of a primary key is never NULL, and read nothing.
					uses := strings.Contains(plan, "Index Cond") || strings.Contains(plan, "One-Time Filter: false")
					if !uses || strings.Contains(plan, "Seq Scan") {
						t.Errorf("%s: got a plan without an index, want one with:\n%s", name, plan)
					}
				}
				if len(db.plans) < 2 {
					t.Errorf("%s: got %d statements, want those of rows and children", name, len(db.plans))
				}
			}
		})
	}
}
