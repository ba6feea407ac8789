package pgsource

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"indexerd/internal/doc"
)

// A Watch reads the horizon of a database: no transaction can commit a row
// with an earlier updateTime any more. One goroutine uses it.
//
// It holds for an updateTime that this server sets by now(), clock_timestamp()
// or statement_timestamp(). It is read by statements in no transaction; the
// caller takes its snapshot after that, never before and never together. They
// read, in this order:
//
//	the clock       what comes later begins later
//	transactions    who is open, since when as far as this role may see
//	prepared ones   who was open and has been prepared meanwhile
//
// Where a transaction's beginning is seen, it bounds what the transaction
// stamps. Where it is hidden (another role's session, track_activities off),
// the virtual transaction id is not: the transaction began after the last look
// that did not have it. So the more often a horizon is read the closer is the
// bound, and a reading takes several looks, if need be. What is prepared is
// bounded by the reading before. What is open when a watch begins has, if it is
// hidden, no bound but what an earlier watch has proved: see WatchOptions.
//
// One message may bring several transactions, "BEGIN; ...; COMMIT; BEGIN; ...",
// and now() is in all of them when it came. So a hidden session that is never
// seen to wait for a message holds the horizon. One hole is left: if a
// look falls between two transactions of such a message, the session seems to
// wait. That matters when the message has taken longer than the slack, and
// only to roles that may not see beginnings.
//
// The slack covers the time from a server's look at its clock until others can
// see the transaction, and small steps of the clock. At a greater step back the
// horizon falls below all that may be stamped after it, and stays there until
// what was open has ended.
//
// A reading costs five round trips, four where nothing can be prepared, two
// more for each further look, and up to 50 ms when it waits for hidden
// sessions. The watches of a source share them: a reading is as good for any
// snapshot that is taken after it. What it proves each watch decides for
// itself, by what it remembers.
type Watch struct {
	src         *Source
	memory      *memory
	server      string
	made        time.Time
	fresh       time.Duration
	lastReading uint64 // the number of the last reading that this watch has had

	scope *tableScope // what a table's SQLs read; nil: it watches no table
}

// WatchOptions say what a watch builds on.
type WatchOptions struct {
	Slack time.Duration // 0: 1 second

	// Fresh is how old a reading that another watch took may be to serve this
	// one too, at most 1 second: it lags so much behind one of its own. One that
	// began before this watch was made never does.
	Fresh time.Duration

	// Last is the last exact horizon that was made durable, with At, Now, Local
	// and Server, and as its Floor the S that is durable, however it is known.
	// The watch then is exact from its first reading on: what it finds open
	// stamps nothing below At, and nothing below Floor where its beginning is
	// seen. The zero value: there is none.
	Last doc.Horizon
}

// Watch begins to watch the transactions of the database.
func (s *Source) Watch(o WatchOptions) *Watch {
	m := newMemory(cmp.Or(o.Slack, time.Second))
	m.continueFrom(o.Last)
	return &Watch{src: s, memory: m, server: o.Last.Server, made: time.Now(), fresh: min(o.Fresh, maxFresh)}
}

// maxFresh bounds how late a restart of the server or a step of its clock is
// seen that came after the reading.
const maxFresh = time.Second

// A reading takes at most so many looks, one each so often.
const (
	maxSamples     = 10
	sampleInterval = 5 * time.Millisecond
)

// Horizon reads the horizon. An error says that the server could not be asked;
// a server that will not tell, or can't be believed, gives a Reason.
func (w *Watch) Horizon(ctx context.Context) (doc.Horizon, error) {
	r, err := w.src.readings.next(ctx, w)
	var refused *serverError
	if errors.As(err, &refused) && !errors.Is(err, doc.ErrUnavailable) {
		return doc.Horizon{Reason: "the server does not tell what is open: " + refused.Error() + ": set horizon: timeout"}, nil
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

// read takes a reading, and remembers it.
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
	// Behind the samples: it has to have what is no longer open in them.
	r.version, err = x.version(ctx, r.server)
	return r, err
}

// remember takes a reading in that another watch took.
func (w *Watch) remember(r reading) {
	w.checkServer(r.server)
	for _, s := range r.samples {
		w.memory.add(s)
	}
}

// meet forgets everything where the server is another one, or its sessions have
// ended with it: nothing that is remembered says anything about it.
func (w *Watch) checkServer(server string) {
	if server != w.server {
		w.memory, w.server = newMemory(w.memory.slack), server
	}
}

// look takes samples until another one would tell no more, or enough.
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
