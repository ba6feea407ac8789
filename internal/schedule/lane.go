package schedule

import "context"

// A Lane lets one pass at a time work on a table. Long passes give it up
// between chunks; who waits gets it in the order of asking.
type Lane struct {
	slot chan struct{}
}

// NewLane returns a free lane.
func NewLane() *Lane { return &Lane{slot: make(chan struct{}, 1)} }

// Take waits for the lane.
func (l *Lane) Take(ctx context.Context) error {
	select {
	case l.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Give gives the lane up.
func (l *Lane) Give() { <-l.slot }
