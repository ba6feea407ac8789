package main

import (
	"fmt"
	"testing"

	"indexerd/internal/test/pgtest"
)

// TestNothingEmptiesTheIndex: a table emptied by mistake, or a joined one with
// every row touched, leaves the index as it is, whichever pass looks, until
// someone allows it.
func TestNothingEmptiesTheIndex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, sql, more string
	}{
		{"a table emptied", "DELETE FROM film_actor; DELETE FROM film_category; ALTER TABLE film DISABLE TRIGGER ALL; SET session_replication_role = replica; DELETE FROM film", ""},
		{"a joined table emptied and every row touched",
			"SET session_replication_role = replica; DELETE FROM language; SET session_replication_role = origin; UPDATE film SET last_update = clock_timestamp()",
			"    changes: SELECT film_id, last_update FROM film\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dsn, file := pagilaWith(t, c.more)
			p := start(t, "run", "-c", file)
			p.ready(t)
			pgtest.Exec(t, dsn, c.sql)
			passedBy(t, p) // incremental has read it, and so has compensation
			for _, pass := range []string{"incremental", "compensate"} {
				if run := p.run(t, "film", pass); run.State == "failed" {
					t.Errorf("%s: %s", pass, *run.Error)
				}
			}
			if got := sweeps(t, 1, file, "film"); got.Deleted != 0 || got.Held != 1000 {
				t.Errorf("sweep: got %+v, want 1000 held", got)
			}
			s := p.status(t).Tables[0]
			if s.Documents != 1000 || s.Held == nil || s.Held.Removals != 1000 || s.Held.Of != 1000 {
				t.Errorf("status: got %d documents, held %+v, want all of 1000 held", s.Documents, s.Held)
			}
			if got := sweeps(t, 0, file, "film", "--allow", "1000"); got.Deleted != 1000 {
				t.Errorf("allowed: got %+v, want 1000 removed", got)
			}
			eventually(t, soon, "nothing is held any more", func() error {
				if s := p.status(t).Tables[0]; s.Documents != 0 || s.Held != nil {
					return fmt.Errorf("%d documents, held %+v", s.Documents, s.Held)
				}
				return nil
			})
		})
	}
}
