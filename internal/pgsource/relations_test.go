package pgsource

import (
	"slices"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
	"indexerd/internal/pgtest/cluster"
)

func TestRelations(t *testing.T) {
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

// On a standby the absence of a row says something only once all that was
// received is replayed.
func TestBehind(t *testing.T) {
	pgtest.DB(t) // skips where there is no server
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
	table := func(dsn string) *Table {
		t.Helper()
		table, err := openSource(t, dsn).Table(ctx, TableConfig{Name: "doc", SQL: "SELECT * FROM doc", Key: []string{"id"}, Updated: "u"})
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
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

	// A query on the standby that needs what the primary cleans up holds the
	// replay back, and what is received meanwhile waits.
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
	await("the server is a standby that does not replay what it received")
	if _, err := reader.Exec(ctx, "COMMIT"); err != nil {
		t.Fatal(err)
	}
	await("")

	if err := primary.Stop(); err != nil {
		t.Fatal(err)
	}
	await("the server is a standby that is not connected to its primary")
}
