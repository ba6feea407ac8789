package compensate

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/doc"
	"indexerd/timetrace"
)

// Horizon tells how far the database vouches for being complete.
type Horizon interface {
	Horizon(context.Context) (doc.Horizon, error)
}

// Exact compares everything from S on and moves S to the horizon. It takes the
// place of the last tier where the database can prove a horizon.
type Exact struct {
	Table      string
	Tick       time.Duration // precision of updateTime
	Timeout    time.Duration // how far S goes back when the server is another one
	Horizon    Horizon
	Comparison *Comparison
	Trace      *timetrace.Trace

	settler settler
	due     rewind // not durable yet

	compared string    // the version that was compared last,
	settled  time.Time // and where S was then
}

// Run reads H, then compares [S, max(Last(N), H)), then moves S to H. H may be
// newer than the incremental mark: what S passes has been compared. The window
// reaches beyond H to the mark, so that a row that commits late is found even
// while an older session pins H.
//
// Where nothing was committed since the last comparison, there is nothing to
// compare: what was visible then was compared then, or by incremental since, as
// far as its mark has come.
//
// Where H is not exact, its reason is returned and nothing moves.
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

// settle compares what is not settled, and moves S.
func (e *Exact) settle(ctx context.Context, h doc.Horizon) (doc.Report, error) {
	at := wholeTicks(h.At, e.Tick)
	marks, _ := e.Trace.Table(e.Table)
	w := doc.Window{From: marks.Settled, To: marks.Incremental}
	if at.After(w.To) {
		w.To = at
	}
	if e.idle(h, at, marks) {
		return e.move(h, at, doc.Report{Window: w})
	}
	report, err := e.Comparison.Run(ctx, w)
	if err != nil {
		return report, err
	}
	return e.move(h, at, report)
}

// idle reports whether nothing can have come that was not compared. A rewind has
// moved S, and a mark that lies below H has not seen all that S would pass.
func (e *Exact) idle(h doc.Horizon, at time.Time, marks timetrace.Table) bool {
	return h.Version != "" && h.Version == e.compared && marks.Settled.Equal(e.settled) && !at.After(marks.Incremental)
}

// move moves S, and remembers what it was moved by.
func (e *Exact) move(h doc.Horizon, at time.Time, report doc.Report) (doc.Report, error) {
	err := e.settler.move(e.Trace, e.Table, at, report.Read > 0, func(t *timetrace.Table) {
		t.Settle(at, t.Mode) // what was assumed once stays so until a sweep has looked at all of it
		t.Server, t.Clock, t.Local = h.Server, h.Now, h.Local
	})
	if err != nil {
		return report, err
	}
	marks, _ := e.Trace.Table(e.Table)
	e.compared, e.settled = h.Version, marks.Settled
	return report, nil
}

// A rewind is where marks have to go back to, and why.
type rewind struct {
	to     time.Time
	reason string
}

// rewind takes the marks back where the database is no longer what they were
// measured on. A horizon tells of a step of its clock only once: until the
// rewind is durable it stays due.
func (e *Exact) rewind(h doc.Horizon) error {
	marks, _ := e.Trace.Table(e.Table)
	switch {
	case marks.Server != "" && h.Server != "" && h.Server != marks.Server:
		// What it had shown may be gone, and what it stamps may be older. A standby
		// that shows less than the one before it replays the difference later.
		e.due.add(h.Shown().Add(-e.Timeout), "the database server was restarted, restored or failed over")
	case h.ClockBack > 0:
		e.due.add(h.SteppedTo(), fmt.Sprintf("the database's clock went back by %v", h.ClockBack))
	}
	if e.due == (rewind{}) || h.Now.IsZero() { // zero: the server did not answer
		return nil
	}
	err := e.Trace.UpdateTable(e.Table, func(t *timetrace.Table) {
		t.Rewind(e.due.to, e.due.reason)
		t.Server, t.Clock, t.Local = h.Server, h.Now, h.Local
		t.Read, t.ReadLocal = h.Now, h.Local // incremental need not notice it once more
	})
	if err != nil {
		return fmt.Errorf("compensate %s, rewind: %w", e.Table, err)
	}
	e.due = rewind{}
	return nil
}

// add goes back further, if need be.
func (r *rewind) add(to time.Time, reason string) {
	if r.reason == "" || to.Before(r.to) {
		*r = rewind{to, reason}
	}
}
