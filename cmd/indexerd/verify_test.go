package main

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
	"indexerd/store"
)

// verifies runs verify and wants it to end with a code.
func verifies(t testing.TB, want int, file string, more ...string) httpapi.VerifiedTable {
	t.Helper()
	stdout, stderr, code := ask(t, append([]string{"verify", "-c", file, "--json"}, more...)...)
	var v httpapi.VerifyResult
	if stdout != "" || want != 2 {
		if err := json.Unmarshal([]byte(stdout), &v); err != nil {
			t.Fatalf("verify %v: exit %d: %v: %s%s", more, code, err, stdout, stderr)
		}
	}
	if code != want {
		t.Errorf("verify %v: exit %d, want %d: %s%s", more, code, want, stdout, stderr)
		explains(t, file, v)
	}
	if len(v.Tables) != 1 {
		return httpapi.VerifiedTable{}
	}
	return v.Tables[0]
}

// explains logs what database, index and pages hold for the rows that differ.
func explains(t testing.TB, file string, v httpapi.VerifyResult) {
	t.Helper()
	for _, table := range v.Tables {
		for _, oid := range slices.Concat(table.First.Lost, table.First.Stale, table.First.Ghost, table.First.Torn) {
			stdout, stderr, _ := ask(t, "explain", "-c", file, table.Table, oid, "--json")
			t.Log(stdout, stderr)
		}
	}
}

// sweeps runs a sweep and wants it to end with a code.
func sweeps(t testing.TB, want int, file, table string, more ...string) httpapi.SweepResult {
	t.Helper()
	stdout, stderr, code := ask(t, append([]string{"sweep", "-c", file, table, "--json"}, more...)...)
	if code != want {
		t.Fatalf("sweep %v: exit %d, want %d: %s%s", more, code, want, stdout, stderr)
	}
	var run httpapi.Run
	var s httpapi.SweepResult
	if err := json.Unmarshal([]byte(stdout), &run); err != nil {
		t.Fatalf("sweep %v: %v: %s", more, err, stdout)
	}
	if err := json.Unmarshal(run.Result, &s); err != nil {
		t.Fatalf("sweep %v: result %s: %v", more, run.Result, err)
	}
	return s
}

// taggedTable is notes with tags, a child whose rows have no updateTime.
func taggedTable(t *testing.T) (dsn, file string) {
	t.Helper()
	dsn = lateTable(t)
	pgtest.Exec(t, dsn, `CREATE TABLE tag (note_id bigint NOT NULL, name text NOT NULL);
		CREATE INDEX ON tag (note_id);
		INSERT INTO tag SELECT i, 'tag' || i FROM generate_series(1, 100) i`)
	return dsn, writeFile(t, lateConfig(dsn, t.TempDir(), "{every: 500ms, slack: 500ms}")+`    deletecheck: {every: 1h, max_count: 5, max_fraction: 0.01}
    children:
      tags: {sql: "SELECT note_id, name FROM tag", key: note_id, content: [name]}
`)
}

// An opened table is what is stored of the only table of a configuration, with
// no daemon running.
type openedTable struct {
	conf  configs.Table
	index *fulltext.Index
	pages *store.FileMap
}

