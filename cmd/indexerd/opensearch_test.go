package main

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"indexerd/internal/test/nodetest"
)

// A clustered is a SQLite database whose index is in a real OpenSearch node.
type clustered struct {
	dir, prefix, file string
	node, url         string // of the cluster, and where the daemon finds it
	db                *sql.DB
}

func newClustered(t *testing.T) *clustered {
	t.Helper()
	c := &clustered{dir: t.TempDir(), node: nodetest.URL(t), prefix: "e" + strings.ToLower(rand.Text()) + "-"}
	c.url = c.node
	c.db = openSQLite(t, filepath.Join(c.dir, "db"))
	t.Cleanup(func() { c.cluster(t, http.MethodDelete, "/"+c.prefix+"*", nil) })
	c.exec(t, `CREATE TABLE item (id INTEGER PRIMARY KEY, u INTEGER, kind TEXT, title TEXT);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
		INSERT INTO item SELECT i, 1700000000 + i, 'k' || (i % 3), 'word' || (i % 10) || ' item ' || i FROM n`)
	c.file = c.configure(t, "data", "metadata: {kind: keyword}, ")
	return c
}

// configure writes a configuration with a data directory of its own.
func (c *clustered) configure(t *testing.T, data, more string) string {
	t.Helper()
	return writeFile(t, fmt.Sprintf(`data: %s
http: {listen: 127.0.0.1:0}
index: {engine: opensearch, url: %q, prefix: %s, replicas: 0}
sources:
  db: {driver: sqlite, dsn: %s}
tables:
  item: {source: db, sql: 'SELECT id, u, kind, title FROM item', key: id, updated: u, %scontent: {fields: [title]}}
`, filepath.Join(c.dir, data), c.url, c.prefix, filepath.Join(c.dir, "db"), more))
}

func (c *clustered) exec(t *testing.T, statement string) {
	t.Helper()
	execute(t, c.db, statement)
}

// cluster sends a request to the cluster, as an operator does.
func (c *clustered) cluster(t *testing.T, method, path string, body any) {
	t.Helper()
	nodeAnswers(t, c.node, method, path, body, nil)
}

// run starts the daemon, and returns when the table is loaded.
func (c *clustered) run(t *testing.T, more ...string) *proc {
	t.Helper()
	return follow(t, c.file, more...)
}

// loaded is run, and finds what was loaded.
func (c *clustered) loaded(t *testing.T, more ...string) *proc {
	t.Helper()
	p := c.run(t, more...)
	c.finds(t, p, "word7", 300)
	return p
}

// finds waits until a query finds so many rows.
func (c *clustered) finds(t *testing.T, p *proc, q string, want uint64) {
	t.Helper()
	p.reaches(t, "item", q, want)
}

// equal waits until the sweep has ended, and verifies every document.
func (c *clustered) equal(t *testing.T, p *proc) {
	t.Helper()
	p.as("").swept(t, "item")
	isEqual(t, c.file, "--strict")
}

// A table in OpenSearch is loaded, is searched as the embedded one, follows its rows,
// survives kills, and is reindexed into a new index beside the old one.
func TestOpenSearch(t *testing.T) {
	t.Parallel()
	c := newClustered(t)
	p := c.loaded(t)
	searchFeatures(t, p)
	c.exec(t, `INSERT INTO item VALUES (9001, unixepoch(), 'new', 'a fresh mountain');
		UPDATE item SET title = 'changed mountain', u = unixepoch() WHERE id = 7; DELETE FROM item WHERE id = 17`)
	c.finds(t, p, "mountain", 2)
	c.finds(t, p, "word7", 298)
	c.equal(t, p)

	a := p.search(t, "item", "mountain", "facets=kind", "sort=kind", "highlight=true")
	if got := fmt.Sprint(a.Hits[0].OID, a.Hits[0].Highlights, a.Facets); got != "7map[title:[changed <mark>mountain</mark>]] map[kind:[{k1 <nil> <nil> 1} {new <nil> <nil> 1}]]" {
		t.Errorf("got %s", got)
	}
	if a := p.search(t, "item", "mountian", "typing=true"); a.Total != 2 || len(a.Notes) != 1 {
		t.Errorf("a slip while typing: got %d, notes %q, want 2 and one note", a.Total, a.Notes)
	}
	if a := p.search(t, "item", "mountian"); a.Suggest == nil || a.Suggest.Query != "mountain" {
		t.Errorf("a misspelt word: got %+v, want mountain", a.Suggest)
	}

	b := browse(t, p.base)
	b.sees("#ready", "ready")
	b.search("mountian")
	b.sees("#found", "2 found")
	b.sees("#notes", "similar ones are found")
	b.sees("#hits mark", "mountain")

	for i := range 3 {
		c.exec(t, fmt.Sprintf(`UPDATE item SET title = 'round%d word', u = unixepoch() WHERE id BETWEEN 100 AND 2500`, i))
		p.kill() // in the middle of writes
		p = c.run(t)
	}
	c.finds(t, p, "round2", 2401)
	c.equal(t, p)

	replace(t, c.file, readFile(t, c.configure(t, "data", "metadata: {kind: keyword, u: number}, ")))
	p.stop(t)
	p = c.run(t)
	commands(t, 0, "reindex", "item", "-c", c.file)
	c.finds(t, p, "u:[1700003000 TO 1700003000]", 1)
	c.equal(t, p)

	all := p.search(t, "item", "", "facets=u:5", "size=0")
	counted := 0
	for _, one := range all.Facets["u"] {
		counted += one.Count
		if found := p.search(t, "item", "", "size=0", "filter=u:"+url.QueryEscape(one.Value)).Total; found != uint64(one.Count) {
			t.Errorf("filter by %s: got %d, want %d", one.Value, found, one.Count)
		}
	}
	if n := len(all.Facets["u"]); n < 2 || n > 5 || counted != int(all.Total) {
		t.Errorf("intervals of u: got %d with %d documents, want at most 5 with %d", n, counted, all.Total)
	}
}

