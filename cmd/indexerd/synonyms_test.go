package main

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A file of synonyms applies when the daemon reads its configuration again, without a
// new index. A file with a fault is not taken, and the log has its line.
func TestSynonymsOfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, words := filepath.Join(dir, "db.sqlite"), filepath.Join(dir, "synonyms.txt")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE note (id INTEGER PRIMARY KEY, u INTEGER, body TEXT); INSERT INTO note VALUES (1, 1700000000, 'a red car'), (2, 1700000000, 'an automobile')"); err != nil {
		t.Fatal(err)
	}
	replace(t, words, "# none yet\n")
	file := writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n"+
		"  note: {source: db, sql: 'SELECT id, u, body FROM note', key: id, updated: u, content: {fields: [body]}, synonyms: %s}\n", filepath.Join(dir, "data"), path, words))
	p := start(t, "run", "-c", file)
	p.ready(t)
	finds := func(q string, want uint64) {
		t.Helper()
		if got := p.search(t, "note", q).Total; got != want {
			t.Errorf("%s: found %d, want %d", q, got, want)
		}
	}
	finds("car", 1)
	replace(t, words, "car, automobile\n")
	p.hangUp(t)
	p.waitForLog(t, took, 1)
	finds("car", 2)
	replace(t, words, "car, automobile\nred\n")
	p.hangUp(t)
	p.waitForLog(t, kept, 1)
	if log := p.log.String(); !strings.Contains(log, "tables.note.synonyms: file "+words+":2: only one word or phrase") {
		t.Errorf("the log has not the line of the fault:\n%s", log)
	}
	finds("car", 2)
	replace(t, words, "red => automobile\n")
	p.hangUp(t)
	p.waitForLog(t, took, 2)
	finds("car", 1)
	if a := p.search(t, "note", "red"); a.Total != 1 || len(a.Hits) != 1 || a.Hits[0].OID != "2" || strings.Join(a.Hits[0].Highlights["body"], "") != "an <mark>automobile</mark>" {
		t.Errorf("red: got %+v, want the automobile", a)
	}
	if log := p.log.String(); strings.Contains(log, "indexerd reindex") {
		t.Errorf("the synonyms need a reindex:\n%s", log)
	}
	p.stop(t)
}
