package main

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/nodetest"
)

// jsonTexts are rows with lists in texts. Row 4 has broken ones, and row 6 an element that
// is no number.
const jsonTexts = `INSERT INTO item VALUES (1, '2024-03-01 00:00:00', 'one apple', '["red","blue"]', '[1, 3]'), (2, '2024-03-01 00:00:00', 'two apples', '["blue"]', '[2]'),
	(3, '2024-03-01 00:00:00', 'three apples', '"red"', '5'), (4, '2024-03-01 00:00:00', 'four apples', '["red", ', 'red'),
	(5, '2024-03-01 00:00:00', 'five apples', NULL, NULL), (6, '2024-03-01 00:00:00', 'six apples', '["red"]', '[1, "two"]')`

// A list in a text is several values of a keyword and of a number: for filters, facets and
// sorts. A broken one costs the value, and not the row.
func TestJSONTexts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		driver, time string
		open         func(*testing.T, string) *anyDB
		cluster      bool
	}{
		"postgres":   {driver: "postgres", time: "timestamp", open: newPostgres},
		"sqlite":     {driver: "sqlite", time: "text", open: newSQLite},
		"mariadb":    {driver: "mysql", time: "datetime(6)", open: newMariaDB},
		"mysql":      {driver: "mysql", time: "datetime(6)", open: newMySQL},
		"opensearch": {driver: "sqlite", time: "text", open: newSQLite, cluster: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := c.open(t, "CREATE TABLE item (id int PRIMARY KEY, updated_at "+c.time+", name varchar(200), tags varchar(200), sizes varchar(200))")
			a.exec(t, jsonTexts)
			a.exec(t, "CREATE INDEX item_u ON item (updated_at)")
			engine := ""
			if c.cluster {
				node, prefix := nodetest.URL(t), "j"+strings.ToLower(rand.Text())+"-"
				t.Cleanup(func() { nodeAnswers(t, node, http.MethodDelete, "/"+prefix+"*", nil, nil) })
				engine = fmt.Sprintf("index: {engine: opensearch, url: %q, prefix: %s, replicas: 0}\n", node, prefix)
			}
			a.file = writeFile(t, engine+configOf(c.driver, a.dsn, filepath.Join(t.TempDir(), "data"),
				"  item: {source: db, sql: SELECT * FROM item, key: id, updated: updated_at, timezone: UTC, content: {fields: [name]}, json: [tags, sizes], metadata: {tags: keyword, sizes: number}}\n"))
			a.p = follow(t, a.file)
			a.hasTexts(t, "red 3, blue 2", []string{"4", "6"}, "1 6 2 3 4 5")
			a.p.has(t, "item", "sizes:>2", 2)
			a.p.has(t, "item", "tags:blue sizes:1", 1)

			const now = "'2024-03-02 00:00:00'"
			a.exec(t, `UPDATE item SET tags = '["green","blue"]', sizes = '[0]', updated_at = `+now+` WHERE id = 4`)
			a.exec(t, `UPDATE item SET tags = 'red', updated_at = `+now+` WHERE id = 1`)
			a.p.reaches(t, "item", "tags:green", 1)
			a.p.reaches(t, "item", "tags:red", 2)
			a.hasTexts(t, "blue 2, red 2, green 1", []string{"1", "6"}, "4 1 6 2 3 5")
			commands(t, 0, "verify", "-c", a.file)
			a.p.stop(t)
		})
	}
}

// hasTexts waits for facets, an order by sizes, and the list of partial rows, which follows
// the documents.
func (a *anyDB) hasTexts(t *testing.T, facet string, partial []string, order string) {
	t.Helper()
	eventually(t, soon, "the values of texts", func() error {
		answer := a.p.search(t, "item", "", "facets=tags&sort=sizes")
		var tags, hits, listed []string
		for _, f := range answer.Facets["tags"] {
			tags = append(tags, fmt.Sprint(f.Value, " ", f.Count))
		}
		for _, h := range answer.Hits {
			hits = append(hits, string(h.OID))
		}
		for _, r := range listQuarantine(t, a.p, "item").Rows {
			if listed = append(listed, string(*r.OID)); r.Kind != httpapi.KindPartial {
				t.Errorf("row %s: got kind %s", *r.OID, r.Kind)
			}
		}
		slices.Sort(listed)
		if got := strings.Join(tags, ", "); got != facet || strings.Join(hits, " ") != order || !slices.Equal(listed, partial) {
			return fmt.Errorf("got the facet %q, the order %q and partial rows %v, want %q, %q and %v", got, hits, listed, facet, order, partial)
		}
		return nil
	})
}

// Groups may be a list in a text. A broken list is not the group that its text names: the row
// goes to quarantine, and of its last document only admins know.
func TestJSONGroups(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := openSQLite(t, filepath.Join(dir, "db"), "CREATE TABLE item (id INTEGER PRIMARY KEY, u INTEGER, name TEXT, grp TEXT)", "CREATE INDEX item_u ON item (u)",
		`INSERT INTO item VALUES (1, 1700000000, 'one apple', '["sales","staff"]'), (2, 1700000000, 'two apples', '["staff"]'), (3, 1700000000, 'three apples', 'sales'), (4, 1700000000, 'four apples', '["sales"')`)
	p := follow(t, writeFile(t, fmt.Sprintf(`data: %s/data
http: {listen: 127.0.0.1:0, tokens: {ops: {token: %s, admin: true}, sales: {token: %s, groups: [sales, '["sales"']}}}
sources:
  db: {driver: sqlite, dsn: %s/db}
tables:
  item: {source: db, sql: SELECT * FROM item, key: id, updated: u, content: {fields: [name]}, json: [grp], metadata: {grp: keyword}, acl: grp}
`, dir, opsToken, salesToken, dir)))
	finds := func(token string, total int) {
		t.Helper()
		eventually(t, soon, "the documents of a token", func() error {
			if _, text := p.as(token).ask(t, "GET", "/api/v1/tables/item/search?q=apples+OR+apple", ""); !strings.Contains(text, fmt.Sprintf(`"total":%d,`, total)) {
				return fmt.Errorf("got %s, want %d", text, total)
			}
			return nil
		})
	}
	finds(opsToken, 2)
	finds(salesToken, 1)
	execute(t, db, `UPDATE item SET grp = '["sales"]', u = unixepoch() WHERE id = 4`)
	finds(opsToken, 3)
	finds(salesToken, 2)
	execute(t, db, `UPDATE item SET grp = '["sales"', u = unixepoch() WHERE id = 1`)
	finds(salesToken, 1)
	finds(opsToken, 3)
}
