package passes

import (
	"context"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// readings is a horizon that returns given readings, one after the other.
type readings []doc.Horizon

func (r *readings) Horizon(context.Context) (doc.Horizon, error) {
	first := (*r)[0]
	*r = (*r)[1:]
	return first, nil
}

// The next reading that can rewind reports a clock step that only a look saw, and
// only once.
func TestLookKeepsAClockStep(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	h := newSharedHorizon(&readings{
		{Now: at.Add(-4 * time.Minute), ClockBack: 5 * time.Minute}, // read by look
		{Now: at.Add(-3 * time.Minute)},
		{Now: at.Add(-2 * time.Minute)},
	})
	if _, err := h.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := h.Horizon(t.Context())
	if to := got.Now.Add(-got.ClockBack); err != nil || !to.Equal(at.Add(-9*time.Minute)) {
		t.Errorf("after the look: got a step to %v, %v, want to %v", to, err, at.Add(-9*time.Minute))
	}
	if got, err := h.Horizon(t.Context()); err != nil || got.ClockBack != 0 {
		t.Errorf("next reading: got a step of %v, %v, want none", got.ClockBack, err)
	}
}

// The reading of a quiet table serves its passes for a moment, but no pass that was
// asked for after it.
func TestForget(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	h := newSharedHorizon(&readings{{Now: at, Quiet: at, Exact: true}, {Now: at.Add(time.Second)}})
	for _, c := range []struct {
		forget bool
		want   time.Time
	}{{false, at}, {false, at}, {true, at.Add(time.Second)}} {
		if c.forget {
			if err := h.forget(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := h.Horizon(t.Context()); err != nil || !got.Now.Equal(c.want) {
			t.Errorf("got the reading of %v, %v, want that of %v", got.Now, err, c.want)
		}
	}
}
