package passes

import (
	"context"
	"time"

	"indexerd/compensate"
	"indexerd/internal/base/doc"
)

// A sharedHorizon lets one reader at a time read a horizon that has state. The
// horizon reports a clock step in one reading only. If that reading was a look,
// the next reading of Horizon reports the step again, since only its caller
// rewinds the marks.
type sharedHorizon struct {
	horizon compensate.Horizon
	slot    chan struct{} // held while reading; guards the fields below
	backTo  time.Time     // lowest time of a clock step that only a look saw; zero: none
	last    doc.Horizon   // reading, without a step of the clock
	at      time.Time     // this machine's clock when it ended
}

// sharedFor is for how long a reading serves the passes of one table.
const sharedFor = 900 * time.Millisecond

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
	return s.read(ctx, s.noteStep)
}

// noteStep keeps a step of the clock for the next reading of Horizon.
func (s *sharedHorizon) noteStep(h *doc.Horizon) {
	to := h.EarliestSinceStep()
	if h.ClockBack > 0 && (s.backTo.IsZero() || to.Before(s.backTo)) {
		s.backTo = to
	}
}

// ready is look without waiting. It returns false where the database has to be asked.
func (s *sharedHorizon) ready() (h doc.Horizon, ok bool) {
	select {
	case s.slot <- struct{}{}:
	default:
		return h, false
	}
	defer func() { <-s.slot }()
	if h = s.last; !s.serves() {
		watch, can := s.horizon.(interface{ Ready() (doc.Horizon, bool) })
		if !can {
			return h, false
		}
		if h, ok = watch.Ready(); !ok {
			return h, false
		}
		s.keep(h)
	}
	s.noteStep(&h)
	return h, true
}

func (s *sharedHorizon) read(ctx context.Context, then func(*doc.Horizon)) (doc.Horizon, error) {
	select {
	case s.slot <- struct{}{}:
	case <-ctx.Done():
		return doc.Horizon{}, ctx.Err()
	}
	defer func() { <-s.slot }()
	h, err := s.last, error(nil)
	if !s.serves() {
		if h, err = s.horizon.Horizon(ctx); err != nil {
			return h, err
		}
		s.keep(h)
	}
	then(&h)
	return h, nil
}

// keep makes a reading the last one.
func (s *sharedHorizon) keep(h doc.Horizon) {
	s.last, s.at = h, time.Now()
	s.last.ClockBack, s.last.Floor = 0, time.Time{}
}

// forget has the next caller read the horizon, however fresh the last reading is.
func (s *sharedHorizon) forget(ctx context.Context) error {
	select {
	case s.slot <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.at = time.Time{}
	<-s.slot
	return nil
}

// serves reports whether the last reading can be used once more. Only one that found
// the table quiet is: others are for a table that changes.
func (s *sharedHorizon) serves() bool {
	return !s.last.Quiet.IsZero() && s.last.Exact && time.Since(s.at) < sharedFor
}
