package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"indexerd/internal/test/pgtest"
)

// TestReindex changes what is indexed: the daemon goes on by the old mapping
// until a reindex, which needs no database and keeps no search waiting. Stop words
// are dropped until then, as by an index of a release that always dropped them.
func TestReindex(t *testing.T) {
	t.Parallel()
	dsn, file := pagila(t)
	const before, after = "fields: [title, description], analyzer: standard}", "fields: [title, description, rating], analyzer: standard}"
	rewrite(t, file, before, before+"\n    stopwords: english")
	p := follow(t, file)
	settledPast(t, p, dsn)
	p.stop(t)

	rewrite(t, file, before+"\n    stopwords: english", after)
	rewrite(t, file, "language: none", "language: en")
	p = follow(t, file)
	eventually(t, soon, "the log names the command", func() error {
		if log := p.log.String(); !strings.Contains(log, "indexerd reindex film") {
			return fmt.Errorf("%s", log)
		}
		return nil
	})
	p.has(t, "film", "dramas", 0)
	p.has(t, "film", `"of a"`, 0)
	verifies(t, 0, file)
	drama := count(t, dsn, []string{"drama"})
	found := keepsFinding(t, p, "of drama", drama) // each drama is one of something
	says(t, 0, "1000 documents", "reindex", "-c", file, "film")
	found()
	if got := p.search(t, "film", `"of a"`, "size=0").Total; got == 0 {
		t.Error("a phrase of words that are kept, after: got none")
	}
	if got := p.search(t, "film", "dramas", "size=0").Total; got != drama || drama == 0 {
		t.Errorf("dramas, after: got %d, want %d", got, drama)
	}
	pgtest.Exec(t, dsn, "UPDATE film SET description = 'quokkas', last_update = now() WHERE film_id = 9")
	p.found(t, "film", "quokka", 1)
	settledPast(t, p, dsn)
	verifies(t, 0, file, "--content")
	p.stop(t)
	p = start(t, "run", "-c", file) // from where the swap left it
	p.ready(t)
	p.has(t, "film", "quokka", 1)
	settledPast(t, p, dsn)
	verifies(t, 0, file, "--content")
}

// keepsFinding searches until the function that it returns is called, which reports
// other totals than the one wanted.
func keepsFinding(t *testing.T, p *proc, q string, want uint64) (end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		for {
			body, err := get(p.base + "/api/v1/tables/film/search?size=0&q=" + url.QueryEscape(q))
			if err == nil && !strings.Contains(string(body), fmt.Sprintf(`"total":%d,`, want)) {
				err = fmt.Errorf("got %s, want a total of %d", body, want)
			}
			if err != nil || ctx.Err() != nil {
				ended <- err
				return
			}
		}
	}()
	return func() {
		t.Helper()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("%s, during: %v", q, err)
		}
	}
}

// TestNewSQL: another SQL is another epoch of tokens, and everything is compared
// again, without a command.
func TestNewSQL(t *testing.T) {
	t.Parallel()
	dsn := lateTable(t)
	file := writeFile(t, lateConfig(dsn, t.TempDir(), "{every: 500ms, slack: 500ms}"))
	p := follow(t, file)
	p.stop(t)
	rewrite(t, file, "SELECT id, updated, body FROM note", "SELECT id, updated, body || ' rewritten' AS body FROM note")
	p = start(t, "run", "-c", file)
	eventually(t, soon, "every row is fetched by the new SQL", func() error {
		if err := finds(p, t, "rewritten", 100); err != nil {
			return err
		}
		if s := p.status(t).Tables[0]; s.Settled.Unverified || s.Marks.Sweep == nil {
			return fmt.Errorf("status %+v", s.Settled)
		}
		return nil
	})
	verifies(t, 0, file, "--content")
}
