package demo

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// checkTouched checks that no container has a later updated_at than its order.
func checkTouched(t testing.TB, db *sql.DB) {
	t.Helper()
	if n := count(t, db, "SELECT count(*) FROM job_order o JOIN container c ON c.order_id = o.id WHERE c.updated_at > o.updated_at"); n != 0 {
		t.Errorf("%d containers are newer than their order, want none", n)
	}
	if n := count(t, db, "SELECT count(*) FROM container WHERE order_id NOT IN (SELECT id FROM job_order)"); n != 0 {
		t.Errorf("%d containers have no order, want none", n)
	}
}

// The number of orders stays about the same.
func TestEveryChangeSetsUpdatedAt(t *testing.T) {
	c := Config{Dir: t.TempDir(), Rows: 100, Seed: 3}
	db := create(t, c)
	w, err := c.newWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.db.Close()
	state := func() map[string]string {
		rows := map[string]string{}
		for _, text := range column(t, db, "SELECT concat_ws('|', id, updated_at, status, remarks, containers, weight) FROM ("+mainSQL+")") {
			parts := strings.SplitN(text, "|", 3)
			rows[parts[0]+"|"+parts[1]] = parts[2]
		}
		return rows
	}
	before := state()
	changes := 0
	for range 300 {
		start := column(t, db, "SELECT "+now)[0]
		if err := w.change(t.Context()); err != nil {
			t.Fatal(err)
		}
		after := state()
		for key, body := range after {
			if old, ok := before[key]; ok && old != body {
				t.Fatalf("order %s changed from %q to %q without a new updated_at", key, old, body)
			} else if !ok {
				changes++
				if _, updated, _ := strings.Cut(key, "|"); updated < start {
					t.Errorf("order %s was changed after %s", key, start)
				}
			}
		}
		before = after
	}
	checkTouched(t, db)
	if changes < 200 {
		t.Errorf("%d orders were written by 300 changes, want at least 200", changes)
	}
	if n := count(t, db, "SELECT count(*) FROM job_order"); n < 60 || n > 140 {
		t.Errorf("%d orders are left of 100, want 60 to 140", n)
	}
}

func TestWriterOnEmptyDatabase(t *testing.T) {
	c := Config{Dir: t.TempDir(), Rows: 1}
	db := create(t, c)
	if _, err := db.Exec("DELETE FROM container; DELETE FROM job_order"); err != nil {
		t.Fatal(err)
	}
	w, err := c.newWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.db.Close()
	if err := w.change(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, "SELECT count(*) FROM job_order"); n != 1 {
		t.Errorf("%d orders, want 1", n)
	}
}

// The bubble's clock is not the database's, so the test only counts changes.
func TestWriteEndsWithItsContext(t *testing.T) {
	c := Config{Dir: t.TempDir(), Rows: 100, Seed: 3}
	db := create(t, c)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := c.Write(ctx); err != nil {
			t.Errorf("Write = %v, want nil", err)
		}
	})
	if n := count(t, db, "SELECT count(*) FROM job_order WHERE updated_at > '2026-06-01'"); n < 20 {
		t.Errorf("%d orders were written in 30 seconds, want more than 20", n)
	}
}
