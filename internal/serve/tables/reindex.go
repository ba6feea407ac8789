package tables

import (
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/reindex"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/stored"
)

// logMapping logs that the index was built with another mapping than the
// configuration has. One of an earlier analysis is rebuilt without a command.
func (t *Table) logMapping() {
	if !t.IsMapped() && !t.IsOutdated() {
		t.log.Warn("indexerd searches by the old mapping", "why", "content, metadata, children, analyzer, stopwords or positions were changed, or this version of indexerd indexes otherwise",
			"do", t.Command("reindex"))
	}
}

// Reindex rebuilds the index while searches and passes go on, and swaps it in.
func (t *Table) Reindex(ctx context.Context, progress func(done, of int64)) (reindex.Result, error) {
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
	if err := t.RoomForIndex(); err != nil {
		return reindex.Result{}, fmt.Errorf("reindex %s: %w: searches go on in the old index: make room and reindex again", t.Conf.Name, err)
	}
	r := t.NewReindex()
	r.Rest = func(ctx context.Context, _ time.Duration) error { return lane.rest(ctx, 0, 1) }
	started := time.Now()
	r.Progress = func(done, of int64) {
		t.rebuilt.Store(&rebuilt{done, of, time.Since(started)})
		progress(done, of)
	}
	defer t.rebuilt.Store(nil)
	result, err := r.Run(ctx)
	if err != nil {
		if errors.Is(err, reindex.ErrUndecided) {
			t.Die(err)
		}
		return result, t.dieIfBroken("reindex", err)
	}
	t.log.Info("reindex swapped", "documents", result.Indexed, "partial", result.Partial, "left", result.Left, "took", time.Since(started).Round(time.Millisecond))
	t.sweepIfDue()
	return result, nil
}

// refill adds the documents of the pages to an index that was deleted, or could not be read. What it
// can't add is left to the sweep.
func (t *Table) refill(ctx context.Context) error {
	marks, _ := t.Trace.Table(t.Conf.Name)
	if marks.Unverified != stored.IndexDeleted && !t.Rebuilding() || !t.IsOpen() {
		return nil
	}
	switch why := t.Rebuilds.Swap(nil); {
	case why == nil:
	case stored.IsIndexDamaged(*why):
		t.logDamage(*why)
	default:
		t.log.Warn("the index is rebuilt from the pages", "why", *why)
	}
	select {
	case t.sweeping <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-t.sweeping }()
	lane, err := t.takeLane(ctx)
	if err != nil {
		return err
	}
	defer lane.end()
	return t.refillIn(ctx, lane)
}

// refillIn is refill for a caller that holds the lane, and runs no sweep.
func (t *Table) refillIn(ctx context.Context, lane *laneByChunks) error {
	r := t.NewReindex()
	r.Rest = func(ctx context.Context, _ time.Duration) error { return lane.rest(ctx, 0, 1) }
	started := time.Now()
	result, err := r.Refill(ctx, t.Current(), t.Pages.All(), t.skips())
	if err != nil {
		return t.dieIfBroken("refill", err)
	}
	if err := t.Refilled(); err != nil {
		return err
	}
	t.log.Info("refill ended", "documents", result.Indexed, "partial", result.Partial, "left", result.Left, "took", time.Since(started).Round(time.Millisecond))
	return nil
}

// skips reports which pages have no document. The last document of a quarantined row had
// the groups of its page, unless only admins found it; others may read an index in a
// cluster.
func (t *Table) skips() func(doc.OID) bool {
	if !t.Rebuilding() {
		return t.Quarantine.Has
	}
	return func(oid doc.OID) bool {
		row, listed := t.Quarantine.Row(oid)
		return listed && t.Conf.ACL != "" && row.Document != doc.Visible
	}
}

// rebuilt is how far a reindex has come.
type rebuilt struct {
	done, of int64
	took     time.Duration
}

func (r *rebuilt) status() *httpapi.LoadStatus {
	s := &httpapi.LoadStatus{Done: r.done, Of: r.of}
	if took := r.took.Seconds(); r.done > 0 && took > 0 {
		s.RowsPerS = float64(r.done) / took
		s.ETAS = max(0, float64(r.of-r.done)/s.RowsPerS)
	}
	return s
}

func (t *Table) setReindexing(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reindexing = on
}
