package postgres

import (
	"testing"

	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/pgtest"
)

// A trigger that names the column sets it. The columns of a view are not followed to
// their table.
func TestMaintained(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `
		CREATE TABLE film (id int PRIMARY KEY, "last update" timestamptz, made timestamptz, language int);
		CREATE TABLE language (id int PRIMARY KEY);
		CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW."last update" := now(); RETURN NEW; END';
		CREATE TRIGGER touched BEFORE UPDATE ON film FOR EACH ROW EXECUTE FUNCTION touch();
		CREATE VIEW shown AS SELECT id, "last update" AS u FROM film;
		CREATE TABLE off AS SELECT id, "last update" AS u FROM film;
		CREATE FUNCTION touch_u() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.u := now(); RETURN NEW; END';
		CREATE TRIGGER touched BEFORE UPDATE ON off FOR EACH ROW EXECUTE FUNCTION touch_u();
		ALTER TABLE off DISABLE TRIGGER touched`)
	s := source.New(openDB(t, dsn), pace.Limits{})
	for sql, want := range map[string]bool{
		`SELECT id, "last update" AS u FROM film`:                                          true,
		"SELECT * FROM shown":                                                              false,
		"SELECT id, made AS u FROM film":                                                   false,
		`SELECT id, greatest("last update", made) AS u FROM film`:                          false,
		`SELECT f.id, "last update" AS u FROM film f JOIN language l ON l.id = f.language`: false,
		"SELECT id, u FROM off":                                                            false,
	} {
		table, err := s.Table(t.Context(), source.TableConfig{Name: "film", SQL: sql, Key: []string{"id"}, Updated: "u"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := table.Maintained(t.Context()); got != want || err != nil {
			t.Errorf("%s: got %t, %v, want %t", sql, got, err, want)
		}
	}
}
