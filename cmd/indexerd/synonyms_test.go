package main

import (
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
	execSQLite(t, path, "CREATE TABLE note (id INTEGER PRIMARY KEY, u INTEGER, body TEXT)", "INSERT INTO note VALUES (1, 1700000000, 'a red car'), (2, 1700000000, 'an automobile')")
	replace(t, words, "# none yet\n")
	file := writeFile(t, configOf("sqlite", path, filepath.Join(dir, "data"),
		"  note: {source: db, sql: 'SELECT id, u, body FROM note', key: id, updated: u, content: {fields: [body]}, synonyms: "+words+"}\n"))
	p := follow(t, file)
	p.has(t, "note", "car", 1)
	replace(t, words, "car, automobile\n")
	p.hangUp(t)
	p.waitForLog(t, took, 1)
	p.has(t, "note", "car", 2)
	replace(t, words, "car, automobile\nred\n")
	p.hangUp(t)
	p.waitForLog(t, kept, 1)
	if log := p.log.String(); !strings.Contains(log, "tables.note.synonyms: file "+words+":2: only one word or phrase") {
		t.Errorf("the log has not the line of the fault:\n%s", log)
	}
	p.has(t, "note", "car", 2)
	replace(t, words, "red => automobile\n")
	p.hangUp(t)
	p.waitForLog(t, took, 2)
	p.has(t, "note", "car", 1)
	if a := p.search(t, "note", "red"); a.Total != 1 || len(a.Hits) != 1 || a.Hits[0].OID != "2" || strings.Join(a.Hits[0].Highlights["body"], "") != "an <mark>automobile</mark>" {
		t.Errorf("red: got %+v, want the automobile", a)
	}
	if log := p.log.String(); strings.Contains(log, "indexerd reindex") {
		t.Errorf("the synonyms need a reindex:\n%s", log)
	}
	p.stop(t)
}
