package daemon

import (
	"context"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// A told horizon tells these readings, one after the other.
type told []doc.Horizon

func (h *told) Horizon(context.Context) (doc.Horizon, error) {
	first := (*h)[0]
	*h = (*h)[1:]
	return first, nil
}

// A step of the clock that only a look saw must reach the pass that rewinds,
// from where it happened.
func TestALookHidesNoStepOfTheClock(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	readings := told{
		{Now: at},
		{Now: at.Add(-4 * time.Minute), ClockBack: 5 * time.Minute}, // seen by a look
		{Now: at.Add(-3 * time.Minute)},
		{Now: at.Add(-2 * time.Minute)},
	}
	turns := newSharedHorizon(&readings)
	if h, err := turns.Horizon(t.Context()); err != nil || h.ClockBack != 0 {
		t.Fatalf("before the step: got %v, %v, want no step", h.ClockBack, err)
	}
	if _, err := turns.observe(t.Context()); err != nil {
		t.Fatal(err)
	}
	h, err := turns.Horizon(t.Context())
	if to := h.Now.Add(-h.ClockBack); err != nil || !to.Equal(at.Add(-9*time.Minute)) {
		t.Errorf("after it: got back to %v, %v, want to %v", to, err, at.Add(-9*time.Minute))
	}
	if h, err := turns.Horizon(t.Context()); err != nil || h.ClockBack != 0 {
		t.Errorf("told twice: got %v, %v, want no step", h.ClockBack, err)
	}
}
