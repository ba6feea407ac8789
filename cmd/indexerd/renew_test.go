package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// hangUp is SIGHUP.
func (p *proc) hangUp(t testing.TB) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
}

// waitForLog waits until the log has lines lines with a text.
func (p *proc) waitForLog(t testing.TB, text string, lines int) {
	t.Helper()
	eventually(t, time.Minute, fmt.Sprintf("%d lines say %q", lines, text), func() error {
		if got := strings.Count(p.log.String(), text); got < lines {
			return fmt.Errorf("got %d", got)
		}
		return nil
	})
}

const (
	took = "read its configuration again"
	kept = "keeps its configuration"
)

// searchAllTheWhile searches a table until stop is called, and counts answers
// that are none.
func searchAllTheWhile(p *proc, table string) (stop func() (searches, failed int, last error)) {
	var going sync.WaitGroup
	var searches, failed int
	var last error
	ended := make(chan struct{})
	going.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
			}
			searches++
			if _, err := get(p.base + "/api/v1/tables/" + table + "/search?q=note&size=1"); err != nil {
				failed, last = failed+1, err
			}
		}
	})
	return func() (int, int, error) { close(ended); going.Wait(); return searches, failed, last }
}

// TestHangUp changes a configuration under a running daemon: what it can take
// takes effect, what it can't stays, and no search fails.
func TestHangUp(t *testing.T) {
	t.Parallel()
	dsn := lateTable(t)
	pgtest.Exec(t, dsn, `CREATE TABLE memo (id bigint PRIMARY KEY, updated timestamptz NOT NULL DEFAULT now(), body text NOT NULL);
		INSERT INTO memo (id, body) SELECT i, 'memo ' || i FROM generate_series(1, 10) i`)
	file := writeFile(t, lateConfig(dsn, t.TempDir(), "{every: 500ms}"))
	p := follow(t, file)
	stop := searchAllTheWhile(p, "note")

	good := readFile(t, file)
	rewrite(t, file, "content: {fields: [body]}", "content: {fields: [body]}\n    nonsense: 1\n    batch: none")
	p.hangUp(t)
	p.waitForLog(t, kept, 2)
	for _, want := range []string{"tables.note.nonsense", "tables.note.batch"} {
		if log := p.log.String(); !strings.Contains(log, want) {
			t.Errorf("the log has no line of %s:\n%s", want, log)
		}
	}
	replace(t, file, good)
	rewrite(t, file, "fields: [body]", "fields: [bdy]")
	p.hangUp(t)
	p.waitForLog(t, "did you mean body", 1)

	replace(t, file, good)
	rewrite(t, file, "key: id", "key: [id, body]")
	p.hangUp(t)
	p.waitForLog(t, "indexerd reload note", 1)
	p.has(t, "note", "note", 100)

	replace(t, file, good+`  memo:
    source: db
    sql: SELECT id, updated, body FROM memo
    key: id
    updated: updated
    content: {fields: [body]}
`)
	rewrite(t, file, "data: ", "data: "+filepath.Join(t.TempDir(), "other")+" #", "127.0.0.1:0", "127.0.0.1:1")
	p.hangUp(t)
	p.waitForLog(t, took, 1)
	p.waitForLog(t, "keeps what only a restart changes", 1)
	p.ready(t)
	p.has(t, "memo", "memo", 10)
	pgtest.Exec(t, dsn, "UPDATE note SET body = 'quokka', updated = now() WHERE id = 7")
	p.found(t, "note", "quokka", 1)
	if searches, failed, last := stop(); failed > 0 || searches == 0 {
		t.Errorf("%d of %d searches failed, the last one with %v", failed, searches, last)
	}
	settledPast(t, p, dsn)
	replace(t, file, good) // the data is where it was
	verifies(t, 0, file, "--content")
}

// TestReloadWhileRunning reloads one of two tables with another key.
func TestReloadWhileRunning(t *testing.T) {
	t.Parallel()
	dsn := lateTable(t)
	more := lateConfig(dsn, t.TempDir(), "{every: 500ms}")
	second := strings.Replace(more[strings.Index(more, "  note:"):], "note:", "other:", 1)
	file := writeFile(t, more+second)
	p := follow(t, file)
	stop := searchAllTheWhile(p, "other")
	says(t, 1, "unknown_table", "reload", "-c", file, "film")
	rewrite(t, file, "  note:\n    source: db\n    sql: SELECT id, updated, body FROM note\n    key: id", "  note:\n    source: db\n    sql: SELECT id, updated, body FROM note\n    key: [id, body]")
	p.hangUp(t)
	p.waitForLog(t, "indexerd reload note", 1)
	says(t, 0, "loaded again", "reload", "-c", file, "note")
	p.ready(t)
	if _, err := get(p.base + "/api/v1/tables/note/docs/7,note%207"); err != nil {
		t.Errorf("by the new key: %v", err)
	}
	if searches, failed, last := stop(); failed > 0 || searches == 0 {
		t.Errorf("%d of %d searches of the other table failed, the last one with %v", failed, searches, last)
	}
	settledPast(t, p, dsn)
	verifies(t, 0, file, "--content")

	rewrite(t, file, "fields: [body]", "fields: [bdy]")
	says(t, 1, "did you mean body", "reload", "-c", file, "note")
	p.has(t, "note", "note", 100)
}
