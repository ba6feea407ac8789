package horizon

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"indexerd/internal/base/doc"
)

// A Watch reads the horizon of a database. One goroutine uses it.
type Watch struct {
	readings    *Readings
	memory      *memory
	server      string
	made        time.Time
	fresh       time.Duration
	lastReading uint64 // the number of the last reading that this watch used
	scope       scope
	table       any
	since       func() time.Time
}

// Options configure a watch.
type Options struct {
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

	// Scope returns why no horizon is exact for the rows of a table, and what
	// to do; "": it may be exact. What a table's SQL reads may change with any
	// commit. Nil: the watch is for every table of the server.
	Scope func(context.Context) (reason string, err error)

	// Steady reports whether what the table's SQLs return changes with commits only.
	// It is asked when Scope is. A table that is steady and quiet stays so while the
	// version does. Nil: it is not steady.
	Steady func(context.Context) (bool, error)

	// Table is what the readings' Prober knows the watch's table by, and Since the
	// time from which on its rows have to be read; nil: Quiet of a horizon is zero.
	Table any
	Since func() time.Time
}

// Watch starts to watch the transactions of the server.
func (r *Readings) Watch(o Options) *Watch {
	m := newMemory(cmp.Or(o.Slack, time.Second))
	m.continueFrom(o.Last)
	return &Watch{readings: r, memory: m, server: o.Last.Server, made: time.Now(), fresh: min(o.Fresh, maxFresh), scope: scope{check: o.Scope, ask: o.Steady}, table: o.Table, since: o.Since}
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
	r, err := w.readings.next(ctx, w)
	if refused, ok := errors.AsType[Refused](err); ok {
		return doc.Horizon{Reason: refused.Error()}, nil
	}
	if err != nil {
		return doc.Horizon{}, err
	}
	if err := w.scope.refresh(ctx, r, w.memory.slack); err != nil {
		return doc.Horizon{}, err
	}
	return w.prove(r), nil
}

// Ready returns the horizon if a reading of another watch serves and nothing more is to be
// asked of the database. It does not wait.
func (w *Watch) Ready() (doc.Horizon, bool) {
	r, ok := w.readings.ready(w)
	if !ok {
		return doc.Horizon{}, false
	}
	return w.prove(r), true
}

func (w *Watch) prove(r reading) doc.Horizon {
	r.scopeReason = w.scope.reason
	h := w.memory.horizon(r)
	h.Quiet = r.quiet[w]
	return h
}

// read takes a reading and remembers it.
func (w *Watch) read(ctx context.Context) (reading, error) {
	var r reading
	err := w.readings.sampler.Connect(ctx, func(ctx context.Context, c Conn) (err error) {
		if r.server, err = c.Identity(ctx); err != nil {
			return err
		}
		w.checkServer(r.server)
		if r.samples, err = w.takeSamples(ctx, c); err != nil {
			return err
		}
		r.Sample = r.samples[len(r.samples)-1]
		r.State, err = c.State(ctx)
		return err
	})
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
func (w *Watch) takeSamples(ctx context.Context, c Conn) ([]Sample, error) {
	var samples []Sample
	for {
		s, err := c.Sample(ctx)
		if err != nil {
			return nil, err
		}
		w.memory.add(s)
		samples = append(samples, s)
		if len(samples) == maxSamples || !w.memory.canImprove(s, samples[0].Clock) {
			return samples, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(sampleInterval):
		}
	}
}

// A scope is what a table's SQLs read, as last checked. Partitions can be
// attached, views and functions replaced, at any time. All of that is committed
// and is in the catalog, so nothing has changed while the version or the catalog is
// the same.
//
// On a busy database refresh checks again when a horizon is read and the last
// check is older than the slack. S stays behind the reading by the slack, so
// what is stamped after the last check is never below an S called exact.
//
// The vendor's check may cost about as much as an idle window.
type scope struct {
	check   func(context.Context) (string, error) // nil: every horizon may be exact
	version string                                // of what had been committed at the last check
	catalog string                                // of what SQLs read, then
	ask     func(context.Context) (bool, error)   // whether the table is steady; nil: it is not
	steady  atomic.Pointer[checked]               // the last check that found it steady; nil: it did not
	at      time.Time                             // the server's clock then; zero: not checked yet
	reason  string                                // why no horizon is exact; "": it may be
}

// A checked is what a check holds for.
type checked struct{ version, catalog string }

// isSteady reports whether the table was steady when last checked, and what it reads
// has not changed since. Another watch's goroutine may ask.
func (s *scope) isSteady(r State) bool {
	c := s.steady.Load()
	return c != nil && (r.Version != "" && r.Version == c.version || r.Catalog != "" && r.Catalog == c.catalog)
}

// holds reports whether nothing may have changed since the last check.
func (s *scope) holds(r reading, slack time.Duration) bool {
	since := r.Clock.Sub(s.at)
	unchanged := r.Version != "" && r.Version == s.version || r.Catalog != "" && r.Catalog == s.catalog
	return s.check == nil || unchanged || 0 <= since && since < slack
}

// refresh checks again if something may have changed.
func (s *scope) refresh(ctx context.Context, r reading, slack time.Duration) error {
	if s.holds(r, slack) {
		return nil
	}
	reason, err := s.check(ctx)
	if err != nil {
		return err
	}
	s.steady.Store(nil)
	if s.ask != nil {
		steady, err := s.ask(ctx)
		if err != nil {
			return err
		}
		if steady {
			s.steady.Store(&checked{r.Version, r.Catalog})
		}
	}
	s.version, s.catalog, s.at, s.reason = r.Version, r.Catalog, r.Clock, reason
	return nil
}
