package main

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/serve/httpapi"
)

// newNotes is a SQLite database with a table note of text keys, and a
// configuration for it.
func newNotes(t *testing.T, rows ...[2]string) (db *sql.DB, file string) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "db.sqlite")
	db = openSQLite(t, name, "CREATE TABLE note (id TEXT PRIMARY KEY, u INTEGER, body TEXT)")
	for _, r := range rows {
		if _, err := db.Exec("INSERT INTO note VALUES (?, unixepoch(), ?)", r[0], r[1]); err != nil {
			t.Fatal(err)
		}
	}
	return db, writeFile(t, configOf("sqlite", name, filepath.Join(dir, "data"),
		"  note: {source: db, sql: 'SELECT id, u, body FROM note', key: id, updated: u, content: {fields: [body]}}\n"))
}

// A row that was deleted since the last sweep is still found: verify ends with 0
// and reports it first; with --strict it is a difference, until a sweep removed it.
func TestVerifyStrict(t *testing.T) {
	t.Parallel()
	db, file := newNotes(t, [2]string{"a", "first"}, [2]string{"b", "second"}, [2]string{"c", "third"})
	p := follow(t, file)
	p.stop(t)
	if out, stderr, code := ask(t, "verify", "-c", file, "--strict"); code != 0 || !strings.HasPrefix(out, "note: equal as of ") {
		t.Fatalf("nothing is pending: exit %d: %s%s", code, out, stderr)
	}
	execute(t, db, "DELETE FROM note WHERE id = 'b'")
	if out, stderr, code := ask(t, "verify", "-c", file); code != 0 || !strings.HasPrefix(out, "note: 1 PENDING, ") {
		t.Errorf("one is pending: exit %d: %s%s, want 0 and a line that begins with it", code, out, stderr)
	}
	out, stderr, code := ask(t, "verify", "-c", file, "--strict")
	if code != 1 || !strings.HasPrefix(out, "note: DIFFERENT as of ") || !strings.Contains(out, "1 pending") {
		t.Errorf("one is pending, --strict: exit %d: %s%s, want 1", code, out, stderr)
	}
	out, _, code = ask(t, "verify", "-c", file, "--strict", "--json")
	var v httpapi.VerifyResult
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != 1 || v.Equal || v.Tables[0].Pending != 1 {
		t.Errorf("one is pending, --strict --json: exit %d, %v: %s", code, err, out)
	}
	sweeps(t, 0, file, "note")
	commands(t, 0, "verify", "-c", file, "--strict")
}