// searchFeatures checks that each feature of searches works with an index in a cluster, or
// is refused by name.
func searchFeatures(t *testing.T, p *proc) {
	t.Helper()
	search := "/api/v1/tables/item/search?q="
	for _, test := range []struct{ name, path, want string }{
		{"match=all", search + "word7+nowhere", `"total":0`},
		{"match=any", search + "word7+nowhere&match=any", `"total":300`},
		{"match=most", search + "word7+item+nowhere&match=most", `"total":300`},
		{"typing", search + "wor&typing=true", `"total":3000`},
		{"a phrase that is open", search + "%22item+wor&typing=true", `"notes":["closed at the end: \""]`},
		{"a URL", search + "https://example.com/word7", `"notes":["read as text: https"]`},
		{"a time", search + "word7+OR+12:30", `"total":300`},
		{"an operator", search + "OR", `"notes":["read as text: OR"]`},
		{"nothing but an end", search + "(", `"total":3000`},
		{"a field without a value", search + "kind:", `"notes":["read as text: kind"]`},
		{"a number that is none", search + "kind:k1~", `"notes":["read as words: kind:k1~"]`},
		{"a long text", search + strings.Repeat("word7+", 500), `"total":300`},
		{"strict", search + "https://example.com&strict=true", "no field https"},
		{"did-you-mean", search + "wrod7", `"query":"word7"`},
		{"fresh hits", search + "word7&fresh=true", `"total":300`},
		{"all tables", "/api/v1/tables/*/search?q=word7", `"total":300`},
		{"facets and filters", search + "word7&facets=kind&filter=kind:k1", `"k1","count":100`},
		{"highlights", search + "word7&highlight=true", "<mark>word7</mark>"},
		{"tuned", search + "word7&relevance=tuned", "relevance tuned needs the embedded index"},
		{"explain", search + "word7&explain=true", "explain needs the embedded index"},
	} {
		body, err := get(p.base + test.path)
		got := string(body)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: got %.300s, want %s", test.name, got, test.want)
		}
	}
}

// What others do to the index is found and repaired without a restart.
func TestOpenSearchIndexIsReplaced(t *testing.T) {
	t.Parallel()
	c := newClustered(t)
	p := c.loaded(t)
	c.cluster(t, http.MethodDelete, "/"+c.prefix+"item-g*", nil)
	c.finds(t, p, "word7", 300)
	c.equal(t, p)
	c.cluster(t, http.MethodDelete, "/"+c.prefix+"item/_doc/EYAAAAAAAAAH", nil) // the row 7
	c.finds(t, p, "word7", 299)
	if run := p.run(t, "item", "deletecheck"); run.State != "done" {
		t.Errorf("sweep: got %+v", run)
	}
	c.finds(t, p, "word7", 300)
	c.equal(t, p)
	p.stop(t)
	c.cluster(t, http.MethodDelete, "/"+c.prefix+"item-g*", nil) // while no daemon runs
	p = c.loaded(t)
	c.equal(t, p)
}

// One daemon writes an index: another data directory is refused, unless it takes the
// index over. The daemon that lost it ends with the exit code of a configuration fault,
// which the service manager does not restart.
func TestOpenSearchHasOneWriter(t *testing.T) {
	t.Parallel()
	c := newClustered(t)
	first := c.loaded(t)
	c.file = c.configure(t, "other", "metadata: {kind: keyword}, ")
	says(t, 2, "--take-over", "run", "-c", c.file)
	second := c.loaded(t, "--take-over")
	eventually(t, soon, "the first daemon ends", func() error {
		select {
		case <-first.done:
			return nil
		default:
			return fmt.Errorf("its log: %s", first.log)
		}
	})
	if code := first.cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("the first daemon: got exit %d, want 2: %s", code, first.log)
	}
	c.exec(t, `UPDATE item SET title = 'taken over', u = unixepoch() WHERE id = 7`)
	c.finds(t, second, "taken", 1)
	c.equal(t, second)
}

