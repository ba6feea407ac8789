package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Titles and weights apply when the daemon reads its configuration again, without a new
// index. Without a title in the file, hits have that of the column that names their row.
func TestTitlesAndWeights(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "db.sqlite")
	execSQLite(t, path, "CREATE TABLE book (id INTEGER PRIMARY KEY, u INTEGER, name TEXT, plot TEXT, year INTEGER)",
		"INSERT INTO book VALUES (1, 1700000000, 'the whale', 'a tale of the sea', 1851), (2, 1700000000, 'the sea', 'a tale of a whale and a whale', NULL)")
	table := "  book: {source: db, sql: SELECT * FROM book, key: id, updated: u, content: {fields: [name, plot]}, metadata: {year: number}}\n"
	config := configOf("sqlite", path, filepath.Join(dir, "data"), table)
	file := writeFile(t, config)
	p := follow(t, file)
	hits := func(want string) {
		t.Helper()
		var got []string
		for _, h := range p.search(t, "book", "whale").Hits {
			got = append(got, h.OID+" "+h.Title)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("got the hits %q, want %s", got, want)
		}
	}
	p.found(t, "book", "whale", 2)
	for i, c := range []struct{ content, title, want string }{
		{"boosts: {name: 9}", "", "1 the whale, 2 the sea"},
		{"boosts: {name: 0.1}", "'{name} ({year})'", "2 the sea, 1 the whale (1851)"},
		{"boosts: {plot: 0.1}", "year", "1 1851, 2 "},
	} {
		changed := strings.Replace(config, "[name, plot]", "[name, plot], "+c.content, 1)
		if c.title != "" {
			changed = strings.Replace(changed, "key: id", "key: id, title: "+c.title, 1)
		}
		replace(t, file, changed)
		p.hangUp(t)
		p.waitForLog(t, took, i+1)
		hits(c.want)
	}
	if log := p.log.String(); strings.Contains(log, "indexerd reindex") {
		t.Errorf("titles or weights need a reindex:\n%s", log)
	}
	stdout, stderr, code := ask(t, "search", "-c", file, "book", "tale", "--fields", "plot")
	if code != 0 || !strings.HasPrefix(stdout, "1851 (1)\n  plot: a [tale] of the sea\n2\n") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	p.stop(t)
}
