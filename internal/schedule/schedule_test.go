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

func newScheduler(t *testing.T) *Scheduler {
	t.Helper()
	s, err := New(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func every(t *testing.T, s *Scheduler, d time.Duration, run func(context.Context) error) *Job {
	t.Helper()
	j, err := s.Every("job", d, 0, run)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestRunsNowAndAtTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		every(t, newScheduler(t), time.Minute, func(context.Context) error { runs.Add(1); return nil })
		time.Sleep(time.Hour + time.Second)
		// gocron may fire an instant twice when its timer and its plan meet.
		if got := runs.Load(); got < 61 || got > 66 {
			t.Errorf("runs in an hour: got %d, want 61 and hardly more", got)
		}
	})
}

func TestFirstRunWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		s := newScheduler(t)
		if _, err := s.Every("job", time.Minute, 10*time.Minute, func(context.Context) error { runs.Add(1); return nil }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(9 * time.Minute)
		if got := runs.Load(); got != 0 {
			t.Errorf("runs before the delay: got %d, want 0", got)
		}
		time.Sleep(2*time.Minute + time.Second)
		if got := runs.Load(); got < 1 || got > 3 {
			t.Errorf("runs a minute after the delay: got %d, want 2 or so", got)
		}
	})
}

func TestNeverOverlapsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most, runs atomic.Int32
		every(t, newScheduler(t), time.Second, func(context.Context) error {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			runs.Add(1)
			time.Sleep(2500 * time.Millisecond)
			return nil
		})
		time.Sleep(time.Minute)
		if got := most.Load(); got != 1 {
			t.Errorf("runs at once: got %d, want 1", got)
		}
		if got := runs.Load(); got < 15 || got > 25 {
			t.Errorf("runs of 2.5 s each in a minute: got %d, want about 20", got)
		}
	})
}

func TestFailingJobBacksOffAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		var down atomic.Bool
		down.Store(true)
		j := every(t, newScheduler(t), time.Second, func(context.Context) error {
			runs.Add(1)
			if down.Load() {
				return errors.New("database is down")
			}
			return nil
		})
		time.Sleep(10 * time.Minute)
		if got := runs.Load(); got < 20 || got > 30 {
			t.Errorf("runs in ten minutes of failing: got %d, want about 25 (one in %v)", got, maxBackOff)
		}
		if s := j.Status(); s.Err == nil || s.Next.Before(time.Now()) {
			t.Errorf("status while failing: got error %v, next run at %v", s.Err, s.Next)
		}
		down.Store(false)
		time.Sleep(maxBackOff + time.Second)
		before := runs.Load()
		time.Sleep(10 * time.Second)
		if got := runs.Load() - before; got != 10 {
			t.Errorf("runs in ten seconds after recovery: got %d, want 10", got)
		}
		if err := j.Status().Err; err != nil {
			t.Errorf("status after recovery: got error %v, want none", err)
		}
	})
}

func TestStopCancelsAndIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s, err := New(slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		var ended atomic.Bool
		every(t, s, time.Second, func(ctx context.Context) error {
			<-ctx.Done()
			ended.Store(true)
			return ctx.Err()
		})
		synctest.Wait()
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		if !ended.Load() {
			t.Error("the run was not cancelled")
		}
		if strings.Contains(log.String(), "failed") {
			t.Errorf("a stopped run was logged as failed: %s", log.String())
		}
	})
}

// A status is asked for while everything is closed, and keeps nobody waiting.
func TestStatusOfAStoppedScheduler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		j := every(t, s, time.Minute, func(context.Context) error { return nil })
		time.Sleep(time.Second)
		before := j.Status()
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		asked := time.Now()
		if got := j.Status(); !got.Next.IsZero() || got.Last != before.Last || before.Next.IsZero() {
			t.Errorf("got %+v, want that of before, %+v, and nothing next", got, before)
		}
		if took := time.Since(asked); took > 0 {
			t.Errorf("the status took %v", took)
		}
	})
}

// A run that goes on after its context has ended is told by Stop, and Stop can
// be called again.
func TestStopSaysWhatStillRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		every(t, s, time.Minute, func(context.Context) error { time.Sleep(stopWithin + time.Second); return nil })
		time.Sleep(time.Millisecond)
		if err := s.Stop(); !errors.Is(err, ErrRunning) {
			t.Errorf("got %v, want that a run did not end", err)
		}
		if err := s.Stop(); err != nil {
			t.Errorf("again: got %v", err)
		}
	})
}

func TestLaneIsTakenOnceAndInOrder(t *testing.T) {
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
		lane.Give()
		synctest.Wait()
		if got := strings.Join(order, " "); got != "first second" {
			t.Errorf("order: got %q, want %q", got, "first second")
		}
		busy := NewLane()
		if err := busy.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := busy.Take(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("busy lane with a cancelled context: got %v, want %v", err, context.Canceled)
		}
	})
}

// A panic is a failure of one run: the job is tried again, and other jobs never
// notice.
func TestPanicIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s, err := New(slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		var runs, others atomic.Int32
		job := every(t, s, time.Minute, func(context.Context) error {
			if runs.Add(1) == 1 {
				panic("once")
			}
			return nil
		})
		every(t, s, time.Minute, func(context.Context) error { others.Add(1); return nil })
		time.Sleep(time.Second)
		if got := job.Status(); got.Running || got.Err == nil || !strings.Contains(got.Err.Error(), "panic: once") {
			t.Errorf("got %+v, want a run that failed", got)
		}
		time.Sleep(2 * time.Minute)
		if got := job.Status(); got.Err != nil || runs.Load() < 2 || others.Load() < 2 {
			t.Errorf("got %+v after %d and %d runs, want more of both", got, runs.Load(), others.Load())
		}
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(log.String(), "stack="); got != 1 {
			t.Errorf("got %d stacks in the log, want 1: %s", got, &log)
		}
	})
}
