package main

import (
	"context"
	"time"

	"indexerd/internal/schedule"
)

// laneByChunks is the lane as a long pass has it: given up between chunks, so
// that others wait for one at most.
type laneByChunks struct {
	lane  *schedule.Lane
	taken bool
}

func (t *table) takeLane(ctx context.Context) (*laneByChunks, error) {
	if err := t.lane.Take(ctx); err != nil {
		return nil, err
	}
	return &laneByChunks{t.lane, true}, nil
}

// end gives the lane back.
func (l *laneByChunks) end() {
	if l.taken {
		l.lane.Give()
	}
}

// rest lets others have the lane, and rests so long that the pass takes no more
// than its share of the time.
func (l *laneByChunks) rest(ctx context.Context, worked time.Duration, share float64) error {
	l.lane.Give()
	l.taken = false
	if pause := time.Duration(float64(worked) * (1/share - 1)); pause > 0 {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := l.lane.Take(ctx)
	l.taken = err == nil
	return err
}
