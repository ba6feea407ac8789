package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"

	"indexerd/configs"
	"indexerd/incremental"
	"indexerd/initial"
	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
	"indexerd/internal/schedule"
)

// live is the life of a table in a running daemon: reach the database, load
// what is not loaded, then follow. A fault is retried with growing pauses for
// as long as the daemon lives.
func (t *table) live(ctx context.Context, s *schedule.Scheduler, log *slog.Logger) error {
	log = log.With("table", t.conf.Name)
	rows, err := retry(ctx, log, func() (rows, error) { return t.prepare(ctx) })
	if err != nil {
		return err
	}
	if _, err := retry(ctx, log, func() (struct{}, error) { return struct{}{}, t.load(ctx, rows, log) }); err != nil {
		return err
	}
	pass := &incremental.Pass{
		Table: t.conf.Name, Source: rows, Sink: t.sink, Trace: t.trace,
		Batch: t.conf.Batch, Workers: t.conf.Workers,
	}
	job, err := s.Every(t.conf.Name+" incremental", t.conf.Incremental.Every, func(ctx context.Context) error {
		return t.follow(ctx, pass, log)
	})
	t.mu.Lock()
	t.job = job
	t.mu.Unlock()
	return err
}

// retry runs f until it succeeds, the daemon stops or the storage breaks.
func retry[T any](ctx context.Context, log *slog.Logger, f func() (T, error)) (T, error) {
	pauses := backoff.NewExponentialBackOff()
	pauses.MaxInterval = 30 * time.Second
	return backoff.Retry(ctx, f,
		backoff.WithBackOff(pauses),
		backoff.WithMaxElapsedTime(0), // for as long as the daemon lives
		backoff.WithNotify(func(err error, pause time.Duration) {
			log.Error("indexerd tries again", "error", err, "in", pause.Round(time.Millisecond))
		}))
}

// prepare asks the database what the table's SQL returns, and makes the
// stored side of a new table.
func (t *table) prepare(ctx context.Context) (rows, error) {
	r, err := t.describe(ctx)
	if err == nil && !t.opened() {
		err = t.create(r.Kinds())
	}
	return r, t.fail("connect", err)
}

// describe asks the database what the SQL returns, and checks the
// configuration against it.
func (t *table) describe(ctx context.Context) (rows, error) {
	r, err := t.source.table(ctx, t.conf, t)
	if err != nil {
		return nil, fault(t.cfg, t.conf.Name, err)
	}
	return r, checkColumns(t.cfg, t.conf, r.Columns())
}

// load runs the initial load, or what is left of it.
func (t *table) load(ctx context.Context, r rows, log *slog.Logger) error {
	marks, _ := t.trace.Table(t.conf.Name)
	if marks.Loaded {
		return nil
	}
	if err := t.lane.Take(ctx); err != nil {
		return err
	}
	defer t.lane.Give()
	load := &initial.Load{
		Table: t.conf.Name, Source: r, Sink: t.sink, Trace: t.trace,
		FS: atomicfile.OS, PlanFile: t.planFile(), Generation: marks.Generation,
		Batch: t.conf.Batch, Workers: t.conf.Workers, Timeout: assumedTimeout(t.conf), Progress: &t.progress,
	}
	started := time.Now()
	report, err := load.Run(ctx)
	t.count(report)
	if err != nil {
		return t.dieIfBroken("initial", err)
	}
	t.source.seen(nil)
	log.Info("initial loaded", "rows", report.Read, "quarantined", report.Quarantined, "took", time.Since(started).Round(time.Millisecond))
	return nil
}

// assumedTimeout is how long a transaction may stay open unseen: what is
// declared, or what the last tier waits for.
func assumedTimeout(t configs.Table) time.Duration {
	timeout := t.TransactionTimeout
	for _, tier := range t.Compensate.Tiers {
		timeout = max(timeout, tier.Timeout)
	}
	return timeout
}

// follow runs one window.
func (t *table) follow(ctx context.Context, pass *incremental.Pass, log *slog.Logger) error {
	if err := t.lane.Take(ctx); err != nil {
		return err
	}
	defer t.lane.Give()
	started := time.Now()
	report, err := pass.Run(ctx)
	t.count(report)
	if err != nil {
		return t.dieIfBroken("incremental", err)
	}
	t.source.seen(nil)
	t.mu.Lock()
	t.window, t.windowAt = report.Window, started
	t.mu.Unlock()
	if report.Read > 0 {
		log.Info("incremental indexed", "added", report.Added, "updated", report.Updated, "skipped", report.Skipped,
			"quarantined", report.Quarantined, "took", time.Since(started).Round(time.Millisecond))
	}
	return nil
}

func (t *table) count(r doc.Report) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.skipped += r.Skipped
}

// errBroken ends the daemon: the storage failed in a way that only opening it
// again can judge.
var errBroken = errors.New("the storage of a table failed: run indexerd again, it goes on from what is durable")

// dieIfBroken is fail, and the end of the daemon where the storage broke.
func (t *table) dieIfBroken(pass string, err error) error {
	if broken := t.broken(); broken != nil {
		err = fmt.Errorf("%w: %s: %w", errBroken, t.conf.Name, broken)
		t.die(err)
	}
	return t.fail(pass, err)
}
