package database

import (
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/pgtest"
)

// Every statement except COMMIT counts, those of a horizon too, and none waits
// inside a transaction.
func TestPace(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc VALUES (1, '2024-01-01Z')")
	db, err := Open(t.Context(), configs.Source{Name: "test", Driver: "postgres", DSN: pgtest.SourceDSN(t, dsn), Limits: configs.Limits{Connections: 2, StatementsPerSecond: 60}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	table, err := db.Table(t.Context(), configs.Table{Name: "doc", SQL: "SELECT id, u FROM doc", Key: []string{"id"}, Updated: "u"}, nil, Units{})
	if err != nil {
		t.Fatal(err)
	}
	window := doc.Window{To: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	statements := func(do func()) (asked uint64, took time.Duration) {
		before, began := db.Figures().Statements, time.Now()
		do()
		return db.Figures().Statements - before, time.Since(began)
	}

	asked, took := statements(func() {
		for range 20 {
			if _, err := table.Now(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, err := range table.Stamps(t.Context(), window) {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	if asked != 20*3 || took < 600*time.Millisecond {
		t.Errorf("got %d statements in %v, want 60 in 1 s or little less: a clock, BEGIN and a window each", asked, took)
	}
	if busy := db.Figures().Busy; busy <= 0 {
		t.Errorf("got statements of %v, want some time", busy)
	}

	watch := table.Horizon(configs.Compensate{}, doc.Horizon{}, nil)
	if asked, took = statements(func() {
		for range 12 {
			if _, err := watch.Horizon(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}); asked < 12 || took < 600*time.Millisecond {
		t.Errorf("got %d statements in %v, want 12 readings of 5 in 1 s or little less", asked, took)
	}
}
