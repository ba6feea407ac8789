package schedule

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A run that is passed by counts as one that took no time. After a failure the job runs.
func TestRunsArePassedBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newScheduler(t)
		var runs, asked atomic.Int32
		var passes, fails atomic.Bool
		j := s.EveryUnless("film", time.Second, 0, func() bool { asked.Add(1); return passes.Load() }, func(context.Context) error {
			if runs.Add(1); fails.Load() {
				return errors.New("broken")
			}
			return nil
		})
		time.Sleep(1500 * time.Millisecond)
		if runs.Load() == 0 {
			t.Fatal("the first run was passed by")
		}
		passes.Store(true)
		before := runs.Load()
		time.Sleep(time.Minute)
		if got := runs.Load(); got != before {
			t.Errorf("got %d runs while the job is passed by, want none", got-before)
		}
		if last := time.Since(j.Status().Last); last > time.Second {
			t.Errorf("the last run was %v ago, want it to be the last that was passed by", last)
		}
		fails.Store(true)
		j.Now()
		synctest.Wait()
		before = asked.Load()
		time.Sleep(3 * time.Second)
		if got := asked.Load(); got != before {
			t.Errorf("a job that failed was passed by %d times", got-before)
		}
		if runs.Load() < 3 || j.Status().Err == nil {
			t.Errorf("got %d runs and error %v, want the job to run again", runs.Load(), j.Status().Err)
		}
	})
}

// A job that prepares others is due before them, every time.
func TestEveryBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newScheduler(t)
		var prepared, runs atomic.Int64
		s.EveryBefore("readings", time.Second, func(context.Context) error { prepared.Store(time.Now().UnixNano()); return nil })
		s.Every("film", time.Second, 0, func(context.Context) error {
			if age := time.Duration(time.Now().UnixNano() - prepared.Load()); runs.Load() > 1 && (age < beat || age > 4*beat) {
				t.Errorf("run %d: prepared %v ago, want about %v", runs.Load(), age, 2*beat)
			}
			runs.Add(1)
			return nil
		})
		time.Sleep(10500 * time.Millisecond)
		if runs.Load() < 10 {
			t.Errorf("got %d runs, want 10", runs.Load())
		}
	})
}
