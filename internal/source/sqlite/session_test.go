package sqlite

import (
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
)

// With a rollback journal an open reader blocks commits: no transaction is open
// while a page is handled.
func TestCommitWhileAPageIsHandled(t *testing.T) {
	db := newDB(t, "PRAGMA journal_mode = DELETE", "PRAGMA busy_timeout = 0", "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "INSERT INTO t VALUES (1, 1700000000), (2, 1700000000), (3, 1700000000)",
		"CREATE TABLE part (id INTEGER, u INTEGER)", "INSERT INTO part SELECT * FROM t")
	table := db.table(source.TableConfig{Batch: 1, StampPage: 1, Children: part("u"), Changes: "SELECT * FROM t"})
	commit := func() { db.exec("UPDATE t SET u = u + 1") }
	pages := 0
	for _, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		commit()
		pages++
	}
	for _, err := range table.StampsInRange(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		commit()
		pages++
	}
	if pages != 6 {
		t.Errorf("got %d pages, want 3 of rows and 3 of stamps", pages)
	}
	ever := doc.Window{From: time.Unix(0, 0), To: time.Unix(1800000000, 0)}
	for _, err := range table.Stamps(t.Context(), ever) {
		if err != nil {
			t.Fatal(err)
		}
		commit()
		break
	}
	for _, err := range table.Left(t.Context(), ever) {
		if err != nil {
			t.Fatal(err)
		}
		commit()
		break
	}
	commit()
}

func TestClockIsThisMachines(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)")
	before := time.Now().Truncate(time.Millisecond)
	now, err := db.table(source.TableConfig{}).Now(t.Context())
	if err != nil || now.Before(before) || now.After(time.Now()) || now.Location() != time.UTC {
		t.Errorf("got %v, %v, want this machine's clock, %v, in UTC", now, err, before)
	}
}
