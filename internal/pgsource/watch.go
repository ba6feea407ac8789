package pgsource

import (
	"cmp"
	"context"
	"errors"
	"time"

	"indexerd/internal/doc"
)

// A Watch reads the horizon of a database: no transaction can commit a row
// with an earlier updateTime any more. One goroutine uses it.
//
// It holds for an updateTime that this server sets by now(), clock_timestamp()
// or statement_timestamp(). It is read in statements of their own, in no
// transaction; the caller takes its snapshot after that, never before, and
// never together. In this order:
//
//	the clock       what comes later begins later
//	transactions    who is open, since when as far as this role may see
//	prepared ones   who was open and has been prepared meanwhile
//
// Where the beginning is seen, it bounds what a transaction stamps. Where it
// is hidden (another role's session, track_activities off), the virtual
// transaction id is not: the transaction began after the last look that did
// not have it. So hidden transactions need looks in quick succession, and a
// reading takes a few, if need be. What a watch finds open when it begins has
// no such bound but what an earlier watch has proved, see WatchOptions.
//
// The slack covers the time between a server's look at its clock and the
// moment at which others can see the transaction, and small steps of the clock.
// At a greater step back the watch holds the horizon below all that
// was open, until that has ended.
//
// One hole is known, for hidden transactions alone: a single message with many
// short transactions, written as "BEGIN; ...; COMMIT; BEGIN; ...", stamps them
// all with the time at which it came. Hidden, it is told from a busy client by
// never being seen to wait, which a look between two of its transactions
// can mistake.
//
// A reading costs four round trips, and three more for each further look.
type Watch struct {
	src    *Source
	memory *memory
	server string
}

// WatchOptions say what a watch builds on.
type WatchOptions struct {
	Slack time.Duration // 0: 1 second

	// Last is the last exact horizon that was made durable, with At, Now, Local
	// and Server. The watch then is exact from its first reading on: what it
	// finds open stamps nothing below At. The zero value: there is none.
	Last doc.Horizon
}

// Watch begins to watch the transactions of the database.
func (s *Source) Watch(o WatchOptions) *Watch {
	m := newMemory(cmp.Or(o.Slack, time.Second))
	m.continueFrom(o.Last)
	return &Watch{src: s, memory: m, server: o.Last.Server}
}

// A reading looks at most so often, and so often in a second.
const (
	looks     = 10
	lookEvery = 5 * time.Millisecond
)

// Horizon reads the horizon. An error says that the server could not be asked;
// a server that will not tell, or can't be believed, gives a Reason.
func (w *Watch) Horizon(ctx context.Context) (doc.Horizon, error) {
	x, err := w.src.acquire(ctx)
	if err != nil {
		return doc.Horizon{}, err
	}
	defer x.conn.Release()
	ctx, cancel := context.WithTimeoutCause(ctx, roundTripTimeout, errNoAnswer)
	defer cancel()
	h, err := w.horizon(ctx, x)
	var refused *serverError
	if errors.As(err, &refused) && !errors.Is(err, doc.ErrUnavailable) {
		return doc.Horizon{Reason: "the server does not tell what is open: " + refused.Error() + ": set horizon: timeout"}, nil
	}
	return h, err
}

func (w *Watch) horizon(ctx context.Context, x *tx) (doc.Horizon, error) {
	var r reading
	var err error
	if r.standing, err = x.standing(ctx); err != nil {
		return doc.Horizon{}, err
	}
	if r.server != w.server {
		// Another server, or its sessions have ended with it: nothing that is
		// remembered says anything about it.
		w.memory, w.server = newMemory(w.memory.slack), r.server
	}
	if r.sample, err = w.look(ctx, x); err != nil {
		return doc.Horizon{}, err
	}
	if r.prepared, err = x.preparedTxs(ctx); err != nil {
		return doc.Horizon{}, err
	}
	if !r.sees || r.silent {
		if r.function, err = x.statementTimestamp(ctx); err != nil {
			return doc.Horizon{}, err
		}
	}
	return w.memory.horizon(r), nil
}

// look takes samples until another one would tell no more, or enough.
func (w *Watch) look(ctx context.Context, x *tx) (sample, error) {
	var first time.Time
	for n := 1; ; n++ {
		s, err := x.sample(ctx)
		if err != nil {
			return sample{}, err
		}
		w.memory.add(s)
		if n == 1 {
			first = s.clock
		}
		if n == looks || !w.memory.vague(s, first) {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return sample{}, x.fault(ctx, context.Cause(ctx))
		case <-time.After(lookEvery):
		}
	}
}
