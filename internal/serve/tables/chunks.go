package tables

import (
	"context"
	"time"

	"indexerd/internal/base/schedule"
)

// laneByChunks is the lane as a long pass has it: given up between chunks, so
// that others wait for one at most.
type laneByChunks struct {
	lane  *schedule.Lane
	taken bool
}

func (t *Table) takeLane(ctx context.Context) (*laneByChunks, error) {
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
	return l.pause(ctx, func(ctx context.Context) error { return restAfterWork(ctx, worked, share) })
}

// pause lets others have the lane for as long as a wait takes, or a moment.
func (l *laneByChunks) pause(ctx context.Context, wait func(context.Context) error) error {
	l.lane.Give()
	l.taken = false
	if err := wait(ctx); err != nil {
		return err
	}
	err := l.lane.Take(ctx)
	l.taken = err == nil
	return err
}

func restAfterWork(ctx context.Context, worked time.Duration, share float64) error {
	pause := time.Duration(float64(worked) * (1/share - 1))
	if pause <= 0 {
		return nil
	}
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
