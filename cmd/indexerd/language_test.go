package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A language is a part of the index: a change needs a reindex, and says so. Then a word
// finds its other forms, below the same form.
func TestLanguageOfATable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "db.sqlite")
	execSQLite(t, path, "CREATE TABLE note (id INTEGER PRIMARY KEY, u INTEGER, body TEXT)",
		"INSERT INTO note VALUES (1, 1700000000, 'zwei Häuser am Meer'), (2, 1700000000, 'ein Haus im Wald'), (3, 1700000000, 'ein Baum')")
	config := configOf("sqlite", path, filepath.Join(dir, "data"), "  note: {source: db, sql: SELECT * FROM note, key: id, updated: u, content: {fields: [body]}}\n")
	file := writeFile(t, config)
	p := follow(t, file)
	p.found(t, "note", "haus", 1)
	replace(t, file, strings.Replace(config, "key: id", "key: id, language: de", 1))
	p.hangUp(t)
	p.waitForLog(t, "indexerd reindex", 1)
	p.has(t, "note", "haus", 1)
	says(t, 0, "note", "reindex", "-c", file, "note")
	p.found(t, "note", "haus", 2)
	if a := p.search(t, "note", "haus"); len(a.Hits) != 2 || a.Hits[0].OID != "2" {
		t.Errorf("got %+v, want the same form first", a.Hits)
	}
	p.has(t, "note", "häuser", 2)
	p.stop(t)
}
