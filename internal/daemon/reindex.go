package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/internal/database"
	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
	"indexerd/internal/httpapi"
	"indexerd/internal/reindex"
)

// logMapping logs that the index was built with another mapping than the
// configuration has.
func (t *table) logMapping() {
	if !t.mapped() {
		t.log.Warn("indexerd searches by the old mapping", "why", "content, metadata, children, analyzer, stopwords or positions were changed, or this version of indexerd indexes otherwise",
			"do", t.command("reindex"))
	}
}

// Reindex begins to rebuild a table's index from its pages.
func (e *Engine) Reindex(name string) (httpapi.Run, error) {
	if err := e.writable(); err != nil {
		return httpapi.Run{}, err
	}
	t, err := e.loaded(name)
	if err != nil {
		return httpapi.Run{}, err
	}
	return e.runs.start(name, "reindex", func(ctx context.Context, r *job) (any, bool, error) {
		result, err := t.reindex(ctx, r.progress)
		return httpapi.ReindexResult{Indexed: result.Indexed, Partial: result.Partial, Left: result.Left}, false, err
	})
}

// reindex rebuilds the index while searches and passes go on, and swaps it in.
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
	if err := t.roomForIndex(); err != nil {
		return reindex.Result{}, err
	}
	var index *fulltext.Index
	r := reindex.Reindex{
		Table: t.conf.Name, Dir: t.dir, Live: t.writes, Old: t.current(), Pages: t.pages, Trace: t.trace,
		Create: func(dir string, generation doc.Generation) (reindex.New, error) {
			var err error
			index, err = fulltext.Create(dir, database.Mapping(t.conf), generation)
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

// roomForIndex reports an error if the disk has no room for a second index as large
// as the first.
func (t *table) roomForIndex() error {
	size, err := t.current().Bytes()
	if err != nil {
		return err
	}
	if err := room(t.dir, size); err != nil {
		return fmt.Errorf("reindex %s: %w: searches go on in the old index: make room and reindex again", t.conf.Name, err)
	}
	return nil
}

func (t *table) setReindexing(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reindexing = on
}

// adopt makes searches use a new index, and closes the old one once the searches
// in it have ended.
func (s *storage) adopt(index *fulltext.Index) error {
	s.mu.Lock()
	old := s.index
	s.index, s.built = index, database.Mapping(s.conf)
	s.searcher = s.newSearcher()
	s.mu.Unlock()
	s.stored.Forget()
	return old.Close()
}