// behind changes what is stored behind the daemon's back.
func behind(t *testing.T, file string, do func(*openedTable)) {
	t.Helper()
	cfg, err := configs.Load(file, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	o := &openedTable{conf: cfg.Tables[0]}
	dir := filepath.Join(cfg.Data, o.conf.Name)
	if o.index, err = fulltext.Open(filepath.Join(dir, "index"), database.Mapping(o.conf)); err != nil {
		t.Fatal(err)
	}
	if o.pages, err = store.Open(filepath.Join(dir, "pages"), store.Options{Versions: 1}); err != nil {
		t.Fatal(err)
	}
	do(o)
	if err := o.index.Close(); err != nil {
		t.Fatal(err)
	}
	if err := o.pages.Close(); err != nil {
		t.Fatal(err)
	}
}

func noteKey(t testing.TB, n int64) doc.OID {
	t.Helper()
	oid, err := doc.NewOID(n)
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

// TestVerifyFindsWhatWasDoneBehindItsBack breaks what is stored, or the
// database in ways that no updateTime shows, and wants verify to name the row,
// and to be content after a repair.
func TestVerifyFindsWhatWasDoneBehindItsBack(t *testing.T) {
	t.Parallel()
	seven := noteKey(t, 7)
	fail := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	page := func(o *openedTable) doc.Page {
		t.Helper()
		p, err := o.pages.Get(seven)
		fail(err)
		return p
	}
	dsn, file := taggedTable(t)
	pgtest.Exec(t, dsn, "ALTER TABLE note ALTER updated DROP NOT NULL")
	p := follow(t, file)
	settledPast(t, p, dsn)
	if got := verifies(t, 0, file, "--content"); got.Compared < 100 {
		t.Fatalf("before: got %+v, want every row compared", got)
	}
	p.stop(t)
	for _, c := range []struct {
		name, kind, key string
		more            []string // flags that it takes to see it
		stored          func(*openedTable)
		sql             string
	}{
		{name: "a document removed from the index alone", kind: "lost", stored: func(o *openedTable) {
			fail(o.index.Apply(nil, doc.Removals(1<<62, seven)))
		}},
		{name: "a page removed alone", kind: "torn", stored: func(o *openedTable) {
			fail(o.pages.Delete(doc.Removals(0, seven)))
		}},
		{name: "a page altered", kind: "torn", more: []string{"--content"}, stored: func(o *openedTable) {
			p := page(o)
			p.Body = []byte(`{"row":{"id":7,"updated":"2026-01-01T00:00:00Z","body":"forged"},"children":{"tags":[]}}`)
			fail(o.pages.Put([]doc.Page{p}))
		}},
		{name: "an index document altered", kind: "torn", stored: func(o *openedTable) {
			p := page(o)
			row, err := doc.ParseRow(p.Body)
			fail(err)
			d := doc.Doc{Meta: p.Meta, Row: row}
			d.V++
			fail(o.index.Apply([]doc.Doc{d}, nil))
		}},
		{name: "a child changed without an updateTime", kind: "stale", sql: "UPDATE tag SET name = 'forged' WHERE note_id = 7"},
		{name: "a child deleted", kind: "stale", sql: "DELETE FROM tag WHERE note_id = 7"},
		{name: "a row changed back in time", kind: "stale", sql: "UPDATE note SET body = 'old', updated = now() - interval '1 year' WHERE id = 7"},
		{name: "a row without updateTime inserted", kind: "lost", key: "700", sql: "INSERT INTO note VALUES (700, NULL, 'null')"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.stored != nil {
				behind(t, file, c.stored)
			} else {
				pgtest.Exec(t, dsn, c.sql)
			}
			found := verifies(t, 1, file, c.more...)
			for kind, got := range map[string]struct {
				n     int
				first []string
			}{
				"lost": {found.Lost, found.First.Lost}, "stale": {found.Stale, found.First.Stale},
				"ghost": {found.Ghost, found.First.Ghost}, "torn": {found.Torn, found.First.Torn},
			} {
				want := []string{}
				if kind == c.kind {
					want = []string{cmp.Or(c.key, "7")}
				}
				if got.n != len(want) || !slices.Equal(got.first, want) {
					t.Errorf("%s: got %d, %v, want %v", kind, got.n, got.first, want)
				}
			}
			if got := verifies(t, 0, file, append(c.more, "--repair")...); got.Repaired != 1 {
				t.Errorf("repaired: got %d, want 1", got.Repaired)
			}
			verifies(t, 0, file, "--content")
		})
	}
}

// settledPast waits until S has passed the database's present.
func settledPast(t *testing.T, p *proc, dsn string) {
	t.Helper()
	now := clockOf(t, dsn)
	p.waitFor(t, "S passes now", func(s httpapi.TableStatus) bool { return s.Settled.At != nil && time.Time(*s.Settled.At).After(now) })
}

// TestVerifyAndTheGuard: a row that was deleted is pending until the next
// sweep; those that a sweep holds are ghosts; a repair is a person's word.
func TestVerifyAndTheGuard(t *testing.T) {
	t.Parallel()
	dsn, file := taggedTable(t)
	p := follow(t, file)
	settledPast(t, p, dsn)
	p.stop(t)

	pgtest.Exec(t, dsn, "DELETE FROM note WHERE id <= 2")
	if got := verifies(t, 0, file); got.Pending != 2 || got.Ghost != 0 {
		t.Errorf("deleted since the last sweep: got %+v, want 2 pending", got)
	}
	if got := sweeps(t, 0, file, "note"); got.Deleted != 2 {
		t.Errorf("sweep: got %+v, want 2 removed", got)
	}
	if got := verifies(t, 0, file); got.Pending != 0 || got.Compared != 98 {
		t.Errorf("after the sweep: got %+v, want 98 rows and none pending", got)
	}

	pgtest.Exec(t, dsn, "DELETE FROM note WHERE id <= 20")
	if got := sweeps(t, 1, file, "note"); got.Deleted != 0 || got.Held != 18 {
		t.Errorf("a sweep over the limit: got %+v, want 18 held", got)
	}
	if got := verifies(t, 1, file); got.Ghost != 18 || len(got.First.Ghost) != 10 || got.First.Ghost[0] != "3" {
		t.Errorf("held: got %+v, want 18 ghosts from 3 on", got)
	}
	p = start(t, "run", "-c", file)
	held := p.status(t).Tables[0].Held
	if held == nil || held.Removals != 18 || !strings.HasPrefix(held.Do, "indexerd sweep note --allow 18 -c /") {
		t.Errorf("status after a restart: got %+v, want 18 held", held)
	}
	if got := verifies(t, 0, file, "--repair"); got.Repaired != 18 {
		t.Errorf("repair: got %+v, want 18 repaired", got)
	}
	if got := p.status(t).Tables[0]; got.Documents != 80 {
		t.Errorf("documents: got %d, want 80", got.Documents)
	}
}

// TestVerifyCannotTell: no database, no data, no such table: 2, never 0.
func TestVerifyCannotTell(t *testing.T) {
	t.Parallel()
	dsn, file := taggedTable(t)
	verifies(t, 2, file)
	p := follow(t, file)
	verifies(t, 2, file, "nonesuch")
	p.stop(t)
	cfg, err := configs.Load(file, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	away := writeFile(t, lateConfig("postgres://none@127.0.0.1:1/none", cfg.Data, "{horizon: auto}")+`    children:
      tags: {sql: "SELECT note_id, name FROM tag", key: note_id, content: [name]}
`)
	verifies(t, 2, away)
	pgtest.Exec(t, dsn, "INSERT INTO note (id, body) VALUES (500, 'since')")
	if got := verifies(t, 2, file); got.Unsettled != 1 {
		t.Errorf("a row since the daemon ended: got %+v, want 1 unsettled", got)
	}
}
