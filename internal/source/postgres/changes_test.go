package postgres

import (
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/changes"
	"indexerd/internal/test/pgtest"
)

// The base tables are found behind views, partitions and joins, with the changes
// that may remove a row.
func TestFootprint(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `
		CREATE TABLE film (id int PRIMARY KEY, u timestamptz, language int, title text);
		CREATE TABLE language (id int PRIMARY KEY, name text);
		CREATE TABLE tag (film int, name text);
		CREATE TABLE part (id int, u timestamptz) PARTITION BY RANGE (id);
		CREATE TABLE part1 PARTITION OF part FOR VALUES FROM (0) TO (9);
		CREATE TABLE part2 PARTITION OF part FOR VALUES FROM (9) TO (99);
		CREATE MATERIALIZED VIEW stored AS SELECT id, u FROM film;
		CREATE SEQUENCE numbers;
		CREATE VIEW shown AS SELECT f.id, f.u, l.name FROM film f JOIN language l ON l.id = f.language;
		CREATE FUNCTION opaque(int) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN $1; END';
		CREATE FUNCTION pure(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END'`)
	s := source.New(openDB(t, dsn), pace.Limits{})
	for sql, want := range map[string]string{
		"SELECT id, u FROM film":                  "film: deletes",
		"SELECT id, u, pure(id) FROM film":        "film: deletes",
		"SELECT id, u FROM film WHERE title > ''": "film: deletes updates",
		"SELECT id, u FROM part":                  "part1: deletes, part2: deletes",
		"SELECT id, u FROM stored":                "stored: deletes",
		"SELECT * FROM shown":                     "film: deletes updates, language: deletes updates",
		"SELECT f.id, u, name FROM film f LEFT JOIN language l ON l.id = language":                "film: deletes, language:",
		"SELECT f.id, u, (SELECT max(name) FROM tag WHERE film = f.id) FROM film f":               "film: deletes, tag:",
		"SELECT id, u FROM film f WHERE NOT EXISTS (SELECT FROM tag WHERE film = f.id)":           "film: deletes updates inserts, tag: deletes updates inserts",
		"SELECT id, u FROM film ORDER BY u LIMIT 5":                                               "film: deletes updates inserts",
		"SELECT id, u FROM film WHERE id NOT IN (SELECT film FROM tag)":                           "film: deletes updates inserts, tag: deletes updates inserts",
		"SELECT opaque(id) AS id, u FROM film":                                                    "film: deletes; the SQL calls function opaque, whose value may change without a commit",
		"SELECT id, u, (SELECT last_value FROM numbers) FROM film":                                "film: deletes; the SQL reads sequence numbers, which changes without a commit",
		"SELECT id, u FROM film TABLESAMPLE system (50)":                                          "film: deletes updates inserts; the SQL has Sample Scan, whose value changes without a commit",
		"SELECT f.id, f.u, t.name FROM film f LEFT JOIN tag t ON t.film = f.id WHERE t.name > ''": "film: deletes updates, tag: deletes updates",
	} {
		table, err := s.Table(t.Context(), source.TableConfig{Name: "film", SQL: sql, Key: []string{"id"}, Updated: "u"})
		if err != nil {
			t.Fatal(err)
		}
		f, err := table.Footprint(t.Context())
		plain := slices.Contains([]string{"SELECT id, u FROM film", "SELECT id, u, pure(id) FROM film", "SELECT id, u FROM film WHERE title > ''", "SELECT id, u FROM part", "SELECT id, u FROM stored",
			"SELECT opaque(id) AS id, u FROM film"}, sql)
		if f.Plain != plain {
			t.Errorf("%s: plain: got %t, want %t", sql, f.Plain, plain)
		}
		if got := shown(t, dsn, f); got != want || err != nil {
			t.Errorf("%s:\n got %s, %v\nwant %s", sql, got, err, want)
		}
	}
}

func shown(t *testing.T, dsn string, f doc.Footprint) string {
	var all []string
	for _, b := range f.Tables {
		text := pgtest.Value[string](t, dsn, "SELECT "+b.ID+"::regclass::text") + ":"
		for _, e := range []struct {
			word string
			is   bool
		}{{" deletes", b.Deletes}, {" updates", b.Updates}, {" inserts", b.Inserts}} {
			if e.is {
				text += e.word
			}
		}
		all = append(all, text)
	}
	slices.Sort(all)
	text := strings.Join(all, ", ")
	if f.Reason != "" {
		text += "; " + f.Reason
	}
	return text
}

