package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
	"indexerd/internal/httpapi"
	"indexerd/internal/reindex"
)

// sayMapping says that the configuration is not what the index was built with.
func (t *table) sayMapping() {
	if t.built.Fingerprint() != mapping(t.conf).Fingerprint() {
		t.log.Warn("indexerd searches by the old mapping", "why", "content, metadata, children, analyzer or positions were changed",
			"do", t.command("reindex"))
	}
}

// Reindex begins to build a table's index anew from its pages.
func (e *engine) Reindex(name string) (httpapi.Run, error) {
	if err := e.writable(); err != nil {
		return httpapi.Run{}, err
	}
	t, err := e.loaded(name)
	if err != nil {
		return httpapi.Run{}, err
	}
	return e.runs.start(name, "reindex", func(ctx context.Context, r *errand) (any, bool, error) {
		result, err := t.reindex(ctx, r.progress)
		return httpapi.Reindexed{Indexed: result.Indexed, Partial: result.Partial, Left: result.Left}, false, err
	})
}

// reindex builds the index anew while searches and passes go on, and swaps.
func (t *table) reindex(ctx context.Context, progress func(done, of int64)) (reindex.Result, error) {
	select {
	case t.sweeping <- struct{}{}: // a sweep lists the index that is to go
	case <-ctx.Done():
		return reindex.Result{}, ctx.Err()
	}
	defer func() { <-t.sweeping }()
	t.setReindexing(true)
	defer t.setReindexing(false)
	lane, err := t.takeLane(ctx)
	if err != nil {
		return reindex.Result{}, err
	}
	defer lane.end()
	var index *fulltext.Index
	r := reindex.Reindex{
		Table: t.conf.Name, Dir: t.dir, Live: t.writes, Old: t.current(), Pages: t.pages, Trace: t.trace,
		Create: func(dir string, generation doc.Generation) (reindex.New, error) {
			var err error
			index, err = fulltext.Create(dir, mapping(t.conf), generation)
			if err != nil {
				return nil, err
			}
			return index, nil
		},
		Adopt: func() error { return t.adopt(index) },
		Rest: func(ctx context.Context, _ time.Duration) error {
			return lane.rest(ctx, 0, 1)
		},
		Progress: progress,
	}
	started := time.Now()
	result, err := r.Run(ctx)
	if err != nil {
		if errors.Is(err, reindex.ErrUndecided) {
			t.die(err)
		}
		return result, t.dieIfBroken("reindex", err)
	}
	t.log.Info("reindex swapped", "documents", result.Indexed, "partial", result.Partial, "left", result.Left, "took", time.Since(started).Round(time.Millisecond))
	t.sweepIfDue()
	return result, nil
}

func (t *table) setReindexing(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reindexing = on
}

// adopt turns everything to a new index, and closes the old one, which waits
// for the searches in it.
func (t *table) adopt(index *fulltext.Index) error {
	t.mu.Lock()
	old := t.index
	t.index, t.built = index, mapping(t.conf)
	t.searcher = t.newSearcher()
	t.mu.Unlock()
	return old.Close()
}

type reindexCommand struct {
	asking
	Table string `arg:"" help:"The table."`
}

// Help shows an example.
func (reindexCommand) Help() string {
	return "Builds the index of a table anew from what is stored of its rows, for a changed content, metadata or analyzer.\n" +
		"Searches and indexing go on; the database is not asked.\n\n" +
		"Example:\n  indexerd reindex -c configs/pagila.yaml film"
}

// Run reindexes.
func (c reindexCommand) Run(ctx context.Context, w world) (err error) {
	caller, err := dial(ctx, c.Config, w, question{writes: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, caller.close()) }()
	run, err := caller.begin(ctx, w, "/api/v1/tables/"+url.PathEscape(c.Table)+"/reindex", nil)
	if err == nil {
		err = failed(run)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(run)
	}
	var r httpapi.Reindexed
	if err := json.Unmarshal(run.Result, &r); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	rest := ""
	if n := r.Partial + r.Left; n > 0 {
		rest = fmt.Sprintf("; %d more are to be fetched, which a sweep does", n)
	}
	_, err = fmt.Fprintf(w.stdout, "%s: %d documents from their pages%s\n", c.Table, r.Indexed, rest)
	return err
}
