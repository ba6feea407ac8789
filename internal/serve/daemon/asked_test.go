package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/serve/database"
)

// A question is asked once more under the next description. Where that does not
// hold either, the caller gets the error, and no answer of half the rows.
func TestQuestionIsAskedTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs.db")
	execSQLite(t, path, "CREATE TABLE doc (id INTEGER PRIMARY KEY, u TEXT, body TEXT)")
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", filepath.Join(t.TempDir(), "data"), path)+
		bodyTable("doc", "")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	e := openToServe(t, cfg)
	defer e.Close()
	for failures, want := range []error{nil, nil, doc.ErrChangedResult} {
		times := 0
		answer, err := asked(t.Context(), e.table("doc"), func(context.Context, database.Rows) (string, error) {
			if times++; times <= failures {
				return "half", doc.ErrChangedResult
			}
			return "all", nil
		})
		if !errors.Is(err, want) || want == nil && (err != nil || answer != "all") || times != min(failures+1, 2) {
			t.Errorf("%d results that changed: got %q, %v after %d questions, want %v", failures, answer, err, times, want)
		}
	}
}
