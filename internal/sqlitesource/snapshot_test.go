package sqlitesource

import (
	"context"
	"errors"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// A fetch shows every commit that came before its number was assigned.
func TestNumberBeforeSnapshot(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)")
	numbers := &testNumbers{}
	numbers.begun = func() { db.exec("INSERT INTO t VALUES (NULL, 1700000000)") }
	table := db.table(TableConfig{Numbers: numbers})
	for i := range 3 {
		for b, err := range table.Range(t.Context(), doc.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			if len(b.Docs) != i+1 || b.Fetch != doc.FetchSeq(i+1) {
				t.Errorf("fetch %d has %d rows, want fetch %d with %d", b.Fetch, len(b.Docs), i+1, i+1)
			}
			for _, d := range b.Docs {
				if d.Fetch != b.Fetch || !d.Fetched.Equal(b.At) {
					t.Errorf("row %v is of fetch %d at %v, want %d at %v", d.OID, d.Fetch, d.Fetched, b.Fetch, b.At)
				}
			}
			if age := time.Since(b.At); age < 0 || age > time.Minute {
				t.Errorf("the fetch was at %v, %v ago", b.At, age)
			}
		}
	}
}

// While the caller handles a page, its fetch is open and no transaction blocks a
// writer. The fetch ends afterwards, even if the caller stops or cancels.
func TestFetchEndsAfterItsPageIsHandled(t *testing.T) {
	db := newDB(t, "PRAGMA journal_mode = DELETE", "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "INSERT INTO t VALUES (1, 1), (2, 1), (3, 1)")
	numbers := &testNumbers{}
	table := db.table(TableConfig{Batch: 1, Numbers: numbers})
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(numbers.open) != 1 || !numbers.open[b.Fetch] {
			t.Errorf("open fetches = %v while a page of %d is in hand", numbers.open, b.Fetch)
		}
		db.exec("UPDATE t SET u = u + 1") // would be SQLITE_BUSY
	}
	for range table.Range(t.Context(), doc.Range{}) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, err := range table.Range(ctx, doc.Range{}) {
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled range ends with %v, want context.Canceled", err)
		}
		cancel()
	}
	if len(numbers.open) != 0 {
		t.Errorf("open fetches at the end = %v, want none", numbers.open)
	}
}

func TestBatchWithoutRowsHasNumberAndTime(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)")
	table := db.table(TableConfig{Numbers: &testNumbers{}})
	batches := 0
	for b, err := range table.Docs(t.Context(), []doc.OID{oid(t, 1)}) {
		if err != nil {
			t.Fatal(err)
		}
		batches++
		if b.Fetch == 0 || b.At.IsZero() || len(b.Docs) != 0 {
			t.Errorf("batch = %+v, want an empty one with number and time", b)
		}
	}
	if batches != 1 {
		t.Errorf("%d batches, want 1", batches)
	}
}

func TestNowIsThisMachinesClock(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)")
	before := time.Now().Truncate(time.Millisecond)
	now, err := db.table(TableConfig{}).Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if now.Before(before) || now.After(time.Now()) || now.Location() != time.UTC {
		t.Errorf("Now = %v, want this machine's clock, %v, in UTC", now, before)
	}
}

// A page and its children are one snapshot (R23): a writer that changes all rows
// in one transaction is visible in all of them or in none.
func TestPagesAreSnapshots(t *testing.T) {
	for _, journal := range []string{"WAL", "DELETE"} {
		t.Run(journal, func(t *testing.T) {
			db := newDB(t, "PRAGMA journal_mode = "+journal, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v INTEGER)", "CREATE TABLE actor (film INTEGER, at, v INTEGER)",
				"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO t SELECT i, 1, 0 FROM n", "INSERT INTO actor SELECT id, 1, 0 FROM t")
			table := db.table(TableConfig{Children: actors("SELECT * FROM actor")})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				var err error
				for err == nil && ctx.Err() == nil {
					_, err = db.writer.Exec("BEGIN IMMEDIATE; UPDATE t SET v = v + 1; UPDATE actor SET v = v + 1; COMMIT")
				}
				done <- err
			}()
			for pages := 0; pages < 40; {
				for b, err := range table.Range(t.Context(), doc.Range{}) {
					// With a rollback journal, a busy writer may lock readers out for long.
					if errors.Is(err, doc.ErrUnavailable) {
						continue
					}
					if err != nil || len(b.Docs) != 100 {
						t.Fatalf("got %d documents, %v, want 100", len(b.Docs), err)
					}
					pages++
					checkSameState(t, b.Docs)
				}
			}
			cancel()
			if err := <-done; err != nil {
				t.Errorf("the writer failed: %v", err)
			}
		})
	}
}

func checkSameState(t *testing.T, docs []doc.Doc) {
	t.Helper()
	first, _ := docs[0].Row.Get("v")
	for _, d := range docs {
		row, _ := d.Row.Get("v")
		child, _ := d.Row.Children[0].Rows[0].Get("v")
		if row != first || child != first {
			t.Fatalf("row %v is of state %v, its child of %v, the first row of %v", d.OID, row, child, first)
		}
	}
}
