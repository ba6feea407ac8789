package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/stored"
	"indexerd/internal/state/etcd"
)

// A daemon that shares marks asks each of its databases, the cluster and the store of
// pages every reachEvery, for reachWithin. A leader that gets no answer for stepDownAfter
// ends its term, if a standby gets all of them.
const (
	reachEvery    = 5 * time.Second
	reachWithin   = 5 * time.Second
	stepDownAfter = 30 * time.Second
)

// A stepDown ends a term so that a standby can lead.
type stepDown struct{ why string }

func (e *stepDown) Error() string { return e.why }

// Is reports that the term is lost.
func (*stepDown) Is(target error) bool { return target == etcd.ErrLost }

// reach is what a daemon does not reach, through all its engines.
type reach struct {
	mu     sync.Mutex
	why    string    // "": it reaches all
	since  time.Time // since when it does not
	stores bool      // index or pages are missing
}

// note records what is not reached.
func (r *reach) note(why string, stores bool, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why == "" {
		r.since = time.Time{}
	} else if r.since.IsZero() {
		r.since = now
	}
	r.why, r.stores = why, stores
}

// lacks returns what has not been reached for stepDownAfter; "": nothing.
func (r *reach) lacks(now time.Time) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since.IsZero() || now.Sub(r.since) < stepDownAfter {
		return ""
	}
	return r.why
}

// storesAway reports whether index or pages can't be opened now.
func (r *reach) storesAway() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stores
}

// watchReach asks what an engine needs until ctx ends. It ends the engine of a leader that
// a standby can replace, or whose term is lost.
func (d *daemon) watchReach(ctx context.Context, e *Engine, end context.CancelCauseFunc) {
	var lost <-chan struct{}
	term := e.shared.Term()
	if term != nil {
		lost = term.Lost()
	}
	questions := e.questions()
	tick := time.NewTicker(reachEvery)
	defer tick.Stop()
	for {
		why, stores := unreached(ctx, questions)
		if ctx.Err() != nil {
			return
		}
		d.reach.note(why, stores, time.Now())
		e.shared.Describe(func(m *etcd.Member) { m.Unreached = why })
		if term != nil {
			m, _ := e.shared.Described()
			_ = term.Describe(ctx, m) // the next time
		}
		if lacks := d.reach.lacks(time.Now()); lacks != "" && term != nil && e.shared.Replaceable(ctx, term) {
			d.stepDown(e, lacks, end)
			return
		}
		select {
		case <-tick.C:
		case <-e.stepDowns:
			e.shared.YieldFirst()
			end(errAsked)
			return
		case <-lost:
			end(term.Err())
			return
		case <-ctx.Done():
			return
		}
	}
}

// stepDown ends the term at once: passes that wait for what does not answer end later,
// and can't move a mark.
func (d *daemon) stepDown(e *Engine, why string, end context.CancelCauseFunc) {
	e.shared.YieldFirst()
	end(&stepDown{"a standby reaches what this daemon does not: " + why})
	if err := e.shared.Resign(); err != nil {
		d.Log.Warn("indexerd resigned", "error", configs.Message(err))
	}
}

// A question is asked of one thing that a daemon needs.
type question struct {
	name   string
	stores bool // it is index or pages
	ask    func(context.Context) error
}

// questions returns what to ask for an engine.
func (e *Engine) questions() (all []question) {
	for _, s := range e.sources {
		all = append(all, question{"source " + s.Conf.Name, false, s.Ping})
	}
	if e.cfg.Index.Engine == configs.OpenSearch && len(e.tables) > 0 {
		all = append(all, question{"index", true, e.tables[0].AsksCluster()})
	}
	return append(all, question{"pages", true, e.pageStore.Ask})
}

// unreached asks everything at once. It returns the first thing that does not answer, and
// whether that is index or pages.
func unreached(ctx context.Context, all []question) (why string, stores bool) {
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	answers := make([]error, len(all))
	var asking sync.WaitGroup
	for i, q := range all {
		asking.Go(func() { answers[i] = q.ask(ctx) })
	}
	asking.Wait()
	for i, err := range answers {
		if isUnreached(err) && why == "" {
			why = all[i].name + ": " + httpapi.SingleLine(err)
		}
		stores = stores || isUnreached(err) && all[i].stores
	}
	return why, stores
}

// isUnreached reports whether an error means that nothing answers.
func isUnreached(err error) bool {
	return stored.IsAway(err) || errors.Is(err, context.DeadlineExceeded) || doc.IsUnreachable(err)
}
