package tables

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"indexerd/configs"
	"indexerd/initial"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/recovered"
	"indexerd/internal/base/schedule"
	"indexerd/internal/serve/database"
	"indexerd/internal/state/history"
	"indexerd/internal/sync/passes"
)

// Live is the life of a table in a running daemon: reach the database, load
// what is not loaded, then follow. A fault is retried with growing pauses for
// as long as the daemon lives, and logged to failures.
func (t *Table) Live(ctx context.Context, s *schedule.Scheduler, log, failures *slog.Logger) error {
	log, failures = log.With("table", t.Conf.Name), failures.With("table", t.Conf.Name)
	t.log = log
	if _, err := retry(ctx, failures, func() (struct{}, error) { return struct{}{}, t.hideUnknown(ctx) }); err != nil {
		return err
	}
	if err := t.refill(ctx); err != nil {
		failures.Warn("refill failed", "error", err)
	}
	if t.IsOutdated() {
		t.Outdated()
	}
	t.scheduleScrub(s)
	t.alive.Store(true)
	if _, err := retry(ctx, failures, func() (database.Rows, error) {
		r, err := guarded(ctx, t, nil, t.reach)
		return r, t.fail("connect", err)
	}); err != nil {
		return err
	}
	t.logMapping()
	if t.Config.Index.Engine == configs.OpenSearch || t.Config.PageStore.Remote() {
		s.Every(t.Conf.Name+" index", examineEvery, examineEvery, t.Examine)
	}
	if _, err := retry(ctx, failures, func() (struct{}, error) { return struct{}{}, t.load(ctx, log) }); err != nil {
		return err
	}
	t.renewPasses()
	t.schedulePasses(s)
	if !t.Conf.ByComparison() {
		t.scheduleRemovals(s)
		t.scheduleSweep(s)
	}
	return nil
}

// newPasses returns the passes of rows, which continue from the marks.
func (t *Table) newPasses(r database.Rows) *passes.Passes {
	var p *passes.Passes
	p = passes.New(passes.Config{
		Table: t.Conf, Source: r, Sink: t.Sink, Tree: t.Tree, Trace: t.Trace, Fail: t.fail,
		Compare: t.compare, Share: t.Source.comparisons, Documents: t.CountDocuments,
		Total: func(ctx context.Context) (passes.Total, error) { return t.total(ctx, r) },
		Run: func(ctx context.Context, pass, tier string, run func(context.Context) (doc.Report, error)) (doc.Report, error) {
			report, err := t.pass(ctx, r, pass, tier, run)
			if pass == "incremental" {
				t.keepMoment(p.Incremental.At)
			}
			return report, err
		},
	})
	return p
}

