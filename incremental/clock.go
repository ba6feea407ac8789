package incremental

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/timetrace"
)

// now reads the database's clock. If the clock was set back since the last
// window, now sets all marks back before it returns.
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

// setBack returns by how much the database's clock was set back, and the
// earliest updateTime that a row may have got since. That time is the clock
// minus the step once more, because transactions that were open at the step may
// commit with it.
//
// The mark shows a step only until the clock has caught up with the mark. The
// time that has passed since the last window, on the database's clock and on
// this machine's, also shows a step that happened while the machine was down.
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

// lastRead returns the clock reading that belongs to the mark. A reading of this
// process is preferred: it has a monotonic clock. With a reading from the trace,
// a step of this machine's clock looks like a step of the database's clock.
func (p *Pass) lastRead() doc.Moment {
	marks, _ := p.Trace.Table(p.Table)
	if marks.Read.Equal(p.last.Now) {
		return p.last
	}
	return doc.Moment{Now: marks.Read, Asked: marks.ReadLocal, Local: marks.ReadLocal}
}

// rewind sets the marks back to a time before a step of the database's clock. It
// is durable before the window is read: if the window failed, the clock might
// have caught up by the next run, and the step would not be seen.
func (p *Pass) rewind(now doc.Moment, to time.Time, by time.Duration) error {
	err := p.Trace.UpdateTable(p.Table, func(t *timetrace.Table) {
		t.Rewind(to, fmt.Sprintf("the database's clock went back by %v", by.Round(time.Millisecond)))
		t.Read, t.ReadLocal = now.Now, now.Local
	})
	if err == nil {
		p.last = now
	}
	return err
}
