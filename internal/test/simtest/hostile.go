package simtest

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/faultfs"
)

// A simulated error was injected. A pass that fails with any other error is a
// fault.
type simulated struct{ cause error }

func (e simulated) Error() string { return "simulated: " + e.cause.Error() }
func (e simulated) Unwrap() error { return e.cause }

func isSimulated(err error) bool {
	return errors.As(err, new(simulated)) || errors.Is(err, faultfs.ErrPowerCut)
}

// step runs before each step that can fail. It lets simulated time pass before
// one step in rarely, and then may inject the crash or an error.
func (w *world) step(name string, rarely int) error {
	if w.stopped {
		return simulated{fakeworld.ErrCrash}
	}
	w.result.Steps++
	if w.dice.IntN(rarely) == 0 {
		w.advance(w.pause())
	}
	if w.crashIn > 0 {
		if w.crashIn--; w.crashIn == 0 {
			w.stopped = true
			w.log.printf("the machine crashes at %s", name)
			return simulated{fakeworld.ErrCrash}
		}
	}
	if w.faults > 0 && !w.db.quiet && w.dice.IntN(w.faults) == 0 {
		w.log.printf("%s fails", name)
		return simulated{syscall.EIO}
	}
	return nil
}

// pause draws how long a step takes.
func (w *world) pause() time.Duration {
	switch w.dice.IntN(100) {
	case 0:
		return w.db.upTo(3 * time.Second)
	case 1, 2, 3, 4, 5, 6, 7, 8, 9:
		return w.db.upTo(100 * time.Millisecond)
	}
	return w.db.upTo(2 * time.Millisecond)
}

// stepQuery runs before each query.
func (w *world) stepQuery(name string) error {
	err := w.step(name, 1)
	if err != nil && !w.stopped {
		err = simulated{fmt.Errorf("%w: connection lost", doc.ErrUnavailable)}
	}
	return err
}

// stepStorage runs before each step of index, pages or quarantine.
func (w *world) stepStorage(name string) error {
	switch name {
	case "index health", "pages health":
		if !w.stopped {
			return nil // after an injected error the storage still works
		}
	}
	return w.step(name, 10)
}

// stepFile runs before each step of a file. A crash of the machine is a power cut
// for its disk.
func (w *world) stepFile(s faultfs.Step) error {
	err := w.step(s.Op, 10)
	if w.stopped {
		return simulated{fmt.Errorf("%w: %w", fakeworld.ErrCrash, faultfs.ErrPowerCut)}
	}
	return err
}

// planCrash lets the machine crash within the next 60 steps, and plans the crash
// after that.
func (w *world) planCrash() {
	if w.db.quiet {
		return
	}
	w.crashIn = 1 + w.dice.IntN(60)
	w.after(10*time.Second+w.db.upTo(90*time.Second), w.planCrash)
}

// stepClock sets the database's clock, if the passes have noticed the last step.
// Two steps without a reading between them may cancel each other out, and no
// reader could notice them.
func (w *world) stepClock() {
	if w.db.quiet {
		return
	}
	if w.loaded && len(w.unnoticed) == 0 {
		d := w.limitStep(time.Duration(w.dice.IntN(200)-120) * time.Second)
		w.Table.Advance(d)
		w.log.printf("the clock steps by %v", d)
		w.noteChange(d < 0)
	}
	w.after(40*time.Second+w.db.upTo(100*time.Second), w.stepClock)
}

// limitStep limits a clock step so that it does not meet the gap ahead.
func (w *world) limitStep(d time.Duration) time.Duration {
	if d > 0 && w.mayAssume() && w.gap != ahead {
		return d % (lastTimeout - longest)
	}
	return d
}

// failOver replaces the server by one whose clock differs by a few seconds.
func (w *world) failOver() {
	if w.db.quiet {
		return
	}
	if w.loaded && len(w.unnoticed) == 0 {
		clock := w.db.upTo(8*time.Second) - 5*time.Second
		w.db.failOver(min(w.dice.IntN(5), w.Table.Commits()), clock)
		w.noteChange(clock < 0)
	}
	w.after(60*time.Second+w.db.upTo(100*time.Second), w.failOver)
}

// toggleHorizon hides the horizon, or shows it again, for up to 130 seconds: long
// enough at times for the last tier to take over.
func (w *world) toggleHorizon() {
	w.db.hidden = !w.db.hidden && !w.db.quiet
	w.log.printf("the horizon is visible: %t", !w.db.hidden)
	w.after(10*time.Second+w.db.upTo(120*time.Second), w.toggleHorizon)
}
