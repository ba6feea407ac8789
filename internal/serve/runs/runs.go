// Package runs has the work that callers request, such as a reindex or a verify: it is
// done beside the schedule, and callers can follow and cancel it.
package runs

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"indexerd/internal/base/progress"
	"indexerd/internal/base/recovered"
	"indexerd/internal/serve/httpapi"
)

// keptRuns is how many runs are kept, so that callers can read their results.
const keptRuns = 100

// Runs is the work that callers requested. Each run is beside the schedule, and
// callers can follow and cancel it.
type Runs struct {
	ctx    context.Context // of every run
	cancel context.CancelFunc
	going  sync.WaitGroup
	log    *slog.Logger

	mu     sync.Mutex
	ending bool // no run may begin any more
	last   int
	all    []*Job // oldest first
}

// New returns no run.
func New() *Runs {
	r := &Runs{log: slog.New(slog.DiscardHandler)}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// LogTo has the runs that begin from now on log to a logger.
func (r *Runs) LogTo(log *slog.Logger) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = log
}

// Stop cancels all runs and waits for their ends.
func (r *Runs) Stop() {
	r.End()
	r.cancel()
	r.going.Wait()
}

// Begin has the runs wait for work at their end.
func (r *Runs) Begin(work func()) { r.going.Go(work) }

// AtStop has f called when the runs are stopped. stop ends that.
func (r *Runs) AtStop(f func()) (stop func() bool) { return context.AfterFunc(r.ctx, f) }

// End lets no run begin any more.
func (r *Runs) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ending = true
}

// Drain waits until all runs have ended, or ctx has.
func (r *Runs) Drain(ctx context.Context) {
	r.End()
	ended := make(chan struct{})
	go func() { r.going.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// Next returns the runs of the next engine. It keeps those that have ended, so that
// callers can read their results, and continues their numbers.
func (r *Runs) Next() *Runs {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := New()
	n.last, n.all = r.last, r.all
	return n
}

// A Job is the work of one run.
type Job struct {
	id, table, pass string
	Cancel          context.CancelFunc
	Meter           progress.Meter // counts the work as it goes

	mu     sync.Mutex
	state  string
	result any
	err    error
}

// Start begins a run, or returns the one of this table and pass that is under
// way. do returns the result, and whether removals are held.
func (r *Runs) Start(table, pass string, do func(context.Context, *Job) (result any, held bool, err error)) (httpapi.Run, error) {
	return r.Open(r.ctx, table, pass, func(ctx context.Context, one *Job) {
		log := r.log
		r.going.Go(func() {
			defer one.Cancel()
			one.End(one.CarryOut(ctx, log, do))
		})
	})
}

// CarryOut does the work of a run. A panic fails this run alone.
func (r *Job) CarryOut(ctx context.Context, log *slog.Logger, do func(context.Context, *Job) (any, bool, error)) (result any, held bool, err error) {
	defer func() { recovered.Log(log, err) }()
	defer recovered.Into(&err)
	return do(ctx, r)
}

// Open adds a run and starts it with begin, or returns the one of this table and
// pass that is under way.
func (r *Runs) Open(ctx context.Context, table, pass string, begin func(context.Context, *Job)) (httpapi.Run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ending {
		return httpapi.Run{}, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "indexerd is stopping, or takes a new configuration", Hint: "ask again when it runs"}
	}
	for _, other := range r.all {
		if other.table == table && other.pass == pass && other.running() {
			return other.Answer(), nil
		}
	}
	r.last++
	one := &Job{id: strconv.Itoa(r.last), table: table, pass: pass, state: "running"}
	ctx, one.Cancel = context.WithCancel(ctx)
	r.all = append(r.all, one)
	if len(r.all) > keptRuns && !r.all[0].running() {
		r.all = r.all[1:]
	}
	begin(ctx, one)
	return one.Answer(), nil
}

// Running returns the runs that are under way.
func (r *Runs) Running() (all []httpapi.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.all {
		if a := one.Answer(); a.State == "running" {
			all = append(all, a)
		}
	}
	return all
}

// Busy reports whether any run is under way.
func (r *Runs) Busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.all, func(one *Job) bool { return one.pass != "reload" && one.pass != "move" && one.running() })
}

func (r *Job) running() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state == "running"
}

// End ends a run with its result or its error. held reports that removals are held.
func (r *Job) End(result any, held bool, err error) {
	if errors.Is(err, context.Canceled) {
		err = errors.New("it was cancelled")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Meter.End()
	r.result, r.err = result, err
	switch {
	case err != nil:
		r.state = "failed"
	case held:
		r.state = "held"
	default:
		r.state = "done"
	}
}

// Answer returns the run as callers see it.
func (r *Job) Answer() httpapi.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.Meter.Reading()
	a := httpapi.Run{
		Run: r.id, Table: r.table, Pass: r.pass, State: r.state, Done: p.Done, Of: p.Of,
		Result: json.RawMessage("{}"), Error: httpapi.ErrorText(r.err),
	}
	if r.state == "running" {
		a.Step, a.Unit, a.PerS, a.ETAS = p.Step, p.Unit, p.Rate, p.Left.Seconds()
	}
	if r.result != nil {
		if result, err := json.Marshal(r.result); err == nil { // structs of numbers and text
			a.Result = result
		}
	}
	return a
}

// Find returns a run by its number.
func (r *Runs) Find(id string) (*Job, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.all {
		if one.id == id {
			return one, nil
		}
	}
	return nil, &httpapi.Error{Status: http.StatusNotFound, Code: "not_found", Message: "no run " + strconv.Quote(id), Hint: "runs are numbered again when indexerd starts"}
}
