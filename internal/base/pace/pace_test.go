package pace_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/pace"
)

// Statements that are charged afterwards delay the next callers.
func TestRateHoldsOnAverage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pace.New(pace.Limits{PerSecond: 50})
		began := time.Now()
		var waiters sync.WaitGroup
		for range 10 {
			waiters.Go(func() {
				for range 20 {
					wait(t, p)
					p.Took(t.Context(), time.Millisecond)
					p.Charge(2)
				}
			})
		}
		waiters.Wait()
		took, least := time.Since(began), 12*time.Second-time.Second
		if took < least || took > least+2*time.Second {
			t.Errorf("600 statements at 50 a second: got %v, want about 12 s", took)
		}
	})
}

func TestNoLimitsNoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pace.New(pace.Limits{})
		began := time.Now()
		for range 1000 {
			wait(t, p)
			p.Took(t.Context(), time.Hour)
			p.Charge(5)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("waited %v, want not at all", took)
		}
		if f := p.Figures(); f.Statements != 1000 || f.Busy != 1000*time.Hour || f.Slow {
			t.Errorf("got %+v, want 1000 statements, 1000 h, not slow", f)
		}
	})
}

// With more than one slow statement in twenty each one is followed by a pause of
// nine times its duration, until the database is fast again.
func TestSlowDatabaseGetsPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const fast, slow = time.Millisecond, time.Second
		p := pace.New(pace.Limits{Slow: 500 * time.Millisecond})
		ask := func(d time.Duration) time.Duration {
			wait(t, p)
			began := time.Now()
			time.Sleep(d)
			p.Took(t.Context(), d)
			wait(t, p)
			return time.Since(began)
		}
		for i := range 200 {
			d := fast
			if i%20 == 0 {
				d = slow
			}
			if took := ask(d); took != d {
				t.Fatalf("statement %d, one of twenty slow: got a pause of %v, want none", i, took-d)
			}
		}
		ask(slow)
		if took := ask(slow); took != 10*slow || !p.Figures().Slow {
			t.Errorf("slow: got %v, %+v, want ten times %v", took, p.Figures(), slow)
		}
		if took := ask(10 * time.Second); took != 40*time.Second {
			t.Errorf("very slow: got a pause of %v, want at most 30 s", took-10*time.Second)
		}
		began := time.Now()
		for range 100 {
			ask(fast)
		}
		if took := time.Since(began); took > 2*time.Second || p.Figures().Slow {
			t.Errorf("fast again: after %v got %+v, want it not slow", took, p.Figures())
		}
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pace.New(pace.Limits{PerSecond: 1})
		p.Charge(3600)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
	})
}

// A meter counts the statements of its context alone.
func TestMeter(t *testing.T) {
	p := pace.New(pace.Limits{})
	ctx, outer := pace.Metered(t.Context())
	p.Took(ctx, time.Second)
	inner, m := pace.Metered(ctx)
	p.Took(inner, time.Minute)
	p.Took(inner, time.Minute)
	p.Took(t.Context(), time.Hour)
	if outer.Spent() != time.Second || m.Spent() != 2*time.Minute {
		t.Errorf("got %v and %v, want 1 s and 2 m", outer.Spent(), m.Spent())
	}
}

// A run that takes long beside others does not count, and a task that stays long does.
func TestCost(t *testing.T) {
	var c pace.Cost
	if c.Median() != 0 {
		t.Errorf("without a run: got %v, want 0", c.Median())
	}
	for _, one := range []struct{ took, want time.Duration }{{2, 2}, {9, 9}, {3, 3}, {9, 9}, {1, 3}, {9, 9}, {9, 9}} {
		if c.Add(one.took); c.Median() != one.want {
			t.Errorf("after a run of %d: got a median of %d, want %d", one.took, c.Median(), one.want)
		}
	}
}

func wait(t *testing.T, p *pace.Pace) {
	t.Helper()
	if err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}
