package pace

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestShareIsDivided(t *testing.T) {
	const ms = time.Millisecond
	type wants struct {
		cost  time.Duration
		sure  bool
		want  time.Duration
		least time.Duration
	}
	for name, tasks := range map[string][]wants{
		"a short task":                        {{5 * ms, true, time.Second, 0}},
		"a task of unknown cost":              {{0, true, time.Second, 0}},
		"a long task":                         {{3 * time.Second, true, 30 * time.Second, 0}},
		"a long task beside a short one":      {{3 * time.Second, true, 3 * time.Second * 1000 / 95, 0}, {5 * ms, true, time.Second, 0}},
		"two long tasks":                      {{3 * time.Second, true, 60 * time.Second, 0}, {time.Second, true, 20 * time.Second, 0}},
		"more short tasks than fit":           {{50 * ms, true, 1500 * ms, 0}, {50 * ms, true, 1500 * ms, 0}, {50 * ms, true, 1500 * ms, 0}},
		"what is not sure gets what is left":  {{50 * ms, true, time.Second, 0}, {100 * ms, false, 2 * time.Second, 0}},
		"one that wants to be rare":           {{3 * time.Second, true, time.Minute, time.Minute}, {50 * ms, true, time.Second, 0}},
		"a rare one that needs all":           {{30 * time.Second, true, 5 * time.Minute, time.Minute}},
		"what is not sure, beside a long one": {{3 * time.Second, true, 30 * time.Second, 0}, {ms, false, maxInterval, 0}},
	} {
		s := NewShare(0.1)
		for i, task := range tasks {
			s.Every(string(rune('a'+i)), task.cost, task.least, task.sure)
		}
		for i, task := range tasks {
			got := s.Every(string(rune('a'+i)), task.cost, task.least, task.sure)
			if got.Round(ms) != task.want.Round(ms) {
				t.Errorf("%s: task %d: got every %v, want every %v", name, i, got, task.want)
			}
		}
	}
}

func TestShareOfAnIdleTaskGoesToOthers(t *testing.T) {
	s := NewShare(0.1)
	s.Every("a", time.Second, 0, true)
	if got := s.Every("b", time.Second, 0, true); got.Round(time.Millisecond) != 20*time.Second {
		t.Errorf("got every %v beside another task, want every 20s", got)
	}
	s.Idle("a", time.Second)
	if got := s.Every("b", time.Second, 0, true); got.Round(time.Millisecond) != 10*time.Second {
		t.Errorf("got every %v alone, want every 10s", got)
	}
}

// What makes one of many idle tasks needed may make all of them needed.
func TestIdleTasksDivideWithTheUnsure(t *testing.T) {
	s := NewShare(0.1)
	for i := range 100 {
		s.Idle(fmt.Sprint(i), 10*time.Millisecond)
	}
	if got := s.Every("0", 10*time.Millisecond, 0, false); got.Round(time.Millisecond) != 10*time.Second {
		t.Errorf("got every %v for one of 100 that may be needed, want every 10s", got)
	}
	if got := s.Every("0", 10*time.Millisecond, 0, true); got != time.Second {
		t.Errorf("got every %v for the one that is needed, want every 1s", got)
	}
}

func TestShortestTaskHasTheNextTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewShare(0.1)
		order := make(chan string, 5)
		if err := s.Take(t.Context(), "first"); err != nil {
			t.Fatal(err)
		}
		for name, cost := range map[string]time.Duration{"long": time.Minute, "short": time.Millisecond, "middle": time.Second, "unsure": 100 * time.Millisecond, "sure": 500 * time.Millisecond} {
			s.Every(name, cost, 0, name != "short" && name != "unsure")
			go func() {
				if err := s.Take(t.Context(), name); err != nil {
					t.Error(err)
				}
				order <- name
				s.Give()
			}()
		}
		withdrawn, cancel := context.WithCancel(t.Context())
		go func() {
			if err := s.Take(withdrawn, "withdrawn"); err == nil {
				t.Error("got a turn after the wait was cancelled, want none")
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		s.Give()
		for _, want := range []string{"short", "sure", "unsure", "middle", "long"} {
			if got := <-order; got != want {
				t.Errorf("got the turn of %s, want that of %s", got, want)
			}
		}
		synctest.Wait()
		if err := s.Take(t.Context(), "last"); err != nil {
			t.Error(err)
		}
	})
}
