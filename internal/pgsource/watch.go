package pgsource

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"indexerd/internal/doc"
)

// A Watch reads the horizon of a database: no transaction can commit a row with
// an earlier updateTime any more. One goroutine uses it.
//
// The horizon holds for an updateTime that this server sets by now(),
// clock_timestamp() or statement_timestamp(). Its statements run outside a
// transaction. The caller takes its snapshot after the horizon, never before it
// or in the same statement. They read, in this order:
//
//	clock                  what comes later begins later
//	open transactions      and their starts, as far as this role may see them
//	prepared transactions  which were open and have been prepared meanwhile
//
// A visible start bounds what the transaction stamps. If the start is hidden
// (another role's session, track_activities off), the virtual transaction id is
// visible: the transaction began after the last sample without that id. So the
// bound is the closer the more often a horizon is read, and one reading takes
// several samples if that helps. A prepared transaction is bounded by the
// previous reading. A hidden transaction that is open when a watch begins has
// no bound but what an earlier watch proved: see WatchOptions.
//
// One message may bring several transactions, "BEGIN; ...; COMMIT; BEGIN; ...",
// and in all of them now() is the time of the message. So a hidden session that
// is never seen waiting for a message holds the horizon. One gap remains: a
// sample between two transactions of such a message takes the session for
// waiting. This matters if the message has taken longer than the slack, and
// only for a role that does not see starts.
//
// The slack covers the time from a session's reading of the clock until its
// transaction is visible to others, and small steps of the clock. A larger step
// back lowers the horizon below all that may be stamped after the step, until
// what was open has ended.
//
// A reading costs five round trips (four if the server prepares no
// transactions), two more for each further sample, and up to 50 ms of waiting
// for hidden sessions. The watches of a source share readings: a reading is
// valid for every later snapshot. Each watch proves its horizon from its own
// memory.
type Watch struct {
	src         *Source
	memory      *memory
	server      string
	made        time.Time
	fresh       time.Duration
	lastReading uint64 // the number of the last reading that this watch used

	scope *tableScope // what a table's SQLs read; nil: the watch has no table
}

// WatchOptions configure a watch.
type WatchOptions struct {
	Slack time.Duration // 0: 1 second

	// Fresh is the greatest age of another watch's reading that this watch may
	// use, at most 1 second. Such a horizon is older by as much. Readings that
	// began before this watch was made are never used.
	Fresh time.Duration

	// Last is the last exact horizon that was stored durably, with At, Now,
	// Local and Server. Its Floor is the durable S, however known. With it the
	// watch is exact from its first reading on: open transactions stamp nothing
	// below At, and nothing below Floor if their start is visible. Zero: there
	// is none.
	Last doc.Horizon
}

// Watch starts to watch the transactions of the database.
func (s *Source) Watch(o WatchOptions) *Watch {
	m := newMemory(cmp.Or(o.Slack, time.Second))
	m.continueFrom(o.Last)
	return &Watch{src: s, memory: m, server: o.Last.Server, made: time.Now(), fresh: min(o.Fresh, maxFresh)}
}

// maxFresh limits how late a restart of the server or a step of its clock is
// noticed.
const maxFresh = time.Second

// A reading takes at most maxSamples, one each sampleInterval.
const (
	maxSamples     = 10
	sampleInterval = 5 * time.Millisecond
)

// Horizon reads the horizon. An error means that the server could not be asked.
// A horizon that is not exact has a Reason.
func (w *Watch) Horizon(ctx context.Context) (doc.Horizon, error) {
	r, err := w.src.readings.next(ctx, w)
	var refused *serverError
	if errors.As(err, &refused) && !errors.Is(err, doc.ErrUnavailable) {
		return doc.Horizon{Reason: "the server does not show open transactions: " + refused.Error() + ": set horizon: timeout"}, nil
	}
	if err != nil {
		return doc.Horizon{}, err
	}
	if w.scope != nil {
		if err := w.scope.refresh(ctx, r, w.memory.slack); err != nil {
			return doc.Horizon{}, err
		}
		r.tableReason = w.scope.inexactReason
	}
	return w.memory.horizon(r), nil
}

// read takes a reading and remembers it.
func (w *Watch) read(ctx context.Context) (reading, error) {
	x, err := w.src.acquire(ctx)
	if err != nil {
		return reading{}, err
	}
	defer x.release()
	ctx, cancel := context.WithTimeoutCause(ctx, roundTripTimeout, errNoAnswer)
	defer cancel()
	var r reading
	if r.serverState, err = x.serverState(ctx); err != nil {
		return reading{}, err
	}
	w.checkServer(r.server)
	if r.standby {
		shows, err := x.standby(ctx)
		if err != nil {
			return reading{}, err
		}
		r.seenUntil = shows.seen()
	}
	if r.samples, err = w.takeSamples(ctx, x); err != nil {
		return reading{}, err
	}
	r.sample = r.samples[len(r.samples)-1]
	if r.canPrepare {
		if r.prepared, err = x.preparedTxs(ctx); err != nil {
			return reading{}, err
		}
	}
	if !r.seesAll || slices.ContainsFunc(r.samples, func(s sample) bool { return s.hidesState }) {
		if r.function, err = x.statementTimestamp(ctx); err != nil {
			return reading{}, err
		}
	}
	// After the samples: the version must include what they no longer show as open.
	r.version, err = x.version(ctx, r.server)
	return r, err
}

// remember adds a reading that another watch took.
func (w *Watch) remember(r reading) {
	w.checkServer(r.server)
	for _, s := range r.samples {
		w.memory.add(s)
	}
}

// checkServer clears the memory if the server is another one or has restarted.
func (w *Watch) checkServer(server string) {
	if server != w.server {
		w.memory, w.server = newMemory(w.memory.slack), server
	}
}

// takeSamples reads samples until another one would not raise the horizon, at
// most maxSamples.
func (w *Watch) takeSamples(ctx context.Context, x *tx) ([]sample, error) {
	var samples []sample
	for {
		s, err := x.sample(ctx)
		if err != nil {
			return nil, err
		}
		w.memory.add(s)
		samples = append(samples, s)
		if len(samples) == maxSamples || !w.memory.canImprove(s, samples[0].clock) {
			return samples, nil
		}
		select {
		case <-ctx.Done():
			return nil, x.fault(ctx, context.Cause(ctx))
		case <-time.After(sampleInterval):
		}
	}
}

// readings are shared by the watches of a source. One is taken at a time. A
// watch that waited for it uses it too, and so does a watch that asks soon
// after. So any number of tables costs as many readings as one.
//
// A failure is shared with the watches that waited. Otherwise all tables of a
// failed database would try, one after the other.
type readings struct {
	slot chan struct{} // held while a reading is taken; guards the fields below

	number uint64 // of the last reading, from 1
	last   reading
	err    error
	began  time.Time
	ended  time.Time
}

func newReadings() readings { return readings{slot: make(chan struct{}, 1)} }

// next returns a reading that the watch has not used yet. The reading ends
// before next returns, so it is valid for every snapshot taken from then on.
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

// serves reports whether a watch that asked at a time can use the last reading.
// A reading that began before the watch was made is not used: the state that
// the watch continues from may be newer.
func (r *readings) serves(w *Watch, asked time.Time) bool {
	if r.number == w.lastReading || r.began.Before(w.made) {
		return false
	}
	return r.ended.After(asked) || r.err == nil && time.Since(r.ended) < w.fresh
}

// take takes another reading. A reading cancelled by its watch is not shared.
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
