package compensate

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/timetrace"
)

// Horizon reads the time below which no open transaction can commit.
type Horizon interface {
	Horizon(context.Context) (doc.Horizon, error)
}

// Exact compares everything from S on and moves S to the horizon H. It replaces
// the last tier if the database can prove a horizon.
type Exact struct {
	Table      string
	Tick       time.Duration // precision of updateTime
	Timeout    time.Duration // how far S is set back when another server answers
	Horizon    Horizon
	Comparison *Comparison
	Trace      *timetrace.Trace

	due rewind // detected and not durable yet

	compared string    // version of the database at the last comparison
	settled  time.Time // S after the last comparison
}

// Run reads H, then compares [S, max(Last(N), H)), then moves S to H. H may be
// newer than the incremental mark Last(N), so the window reaches at least to H:
// everything that S passes must be compared. The window also reaches to Last(N),
// so that rows that commit late are found while an older session pins H.
//
// If nothing was committed since the last comparison, Run only moves S: every
// visible row was compared then, or by incremental since. The same holds if the
// window is quiet in the database, after H was read, and in the tree.
//
// If H is not exact, Run returns it with its reason, and S does not move.
func (e *Exact) Run(ctx context.Context) (doc.Horizon, doc.Report, error) {
	h, err := e.Horizon.Horizon(ctx) // before the snapshot of the stamps
	if err != nil {
		return h, doc.Report{}, fmt.Errorf("compensate %s, horizon: %w", e.Table, err)
	}
	if err := e.rewind(h); err != nil || !h.Exact {
		return h, doc.Report{}, err
	}
	report, err := e.settle(ctx, h)
	if err != nil {
		return h, report, fmt.Errorf("compensate %s, exact: %w", e.Table, err)
	}
	return h, report, nil
}

// settle compares what is not settled, and moves S to H.
func (e *Exact) settle(ctx context.Context, h doc.Horizon) (doc.Report, error) {
	at := WholeTicks(h.At, e.Tick)
	marks, _ := e.Trace.Table(e.Table)
	w := window(marks, at)
	quiet, err := e.Comparison.quiet(w, h.Quiet)
	if err != nil {
		return doc.Report{}, err
	}
	if quiet || e.idle(h, at, marks) {
		return e.move(h, at, doc.Report{Window: w})
	}
	report, err := e.Comparison.Run(ctx, w)
	if err != nil {
		return report, err
	}
	return e.move(h, at, report)
}

// window returns what has to be compared before S moves to at.
func window(marks timetrace.Table, at time.Time) doc.Window {
	w := doc.Window{From: marks.Settled, To: marks.Incremental}
	if at.After(w.To) {
		w.To = at
	}
	return w
}

// PassBy does what Run would do with a horizon of an empty tree, and reports whether it
// has: if no row has to be compared, no mark moves back, and S need not become durable yet.
// It does not wait.
func (e *Exact) PassBy(h doc.Horizon) (doc.Report, bool) {
	at := WholeTicks(h.At, e.Tick)
	marks, _ := e.Trace.Table(e.Table)
	w := window(marks, at)
	rewinds := e.due != (rewind{}) || h.ClockBack > 0 || marks.Server != "" && h.Server != marks.Server
	quiet := !h.Quiet.IsZero() && !h.Quiet.After(w.From)
	if !h.Exact || rewinds || !quiet && !e.idle(h, at, marks) || !mayLag(e.Trace, e.Table, at) {
		return doc.Report{}, false
	}
	if !e.Trace.TryNote(e.Table, settle(h, at)) {
		return doc.Report{}, false
	}
	e.moved(h)
	return doc.Report{Window: w}, true
}

// idle reports whether every row that S would pass was compared before. That is
// not so after a rewind, which moved S, or while the incremental mark is below
// the new S.
func (e *Exact) idle(h doc.Horizon, at time.Time, marks timetrace.Table) bool {
	return h.Version != "" && h.Version == e.compared && marks.Settled.Equal(e.settled) && !at.After(marks.Incremental)
}

// move moves S, and keeps the version that it was moved by.
func (e *Exact) move(h doc.Horizon, at time.Time, report doc.Report) (doc.Report, error) {
	err := move(e.Trace, e.Table, at, report.Read > 0, settle(h, at))
	if err != nil {
		return report, err
	}
	e.moved(h)
	return report, nil
}

func settle(h doc.Horizon, at time.Time) func(*timetrace.Table) {
	return func(t *timetrace.Table) {
		t.Settle(at, t.Mode) // an assumed S stays assumed until a sweep has ended
		t.Server, t.Clock, t.Local = h.Server, h.Now, h.Local
	}
}

func (e *Exact) moved(h doc.Horizon) {
	marks, _ := e.Trace.Table(e.Table)
	e.compared, e.settled = h.Version, marks.Settled
}

// A rewind is the time to which all marks must be set back, and the reason.
type rewind struct {
	to     time.Time
	reason string
}

// rewind sets the marks back if another server answers, or if the database's
// clock was set back. A horizon reports a step of the clock only once, so the
// rewind stays due until it is durable.
func (e *Exact) rewind(h doc.Horizon) error {
	marks, _ := e.Trace.Table(e.Table)
	switch {
	case marks.Server != "" && h.Server != "" && h.Server != marks.Server:
		// Rows may be lost, and new rows may get older times. A standby that shows
		// an older state than the server before it replays the difference later.
		e.due.add(h.Shown().Add(-e.Timeout), "the database server was restarted, restored or failed over")
	case h.ClockBack > 0:
		e.due.add(h.EarliestSinceStep(), fmt.Sprintf("the database's clock went back by %v", h.ClockBack))
	}
	if e.due == (rewind{}) || h.Now.IsZero() { // zero: the server did not answer
		return nil
	}
	err := e.Trace.UpdateTable(e.Table, func(t *timetrace.Table) {
		t.Rewind(e.due.to, e.due.reason)
		t.Server, t.Clock, t.Local = h.Server, h.Now, h.Local
		t.Read, t.ReadLocal = h.Now, h.Local // so that incremental does not rewind again
	})
	if err != nil {
		return fmt.Errorf("compensate %s, rewind: %w", e.Table, err)
	}
	e.due = rewind{}
	return nil
}

// add keeps the earlier of the two times.
func (r *rewind) add(to time.Time, reason string) {
	if r.reason == "" || to.Before(r.to) {
		*r = rewind{to, reason}
	}
}
