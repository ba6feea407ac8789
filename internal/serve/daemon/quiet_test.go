package daemon

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/sync/passes"
)

// Where everything is compared after each commit, incremental reads no window until
// the next one: it sends one statement, which shows that nothing was committed.
func TestIncrementalIsQuietAfterAComparison(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs.db")
	execSQLite(t, path, "CREATE TABLE doc (id INTEGER PRIMARY KEY, u TEXT, body TEXT)", "INSERT INTO doc VALUES (1, '2026-11-01 10:00:00', 'one')")
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", filepath.Join(t.TempDir(), "data"), path)+
		bodyTable("doc", ", incremental: {every: 1h}, compensate: {every: 1h}")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	e := openToServe(t, cfg)
	serve(t, e, slog.New(slog.NewTextHandler(io.Discard, nil)))
	table := e.table("doc")
	eventually(t, soon, "the first runs", func() error {
		ran := 0
		for _, pass := range table.Status(e.trace.DurableTable("doc")).Passes {
			if pass.Last != nil && (pass.Pass == "incremental" || pass.Tier != nil && *pass.Tier == "compared") {
				ran++
			}
		}
		if ran < 2 {
			return fmt.Errorf("%d of 2 passes have run", ran)
		}
		return nil
	})
	incremental := func() (doc.Report, uint64) {
		t.Helper()
		before := table.Source.Figures().Statements
		report, err := table.RunNow(t.Context(), (*passes.Passes).RunIncremental)
		if err != nil {
			t.Fatal(err)
		}
		return report, table.Source.Figures().Statements - before
	}
	compare := func() {
		t.Helper()
		if _, err := table.RunNow(t.Context(), (*passes.Passes).RunCompensation); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 2 {
		compare()
		mark := e.trace.Tables()["doc"].Incremental
		eventually(t, soon, "the mark", func() error { // it moves with the next tick of the clock
			if _, statements := incremental(); statements != 1 {
				t.Errorf("nothing was committed: got %d statements, want 1", statements)
			}
			if moved := e.trace.Tables()["doc"].Incremental; !moved.After(mark) {
				return fmt.Errorf("nothing was committed: the mark stays at %v", mark)
			}
			return nil
		})
		execSQLite(t, path, fmt.Sprintf("UPDATE doc SET u = strftime('%%Y-%%m-%%d %%H:%%M:%%S', 'now'), body = 'change %d'", n))
		if report, statements := incremental(); report.Read != 1 || statements < 2 {
			t.Errorf("a row was changed: got %d rows by %d statements, want the row", report.Read, statements)
		}
	}
}
