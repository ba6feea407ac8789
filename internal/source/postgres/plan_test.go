package postgres

import (
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/test/pgtest"
)

func TestRelations(t *testing.T) {
	t.Parallel()
	x := inside(t, pgtest.DB(t), `CREATE TABLE film (id int PRIMARY KEY, u timestamptz, lang int); CREATE TABLE language (id int PRIMARY KEY, u timestamptz, name text);
		CREATE SCHEMA other; CREATE TABLE other.film (id int, u timestamptz); CREATE TABLE "Odd name" (id int, u timestamptz);
		CREATE VIEW films AS SELECT * FROM film; CREATE FUNCTION forbidden() RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''run''; END';
		CREATE TABLE log (id int, u timestamptz) PARTITION BY RANGE (id); CREATE TABLE log1 PARTITION OF log FOR VALUES FROM (1) TO (2); CREATE TABLE log2 PARTITION OF log FOR VALUES FROM (2) TO (3)`)
	for _, c := range []struct {
		sql  string
		want []doc.Relation
	}{
		{"SELECT * FROM film", []doc.Relation{{Name: "film", Origin: true}}},
		{"SELECT f.id, l.u, l.name FROM film f JOIN language l ON l.id = f.lang", []doc.Relation{{Name: "film", Origin: false}, {Name: "language", Origin: true}}},
		{"SELECT f.id, greatest(f.u, l.u) AS u, l.name FROM film f JOIN language l ON l.id = f.lang", []doc.Relation{{Name: "film", Origin: false}, {Name: "language", Origin: false}}},
		{`SELECT o.*, n.id AS n FROM other.film o, "Odd name" n`, []doc.Relation{{Name: `"Odd name"`, Origin: false}, {Name: "other.film", Origin: true}}},
		{"SELECT * FROM films", []doc.Relation{{Name: "film", Origin: false}}},
		{"WITH f AS MATERIALIZED (SELECT * FROM film) SELECT *, (SELECT name FROM language WHERE id = lang) FROM f", []doc.Relation{{Name: "film", Origin: true}, {Name: "language", Origin: false}}},
		{"SELECT * FROM log", []doc.Relation{{Name: "log", Origin: true}}},
		{"SELECT id, u, forbidden() FROM film", []doc.Relation{{Name: "film", Origin: true}}}, // planned, not run
		{"SELECT 1 AS id, now() AS u", nil},
	} {
		d := describe(t, x, c.sql)
		updated := slices.IndexFunc(d.Columns, func(c dialect.Column) bool { return c.Name == "u" })
		for i := range c.want {
			c.want[i].Path = "sql"
		}
		got, err := x.db.Relations(t.Context(), x, d, updated)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, %v, want %v", c.sql, got, err, c.want)
		}
	}
	if got, err := x.db.Relations(t.Context(), x, describe(t, x, "SELECT id FROM film"), -1); err != nil || len(got) != 1 || got[0].Origin {
		t.Errorf("got %v, %v without an updateTime, want film as no origin", got, err)
	}
}

// A plan lists the tables it reads completely with their sizes, including
// partitions and tables never analysed.
func TestPlansListFullScans(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for name, c := range map[string]struct {
		setup string
		rows  int64 // within a factor of two
	}{
		"analysed":     {"CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc SELECT n, now() FROM generate_series(1, 3000) n; ANALYZE doc", 3000},
		"not analysed": {"CREATE TABLE doc (id int, u timestamptz) WITH (autovacuum_enabled = off); INSERT INTO doc SELECT n, now() FROM generate_series(1, 3000) n", 1400},
		"grown": {"CREATE TABLE doc (id int, u timestamptz) WITH (autovacuum_enabled = off); INSERT INTO doc SELECT n, now() FROM generate_series(1, 1000) n; ANALYZE doc; " +
			"INSERT INTO doc SELECT n, now() FROM generate_series(1, 2000) n", 3000},
		"partitions": {`CREATE TABLE doc (id int, u timestamptz) PARTITION BY RANGE (id); CREATE TABLE a PARTITION OF doc FOR VALUES FROM (1) TO (1000); CREATE TABLE b PARTITION OF doc FOR VALUES FROM (1000) TO (9000);
			INSERT INTO doc SELECT n, now() FROM generate_series(1, 3000) n; ANALYZE doc`, 3000},
	} {
		pgtest.Exec(t, dsn, emptied+c.setup)
		within(t, openDB(t, dsn), func(x *session) {
			d := describe(t, x, "SELECT * FROM doc")
			n, err := x.db.Estimate(t.Context(), x, d)
			if err != nil || name == "analysed" && n != c.rows {
				t.Errorf("%s: got an estimate of %d, %v, want %d if analysed", name, n, err, c.rows)
			}
			plan, err := x.db.Plan(t.Context(), x, d, sql(everything(d.Wrapped)+" WHERE u > $1", dialect.Arg{Value: "2024-01-01", As: &d.Columns[1]}), []int{1})
			if err != nil || len(plan.FullScans) != 1 || plan.Indexed || plan.Path != "sql" || plan.Cost <= 0 {
				t.Fatalf("%s: got %+v, %v, want a plan that reads one table whole", name, plan, err)
			}
			if got := plan.FullScans[0]; got.Table != "doc" || got.Rows < c.rows/2 || got.Rows > c.rows*2 {
				t.Errorf("%s: got %+v, want about %d rows of doc", name, got, c.rows)
			}
		})
	}
}

// An index counts only if it covers the whole table and begins with the
// columns.
func TestPlansKnowIndexes(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for index, want := range map[string]bool{
		"":                               false,
		"(a, b)":                         true,
		"(b, a)":                         false,
		"(a, b, u)":                      true,
		"(a)":                            false,
		"(a, u, b)":                      false,
		"(a, b) WHERE a > 0":             false,
		"((a + 0), b)":                   false,
		"USING brin (a, b)":              true,
		"(a, b); DROP INDEX doc_a_b_idx": false,
	} {
		setup := emptied + "CREATE TABLE doc (a int, b int, u timestamptz); INSERT INTO doc VALUES (1, 1, now())"
		if index != "" {
			setup += "; CREATE INDEX ON doc " + index
		}
		pgtest.Exec(t, dsn, setup)
		within(t, openDB(t, dsn), func(x *session) {
			d := describe(t, x, "SELECT a, b, u FROM doc")
			got, err := x.db.Plan(t.Context(), x, d, sql(everything(d.Wrapped)+" WHERE (a, b) = (1, 1)"), []int{0, 1})
			if err != nil {
				t.Fatal(err)
			}
			if got.Indexed != want || !slices.Equal(got.By, []doc.Column{{Table: "doc", Name: "a"}, {Table: "doc", Name: "b"}}) {
				t.Errorf("%q: got %+v, want indexed %t by a and b of doc", index, got, want)
			}
		})
	}
}
