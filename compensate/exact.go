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
	Horizon    Horizon
	Comparison *Comparison
	Trace      *timetrace.Trace
}

// Run reads H, then compares [S, max(Last(N), H)), then moves S to H. H may be
// newer than the incremental mark: what S passes has been compared. The window
// reaches beyond H to the mark, so that a row that commits late is found even
// while an older session pins H.
//
// Where H is not exact it returns its reason and moves nothing.
func (e *Exact) Run(ctx context.Context) (doc.Horizon, doc.Report, error) {
	h, err := e.Horizon.Horizon(ctx) // before the snapshot of the stamps
	if err != nil {
		return h, doc.Report{}, fmt.Errorf("compensate %s, horizon: %w", e.Table, err)
	}
	if !h.Exact {
		return h, doc.Report{}, nil
	}
	at := h.At
	if e.Tick > time.Microsecond {
		at = at.Add(-e.Tick) // a row of the tick that H lies in bears the tick's beginning, and may still come
	}
	marks, _ := e.Trace.Table(e.Table)
	w := doc.Window{From: marks.Settled, To: marks.Incremental}
	if at.After(w.To) {
		w.To = at
	}
	report, err := e.Comparison.Run(ctx, w)
	if err != nil {
		return h, report, fmt.Errorf("compensate %s, exact: %w", e.Table, err)
	}
	if !at.After(marks.Settled) {
		return h, report, nil // S never falls but by a rewind
	}
	return h, report, e.Trace.UpdateTable(e.Table, func(m *timetrace.Table) { m.Settle(at, "exact") })
}
