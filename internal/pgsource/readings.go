package pgsource

import (
	"context"
	"time"
)

// readings are what the watches of a source have read of its transactions. One
// is taken at a time, and whoever waited for it has it too, as has whoever comes
// soon after. So tables cost no more readings than one of them alone.
//
// A failure is shared with those who waited, or the tables of a database that
// is down would try one after the other.
type readings struct {
	slot chan struct{} // held while one is taken; guards what follows

	number uint64 // of the last one, from 1
	last   reading
	err    error
	began  time.Time
	ended  time.Time
}

func newReadings() readings { return readings{slot: make(chan struct{}, 1)} }

// next returns a reading that the watch has not had. It was complete when next
// returns, so what a snapshot sees from now on may be judged by it.
func (r *readings) next(ctx context.Context, w *Watch) (reading, error) {
	asked := time.Now()
	select {
	case r.slot <- struct{}{}:
	case <-ctx.Done():
		return reading{}, context.Cause(ctx)
	}
	defer func() { <-r.slot }()
	if !r.serves(w, asked) {
		return r.take(ctx, w)
	}
	w.lastReading = r.number
	if r.err == nil {
		w.remember(r.last)
	}
	return r.last, r.err
}

// serves reports whether the last reading will do for a watch that asked then.
// One that began before the watch was made does not: what the watch continues
// from may be newer, and so may be what made somebody begin anew.
func (r *readings) serves(w *Watch, asked time.Time) bool {
	if r.number == w.lastReading || r.began.Before(w.made) {
		return false
	}
	return r.ended.After(asked) || r.err == nil && time.Since(r.ended) < w.fresh
}

// take takes another reading. One that its watch gave up says nothing to others.
func (r *readings) take(ctx context.Context, w *Watch) (reading, error) {
	began := time.Now()
	last, err := w.read(ctx)
	if ctx.Err() != nil {
		return last, err
	}
	r.number++
	r.last, r.err, r.began, r.ended = last, err, began, time.Now()
	w.lastReading = r.number
	return last, err
}
