package horizon

import (
	"context"
	"sync/atomic"
	"time"
)

// Readings are shared by the watches of a server. One is taken at a time. A
// watch that waited for it uses it too, and so does a watch that asks soon
// after. So any number of tables costs as many readings as one.
//
// A failure is shared with the watches that waited. Otherwise all tables of a
// failed database would try, one after the other.
type Readings struct {
	sampler Sampler
	probe   *probe
	wanted  atomic.Bool   // ready was called since the last Refresh
	slot    chan struct{} // held while a reading is taken; guards the fields below

	number uint64 // of the last reading, from 1
	last   reading
	err    error
	began  time.Time
	ended  time.Time
}

// NewReadings returns the readings of a server. It does not connect. The prober is
// asked after each reading for the tables of all watches; nil: none is.
func NewReadings(s Sampler, p Prober) *Readings {
	return &Readings{sampler: s, probe: newProbe(p), slot: make(chan struct{}, 1)}
}

// A reading is what was read for one horizon: its samples, of which the last is
// embedded, and the state after it.
type reading struct {
	Sample
	State
	server      string // its identity
	samples     []Sample
	scopeReason string               // why the rows of the watch's table have no exact horizon; "": they may have
	quiet       map[*Watch]time.Time // since when no row of a watch's table has changed
}

// next returns a reading that the watch has not used yet. The reading ends
// before next returns, so it is valid for every snapshot taken from then on.
func (r *Readings) next(ctx context.Context, w *Watch) (reading, error) {
	asked := time.Now()
	select {
	case r.slot <- struct{}{}:
	case <-ctx.Done():
		return reading{}, context.Cause(ctx)
	}
	defer func() { <-r.slot }()
	defer func() { r.probe.use(w, r.number) }()
	if !r.serves(w, asked) {
		return r.take(ctx, w)
	}
	w.lastReading = r.number
	if r.err == nil {
		w.remember(r.last)
	}
	return r.last, r.err
}

// serves reports whether a watch that asked at a time can use the last reading.
// A reading that began before the watch was made is not used: the state that
// the watch continues from may be newer.
func (r *Readings) serves(w *Watch, asked time.Time) bool {
	if r.number == w.lastReading || r.began.Before(w.made) {
		return false
	}
	return r.ended.After(asked) || r.err == nil && time.Since(r.ended) < w.fresh
}

// Refresh has a watch take a reading for the calls of Ready of other watches that follow,
// if there were any since the last one.
func (r *Readings) Refresh(ctx context.Context, lead *Watch) error {
	if !r.wanted.Swap(false) {
		return nil
	}
	_, err := r.next(ctx, lead)
	return err
}

// ready returns the last reading if the watch can use it, and what the watch knows of its
// table holds still. It does not wait.
func (r *Readings) ready(w *Watch) (reading, bool) {
	r.wanted.Store(true)
	select {
	case r.slot <- struct{}{}:
	default:
		return reading{}, false
	}
	defer func() { <-r.slot }()
	if r.number == 0 || r.err != nil || !r.serves(w, time.Now()) || !w.scope.holds(r.last, w.memory.slack) {
		return reading{}, false
	}
	w.lastReading = r.number
	w.remember(r.last)
	r.probe.use(w, r.number)
	return r.last, true
}

// take takes another reading. A reading cancelled by its watch is not shared.
func (r *Readings) take(ctx context.Context, w *Watch) (reading, error) {
	began := time.Now()
	last, err := w.read(ctx)
	if ctx.Err() != nil {
		return last, err
	}
	if r.number++; err == nil {
		last.quiet = r.probe.run(ctx, r.number, last.State)
	}
	r.last, r.err, r.began, r.ended = last, err, began, time.Now()
	w.lastReading = r.number
	return last, err
}
