package daemon

import (
	"context"
	"time"

	"indexerd/compensate"
	"indexerd/internal/doc"
)

// A sharedHorizon lets one caller at a time read a horizon, which keeps state
// between readings.
// Only one reading reports a step of the clock: if observe made it, the next call
// of Horizon reports the step again.
type sharedHorizon struct {
	horizon compensate.Horizon
	slot    chan struct{} // held while reading; guards what follows
	backTo  time.Time     // where the clock was set back to; zero: it was not
}

func newSharedHorizon(h compensate.Horizon) *sharedHorizon {
	return &sharedHorizon{horizon: h, slot: make(chan struct{}, 1)}
}

// Horizon implements compensate.Horizon. The caller acts on what it returns.
func (t *sharedHorizon) Horizon(ctx context.Context) (doc.Horizon, error) {
	return t.read(ctx, func(h *doc.Horizon) {
		if !t.backTo.IsZero() && !h.Now.IsZero() {
			h.ClockBack = max(h.ClockBack, h.Now.Sub(t.backTo))
			t.backTo = time.Time{}
		}
	})
}

// observe reads the horizon only to know it more closely.
func (t *sharedHorizon) observe(ctx context.Context) (doc.Horizon, error) {
	return t.read(ctx, func(h *doc.Horizon) {
		to := h.SteppedTo()
		if h.ClockBack > 0 && (t.backTo.IsZero() || to.Before(t.backTo)) {
			t.backTo = to
		}
	})
}

func (t *sharedHorizon) read(ctx context.Context, then func(*doc.Horizon)) (doc.Horizon, error) {
	select {
	case t.slot <- struct{}{}:
	case <-ctx.Done():
		return doc.Horizon{}, ctx.Err()
	}
	defer func() { <-t.slot }()
	h, err := t.horizon.Horizon(ctx)
	if err == nil {
		then(&h)
	}
	return h, err
}
