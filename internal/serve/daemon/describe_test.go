package daemon

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"indexerd/configs"
	"indexerd/internal/serve/httpapi"
)

// A column is dropped while a table is loaded. What was loaded before stays, the
// load goes on under the new description, and a sweep compares it all.
func TestColumnsChangeDuringALoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs.db")
	execSQLite(t, path, "CREATE TABLE doc (id INTEGER PRIMARY KEY, gone TEXT DEFAULT 'gone', u TEXT DEFAULT CURRENT_TIMESTAMP, body TEXT DEFAULT 'word')",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO doc (id) SELECT i FROM n")
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", filepath.Join(t.TempDir(), "data"), path)+
		bodyTable("doc", ", batch: 10, workers: 1")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	f, load := &buggy{which: "doc"}, "Range"
	f.spared.Store(3)
	f.broken.Store(&load)
	e := serveBuggy(t, cfg, f, slog.New(slog.DiscardHandler))
	doc := e.table("doc")
	status := func() httpapi.TableStatus { return doc.Status(e.trace.Tables()["doc"]) }
	eventually(t, soon, "three ranges are loaded", func() error {
		if s := status(); s.LastError == nil || s.Documents != 30 {
			return fmt.Errorf("%d documents, %+v", s.Documents, s.LastError)
		}
		return nil
	})
	before := e.trace.Tables()["doc"].Epoch
	execSQLite(t, path, "ALTER TABLE doc DROP COLUMN gone")
	f.broken.Store(nil)
	eventually(t, soon, "it is loaded and compared", func() error {
		if s := status(); s.State != "following" || s.Settled.Unverified || s.Documents != 50 {
			return fmt.Errorf("%s, %d documents, %+v, %+v", s.State, s.Documents, s.Settled, s.LastError)
		}
		return nil
	})
	if after := e.trace.Tables()["doc"].Epoch; after == before {
		t.Errorf("got epoch %d before and after, want another", after)
	}
	for _, key := range []string{"1", "50"} {
		if d, err := e.Doc(t.Context(), "doc", key); err != nil || d.Fields.Get("body") != "word" || d.Fields.Get("gone") != nil {
			t.Errorf("document %s: got %+v, %v, want one without the column that is gone", key, d, err)
		}
	}
}

// A table that the database refuses is an error of its own: the daemon starts for the others,
// and only does not if all are refused.
func TestRefusedTableLeavesTheOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs.db")
	execSQLite(t, path, "CREATE TABLE doc (id INTEGER PRIMARY KEY, u TEXT, body TEXT)", "CREATE TABLE other (id INTEGER PRIMARY KEY, u TEXT, body TEXT)",
		"CREATE VIEW broken AS SELECT id, u, body FROM other", "DROP TABLE other")
	for tables, refused := range map[string]bool{bodyTable("doc", "") + bodyTable("broken", ""): false, bodyTable("broken", ""): true} {
		cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", filepath.Join(t.TempDir(), "data"), path)+tables), os.LookupEnv)
		if err != nil {
			t.Fatal(err)
		}
		if err := openToServe(t, cfg).checkTables(t.Context()); (err != nil) != refused {
			t.Errorf("got %v, want an error: %t", err, refused)
		}
	}
}
