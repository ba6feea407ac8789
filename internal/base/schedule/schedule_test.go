package schedule

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// newScheduler returns a scheduler that the test stops, and its log.
func newScheduler(t *testing.T) (*Scheduler, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	s, err := New(slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.ctx.Err() != nil {
			return // stopped by the test; gocron does not support a second Shutdown
		}
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s, &log
}

func every(t *testing.T, s *Scheduler, interval, delay time.Duration, run func(context.Context) error) *Job {
	t.Helper()
	return s.Every("job", interval, delay, run)
}

// count returns a job function that counts its runs.
func count(runs *atomic.Int32) func(context.Context) error {
	return func(context.Context) error { runs.Add(1); return nil }
}

func TestJobRunsAfterItsDelayAndAtItsInterval(t *testing.T) {
	for _, delay := range []time.Duration{0, 10 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			var runs atomic.Int32
			s, _ := newScheduler(t)
			every(t, s, time.Minute, delay, count(&runs))
			time.Sleep(delay - time.Minute)
			if got := runs.Load(); delay > 0 && got != 0 {
				t.Errorf("delay %v: got %d runs before it, want 0", delay, got)
			}
			time.Sleep(time.Hour + min(delay, time.Minute) + time.Second)
			if got := runs.Load(); got != 61 {
				t.Errorf("delay %v: got %d runs in an hour, want 61", delay, got)
			}
		})
	}
}

// Jobs of one short interval run at the same moments, whenever they were added.
func TestJobsOfAnIntervalRunTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newScheduler(t)
		runs := make(chan time.Duration, 100)
		began := time.Now()
		for range 3 {
			every(t, s, 2*time.Second, 0, func(context.Context) error { runs <- time.Since(began); return nil })
			time.Sleep(300 * time.Millisecond)
		}
		for range 3 {
			<-runs // the first of each job
		}
		for i := range 15 {
			if got, want := (<-runs).Round(beat), 2*time.Second*time.Duration(i/3+1); got != want {
				t.Errorf("run %d: got it after %v, want it after %v", i, got, want)
			}
		}
	})
}

// A run that was started is not started again while it runs.
func TestNowDoesNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newScheduler(t)
		var runs atomic.Int32
		j := every(t, s, time.Hour, time.Minute, func(context.Context) error { runs.Add(1); time.Sleep(time.Second); return nil })
		for range 3 {
			j.Now()
		}
		time.Sleep(2 * time.Second)
		if got := runs.Load(); got != 1 {
			t.Errorf("got %d runs, want 1", got)
		}
		j.Now()
		time.Sleep(2 * time.Second)
		if got := runs.Load(); got != 2 {
			t.Errorf("started again: got %d runs, want 2", got)
		}
	})
}

func TestJobThatIsNotWantedIsSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newScheduler(t)
		var runs atomic.Int32
		var wanted atomic.Bool
		s.EveryIf("job", time.Second, 0, wanted.Load, count(&runs))
		time.Sleep(10*time.Second + beat)
		if got := runs.Load(); got != 0 {
			t.Errorf("not wanted: got %d runs, want 0", got)
		}
		wanted.Store(true)
		time.Sleep(10 * time.Second)
		if got := runs.Load(); got != 10 {
			t.Errorf("wanted for ten seconds: got %d runs, want 10", got)
		}
	})
}

func TestJobNeverOverlapsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most, runs atomic.Int32
		s, _ := newScheduler(t)
		every(t, s, time.Second, 0, func(context.Context) error {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			runs.Add(1)
			time.Sleep(2500 * time.Millisecond)
			return nil
		})
		time.Sleep(time.Minute)
		if got := most.Load(); got != 1 {
			t.Errorf("got %d runs at the same time, want 1", got)
		}
		if got := runs.Load(); got < 15 || got > 25 {
			t.Errorf("got %d runs of 2.5 s in a minute, want about 20", got)
		}
	})
}

func TestFailingJobBacksOffUntilItSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		var down atomic.Bool
		down.Store(true)
		s, log := newScheduler(t)
		j := every(t, s, time.Second, 0, func(context.Context) error {
			runs.Add(1)
			if down.Load() {
				return errors.New("database is down")
			}
			return nil
		})
		time.Sleep(10 * time.Minute)
		if got := runs.Load(); got < 20 || got > 30 {
			t.Errorf("failing for ten minutes: got %d runs, want about 25 (one in %v)", got, maxBackOff)
		}
		if s := j.Status(); s.Err == nil || s.Next.Before(time.Now()) {
			t.Errorf("failing: got error %v and next run at %v, want an error and a future time", s.Err, s.Next)
		}
		down.Store(false)
		time.Sleep(maxBackOff + time.Second)
		before := runs.Load()
		time.Sleep(10 * time.Second)
		if got := runs.Load() - before; got != 10 {
			t.Errorf("recovered for ten seconds: got %d runs, want 10", got)
		}
		if err := j.Status().Err; err != nil {
			t.Errorf("recovered: got error %v, want none", err)
		}
		synctest.Wait()
		if got := strings.Count(log.String(), "works again"); got != 1 {
			t.Errorf("recovered: logged %d times, want once", got)
		}
	})
}

// The log says when a run that failed is tried again: a job with a long interval waits for it.
func TestLogSaysWhenARunIsTriedAgain(t *testing.T) {
	for interval, want := range map[time.Duration]string{time.Second: "retry_in=1s", time.Hour: "retry_in=1h0m0s"} {
		synctest.Test(t, func(t *testing.T) {
			s, log := newScheduler(t)
			every(t, s, interval, 0, func(context.Context) error { return errors.New("database is down") })
			time.Sleep(500 * time.Millisecond)
			synctest.Wait()
			if got := log.String(); strings.Count(got, "job failed") != 1 || !strings.Contains(got, want) {
				t.Errorf("an interval of %v: got the log %q, want %s", interval, got, want)
			}
		})
	}
}

func TestPanicIsAFailureOfOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := newScheduler(t)
		var runs, others atomic.Int32
		job := every(t, s, time.Minute, 0, func(context.Context) error {
			if runs.Add(1) == 1 {
				panic("once")
			}
			return nil
		})
		every(t, s, time.Minute, 0, count(&others))
		time.Sleep(time.Second)
		if got := job.Status(); got.Running || got.Err == nil || !strings.Contains(got.Err.Error(), "panic: once") {
			t.Errorf("got %+v, want the panic as the error of the run", got)
		}
		time.Sleep(2 * time.Minute)
		if got := job.Status(); got.Err != nil || runs.Load() < 2 || others.Load() < 2 {
			t.Errorf("got %+v, %d runs of the job and %d of another one, want no error and at least 2 of each", got, runs.Load(), others.Load())
		}
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(log.String(), "stack="); got != 1 {
			t.Errorf("got %d stacks in the log, want 1: %s", got, log)
		}
	})
}

func TestStopCancelsRunsAndReportsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := newScheduler(t)
		var ended atomic.Bool
		every(t, s, time.Second, 0, func(ctx context.Context) error {
			<-ctx.Done()
			ended.Store(true)
			return ctx.Err()
		})
		time.Sleep(2 * beat)
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		if !ended.Load() {
			t.Error("the run was not cancelled")
		}
		if strings.Contains(log.String(), "failed") {
			t.Errorf("got a failure logged for the cancelled run: %s", log)
		}
	})
}

func TestStopReturnsErrRunningAndCanBeRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newScheduler(t)
		every(t, s, time.Minute, 0, func(context.Context) error { time.Sleep(stopWithin + time.Second); return nil })
		time.Sleep(2 * beat)
		if err := s.Stop(); !errors.Is(err, ErrRunning) {
			t.Errorf("first Stop: got %v, want %v", err, ErrRunning)
		}
		if err := s.Stop(); err != nil {
			t.Errorf("second Stop: got %v", err)
		}
	})
}

func TestStatusOfAStoppedSchedulerDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newScheduler(t)
		j := every(t, s, time.Minute, 0, func(context.Context) error { return nil })
		time.Sleep(time.Second)
		before := j.Status()
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if got := j.Status(); !got.Next.IsZero() || got.Last != before.Last || before.Next.IsZero() {
			t.Errorf("got %+v, want %+v without a next run", got, before)
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("Status took %v, want no time", took)
		}
	})
}

func TestLaneIsTakenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := NewLane()
		if err := lane.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, name := range []string{"first", "second"} {
			go func() {
				if lane.Take(t.Context()) == nil {
					order = append(order, name)
					lane.Give()
				}
			}()
			synctest.Wait()
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := lane.Take(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("taken lane with a cancelled context: got %v, want %v", err, context.Canceled)
		}
		lane.Give()
		synctest.Wait()
		if got := strings.Join(order, " "); got != "first second" {
			t.Errorf("order: got %q, want %q", got, "first second")
		}
	})
}