// hinted returns the hints of a table.
func hinted(t *testing.T, db *DB, sql string) func() doc.Hint {
	t.Helper()
	table, err := source.New(db, pace.Limits{}).Table(t.Context(), source.TableConfig{Name: "film", SQL: sql, Key: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	hints := changes.NewReadings(db).Watch(table.Footprint)
	return func() doc.Hint {
		t.Helper()
		h, err := hints.Hint(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
}

// The counters of base tables show each change, at once after the session that
// made it has ended.
func TestCountersMove(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE maker (id int PRIMARY KEY);
		CREATE TABLE film (id int, maker int REFERENCES maker ON DELETE CASCADE) PARTITION BY RANGE (id);
		CREATE TABLE part1 PARTITION OF film FOR VALUES FROM (0) TO (9);
		CREATE TABLE part2 PARTITION OF film FOR VALUES FROM (9) TO (99);
		CREATE TABLE late (id int, maker int);
		CREATE TABLE other (id int);
		INSERT INTO maker SELECT generate_series(0, 19);
		INSERT INTO film SELECT id, id FROM maker`)
	hint := hinted(t, openDB(t, dsn), "SELECT id FROM film")
	before := awaitCounters(t, hint, doc.Hint{})
	for _, step := range []struct {
		sql      string
		removals bool
	}{
		{"INSERT INTO film VALUES (20, 1)", false},
		{"UPDATE film SET maker = 2 WHERE id = 12", false},
		{"DELETE FROM film WHERE id = 3", true},
		{"DELETE FROM maker WHERE id = 2", true},
		{"TRUNCATE film", true},
		{"ALTER TABLE film ATTACH PARTITION late FOR VALUES FROM (100) TO (200)", true},
		{"SELECT pg_stat_reset()", true},
	} {
		pgtest.Exec(t, dsn, "INSERT INTO other VALUES (1)")
		pgtest.Exec(t, dsn, step.sql)
		if step.sql == "SELECT pg_stat_reset()" {
			pgtest.Exec(t, dsn, "INSERT INTO other VALUES (1)") // a reset is no commit
		}
		after := awaitCounters(t, hint, before)
		if moved := after.Removals != before.Removals; moved != step.removals {
			t.Errorf("%s: removals moved: %t, want %t: %q, then %q", step.sql, moved, step.removals, before.Removals, after.Removals)
		}
		before = after
	}
	pgtest.Exec(t, dsn, "INSERT INTO other VALUES (1)")
	if h := hint(); h.Counters != before.Counters {
		t.Errorf("another table changed: got counters %q after %q, want the same", h.Counters, before.Counters)
	}
}

// awaitCounters returns a hint with other counters.
func awaitCounters(t *testing.T, hint func() doc.Hint, before doc.Hint) doc.Hint {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if h := hint(); h.Counters != before.Counters {
			return h
		}
	}
	t.Fatalf("the counters %q do not move", before.Counters)
	return before
}

// The state of the catalog moves with what may change the tables or functions that an SQL
// reads, and with nothing that servers do all the time.
func TestStateOfTheCatalog(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	role := pgtest.Value[string](t, dsn, "SELECT 'policed_' || md5(current_database())")
	pgtest.Exec(t, dsn, `CREATE TABLE film (id int PRIMARY KEY); CREATE TABLE part (id int) PARTITION BY RANGE (id); CREATE TABLE late (id int);
		CREATE VIEW shown AS SELECT id FROM film; CREATE ROLE `+role)
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP ROLE "+role) })
	db := openDB(t, dsn)
	state := func() string {
		t.Helper()
		s, err := db.Changes(t.Context(), func(string) []string { return nil })
		if err != nil || s.Catalog == "" {
			t.Fatalf("got state %q, %v, want one", s.Catalog, err)
		}
		return s.Catalog
	}
	for _, test := range []struct {
		sql   string
		moves bool
	}{
		{"CREATE OR REPLACE VIEW shown AS SELECT id FROM film WHERE id > extract(day FROM now())", true},
		{"CREATE FUNCTION opaque(int) RETURNS int LANGUAGE sql STABLE AS 'SELECT 1'", true},
		{"ALTER FUNCTION opaque(int) VOLATILE", true},
		{"ALTER TABLE part ATTACH PARTITION late FOR VALUES FROM (0) TO (9)", true},
		{"CREATE POLICY mine ON film USING (id > 1)", true},
		{"GRANT " + role + " TO current_user", true},
		{"CREATE SCHEMA other", true},
		{"INSERT INTO film SELECT generate_series(1, 100)", false},
		{"ANALYZE film", false},
		{"VACUUM FREEZE film", false},
		{"CREATE TEMPORARY TABLE shown (id int)", false},
		{"REVOKE " + role + " FROM current_user", true},
	} {
		before := state()
		pgtest.Exec(t, dsn, test.sql)
		if after := state(); (after != before) != test.moves {
			t.Errorf("%s: state %q, then %q, want moved: %t", test.sql, before, after, test.moves)
		}
	}
}

// A server that counts nothing shows the version alone.
func TestTrackCountsOff(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE film (id int); ALTER DATABASE "+pgtest.Value[string](t, dsn, "SELECT quote_ident(current_database())")+" SET track_counts = off")
	if h := hinted(t, openDB(t, dsn), "SELECT id FROM film")(); h.Version == "" || h.Counters != h.Version || !h.Counted {
		t.Errorf("got %+v, want the version in place of counters", h)
	}
}
