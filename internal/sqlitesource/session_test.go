package sqlitesource

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pace"
)

// Many tables of one file read it through one connection and share one watch. The
// pace limits and counts their statements.
func TestManyTablesShareOneConnection(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT); INSERT INTO t VALUES (1, '2024-05-06 12:00:00'), (2, '2024-05-06 12:00:00')")
	s, err := Open(t.Context(), Config{Name: "test", DSN: db.path, Conns: 1, Limits: pace.Limits{PerSecond: 500}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began := time.Now()
	var tables sync.WaitGroup
	for i := range 20 {
		tables.Go(func() {
			if err := followOnce(ctx, s, fmt.Sprintf("t%d", i)); err != nil {
				t.Error(err)
			}
		})
	}
	tables.Wait()
	f := s.Figures()
	if least := time.Duration(f.Statements-1) * time.Second / 500; f.Statements < 20*3 || time.Since(began) < least-time.Second/10 {
		t.Errorf("got %d statements in %v, want at least 60 and not before %v", f.Statements, time.Since(began), least)
	}
}

// followOnce calls what the passes of a table call.
func followOnce(ctx context.Context, s *Source, name string) error {
	table, err := s.Table(ctx, TableConfig{Name: name, SQL: "SELECT id, u FROM t", Key: []string{"id"}, Updated: "u"})
	if err != nil {
		return err
	}
	if _, err := table.Watch().Version(ctx); err != nil {
		return err
	}
	for stamps, err := range table.Stamps(ctx, doc.Window{To: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}) {
		if err != nil {
			return err
		}
		for batch, err := range table.Docs(ctx, []doc.OID{stamps[0].OID}) {
			if err != nil || len(batch.Docs) != 1 {
				return fmt.Errorf("%d rows, %w", len(batch.Docs), err)
			}
		}
	}
	return nil
}

func TestVersionChangesWithEveryCommit(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u TEXT)")
	w := db.table(TableConfig{}).Watch()
	defer w.Close()
	version := func() string {
		t.Helper()
		v, err := w.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := version()
	if again := version(); again != before {
		t.Errorf("nothing was committed: got %s, then %s", before, again)
	}
	for range 3 {
		db.exec("INSERT INTO t (u) VALUES ('2024-05-06 12:00:00')")
		after := version()
		if after == before {
			t.Errorf("a commit was not seen: still %s", after)
		}
		before = after
	}
	w.opened = w.opened.Add(-2 * watchFor)
	if after := version(); after == before {
		t.Errorf("another connection's version equals the last one's, %s", after)
	}
	if time.Since(w.opened) > watchFor {
		t.Error("the watch goes on with an old connection")
	}
}
