package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// lateTable makes a small table of notes and returns its DSN.
func lateTable(t *testing.T) string {
	t.Helper()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE note (id bigint PRIMARY KEY, updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL);
		CREATE INDEX ON note (updated);
		INSERT INTO note (id, body) SELECT i, 'note ' || i FROM generate_series(1, 100) i`)
	return dsn
}

func lateConfig(dsn, data, compensate string) string {
	return configOf(driverOf(dsn), dsn, data, fmt.Sprintf(`  note:
    source: db
    sql: SELECT id, updated, body FROM note
    key: id
    updated: updated
    content: {fields: [body]}
    compensate: %s
`, compensate))
}

// begin opens a transaction that has inserted a row and not committed it.
func begin(t *testing.T, dsn string, id int, body string) pgx.Tx {
	t.Helper()
	tx, err := pgtest.Connect(t, dsn).Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(context.Background(), "INSERT INTO note (id, body) VALUES ($1, $2)", id, body); err != nil {
		t.Fatal(err)
	}
	return tx
}

func commit(t *testing.T, tx pgx.Tx) {
	t.Helper()
	if err := tx.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// passedBy waits until windows have been read well past now, so that a row
// stamped before is in none that is still to come.
func passedBy(t *testing.T, p *proc) {
	t.Helper()
	past := time.Now().Add(4 * time.Second)
	p.waitFor(t, "windows pass", func(s httpapi.TableStatus) bool { return s.Window != nil && !time.Time(s.Window.From).Before(past) })
}

func finds(p *proc, t *testing.T, word string, want uint64) error {
	t.Helper()
	if got := p.search(t, "note", word, "size=0").Total; got != want {
		return fmt.Errorf("%s: %d found, want %d", word, got, want)
	}
	return nil
}

// TestLateCommit is the row that every poller loses: inserted before a window
// is read, committed after. The comparison for silent changes, which would find it too,
// has next to no time.
func TestLateCommit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, compensate string
		found            bool // by a pass that comes every one or two seconds: the others come every hour
	}{
		{"incremental alone", "{horizon: timeout, tiers: [{every: 1h, timeout: 1h, end: settled}]}", false},
		{"exact", "{every: 1s, slack: 500ms, tiers: [{every: 1h, timeout: 1h, end: settled}]}", true},
		{"the tier whose timeout covers it", "{horizon: timeout, tiers: [{every: 2s, timeout: 30s}, {every: 1h, timeout: 1h, end: settled}]}", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dsn := lateTable(t)
			file := writeFile(t, lateConfig(dsn, t.TempDir(), c.compensate))
			rewrite(t, file, "sources:\n  db: {", "sources:\n  db: {limits: {comparison_share: 0.00001}, ")
			p := follow(t, file)
			late := begin(t, dsn, 1001, "tardigrade")
			passedBy(t, p)
			commit(t, late)
			if c.found {
				p.found(t, "note", "tardigrade", 1)
				return
			}
			passedBy(t, p)
			if err := finds(p, t, "tardigrade", 0); err != nil {
				t.Errorf("windows alone should never find it: %v", err)
			}
		})
	}
}

// TestLateCommitWhilePinned has an older transaction pin the horizon all the
// while: S waits, and names it; the row that commits late is found.
func TestLateCommitWhilePinned(t *testing.T) {
	t.Parallel()
	dsn := lateTable(t)
	p := follow(t, writeFile(t, lateConfig(dsn, t.TempDir(), "{every: 1s, slack: 500ms}")))
	pin := begin(t, dsn, 2000, "pinning")
	late := begin(t, dsn, 2001, "tardigrade")
	passedBy(t, p)
	commit(t, late)
	p.found(t, "note", "tardigrade", 1)

	s := p.status(t)
	began := pgtest.Value[time.Time](t, dsn, "SELECT min(xact_start) FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()")
	if at := s.Tables[0].Settled; at.Mode != "exact" || time.Time(*at.At).After(began) {
		t.Errorf("settled: got %+v, want exact and not after %v, when the pin began", at, began)
	}
	if pin := s.Sources[0].PinnedBy; pin == nil || pin.PID == 0 || pin.AgeS < 3 {
		t.Errorf("pinned_by: got %+v, want the session, some seconds old", pin)
	}
	commit(t, pin)
	eventually(t, soon, "S goes on", func() error {
		s := p.status(t)
		if !time.Time(*s.Tables[0].Settled.At).After(began) || s.Sources[0].PinnedBy != nil {
			return fmt.Errorf("settled %+v, pinned by %+v", s.Tables[0].Settled, s.Sources[0].PinnedBy)
		}
		return finds(p, t, "pinning", 1)
	})
}

// TestExactGoesOnAfterKill9 restarts while a transaction is open that began
// before: S must not pass it.
func TestExactGoesOnAfterKill9(t *testing.T) {
	t.Parallel()
	dsn := lateTable(t)
	file := writeFile(t, lateConfig(dsn, t.TempDir(), "{every: 1s, slack: 500ms}"))
	p := follow(t, file)
	late := begin(t, dsn, 3001, "tardigrade")
	passedBy(t, p)
	before := *p.status(t).Tables[0].Settled.At
	p.kill()
	p = start(t, "run", "-c", file)
	passedBy(t, p)
	after := p.status(t).Tables[0].Settled
	if after.Mode != "exact" || time.Time(*after.At).Add(10*time.Second).Before(time.Time(before)) {
		t.Errorf("settled after kill -9: got %+v, want exact and near %v", after, time.Time(before))
	}
	commit(t, late)
	p.found(t, "note", "tardigrade", 1)
}
