package sqlite

import (
	"testing"

	"indexerd/internal/source"
)

// A trigger that assigns the column sets it.
func TestMaintained(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY)")
	db.exec("CREATE TABLE film (id INTEGER PRIMARY KEY, u TEXT, made TEXT)", "INSERT INTO film VALUES (1, '2026-01-01 00:00:00', '2026-01-01 00:00:00')",
		"CREATE TRIGGER touched AFTER UPDATE ON film BEGIN UPDATE film SET u = datetime('now') WHERE id = NEW.id; END")
	for sql, want := range map[string]bool{
		"SELECT id, u FROM film":                                      true,
		"SELECT id, made AS u FROM film":                              false,
		"SELECT f.id, f.u FROM film f JOIN t ON t.id = f.id":          false,
		"SELECT id, max(u, made) AS u FROM film GROUP BY id, u, made": false,
	} {
		if got, err := db.table(source.TableConfig{SQL: sql}).Maintained(t.Context()); got != want || err != nil {
			t.Errorf("%s: got %t, %v, want %t", sql, got, err, want)
		}
	}
}
