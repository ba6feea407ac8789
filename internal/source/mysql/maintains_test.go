package mysql

import (
	"testing"
	"time"

	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/mariatest"
)

// ON UPDATE sets a column, and so does a trigger that assigns it.
func TestMaintained(t *testing.T) {
	_, dsn := lateServer(t)
	mariatest.Exec(t, dsn, "CREATE TABLE film (id int PRIMARY KEY, u timestamp NOT NULL DEFAULT current_timestamp ON UPDATE current_timestamp, v timestamp NULL, w timestamp NULL)")
	mariatest.Exec(t, dsn, "CREATE TRIGGER touched BEFORE UPDATE ON film FOR EACH ROW SET NEW.v = now()")
	mariatest.Exec(t, dsn, "CREATE VIEW shown AS SELECT id, u AS changed FROM film")
	s := source.New(openDB(t, dsn, time.Second), pace.Limits{})
	for sql, want := range map[string]bool{
		"SELECT id, u AS changed FROM film":                          true,
		"SELECT * FROM shown":                                        true,
		"SELECT id, v AS changed FROM film":                          true,
		"SELECT id, w AS changed FROM film":                          false,
		"SELECT id, greatest(u, w) AS changed FROM film":             false,
		"SELECT f.id, f.u AS changed FROM film f JOIN doc d ON d.id": false,
	} {
		table, err := s.Table(t.Context(), source.TableConfig{Name: "film", SQL: sql, Key: []string{"id"}, Updated: "changed"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := table.Maintained(t.Context()); got != want || err != nil {
			t.Errorf("%s: got %t, %v, want %t", sql, got, err, want)
		}
	}
}
