package hits

import (
	"errors"
	"runtime"
	"testing"

	"indexerd/internal/index/fulltext/plan"
)

// A search has other goroutines only where processors are idle.
func TestProcessors(t *testing.T) {
	p := NewProcessors(3)
	endFirst := p.use()
	if others, release := p.take(2); others != 1 {
		t.Errorf("of two pieces of work: got %d other goroutines, want 1", others)
	} else {
		release()
	}
	others, release := p.take(9)
	if others != 2 {
		t.Errorf("on three processors: got %d other goroutines, want 2", others)
	}
	endSecond := p.use() // no search waits for another one
	if others, none := p.take(9); others != 0 {
		t.Errorf("when none is idle: got %d other goroutines", others)
	} else {
		none()
	}
	release()
	if others, release := p.take(9); others != 1 {
		t.Errorf("beside another search: got %d other goroutines, want 1", others)
	} else {
		release()
	}
	endFirst()
	endSecond()
	if used := p.used.Load(); used != 0 {
		t.Errorf("at the end %d are in use", used)
	}
}

// A search does not wait for a goroutine that has not begun.
func TestTogetherDoesNotWait(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const times = 100
	alone := 0
	for range times {
		calls := 0
		if err := together(new(plan.Session), 3, func(int, *plan.Deadline) error { calls++; return nil }); err != nil {
			t.Fatal(err)
		}
		if calls == 1 {
			alone++
		}
	}
	if alone < times*9/10 {
		t.Errorf("%d of %d searches waited for goroutines that had no work", times-alone, times)
	}
}

// It waits for those that have begun, and has their errors and panics.
func TestTogetherWaits(t *testing.T) {
	fault := errors.New("fault")
	run := func(other func() error) error {
		begun, ended := make(chan bool), false
		err := together(new(plan.Session), 1, func(i int, _ *plan.Deadline) error {
			if i == 1 { // the caller
				<-begun
				return nil
			}
			begun <- true
			runtime.Gosched()
			ended = true
			return other()
		})
		if !ended {
			t.Error("a goroutine runs after its search")
		}
		return err
	}
	if err := run(func() error { return fault }); !errors.Is(err, fault) {
		t.Errorf("got %v, want the error of the other goroutine", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a panic of the other goroutine is lost")
		}
	}()
	_ = run(func() error { panic("fault") })
}
