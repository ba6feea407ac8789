package daemon

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/configs"
)

// A load proves that its rows are there while the hint from before it holds: no sweep
// lists them again until a row is deleted.
func TestNoSweepAfterALoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs.db")
	execSQLite(t, path, "CREATE TABLE doc (id INTEGER PRIMARY KEY, u TEXT, body TEXT)",
		"INSERT INTO doc VALUES (1, '2026-11-01 10:00:00', 'one'), (2, '2026-11-01 10:00:00', 'two')")
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", filepath.Join(t.TempDir(), "data"), path)+
		bodyTable("doc", "")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	e := openToServe(t, cfg)
	f := serve(t, e, slog.New(slog.NewTextHandler(io.Discard, nil)))
	runs := func(labels string) (n int) {
		t.Helper()
		r, err := http.Get("http://" + f.Address + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		_, after, _ := strings.Cut(string(text), "\nindexerd_pass_duration_seconds_count{"+labels+"} ")
		_, _ = fmt.Sscan(after, &n) // 0 where there is none
		return n
	}
	const narrowed, compared = `pass="deletecheck",table="doc",tier="narrowed"`, `pass="compare",table="doc",tier=""`
	eventually(t, soon, "passes follow the table", func() error {
		if n := runs(`pass="incremental",table="doc",tier=""`); n < 3 {
			return fmt.Errorf("got %d runs, want 3", n)
		}
		return nil
	})
	if n := runs(narrowed); n != 0 {
		t.Errorf("before a removal: got %d narrowed sweeps, want none", n)
	}
	before := runs(compared)
	execSQLite(t, path, "DELETE FROM doc WHERE id = 2")
	eventually(t, soon, "the row is gone", func() error {
		if got := e.table("doc").Status(e.trace.DurableTable("doc")).Documents; got != 1 {
			return fmt.Errorf("got %d documents, want 1", got)
		}
		return nil
	})
	eventually(t, soon, "a narrowed sweep removed it, or a comparison that was sooner", func() error {
		if runs(narrowed) == 0 && runs(compared) == before {
			return errors.New("none has ended")
		}
		return nil
	})
}

// A deleted row leaves the index soon: one that was deleted while the daemon did not
// run, and one that was indexed before its start, of which the pass that compares
// everything has no stamp.
func TestRowsDeletedAfterAStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs.db")
	execSQLite(t, path, "CREATE TABLE doc (id INTEGER PRIMARY KEY, u TEXT, body TEXT)",
		"INSERT INTO doc VALUES (1, '2026-11-01 10:00:00', 'one'), (2, '2026-11-01 10:00:00', 'two'), (3, '2026-11-01 10:00:00', 'three'), (4, '2026-11-01 10:00:00', 'four')")
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", filepath.Join(t.TempDir(), "data"), path)+
		bodyTable("doc", "")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	begin := func(t *testing.T) (has func(name string, want uint64)) {
		e := openToServe(t, cfg)
		serve(t, e, slog.New(slog.NewTextHandler(io.Discard, nil)))
		return func(name string, want uint64) {
			t.Helper()
			eventually(t, soon, name, func() error {
				marks := e.trace.DurableTable("doc")
				if got := e.table("doc").Status(marks).Documents; got != want || !marks.Loaded {
					return fmt.Errorf("got %d documents, want %d", got, want)
				}
				return nil
			})
		}
	}
	t.Run("first", func(t *testing.T) {
		begin(t)("all rows are loaded", 4)
	})
	execSQLite(t, path, "DELETE FROM doc WHERE id = 2")
	t.Run("second", func(t *testing.T) {
		has := begin(t)
		has("the row that was deleted before the start is gone", 3)
		execSQLite(t, path, "DELETE FROM doc WHERE id = 3")
		has("the row that was deleted after the start is gone", 2)
		execSQLite(t, path, "DELETE FROM doc")
		has("all rows are gone", 0)
	})
}
