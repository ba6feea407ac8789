package tables

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/release"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/stored"
	"indexerd/internal/source/sqlite"
	"indexerd/timetrace"
)

// A question is asked once more under the next description. Where that does not
// hold either, the caller gets the error, and no answer of half the rows.
func TestQuestionIsAskedTwice(t *testing.T) {
	dir := t.TempDir()
	db, err := sqlite.OpenWritable(filepath.Join(dir, "docs.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE doc (id INTEGER PRIMARY KEY, u TEXT, body TEXT)"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "c.yaml")
	text := fmt.Sprintf("data: %s\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n  doc: {source: db, sql: SELECT * FROM doc, key: id, updated: u, content: {fields: [body]}}\n", filepath.Join(dir, "data"), filepath.Join(dir, "docs.db"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := configs.Load(file, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := timetrace.Open(atomicfile.OS, dir, release.Version)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSource(cfg, cfg.Sources[0])
	if s.Database, err = database.Open(t.Context(), cfg.Sources[0]); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	all, _ := stored.NewAll(cfg, trace)
	one := New(all[0], s)
	for failures, want := range []error{nil, nil, doc.ErrChangedResult} {
		times := 0
		answer, err := asked(t.Context(), one, func(context.Context, database.Rows) (string, error) {
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
