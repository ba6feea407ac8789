package passes

import (
	"context"
	"time"

	"indexerd/compensate"
	"indexerd/internal/doc"
)

// A sharedHorizon lets one reader at a time read a horizon that has state. The
// horizon reports a clock step in one reading only. If that reading was a look,
// the next reading of Horizon reports the step again, since only its caller
// rewinds the marks.
type sharedHorizon struct {
	horizon compensate.Horizon
	slot    chan struct{} // held while reading; guards backTo
	backTo  time.Time     // lowest time of a clock step that only a look saw; zero: none
}

func newSharedHorizon(h compensate.Horizon) *sharedHorizon {
	return &sharedHorizon{horizon: h, slot: make(chan struct{}, 1)}
}

// Horizon implements compensate.Horizon. The caller acts on clock steps.
func (s *sharedHorizon) Horizon(ctx context.Context) (doc.Horizon, error) {
	return s.read(ctx, func(h *doc.Horizon) {
		if !s.backTo.IsZero() && !h.Now.IsZero() {
			h.ClockBack = max(h.ClockBack, h.Now.Sub(s.backTo))
			s.backTo = time.Time{}
		}
	})
}

// look reads the horizon for a caller that does not act on clock steps.
func (s *sharedHorizon) look(ctx context.Context) (doc.Horizon, error) {
	return s.read(ctx, func(h *doc.Horizon) {
		to := h.EarliestSinceStep()
		if h.ClockBack > 0 && (s.backTo.IsZero() || to.Before(s.backTo)) {
			s.backTo = to
		}
	})
}

func (s *sharedHorizon) read(ctx context.Context, then func(*doc.Horizon)) (doc.Horizon, error) {
	select {
	case s.slot <- struct{}{}:
	case <-ctx.Done():
		return doc.Horizon{}, ctx.Err()
	}
	defer func() { <-s.slot }()
	h, err := s.horizon.Horizon(ctx)
	if err == nil {
		then(&h)
	}
	return h, err
}
