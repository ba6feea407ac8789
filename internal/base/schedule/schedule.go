// Package schedule runs named jobs at intervals.
//
// A job never overlaps itself: a run that is due while the previous one is
// running is skipped. After a failure the job's runs are skipped for a back-off
// of 1 s, which doubles with each further failure up to 30 s. A successful run
// ends the back-off. A panic counts as a failure of its run. Nothing is stored:
// schedules start again with the process.
//
// Jobs of the same short interval are due at the same moments, so that the tables
// of a database share its readings.
//
// Cost: one timer for all jobs, which runs ten times a second and looks at the jobs
// that are due. A job that does not run has no goroutine.
//
// Lane is the lock that makes the jobs of one table run one at a time.
package schedule

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"

	"indexerd/internal/base/recovered"
)

const (
	firstBackOff = time.Second
	maxBackOff   = 30 * time.Second
	// stopWithin is how long Stop waits for runs to end. An interrupted run is
	// repeated after the restart, so no work is lost.
	stopWithin = 4 * time.Second
	// beat is how often the scheduler looks for jobs that are due.
	beat = 100 * time.Millisecond
	// togetherUpTo is the longest interval whose jobs are due at the same moments.
	// Runs at longer intervals do more, and keep the distance of their starts.
	togetherUpTo = 5 * time.Second
)

// A Scheduler runs jobs until it is stopped.
type Scheduler struct {
	cron  gocron.Scheduler // runs start
	end   func() error     // ends cron, once
	log   *slog.Logger
	began time.Time

	ctx    context.Context // passed to every run
	cancel context.CancelFunc

	mu      sync.Mutex
	queue   queue
	stopped bool
	runs    sync.WaitGroup // Add is called only while stopped is false
}

// ErrRunning is the error of Stop if a run does not end in time.
var ErrRunning = errors.New("a run did not end")

// New returns a running scheduler without jobs. It logs failed runs to log.
func New(log *slog.Logger) (*Scheduler, error) {
	cron, err := gocron.NewScheduler()
	if err != nil {
		return nil, fmt.Errorf("scheduler: %w", err)
	}
	s := &Scheduler{cron: cron, end: sync.OnceValue(cron.Shutdown), log: log, began: time.Now()}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	_, err = cron.NewJob(gocron.DurationJob(beat), gocron.NewTask(s.startDue), gocron.WithSingletonMode(gocron.LimitModeReschedule))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("scheduler: %w", err), cron.Shutdown())
	}
	cron.Start()
	return s, nil
}

// Every runs a job after delay and then at every interval, which is a tenth of a
// second at least. Stop cancels the context of its runs.
func (s *Scheduler) Every(name string, interval, delay time.Duration, run func(context.Context) error) *Job {
	return s.EveryIf(name, interval, delay, always, run)
}

// EveryIf is Every for a job that is skipped unless wanted returns true. wanted must
// not wait.
func (s *Scheduler) EveryIf(name string, interval, delay time.Duration, wanted func() bool, run func(context.Context) error) *Job {
	return s.add(&Job{name: name, run: run, wanted: wanted, interval: interval, due: time.Now().Add(delay)})
}

// EveryUnless is Every for a job whose run is left out if passed returns true: then it
// counts as a run that took no time. passed is not called while the job runs, or after a
// run that failed. It must not wait.
func (s *Scheduler) EveryUnless(name string, interval, delay time.Duration, passed func() bool, run func(context.Context) error) *Job {
	j := &Job{name: name, run: run, interval: interval, due: time.Now().Add(delay)}
	j.wanted = func() bool { return !j.pass(passed) }
	return s.add(j)
}

// EveryBefore is Every for a job that is due shortly before the others of its interval.
func (s *Scheduler) EveryBefore(name string, interval time.Duration, run func(context.Context) error) *Job {
	return s.add(&Job{name: name, run: run, wanted: always, interval: interval, early: 2 * beat, due: time.Now()})
}

func always() bool { return true }

func (s *Scheduler) add(j *Job) *Job {
	j.scheduler, j.interval = s, max(j.interval, beat)
	s.mu.Lock()
	defer s.mu.Unlock()
	heap.Push(&s.queue, j)
	return j
}

// startDue starts the jobs that are due and wanted.
func (s *Scheduler) startDue() {
	for _, j := range s.takeDue(time.Now()) {
		if j.wanted() {
			go start(j)
		}
	}
}

// start runs a job in a new goroutine.
func start(j *Job) {
	growStack(0)
	j.tick()
}

// growStack grows the stack of a goroutine while there is nothing to copy. A run needs
// more than a goroutine begins with: three thousand short runs a second spent a quarter
// of their time on stacks that doubled. It returns a byte of its frame, i of 8192, so
// that the compiler keeps the frame.
//
//go:noinline
func growStack(i int) byte {
	var frame [8 << 10]byte
	return frame[i]
}

// takeDue returns the jobs that are due, and queues them again.
func (s *Scheduler) takeDue(now time.Time) (due []*Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > 0 && !s.queue[0].due.After(now) {
		j := s.queue[0]
		j.due = s.next(j.interval, now.Add(j.early)).Add(-j.early)
		heap.Fix(&s.queue, 0)
		due = append(due, j)
	}
	return due
}

