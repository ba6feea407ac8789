package tables

import (
	"context"
	"database/sql"
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

// docTable returns a table of a new database, which it has not read, and the database.
func docTable(t *testing.T) (*Table, *sql.DB) {
	t.Helper()
	dir := t.TempDir()
	db, err := sqlite.OpenWritable(filepath.Join(dir, "docs.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
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
	t.Cleanup(func() { s.Close() })
	all, _ := stored.NewAll(cfg, trace)
	return New(all[0], s), db
}

// A question is asked once more under the next description. Where that does not
// hold either, the caller gets the error, and no answer of half the rows.
func TestQuestionIsAskedTwice(t *testing.T) {
	one, _ := docTable(t)
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

// A column that is renamed while a sweep ends has the table described again, which has a
// sweep come soon: else the table would fail until the next one, an hour later.
func TestColumnIsRenamedAsASweepEnds(t *testing.T) {
	one, db := docTable(t)
	rows, err := one.reach(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := one.checkUpdated(t.Context(), rows); err != nil || one.described() == nil {
		t.Fatalf("got %v, want the units to be as they were", err)
	}
	if _, err := db.ExecContext(t.Context(), "ALTER TABLE doc RENAME COLUMN u TO u_away"); err != nil {
		t.Fatal(err)
	}
	if err := one.checkUpdated(t.Context(), rows); !errors.Is(err, doc.ErrChangedResult) {
		t.Errorf("got %v, want %v", err, doc.ErrChangedResult)
	}
	if one.described() != nil {
		t.Error("the table keeps its description")
	}
}
