package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
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
	file := writeFile(t, configOf("sqlite", path, filepath.Join(dir, "data"), tables))
	p := follow(t, file)
	stdout, stderr, code := ask(t, "search", "-c", file, "*", "striped")
	if code != 0 || !strings.Contains(stdout, "striped animal (animal 7)\n") || !strings.Contains(stdout, "striped plant (plant 7)\n") || !strings.Contains(stdout, "2 found in all tables, 2 shown") {
		t.Errorf("search in all tables: exit %d\n%s%s", code, stdout, stderr)
	}

	says(t, 1, "write '*' to search all tables", "search", "-c", file, file, "striped")

	b := browse(t, p.base)
	b.sees("#ready", "ready")
	b.search("striped")
	b.sees("#found", "2 found")
	b.sees("#hits", "animal 7", "plant 7")
	b.sees("#hits .key", "striped animal", "striped plant")
	b.sees("#facets", "kind", "wild")
	eval[any](b, "document.querySelector('#hits li:last-child .key').click()")
	if got := eval[string](b, "document.querySelector('#hits li.open a').getAttribute('href')"); got != "/api/v1/tables/plant/explain/7" {
		t.Errorf("got a link to %s, want the hit's own table", got)
	}

	b.search("plain shark")
	b.sees("#suggest", "2 have most of the words")
	b.click("#suggest button")
	b.sees("#found", "2 found")
	b.sees("#hits", "animal 8", "plant 8")
	stdout, stderr, code = ask(t, "search", "-c", file, "*", "plain", "shark")
	if code != 0 || !strings.Contains(stdout, "0 found in all tables") || !strings.Contains(stdout, "have most of the words: --match most") {
		t.Errorf("a search without hits: exit %d\n%s%s", code, stdout, stderr)
	}
	says(t, 0, "plain animal (animal 8)\n", "search", "-c", file, "*", "plain", "shark", "--match", "most")

	b.search("strypid plant")
	b.sees("#suggest", "did you mean striped plant (1)")
	b.click("#suggest button")
	b.sees("#found", "1 found")
	b.sees("#hits", "plant 7")
	says(t, 0, "did you mean striped plant (1)\n", "search", "-c", file, "*", "strypid", "plant")
	says(t, 0, "note: read as text: https\n", "search", "-c", file, "*", "https://example.com")
	says(t, 1, "bad_query: no field https", "search", "-c", file, "*", "--strict", "https://example.com")

	b.search("striped")
	b.sees("#found", "2 found")
	execSQLite(t, path, "UPDATE animal SET name = 'grey animal' WHERE id = 7", "DELETE FROM plant WHERE id = 8")
	b.click("#fresh")
	b.sees("#found", "1 found")
	b.sees("#hits", "plant 7")
	b.search("plain")
	b.sees("#found", "1 found")
	b.sees("#hits", "animal 8")
	stdout, stderr, code = ask(t, "search", "-c", file, "animal", "striped", "--fresh", "--json")
	if code != 0 || !strings.Contains(stdout, `"total":0,"fresh":true,"hits":[]`) {
		t.Errorf("fresh search: exit %d\n%s%s", code, stdout, stderr)
	}
}

// sharedEngine is one of two daemons that share marks, whose table is being opened at first.
type sharedEngine struct {
	loadingEngine
	leader atomic.Pointer[httpapi.LeaderStatus]
	opened atomic.Bool
}

func (e *sharedEngine) Status(ctx context.Context) httpapi.Status {
	s := e.loadingEngine.Status(ctx)
	s.Leader, s.Tables[0].Load, s.Tables[0].State, s.Tables[0].Documents = e.leader.Load(), nil, "following", 1000
	if !e.opened.Load() {
		s.Tables[0].State, s.Tables[0].Documents = "opening", 0
		s.Tables[0].Opening = &httpapi.OpeningStatus{WaitsFor: "the index", Since: httpapi.Time(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))}
	}
	return s
}

func (*sharedEngine) Described(search.Caller) []httpapi.TableFields { return readyFilm() }

func (*sharedEngine) Waiting() []string { return nil }

func (*sharedEngine) Search(context.Context, string, search.Params) (search.Results, error) {
	return search.Results{Facets: map[string][]query.Count{}, Next: func(int) *string { return nil }}, nil
}

// The page shows which of two daemons leads, why one of them can't, and what a table that is
// being opened waits for.
func TestDashboardOfTwoDaemons(t *testing.T) {
	t.Parallel()
	since, unfit, unreached, away := httpapi.Time(time.Date(2026, 11, 25, 11, 0, 0, 0, time.UTC)), "its configuration differs", "pages: no <b>answer</b>", "etcd does not answer"
	standby := httpapi.DaemonStatus{Host: "b", Address: "10.0.0.2:7700", Version: "1", Started: &since, Unfit: &unfit, Unreached: &unreached}
	e := &sharedEngine{}
	e.leader.Store(&httpapi.LeaderStatus{This: true, Host: "a", Address: "10.0.0.1:7700", Term: 5, Since: &since, Standbys: []httpapi.DaemonStatus{standby}})
	b := browse(t, serveFake(t, e))
	b.views("operations")
	b.sees("[data-f=state]", "opening")
	b.sees("#problems", "film: waits for the index since 2026-11-25 12:00:00 UTC")
	b.sees("#figures", "this one", "since 2026-11-25 11:00:00 UTC, term 5, 1 standby")
	b.sees("#problems", "The standby b (10.0.0.2:7700) does not lead: its configuration differs", "The standby b (10.0.0.2:7700) does not reach pages: no <b>answer</b>")

	e.opened.Store(true)
	b.sees("[data-f=state]", "removals held")
	b.sees("[data-f=documents]", "1,000")

	e.leader.Store(&httpapi.LeaderStatus{Host: "b", Address: "10.0.0.2:7700", Term: 6, Since: &since, Standbys: []httpapi.DaemonStatus{{Host: "a", Address: "10.0.0.1:7700", Started: &since}}})
	b.sees("#figures", "b (10.0.0.2:7700)", "since 2026-11-25 11:00:00 UTC, term 6")
	if got := eval[int](b, "document.querySelectorAll('#problems [data-level=bad]').length"); got != 1 { // the removals that are held
		t.Errorf("got %d problems, want one", got)
	}
	b.do(chromedp.EmulateViewport(360, 740))
	if got := eval[int](b, "document.documentElement.scrollWidth"); got > 360 {
		t.Errorf("on a phone the page is %d pixels wide, want at most 360", got)
	}
	e.leader.Store(&httpapi.LeaderStatus{Standbys: []httpapi.DaemonStatus{}})
	b.sees("#problems", "No daemon leads: nothing is indexed.")
	e.leader.Store(&httpapi.LeaderStatus{Standbys: []httpapi.DaemonStatus{}, Error: &away})
	b.sees("#problems", "Which daemon leads is not known: etcd does not answer")
	b.sees("#figures", "etcd does not say")
}