// renewPasses replaces the passes after a load, so that the horizon continues from
// the load's marks. Without a description, the next pass makes them.
func (t *Table) renewPasses() {
	r := t.described()
	if r == nil {
		return
	}
	p := t.newPasses(r)
	if t.beforeLoad != nil {
		p.Loaded(*t.beforeLoad)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.passes = p
}

// currentPasses returns the passes of the rows as they are described now.
func (t *Table) currentPasses(ctx context.Context) (*passes.Passes, error) {
	r, err := t.reach(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	p := t.passes
	t.mu.Unlock()
	if p == nil || p.Source != r {
		p = t.newPasses(r)
	}
	return p, nil
}

// schedulePasses schedules the passes. Each run uses those of the current
// description.
func (t *Table) schedulePasses(s *schedule.Scheduler) {
	t.mu.Lock()
	jobs := t.passes.Jobs()
	t.mu.Unlock()
	for _, j := range jobs {
		run := func(ctx context.Context) error {
			_, err := t.RunNow(ctx, j.Run)
			return err
		}
		if j.Pass == passes.ReadHorizon { // not shown in status
			s.EveryIf(t.Conf.Name+" horizon", j.Every, j.Delay, t.hidesStarts, run)
			continue
		}
		t.every(s, j.Pass, j.Tier, j.Every, j.Delay, func() bool { return t.passBy(j) }, run)
	}
}

// passBy passes a job by if there is nothing to do. It does not wait.
func (t *Table) passBy(j passes.Job) bool {
	t.mu.Lock()
	p, current := t.passes, t.passes != nil && t.passes.Source == t.rows
	t.mu.Unlock()
	if j.PassBy == nil || !current || !t.lane.Try() {
		return false
	}
	defer t.lane.Give()
	began := time.Now()
	report, err := caught(context.Background(), func(context.Context) (r doc.Report, err error) {
		r, passed := j.PassBy(p)
		if !passed {
			err = errNotPassed
		}
		return r, err
	})
	if err != nil {
		return false // Run reports what is wrong
	}
	t.count(j.Pass, j.Tier, time.Since(began), report, nil)
	if j.Pass == "incremental" {
		t.keepMoment(p.Incremental.At)
		t.noteWindow(report.Window, began)
	}
	return true
}

// errNotPassed is why a job is run.
var errNotPassed = errors.New("the pass has something to do")

func (t *Table) noteWindow(w doc.Window, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.window, t.windowAt = w, at
}

// hidesStarts reports whether the horizon has to be read more often.
func (t *Table) hidesStarts() bool {
	t.mu.Lock()
	p := t.passes
	t.mu.Unlock()
	return p != nil && p.LastHorizon().Hidden
}

// RunNow runs a pass on the rows as they are described now.
func (t *Table) RunNow(ctx context.Context, run func(*passes.Passes, context.Context) (doc.Report, error)) (doc.Report, error) {
	p, err := t.currentPasses(ctx)
	if err != nil {
		return doc.Report{}, err
	}
	return guarded(ctx, t, p.Source.(database.Rows), func(ctx context.Context) (doc.Report, error) { return run(p, ctx) })
}

// every schedules a pass, first after a delay. A run is left out if passed returns true.
func (t *Table) every(s *schedule.Scheduler, pass, tier string, interval, delay time.Duration, passed func() bool, run func(context.Context) error) {
	job := s.EveryUnless(strings.TrimSpace(t.Conf.Name+" "+pass+" "+tier), interval, delay, passed, run)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.jobs = append(t.jobs, scheduledPass{pass, tier, job})
}

// retry runs f until it succeeds or ctx ends.
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

// Describe asks the database what the SQL returns, and checks the
// configuration against it.
func (t *Table) Describe(ctx context.Context) (database.Rows, error) {
	r, err := t.Source.Table(ctx, t.Conf, t, t.unitsKept())
	if err != nil {
		return nil, database.AsFault(t.Config, t.Conf.Name, err)
	}
	if err := t.noteUnits(r.Units()); err != nil {
		return nil, err
	}
	return r, database.CheckColumns(t.Config, t.Conf, r.Columns())
}

// load runs the initial load, or what is left of it.
func (t *Table) load(ctx context.Context, log *slog.Logger) error {
	marks, _ := t.Trace.Table(t.Conf.Name)
	if marks.Loaded {
		return t.Serve(ctx) // it may have failed
	}
	p, err := t.currentPasses(ctx)
	if err != nil {
		return err
	}
	r := p.Source.(database.Rows)
	if err := t.Source.waitQuietHours(ctx, log, "initial"); err != nil {
		return err
	}
	if err := t.lane.Take(ctx); err != nil {
		return err
	}
	defer t.lane.Give()
	load := &initial.Load{
		Table: t.Conf.Name, Source: loading{r, t.Source, log}, Sink: t.Sink, Trace: t.Trace,
		FS: atomicfile.OS, PlanFile: t.PlanFile(), Generation: marks.Generation,
		Batch: t.Conf.Batch, Workers: t.Conf.Workers, Progress: &t.Progress,
		Begin: func(ctx context.Context) (initial.Start, error) {
			t.noteBeforeLoad(ctx, r)
			return p.Begin(ctx)
		},
	}
	defer heap.begin()()
	started := time.Now()
	report, err := guarded(ctx, t, r, load.Run)
	t.count("initial", "", time.Since(started), report, err)
	if err != nil {
		return t.dieIfBroken("initial", err)
	}
	t.noteLoaded(time.Now())
	if err := errors.Join(t.Serve(ctx), t.checkUpdated(ctx, r)); err != nil {
		return t.dieIfBroken("initial", err)
	}
	t.Source.seen(nil)
	log.Info("initial loaded", "rows", report.Read, "quarantined", report.Quarantined, "took", time.Since(started).Round(time.Millisecond))
	return nil
}

// pass runs one pass on rows in the table's lane, and records what it did.
func (t *Table) pass(ctx context.Context, r database.Rows, pass, tier string, run func(context.Context) (doc.Report, error)) (doc.Report, error) {
	if err := t.lane.Take(ctx); err != nil {
		return doc.Report{}, err
	}
	defer t.lane.Give()
	started := time.Now()
	report, err := guarded(ctx, t, r, run)
	took := time.Since(started)
	t.count(pass, tier, took, report, err)
	if err != nil {
		return report, t.dieIfBroken(pass, err)
	}
	t.Source.seen(nil)
	t.Source.logPace(t.log)
	if pass == "incremental" {
		t.noteWindow(report.Window, started)
	}
	t.sweepIfDue()
	t.logHeld(pass)
	if report.Read+report.Deleted == 0 {
		return report, nil
	}
	return report, t.keep(pass, tier, started, took, report)
}

// keepMoment records how far a standby is behind, and logs once why the mark does
// not move.
func (t *Table) keepMoment(at doc.Moment) {
	t.mu.Lock()
	said := t.moment.Behind
	t.moment = at
	t.mu.Unlock()
	if at.Behind != "" && said == "" {
		t.log.Warn("incremental does not move its mark", "why", at.Behind)
	}
}

// logHeld logs once how many removals are held, and again when the number changes.
func (t *Table) logHeld(pass string) {
	held := t.Guard.Held().Removals
	t.mu.Lock()
	said := t.heldLogged
	t.heldLogged = held
	t.mu.Unlock()
	if held == 0 || held == said {
		return
	}
	t.log.Warn(pass+" holds removals", "held", held, "why", "more rows are gone than deletecheck.max_count and max_fraction let through in an hour",
		"do", "look at the database; if they are to go: "+t.Command("sweep", "--allow", strconv.Itoa(held)))
}

// keep records a run that changed or read something in log and history.
func (t *Table) keep(pass, tier string, started time.Time, took time.Duration, report doc.Report) error {
	t.log.Info(strings.TrimSpace(pass+" "+tier)+" indexed", "added", report.Added, "updated", report.Updated, "deleted", report.Deleted,
		"skipped", report.Skipped, "quarantined", report.Quarantined, "took", took.Round(time.Millisecond))
	_, err := t.History.Append(history.Run{Pass: pass, Tier: tier, Started: started, Took: took, Report: report})
	return err
}

func (t *Table) count(pass, tier string, took time.Duration, r doc.Report, err error) {
	t.Meters.Pass(t.Conf.Name, pass, tier, took, r, err)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.skipped += r.Skipped
}

// noteSilent counts rows that a pass found changed without their updateTime, and logs
// them.
func (t *Table) noteSilent(pass string, rows int) {
	if rows == 0 {
		return
	}
	t.mu.Lock()
	t.silent += rows
	t.mu.Unlock()
	t.log.Info(pass+" found rows that changed without updated", "rows", rows, "column", t.Conf.Updated)
}

// guarded runs a function that reads rows of a table. Every pass begins here. A
// panic is an error of this pass alone, and its stack is logged once. A result
// that differs from its description makes the table describe itself again. r is
// nil where the rows are not described yet.
func guarded[T any](ctx context.Context, t *Table, r database.Rows, run func(context.Context) (T, error)) (T, error) {
	result, err := caught(ctx, run)
	recovered.Log(t.log, err)
	return result, t.changed(r, err)
}

// asked is guarded for a caller's question. If the result differs from the
// description, it asks once more under the next description.
func asked[T any](ctx context.Context, t *Table, ask func(context.Context, database.Rows) (T, error)) (answer T, err error) {
	for range 2 {
		var r database.Rows
		if r, err = t.reach(ctx); err != nil {
			return answer, err
		}
		answer, err = guarded(ctx, t, r, func(ctx context.Context) (T, error) { return ask(ctx, r) })
		if !errors.Is(err, doc.ErrChangedResult) {
			break
		}
	}
	return answer, err
}

func caught[T any](ctx context.Context, run func(context.Context) (T, error)) (result T, err error) {
	defer recovered.Into(&err)
	return run(ctx)
}

// dieIfBroken is fail, and ends the engine where the storage broke.
func (t *Table) dieIfBroken(pass string, err error) error {
	if broken := t.Broken(); broken != nil && !t.mayBeDamaged(broken) {
		broken = errors.Join(broken, t.Distrust(broken))
		err = fmt.Errorf("%w: %s: %w", ErrBroken, t.Conf.Name, broken)
		t.Die(err)
	}
	return t.fail(pass, err)
}

// ErrBroken ends an engine: what is durable shows only when it is opened again.
var ErrBroken = errors.New("the storage of a table failed")
