package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
)

var rowKey = regexp.MustCompile(`^[0-9a-f]{32}-[1-9]\d*$`)

// TestRowKey indexes a table without a key. Rows that change are a delete and an
// insert, of which the guard counts the net loss.
func TestRowKey(t *testing.T) {
	t.Parallel()
	for _, driver := range []string{"postgres", "sqlite"} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			dsn, exec := newDatabase(t, driver)
			exec("CREATE TABLE log (level text, body text)")
			for n := range 40 {
				exec(fmt.Sprintf("INSERT INTO log VALUES ('info', 'loaded number%d')", n), "INSERT INTO log VALUES ('warn', 'twice')")
			}
			file := writeFile(t, configOf(driver, dsn, t.TempDir(),
				"  log: {source: db, sql: 'SELECT level, body FROM log', key: row, content: {fields: [body]}, metadata: {level: keyword}, deletecheck: {max_count: 5, max_fraction: 0.1}}\n"))
			p := follow(t, file)
			wantHits(t, p, map[string]int{"loaded": 40, "twice": 40, "number7": 1, "": 80})
			hit := p.search(t, "log", "number7", "size=1").Hits[0]
			if !rowKey.MatchString(hit.OID) || len(hit.Fields) != 2 {
				t.Errorf("got hit %s with fields %v, want 32 hex digits and a number, and the columns of the SQL", hit.OID, hit.Fields)
			}
			if got := p.search(t, "log", "number7", "fresh=true"); got.Fresh == nil || *got.Fresh || len(got.Hits) != 1 {
				t.Errorf("fresh=true: got fresh %v and %d hits, want false and the stored one", got.Fresh, len(got.Hits))
			}
			verifies(t, 0, file, "--content")

			exec("UPDATE log SET body = 'changed' WHERE level = 'info'", "INSERT INTO log VALUES ('warn', 'twice')")
			wantHits(t, p, map[string]int{"loaded": 0, "changed": 40, "twice": 41, "": 81})
			if held := p.status(t).Tables[0].Held; held != nil {
				t.Errorf("after 40 changes: got %+v held, want nothing", held)
			}
			verifies(t, 0, file, "--content")

			exec("DELETE FROM log WHERE level = 'info'")
			p.waitFor(t, "the loss of half of the rows is held", func(s httpapi.TableStatus) bool { return s.Documents == 81 && s.Held != nil && s.Held.Removals == 40 })
			sweeps(t, 0, file, "log", "--allow", "40")
			wantHits(t, p, map[string]int{"changed": 0, "twice": 41, "": 41})
		})
	}
}

// Another SQL makes all keys others. No search finds a row twice or misses one
// meanwhile, also between kills, and the guard holds an index that would lose rows.
func TestRowKeysRenewed(t *testing.T) {
	t.Parallel()
	const rows = 5000
	dsn, exec := newDatabase(t, "sqlite")
	exec("CREATE TABLE log (level text, body text)",
		fmt.Sprintf("WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < %d) INSERT INTO log SELECT CASE WHEN n %% 10 = 0 THEN 'warn' ELSE 'info' END, 'number' || n FROM n", rows))
	config := configOf("sqlite", dsn, t.TempDir(), "  log: {source: db, sql: \"SELECT level, body FROM log\", key: row, content: {fields: [body]}, metadata: {level: keyword}}\n")
	p := follow(t, writeFile(t, config))
	old := p.search(t, "log", "number7", "size=1").Hits[0].OID
	p.stop(t)

	more := strings.Replace(config, "SELECT level, body", "SELECT level, body, level AS more", 1)
	file := writeFile(t, more)
	whole := func() {
		t.Helper()
		if got := p.search(t, "log", "", "size=1000", "highlight=false"); got.Total != rows || len(got.Hits) != 1000 {
			t.Fatalf("while all rows get other keys: got %d hits, %d shown, want %d and 1000", got.Total, len(got.Hits), rows)
		}
	}
	for range rounds(t, "ROWKEY_KILLS", 4, 2) {
		p = start(t, "run", "-c", file)
		whole()
		time.Sleep(rand.N(400 * time.Millisecond))
		whole()
		p.kill()
	}
	p = start(t, "run", "-c", file)
	for end := time.Now().Add(soon); ; {
		whole()
		if p.search(t, "log", "number7", "size=1").Hits[0].OID != old {
			break
		}
		if time.Now().After(end) {
			t.Fatal("rows have the old keys still")
		}
	}
	p.waitFor(t, "the pages of the old keys are removed", func(s httpapi.TableStatus) bool { return !s.Settled.Unverified })
	p.stop(t)
	verifies(t, 0, file, "--content")

	file = writeFile(t, strings.Replace(more, "FROM log", "FROM log WHERE level = 'warn'", 1))
	p = start(t, "run", "-c", file)
	const gone = rows * 9 / 10
	p.waitFor(t, "the loss is held", func(s httpapi.TableStatus) bool {
		return s.Held != nil && s.Held.Removals == gone && s.Documents == rows && s.Settled.Unverified
	})
	sweeps(t, 0, file, "log", "--allow", fmt.Sprint(gone))
	wantHits(t, p, map[string]int{"": rows - gone, "number10": 1, "number7": 0})
	verifies(t, 0, file, "--content")
}

func wantHits(t *testing.T, p *proc, want map[string]int) {
	t.Helper()
	for word, n := range want {
		p.found(t, "log", word, uint64(n))
	}
}
