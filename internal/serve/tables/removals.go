package tables

import (
	"context"
	"time"

	"indexerd/deletecheck"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/base/schedule"
	"indexerd/internal/serve/database"
	"indexerd/internal/source/changes"
	"indexerd/internal/sync/passes"
)

const (
	// removalsEvery is how often the hint of a table is read, to see whether rows may
	// be gone.
	removalsEvery = time.Second
	// longSweep is how long a narrowed sweep works before it rests as a scheduled sweep
	// does.
	longSweep = 10 * time.Second
	// comparedWithin is the interval up to which comparisons find what is gone as well.
	comparedWithin = 5 * time.Second
)

// removals are what a table keeps for its narrowed sweeps.
type removals struct {
	memory changes.Memory
	turn   passes.Turn
	begun  bool // all ranges were listed
}

// scheduleRemovals schedules the narrowed sweep, which status does not show.
func (t *Table) scheduleRemovals(s *schedule.Scheduler) {
	name := t.Conf.Name + " removals"
	t.removals = removals{memory: changes.Memory{Removals: true}, turn: passes.Turn{Share: t.Source.comparisons, Name: name}}
	if t.beforeLoad != nil {
		t.removals.memory.Look(*t.beforeLoad)
		t.removals.memory.Compared()
	}
	s.EveryUnless(name, removalsEvery, 0, t.passRemovals, t.removeGone)
}

// passRemovals leaves a look for removals out if nothing was removed. It is not called
// while one is made.
func (t *Table) passRemovals() bool {
	t.mu.Lock()
	p := t.passes
	t.mu.Unlock()
	if p == nil {
		return false
	}
	hint, ok := p.KnownHint()
	if !ok || t.removals.memory.Look(hint) != changes.Unchanged {
		return false
	}
	return !t.removals.turn.Comes(changes.Unchanged)
}

// noteBeforeLoad keeps the hint before a load reads its first row. If no later hint
// differs, no row that was loaded is gone, as after a comparison that began then. So
// the first narrowed sweep, which lists the table again, waits for a removal. A load
// that goes on after a restart has no such hint.
func (t *Table) noteBeforeLoad(ctx context.Context, rows database.Rows) {
	t.beforeLoad = nil
	hints := rows.RecentHints()
	if hints == nil {
		return
	}
	if hint, err := hints.Hint(ctx); err == nil { // otherwise the first sweep does not wait
		t.beforeLoad = &hint
		t.Sink.Explained.From(hint.At)
	}
}

// removeGone runs a narrowed sweep if rows may be gone, and its share of the time
// allows it. Where the database shows nothing, other passes remove documents. A pass
// that compares everything does not make it superfluous: it misses only rows that are
// in the tree, which has no row from before the start.
func (t *Table) removeGone(ctx context.Context) error {
	p, err := t.currentPasses(ctx)
	if err != nil || t.Conf.RowKey { // a changed row would count as gone
		return err
	}
	rows := p.Source.(database.Rows)
	hints := rows.RecentHints()
	if _, quiet := t.Source.Conf.Limits.Quiet.Until(time.Now()); quiet || hints == nil {
		return nil
	}
	hint, err := guarded(ctx, t, rows, hints.Hint)
	if err != nil {
		return t.fail("deletecheck", err)
	}
	due := t.removals.memory.Look(hint)
	compared := p.Comparison()
	switch {
	case hint.Version == "":
		due = changes.Unchanged
	case compared.Covers(hint):
		t.removals.memory.Compared()
		due = changes.Unchanged
	case compared.Comes(comparedWithin):
		return nil
	}
	if !t.removals.turn.Comes(due) {
		return nil
	}
	return t.narrowSweep(ctx, rows, t.removals.turn.Name)
}

// narrowSweep runs a narrowed sweep unless another sweep runs, after which this one
// is due still. The first, which lists everything, does not count as its cost.
func (t *Table) narrowSweep(ctx context.Context, rows database.Rows, name string) error {
	if err := t.Source.comparisons.Take(ctx, name); err != nil {
		return err
	}
	turn := true
	defer func() {
		if turn {
			t.Source.comparisons.Give()
		}
	}()
	select {
	case t.sweeping <- struct{}{}:
		defer func() { <-t.sweeping }()
	default:
		return nil
	}
	began := time.Now()
	ctx, spent := pace.Metered(ctx)
	report, err := guarded(ctx, t, rows, func(ctx context.Context) (doc.Report, error) {
		return t.narrowed(ctx, rows, func(ctx context.Context) error {
			t.Source.comparisons.Give()
			err := t.Source.comparisons.Take(ctx, name)
			turn = err == nil
			return err
		})
	})
	took := spent.Spent()
	t.count("deletecheck", "narrowed", took, report, err)
	t.removals.turn.Began(began)
	if err != nil {
		return t.dieIfBroken("deletecheck", err)
	}
	if t.removals.begun {
		t.removals.turn.Took(took)
	}
	t.removals.memory.Compared()
	t.removals.begun = true
	t.logHeld("deletecheck")
	if report.Deleted == 0 {
		return nil
	}
	return t.keep("deletecheck", "narrowed", began, took, report)
}

// narrowed lists what may have lost rows, and calls rest between chunks. The lane is
// taken after the sums, which read the whole table.
func (t *Table) narrowed(ctx context.Context, rows database.Rows, rest func(context.Context) error) (doc.Report, error) {
	n := deletecheck.Narrow{Kept: t.Ranges, Sweep: deletecheck.Sweep{
		Table: t.Conf.Name, Source: rows, Sums: rows.Sums, Index: t.Current(), Pages: t.Pages, Sink: t.Sink, FS: atomicfile.OS, Dir: t.Dir, Batch: t.Conf.Batch,
	}}
	if err := n.Prepare(ctx); err != nil {
		return doc.Report{}, err
	}
	lane, err := t.takeLane(ctx)
	if err != nil {
		return doc.Report{}, err
	}
	defer lane.end()
	began := time.Now()
	n.Rest = func(ctx context.Context, worked time.Duration) error {
		return lane.pause(ctx, func(ctx context.Context) error {
			if err := rest(ctx); err != nil || time.Since(began) < longSweep {
				return err
			}
			return restAfterWork(ctx, worked, t.Conf.DeleteCheck.Share)
		})
	}
	return n.Run(ctx)
}
