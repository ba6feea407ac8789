package sqlitesource

import (
	"context"
	"errors"
	"testing"
	"time"

	"indexerd/internal/doc"
)

var journals = []string{"WAL", "DELETE"}

// A page is one snapshot: a writer that commits while it is being read, and
// changes every row at once, is in it whole or not at all.
func TestPagesAreSnapshots(t *testing.T) {
	for _, journal := range journals {
		t.Run(journal, func(t *testing.T) {
			db := newDB(t, "PRAGMA journal_mode = "+journal, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v INTEGER)",
				"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO t SELECT i, 1, 0 FROM n")
			table := db.table(TableConfig{})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				for ctx.Err() == nil {
					if _, err := db.writer.Exec("UPDATE t SET v = v + 1"); err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
			pages := 0
			for pages < 20 {
				var docs []doc.Doc
				for b, err := range table.Range(t.Context(), doc.Range{}) {
					// With a rollback journal, a writer that never rests may
					// keep readers out for long.
					if err != nil && !errors.Is(err, doc.ErrUnavailable) {
						t.Fatal(err)
					}
					docs = append(docs, b.Docs...)
				}
				if len(docs) == 0 {
					continue
				}
				if len(docs) != 500 {
					t.Fatalf("%d documents, want 500", len(docs))
				}
				pages++
				first, _ := docs[0].Row.Get("v")
				for _, d := range docs {
					if v, _ := d.Row.Get("v"); v != first {
						t.Fatalf("row %v is of state %v, the first row of %v", d.OID, v, first)
					}
				}
			}
			cancel()
			if err := <-done; err != nil {
				t.Errorf("the writer was kept from writing: %v", err)
			}
		})
	}
}

// Numbers come before snapshots: what was committed before a number was given
// is in the fetch that has it.
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

// A fetch has ended when its page has been dealt with, however that went; by
// then no transaction is open that would keep a writer waiting.
func TestFetchesEnd(t *testing.T) {
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

// The batch that lacks a row says when the row was gone, also where it is
// empty.
func TestGoneRows(t *testing.T) {
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

func TestNow(t *testing.T) {
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