// next returns when a job that is due now is due again.
func (s *Scheduler) next(interval time.Duration, now time.Time) time.Time {
	if interval > togetherUpTo {
		return now.Add(interval)
	}
	return s.began.Add((now.Sub(s.began)/interval + 1) * interval)
}

// A queue is a heap of jobs: the first is due first.
type queue []*Job

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(j any)        { *q = append(*q, j.(*Job)) }

// Pop implements heap.Interface. No job leaves the queue.
func (q *queue) Pop() any { panic("schedule: jobs are not removed") }

// Stop cancels all runs and waits up to 4 s for them to end. After ErrRunning it
// can be called again.
func (s *Scheduler) Stop() error {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.cancel()
	ended := make(chan error, 1)
	go func() {
		s.runs.Wait()
		ended <- s.end() // gocron waits for runs in a busy loop, so it ends after them
	}()
	select {
	case err := <-ended:
		if err != nil {
			err = fmt.Errorf("stop the scheduler: %w", err)
		}
		return err
	case <-time.After(stopWithin):
		return fmt.Errorf("stop the scheduler: %w within %v", ErrRunning, stopWithin)
	}
}

// enter registers a run. It returns false if the scheduler is stopped.
func (s *Scheduler) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.runs.Add(1)
	}
	return !s.stopped
}

// nextOf returns when a job is due next; zero if the scheduler is stopped.
func (s *Scheduler) nextOf(j *Job) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return time.Time{}
	}
	return j.due
}

// A Job is one function that runs at an interval.
type Job struct {
	scheduler *Scheduler
	name      string
	run       func(context.Context) error
	wanted    func() bool
	interval  time.Duration
	early     time.Duration // by which it is due before the others of its interval
	due       time.Time     // guarded by the scheduler

	mu      sync.Mutex
	status  Status
	backOff time.Duration
	resume  time.Time // runs due before this time are skipped
}

// Status describes a job's last and next run.
type Status struct {
	Running bool
	Last    time.Time // start of the last run that ended
	Took    time.Duration
	Next    time.Time
	Err     error // of the last run
}

// Status returns the job's status. Next is zero if the scheduler is stopped.
func (j *Job) Status() Status {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.status
	s.Next = j.nextRun()
	return s
}

// nextRun returns when the job runs next; zero if the scheduler is stopped.
func (j *Job) nextRun() time.Time {
	due := j.scheduler.nextOf(j)
	if due.IsZero() || due.After(j.resume) {
		return due
	}
	return j.resume
}

// Now runs the job immediately unless it is running. It ends the back-off and
// does not change the interval.
func (j *Job) Now() {
	j.mu.Lock()
	j.resume = time.Time{}
	j.mu.Unlock()
	go start(j)
}

// tick runs the job, unless it is running or backs off.
func (j *Job) tick() {
	started := time.Now()
	if !j.begin(started) {
		return
	}
	defer j.scheduler.runs.Done()
	ctx := j.scheduler.ctx
	err := j.runOnce(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // Stop cancelled the run
	}
	j.end(started, err)
}

// runOnce runs the job and returns a panic as an error.
func (j *Job) runOnce(ctx context.Context) (err error) {
	defer recovered.Into(&err)
	return j.run(ctx)
}

// pass reports whether a run that is due now is left out.
func (j *Job) pass(passed func() bool) bool {
	started := time.Now()
	j.mu.Lock()
	may := !j.status.Running && j.status.Err == nil && !j.status.Last.IsZero()
	j.mu.Unlock()
	if !may || !passed() {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.status.Running { // by a call of Now
		j.status = Status{Last: started}
	}
	return true
}

func (j *Job) begin(now time.Time) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.status.Running || now.Before(j.resume) || !j.scheduler.enter() {
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
			j.scheduler.log.Info("works again", "job", j.name)
		}
		j.backOff, j.resume = 0, time.Time{}
		return
	}
	j.backOff = min(max(2*j.backOff, firstBackOff), maxBackOff)
	j.resume = time.Now().Add(j.backOff)
	if p, ok := errors.AsType[*recovered.Error](err); ok {
		if stack := p.Stack(); stack != "" {
			j.scheduler.log.Error("job panicked", "job", j.name, "stack", stack)
		}
	}
	wait := max(j.backOff, time.Until(j.nextRun()).Round(time.Second)) // for the interval, if that is longer
	j.scheduler.log.Error("job failed", "job", j.name, "error", err, "retry_in", wait)
}

// A Lane is a lock that the jobs of one table share. Long jobs give it up
// between chunks. Waiting jobs get it in the order of their calls.
type Lane struct {
	slot chan struct{}
}

// NewLane returns a free lane.
func NewLane() *Lane { return &Lane{slot: make(chan struct{}, 1)} }

// Take waits until the lane is free or ctx ends.
func (l *Lane) Take(ctx context.Context) error {
	select {
	case l.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Try takes the lane if it is free.
func (l *Lane) Try() bool {
	select {
	case l.slot <- struct{}{}:
		return true
	default:
		return false
	}
}

// Give gives the lane up.
func (l *Lane) Give() { <-l.slot }
