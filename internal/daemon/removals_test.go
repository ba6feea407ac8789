package daemon

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"indexerd/configs"
)

// A row that is deleted while the daemon does not run leaves the index soon after the
// start, also where the pass that compares everything has no stamp of it.
func TestRowDeletedBetweenRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs.db")
	execSQLite(t, path, "CREATE TABLE doc (id INTEGER PRIMARY KEY, u TEXT, body TEXT)",
		"INSERT INTO doc VALUES (1, '2026-11-01 10:00:00', 'one'), (2, '2026-11-01 10:00:00', 'two')")
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", filepath.Join(t.TempDir(), "data"), path)+
		bodyTable("doc", "")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	follow := func(name string, want uint64) {
		t.Run(name, func(t *testing.T) {
			e := openToServe(t, cfg)
			serve(t, e, slog.New(slog.NewTextHandler(io.Discard, nil)))
			eventually(t, soon, name, func() error {
				marks := e.trace.DurableTable("doc")
				if got := e.table("doc").status(marks).Documents; got != want || !marks.Loaded {
					return fmt.Errorf("got %d documents, want %d", got, want)
				}
				return nil
			})
		})
	}
	follow("all rows are loaded", 2)
	execSQLite(t, path, "DELETE FROM doc WHERE id = 2")
	follow("the deleted row is gone", 1)
}
