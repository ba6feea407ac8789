package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// The page searches all tables at once, offers to search for most of the words, and
// shows fresh hits if the box is ticked: passes that read rows run once an hour here.
func TestDashboardOfSeveralTables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "zoo.db")
	tables := ""
	for _, name := range []string{"animal", "plant"} {
		execSQLite(t, path, fmt.Sprintf("CREATE TABLE %s (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP)", name),
			fmt.Sprintf("INSERT INTO %s (id, name, kind) VALUES (7, 'striped %s', 'wild'), (8, 'plain %s', 'tame')", name, name, name))
		tables += fmt.Sprintf("  %s: {source: db, sql: SELECT * FROM %s, key: id, updated: u, content: {fields: [name]}, metadata: {kind: keyword},\n"+
			"    incremental: {every: 1h}, compensate: {every: 1h}, deletecheck: {every: 1h}}\n", name, name)
	}
	file := writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n%s", filepath.Join(dir, "data"), path, tables))
	p := start(t, "run", "-c", file)
	p.ready(t)
	stdout, stderr, code := ask(t, nil, "search", "-c", file, "*", "striped")
	if code != 0 || !strings.Contains(stdout, "animal 7\n") || !strings.Contains(stdout, "plant 7\n") || !strings.Contains(stdout, "2 found in all tables, 2 shown") {
		t.Errorf("search in all tables: exit %d\n%s%s", code, stdout, stderr)
	}

	if _, stderr, code := ask(t, nil, "search", "-c", file, file, "striped"); code != 1 || !strings.Contains(stderr, "write '*' to search all tables") {
		t.Errorf("* that the shell replaced by files: exit %d\n%s", code, stderr)
	}

	b := browse(t, p.base)
	b.sees("#ready", "ready")
	eval[any](b, "document.querySelector('#table').value = '*'; document.querySelector('#table').dispatchEvent(new Event('change'))")
	b.search("striped")
	b.sees("#found", "2 found")
	b.sees("#hits", "animal 7", "plant 7")
	b.sees("#facets", "kind", "wild")
	if got := eval[string](b, "document.querySelector('#hits li:last-child a').getAttribute('href')"); got != "/api/v1/tables/plant/explain/7" {
		t.Errorf("got a link to %s, want the hit's own table", got)
	}

	b.search("plain shark")
	b.sees("#found", "0 found", "2 have most of the words")
	b.click("#found button")
	b.sees("#found", "2 found")
	b.sees("#hits", "animal 8", "plant 8")
	stdout, stderr, code = ask(t, nil, "search", "-c", file, "*", "plain", "shark")
	if code != 0 || !strings.Contains(stdout, "0 found in all tables") || !strings.Contains(stdout, "have most of the words: --match most") {
		t.Errorf("a search without hits: exit %d\n%s%s", code, stdout, stderr)
	}
	stdout, stderr, code = ask(t, nil, "search", "-c", file, "*", "plain", "shark", "--match", "most")
	if code != 0 || !strings.Contains(stdout, "animal 8\n") {
		t.Errorf("most words: exit %d\n%s%s", code, stdout, stderr)
	}

	b.search("strypid plant")
	b.sees("#found", "0 found", "did you mean striped plant (1)")
	b.click("#found button")
	b.sees("#found", "1 found")
	b.sees("#hits", "plant 7")
	stdout, stderr, code = ask(t, nil, "search", "-c", file, "*", "strypid", "plant")
	if code != 0 || !strings.Contains(stdout, "did you mean striped plant (1)\n") {
		t.Errorf("a word that is misspelt: exit %d\n%s%s", code, stdout, stderr)
	}

	b.search("striped")
	b.sees("#found", "2 found")
	execSQLite(t, path, "UPDATE animal SET name = 'grey animal' WHERE id = 7", "DELETE FROM plant WHERE id = 8")
	b.click("#fresh")
	b.sees("#found", "1 found")
	b.sees("#hits", "plant 7")
	b.search("plain")
	b.sees("#found", "1 found")
	b.sees("#hits", "animal 8")
	stdout, stderr, code = ask(t, nil, "search", "-c", file, "animal", "striped", "--fresh", "--json")
	if code != 0 || !strings.Contains(stdout, `"total":0,"fresh":true,"hits":[]`) {
		t.Errorf("fresh search: exit %d\n%s%s", code, stdout, stderr)
	}
}
