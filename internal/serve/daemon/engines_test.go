package daemon

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"indexerd/configs"
)

// An embedded index that was left for a cluster lacks what was written meanwhile: the
// table is unverified until a sweep has compared it.
func TestBackFromACluster(t *testing.T) {
	path, data := filepath.Join(t.TempDir(), "docs.db"), filepath.Join(t.TempDir(), "data")
	execSQLite(t, path, "CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP)", "INSERT INTO doc (id, body) VALUES (1, 'shark')")
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", data, path)+bodyTable("doc", "")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	unverified := func(e *Engine) string { return e.trace.Tables()["doc"].Unverified }
	t.Run("load", func(t *testing.T) {
		e := openToServe(t, cfg)
		serve(t, e, slog.New(slog.DiscardHandler))
		eventually(t, soon, "load and sweep", func() error {
			if marks := e.trace.Tables()["doc"]; !marks.Loaded || marks.Unverified != "" {
				return fmt.Errorf("%+v", marks)
			}
			return nil
		})
	})
	identity := filepath.Join(data, "doc", "index", "cluster.json") // as a daemon with a cluster leaves it
	if err := os.WriteFile(identity, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := openToServe(t, cfg)
	if got, want := unverified(e), "the index was in a cluster meanwhile"; got != want {
		t.Errorf("unverified: got %q, want %q", got, want)
	}
	serve(t, e, slog.New(slog.DiscardHandler))
	eventually(t, soon, "the sweep", func() error {
		if why := unverified(e); why != "" {
			return fmt.Errorf("unverified: %s", why)
		}
		return nil
	})
	if _, err := os.Stat(identity); err == nil {
		t.Error("the next start compares the index again")
	}
}
