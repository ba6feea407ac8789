// Package schedule runs named jobs at intervals, on gocron, which no other
// package imports.
//
// Invariant: a job never overlaps itself; a run that falls due while the last
// one goes on is left out. A job that failed waits longer and longer before it
// runs again, up to half a minute, so that a database that is down is not
// hammered; one good run and it is back to its interval.
//
// The package also owns the Lane, by which the jobs of one table take turns.
package schedule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"

	"indexerd/internal/recovered"
)

const (
	firstBackOff = time.Second
	maxBackOff   = 30 * time.Second
	// stopWithin is how long Stop waits for runs to end: what they were doing
	// is done again after a restart, so nothing is lost by leaving.
	stopWithin = 4 * time.Second
)

// A Scheduler runs jobs until it is stopped.
type Scheduler struct {
	cron gocron.Scheduler
	log  *slog.Logger

	ctx    context.Context // of every run
	cancel context.CancelFunc

	mu      sync.Mutex
	stopped bool
	runs    sync.WaitGroup // added to only while not stopped
}

// ErrRunning is Stop's when a run did not end in time. Stop can be called again.
var ErrRunning = errors.New("a run did not end")

// New returns a scheduler that is running and has no jobs. Failing jobs are
// logged to log.
func New(log *slog.Logger) (*Scheduler, error) {
	cron, err := gocron.NewScheduler()
	if err != nil {
		return nil, fmt.Errorf("scheduler: %w", err)
	}
	cron.Start()
	s := &Scheduler{cron: cron, log: log}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// Every runs a job after the delay, 0 being now, and then at the interval. The
// context of a run is cancelled by Stop.
func (s *Scheduler) Every(name string, interval, delay time.Duration, run func(context.Context) error) (*Job, error) {
	j := &Job{name: name, run: run, scheduler: s}
	start := gocron.WithStartImmediately()
	if delay > 0 {
		start = gocron.WithStartDateTime(time.Now().Add(delay))
	}
	cronJob, err := s.cron.NewJob(
		gocron.DurationJob(interval),
		gocron.NewTask(j.tick), // the one place that names a task: with a wrong arity gocron silently runs nothing
		gocron.WithName(name),
		gocron.WithSingletonMode(gocron.LimitModeReschedule),
		gocron.WithStartAt(start),
	)
	if err != nil {
		return nil, fmt.Errorf("schedule %s every %v: %w", name, interval, err)
	}
	j.next, j.now = cronJob.NextRun, cronJob.RunNow
	return j, nil
}

// Stop cancels the runs under way and waits a few seconds for them to end.
func (s *Scheduler) Stop() error {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.cancel()
	ended := make(chan struct{})
	go func() { s.runs.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(stopWithin):
		return fmt.Errorf("stop the scheduler: %w within %v", ErrRunning, stopWithin)
	}
	// Only now, with no run under way: gocron waits for runs by spinning.
	if err := s.cron.Shutdown(); err != nil {
		return fmt.Errorf("stop the scheduler: %w", err)
	}
	return nil
}

// enter counts a run in, unless the scheduler is being stopped.
func (s *Scheduler) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.runs.Add(1)
	}
	return !s.stopped
}

func (s *Scheduler) isStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// A Job is one function run at an interval.
type Job struct {
	scheduler *Scheduler
	name      string
	run       func(context.Context) error
	next      func() (time.Time, error)
	now       func() error

	mu      sync.Mutex
	status  Status
	backOff time.Duration
	resume  time.Time // runs due before are left out
}

// Status is what a job did last and does next. Times are this machine's.
type Status struct {
	Running bool
	Last    time.Time // start of the last run that ended
	Took    time.Duration
	Next    time.Time
	Err     error // of the last run
}

// Status returns the job's status. In a scheduler that is stopped nothing is
// next: gocron would take a second to say so, of each job.
func (j *Job) Status() Status {
	j.mu.Lock()
	s, resume := j.status, j.resume
	j.mu.Unlock()
	if j.scheduler.isStopped() {
		return s
	}
	if next, err := j.next(); err == nil {
		s.Next = next
	}
	if s.Next.Before(resume) {
		s.Next = resume
	}
	return s
}

// Now runs the job at once, beside its interval, unless it is running already.
// A pause after failures is over.
func (j *Job) Now() error {
	j.mu.Lock()
	j.resume = time.Time{}
	j.mu.Unlock()
	if err := j.now(); err != nil {
		return fmt.Errorf("run %s: %w", j.name, err)
	}
	return nil
}

// tick is one due run.
func (j *Job) tick() {
	started := time.Now()
	if !j.begin(started) {
		return
	}
	defer j.scheduler.runs.Done()
	ctx := j.scheduler.ctx
	err := j.runOnce(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // stopped, not failed
	}
	j.end(started, err)
}

// runOnce runs the job. A panic is a failure of this run alone.
func (j *Job) runOnce(ctx context.Context) (err error) {
	defer recovered.Into(&err)
	return j.run(ctx)
}

func (j *Job) begin(now time.Time) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if now.Before(j.resume) || !j.scheduler.enter() {
		return false
	}
	j.status.Running = true
	return true
}

func (j *Job) end(started time.Time, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.status = Status{Last: started, Took: time.Since(started), Err: err}
	if err == nil {
		if j.backOff > 0 {
			j.scheduler.log.Info("schedule works again", "job", j.name)
		}
		j.backOff, j.resume = 0, time.Time{}
		return
	}
	j.backOff = min(max(2*j.backOff, firstBackOff), maxBackOff)
	j.resume = time.Now().Add(j.backOff)
	if p := new(recovered.Error); errors.As(err, &p) {
		if stack := p.Stack(); stack != "" {
			j.scheduler.log.Error("schedule recovered from a panic", "job", j.name, "stack", stack)
		}
	}
	j.scheduler.log.Error("schedule failed", "job", j.name, "error", err, "again_in", j.backOff)
}
