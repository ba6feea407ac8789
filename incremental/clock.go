package incremental

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/doc"
	"indexerd/timetrace"
)

// now reads the database's clock. Where it was set back since the last window,
// all marks go back first.
func (p *Pass) now(ctx context.Context) (doc.Moment, error) {
	now, err := p.Source.Moment(ctx)
	if err != nil {
		return now, err
	}
	p.At = now
	if by, to := p.setBack(now); by > p.overlap() {
		return now, p.rewind(now, to, by)
	}
	return now, nil
}

// setBack reports by how much the clock was set back, and the earliest time that
// may be stamped since. That lies as far again behind the clock as it was set
// back, for transactions that were open at the step.
//
// The mark alone tells of a step until the clock has caught up with it. The time
// that has passed since the last window, here and there, tells of it after that
// too: the clock may have been set back while the machine was down.
func (p *Pass) setBack(now doc.Moment) (by time.Duration, to time.Time) {
	by = p.mark().Sub(now.Now)
	to = now.Now.Add(-by)
	last := p.lastRead()
	if last.Now.IsZero() {
		return by, to
	}
	since, shown := now.SetBack(last)
	if since > by {
		by, to = since, now.Now.Add(-since)
	}
	if shown.Before(to) {
		to = shown
	}
	return by, to
}

// lastRead is the reading that the mark rests on. This process's own has the
// better clock: what is read from the trace can't tell a step of this machine's
// clock from one of the database's.
func (p *Pass) lastRead() doc.Moment {
	marks, _ := p.Trace.Table(p.Table)
	if marks.Read.Equal(p.last.Now) {
		return p.last
	}
	return doc.Moment{Now: marks.Read, Asked: marks.ReadLocal, Local: marks.ReadLocal}
}

// rewind takes the marks back behind a step of the database's clock, from where
// rows are stamped once more. It is durable before the window is read, or a
// window that fails, and a clock that has caught up by the next one, would hide
// the step.
func (p *Pass) rewind(now doc.Moment, to time.Time, by time.Duration) error {
	err := p.Trace.UpdateTable(p.Table, func(t *timetrace.Table) {
		t.Rewind(to, fmt.Sprintf("the database's clock went back by %v", by.Round(time.Millisecond)))
		t.Read, t.ReadLocal = now.Now, now.Local
	})
	if err == nil {
		p.saved, p.last = p.mark(), now
	}
	return err
}