// While the cluster is away, searches fail, no mark moves, and the daemon waits, also
// from its start. Then it goes on by itself.
func TestOpenSearchIsAway(t *testing.T) {
	t.Parallel()
	c := newClustered(t)
	var away atomic.Bool
	c.through(t, func(http.ResponseWriter, *http.Request) bool {
		if away.Load() {
			panic(http.ErrAbortHandler)
		}
		return false
	})
	refused := func(p *proc) {
		t.Helper()
		if _, err := get(p.base + "/api/v1/tables/item/search?q=word7"); err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("a search without the cluster: got %v, want 503", err)
		}
	}
	away.Store(true)
	p := start(t, "run", "-c", c.file)
	refused(p)
	away.Store(false)
	p.ready(t)
	c.finds(t, p, "word7", 300)

	away.Store(true)
	c.exec(t, `UPDATE item SET title = 'written while away', u = unixepoch() WHERE id = 7`)
	updated := time.Now()
	refused(p)
	c.shows(t, p, "", "does not answer")
	p.kill()
	p = start(t, "run", "-c", c.file)
	refused(p)
	if at := p.status(t).Tables[0].Settled.At; at != nil && time.Time(*at).After(updated) {
		t.Errorf("settled to %v without the cluster, and a row of %v is not indexed", time.Time(*at), updated)
	}
	away.Store(false)
	c.finds(t, p, "away", 1)
	c.equal(t, p)
}

// A data directory that is older than the index, and one that is restored from a
// backup, go on: their writes are newer than all others.
func TestOpenSearchIsNewerThanTheData(t *testing.T) {
	t.Parallel()
	c := newClustered(t)
	p := c.loaded(t)
	p.stop(t)
	data, old := filepath.Join(c.dir, "data"), filepath.Join(c.dir, "old")
	if err := os.CopyFS(old, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	p = c.run(t)
	archive := filepath.Join(c.dir, "backup.tar")
	commands(t, 0, "backup", "-c", c.file, archive)
	for i := range 20 {
		c.exec(t, fmt.Sprintf(`UPDATE item SET title = 'later %d', u = unixepoch() WHERE id = 7; DELETE FROM item WHERE id = %d`, i, 100+i))
		c.finds(t, p, fmt.Sprintf(`"later %d"`, i), 1)
	}
	p.stop(t)
	for _, step := range []func() error{
		func() error { return os.RemoveAll(data) },
		func() error { return os.Rename(old, data) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	p = c.run(t)
	c.exec(t, `UPDATE item SET title = 'latest', u = unixepoch() WHERE id = 7; INSERT INTO item VALUES (100, unixepoch(), 'k', 'again')`)
	c.finds(t, p, "latest OR again", 2)
	c.equal(t, p)
	p.stop(t)
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	commands(t, 0, "restore", "-c", c.file, archive)
	p = c.run(t, "--take-over")
	c.exec(t, `UPDATE item SET title = 'restored', u = unixepoch() WHERE id = 7`)
	c.finds(t, p, "restored", 1)
	c.equal(t, p)
}

// A backup that is restored where the cluster has no index any more fills a new one from its
// pages, without the database. The sweep that follows reads only rows that have changed.
func TestOpenSearchIsRefilledFromPages(t *testing.T) {
	t.Parallel()
	c := newClustered(t)
	p := c.loaded(t)
	archive := filepath.Join(c.dir, "backup.tar")
	commands(t, 0, "backup", "-c", c.file, archive)
	named, err := os.ReadFile(filepath.Join(archive, "item", "index", "cluster.json"))
	if err != nil || !strings.Contains(string(named), c.prefix+"item-g1-") || !strings.Contains(string(named), `"uuid":"`) {
		t.Errorf("the backup: got %s, %v, want the name and uuid of the index", named, err)
	}
	c.exec(t, `UPDATE item SET title = 'after the backup', u = unixepoch() WHERE id = 7`)
	p.stop(t)
	c.cluster(t, http.MethodDelete, "/"+c.prefix+"item-g*", nil)
	database := filepath.Join(c.dir, "db")
	for _, err := range []error{os.RemoveAll(filepath.Join(c.dir, "data")), os.Rename(database, database+".away")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	commands(t, 0, "restore", "-c", c.file, archive)
	p = start(t, "run", "-c", c.file)
	c.finds(t, p, "word7", 300)
	p.waitForLog(t, "refill ended", 1)
	if err := os.Rename(database+".away", database); err != nil {
		t.Fatal(err)
	}
	c.finds(t, p, "backup", 1)
	c.equal(t, p)
	if log := p.log.String(); !strings.Contains(log, "documents=3000 partial=0 left=0") {
		t.Errorf("got %s, want that all 3000 documents were made from pages", log)
	}
}
