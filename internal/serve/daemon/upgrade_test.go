package daemon

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/configs"
	"indexerd/internal/index/search"
)

// An index of the first analysis is rebuilt from the pages at the first start, without the
// database, while searches go on in it. An index of plain-1 stays as it is.
func TestAnEarlierAnalysisIsReplaced(t *testing.T) {
	path, data := filepath.Join(t.TempDir(), "docs.db"), filepath.Join(t.TempDir(), "data")
	execSQLite(t, path, "CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP)",
		"INSERT INTO doc (id, body) VALUES (1, 'un café noir'), (2, 'free wi-fi')")
	load := func(analyzer string) *configs.Config {
		cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", data, path)+
			strings.Replace(bodyTable("doc", ""), "[body]", "[body], analyzer: "+analyzer, 1)), os.LookupEnv)
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	found := func(e *Engine, q string) error {
		r, err := e.Search(t.Context(), "doc", search.Params{Query: q, Size: 1, Caller: search.Caller{Admin: true}})
		if err == nil && r.Total != 1 {
			err = fmt.Errorf("%s: got %d documents, want 1", q, r.Total)
		}
		return err
	}
	for range 2 {
		t.Run("plain-1", func(t *testing.T) {
			e := openToServe(t, load("plain-1"))
			serve(t, e, slog.New(slog.DiscardHandler))
			eventually(t, soon, "the load", func() error { return found(e, "café") })
			if found(e, "cafe") == nil {
				t.Error("the first analysis folds: got café for cafe")
			}
			if e.tables[0].IsOutdated() {
				t.Error("the index of plain-1 is outdated")
			}
		})
	}
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	e := openToServe(t, load("standard"))
	if err := found(e, "café"); err != nil {
		t.Errorf("in the old index: %v", err)
	}
	if !e.tables[0].IsOutdated() {
		t.Fatal("the index of the first analysis is not outdated") // it would be waited for
	}
	serve(t, e, slog.New(slog.DiscardHandler))
	eventually(t, soon, "the reindex", func() error {
		if err := found(e, "café"); err != nil {
			t.Fatal(err)
		}
		return found(e, "cafe")
	})
	if err := found(e, "wifi"); err != nil {
		t.Error(err)
	}
	if e.tables[0].IsOutdated() || !e.tables[0].IsMapped() {
		t.Error("the new index is not as configured")
	}
}
