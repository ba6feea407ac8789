package passes

import (
	"context"
	"time"

	"indexerd/internal/base/doc"
)

// openSince returns the time from which on the passes have to read rows: below it
// incremental has read them and S covers them. It is zero before the load.
func (p *Passes) openSince() time.Time {
	marks := p.marks()
	since := p.Incremental.Since()
	switch {
	case !marks.Loaded:
		return time.Time{}
	case marks.Settled.Before(since):
		return marks.Settled
	}
	return since
}

// quiet reads the horizon for incremental, which reads its window if the table is
// not quiet. A table that was not quiet at the last reading is not asked about.
func (p *Passes) quiet(ctx context.Context) (doc.Moment, time.Time) {
	if p.LastHorizon().Quiet.IsZero() {
		return doc.Moment{}, time.Time{}
	}
	h, err := p.horizon.look(ctx)
	if err == nil {
		err = p.note(h)
	}
	if err != nil || !h.Exact {
		return doc.Moment{}, time.Time{} // incremental reads its window, and reports what is wrong
	}
	return doc.Moment{Now: h.Now, Seen: h.Now, Asked: h.Asked, Local: h.Local}, h.Quiet
}

// quietSince returns since when the table is quiet, by a reading that is not older
// than the mark.
func (p *Passes) quietSince(mark time.Time) time.Time {
	if h := p.LastHorizon(); h.Exact && !h.Now.Before(mark) {
		return h.Quiet
	}
	return time.Time{}
}

// quietCompared reads a hint for incremental. Where everything was compared after the
// last commit, the next window has no row that the index does not have.
func (p *Passes) quietCompared(ctx context.Context) (doc.Moment, time.Time) {
	asked := time.Now()
	h, err := p.compared.Hints.Hint(ctx)
	if err != nil || !p.compared.Covers(h) {
		return doc.Moment{}, time.Time{} // incremental reads its window, and reports what is wrong
	}
	return doc.Moment{Now: h.At, Seen: h.At, Asked: asked, Local: time.Now()}, p.Incremental.Since()
}
