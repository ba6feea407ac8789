package changes

import (
	"context"
	"maps"
	"sync/atomic"
	"time"
)

// Readings are shared by the tables of a source. One is taken at a time, and
// serves all calls that waited for it to begin.
type Readings struct {
	sampler Sampler
	known   atomic.Bool   // latest was called since the last Refresh
	slot    chan struct{} // held while a reading is taken; guards the fields below

	began time.Time // of the last reading
	last  Sample
	err   error

	good  Sample               // the last reading without an error
	moved time.Time            // when the version was last seen to move
	added bool                 // only counters that the last good reading lacks are read
	asked map[string]time.Time // when a base table was last asked for
}

// NewReadings returns the readings of a source. It does not connect.
func NewReadings(s Sampler) *Readings {
	return &Readings{sampler: s, slot: make(chan struct{}, 1), asked: map[string]time.Time{}}
}

// forgetAfter is how long the counters of a base table are read after the last
// call that asked for them.
const forgetAfter = time.Minute

// next returns a reading that began after the call, or no longer before it than age,
// and has the counters of some base tables. A failure is shared with the calls that waited. Otherwise all
// tables of a failed database would try, one after the other.
func (r *Readings) next(ctx context.Context, tables []string, age time.Duration) (Sample, error) {
	asked := time.Now().Add(-age)
	select {
	case r.slot <- struct{}{}:
	case <-ctx.Done():
		return Sample{}, context.Cause(ctx)
	}
	defer func() { <-r.slot }()
	known := true
	for _, id := range tables {
		_, counted := r.asked[id]
		known, r.asked[id] = known && counted, time.Now()
	}
	if r.began.After(asked) && (known || r.err != nil) {
		return r.last, r.err
	}
	return r.take(ctx)
}

// Refresh takes a reading for the calls of Known that follow, if there were any since the
// last one.
func (r *Readings) Refresh(ctx context.Context) error {
	if !r.known.Swap(false) {
		return nil
	}
	_, err := r.next(ctx, nil, 0)
	return err
}

// latest returns the last reading if it began no longer ago than age and has the counters
// of some base tables. It does not wait.
func (r *Readings) latest(tables []string, age time.Duration) (Sample, bool) {
	r.known.Store(true)
	select {
	case r.slot <- struct{}{}:
	default:
		return Sample{}, false
	}
	defer func() { <-r.slot }()
	for _, id := range tables {
		if _, counted := r.asked[id]; !counted {
			return Sample{}, false
		}
	}
	if r.err != nil || time.Since(r.began) > age {
		return Sample{}, false
	}
	for _, id := range tables {
		r.asked[id] = time.Now()
	}
	return r.last, true
}

// take takes another reading. One that its caller cancelled is not shared.
func (r *Readings) take(ctx context.Context) (Sample, error) {
	began := time.Now()
	s, err := r.sampler.Changes(ctx, r.wanted)
	if ctx.Err() != nil {
		return s, err
	}
	r.began, r.last, r.err = began, s, err
	if err != nil {
		return s, err
	}
	if s.Version != r.good.Version {
		r.moved = time.Now()
	}
	switch {
	case !s.Counted:
		s.complete = true
	case s.Counters == nil:
		s.Counters, s.counted = r.good.Counters, r.good.counted
		s.complete = s.Late == 0 && s.Version == r.good.Version && r.good.complete || s.counted.Sub(r.moved) > s.Late
	case r.added: // as old as those that they are added to
		maps.Copy(s.Counters, r.good.Counters)
		s.counted, s.complete = r.good.counted, r.good.complete
	default:
		s.counted = began
		s.complete = s.Late == 0 || s.counted.Sub(r.moved) > s.Late
	}
	r.last, r.good = s, s
	return s, nil
}

// wanted returns the base tables whose counters have to be read: none where those
// of the last good reading stand, since they were read Late after the version last
// moved. Until then they are read after 1, 2, 4 and 8 seconds: the counters of a
// thousand tables take a database longer than all else that is read while nothing
// changes. Where they stand, only those are read that were not asked for before:
// otherwise the load of a thousand tables would read those of all a thousand times.
func (r *Readings) wanted(version string) []string {
	var all, lacking []string
	moved := version != r.good.Version || r.mayMove(time.Now())
	for id, at := range r.asked {
		if time.Since(at) > forgetAfter {
			delete(r.asked, id)
			continue
		}
		if _, known := r.good.Counters[id]; !known {
			lacking = append(lacking, id)
		}
		all = append(all, id)
	}
	if r.added = !moved && r.good.Counters != nil; r.added {
		return lacking
	}
	return all
}

// mayMove reports whether counters that are read now may differ from those of the last
// good reading, as far as the version shows, and it is time to look.
func (r *Readings) mayMove(now time.Time) bool {
	return !r.good.complete && now.Sub(r.moved) > min(2*r.good.counted.Sub(r.moved), r.good.Late)
}
