package simtest

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	"indexerd/internal/faultfs"
)

// A simulated error is one that the world made: passes may fail with it, and
// with nothing else.
type simulated struct{ cause error }

func (e simulated) Error() string { return "simulated: " + e.cause.Error() }
func (e simulated) Unwrap() error { return e.cause }

func isSimulated(err error) bool {
	return errors.As(err, new(simulated)) || errors.Is(err, faultfs.ErrPowerCut)
}

// step is ahead of each step that can fail or be the last one. Others act
// meanwhile: one time in so many for long.
func (w *world) step(name string, rarely int) error {
	if w.stopped {
		return simulated{fakeworld.ErrCrash}
	}
	w.result.Steps++
	if w.dice.IntN(rarely) == 0 {
		w.advance(w.pause())
	}
	if w.fuse > 0 {
		if w.fuse--; w.fuse == 0 {
			w.stopped = true
			w.log.say("the machine stops at %s", name)
			return simulated{fakeworld.ErrCrash}
		}
	}
	if w.faults > 0 && !w.db.quiet && w.dice.IntN(w.faults) == 0 {
		w.log.say("%s fails", name)
		return simulated{syscall.EIO}
	}
	return nil
}

// pause is how long a step takes.
func (w *world) pause() time.Duration {
	switch w.dice.IntN(100) {
	case 0:
		return w.db.upTo(3 * time.Second)
	case 1, 2, 3, 4, 5, 6, 7, 8, 9:
		return w.db.upTo(100 * time.Millisecond)
	}
	return w.db.upTo(2 * time.Millisecond)
}

// ask is the step of a query.
func (w *world) ask(name string) error {
	err := w.step(name, 1)
	if err != nil && !w.stopped {
		err = simulated{fmt.Errorf("%w: the connection broke", doc.ErrUnavailable)}
	}
	return err
}

// touch is the step of index, pages or quarantine.
func (w *world) touch(name string) error {
	switch name {
	case "index health", "pages health":
		if !w.stopped {
			return nil // what failed can be tried again
		}
	}
	return w.step(name, 10)
}

// onDisk is the step of a file. When the machine stops the power goes with it.
func (w *world) onDisk(s faultfs.Step) error {
	err := w.step(s.Op, 10)
	if w.stopped {
		return simulated{fmt.Errorf("%w: %w", fakeworld.ErrCrash, faultfs.ErrPowerCut)}
	}
	return err
}

// lightFuse has the machine stop within some steps, and do so again.
func (w *world) lightFuse() {
	if w.db.quiet {
		return
	}
	w.fuse = 1 + w.dice.IntN(60)
	w.after(10*time.Second+w.db.upTo(90*time.Second), w.lightFuse)
}

// stepClock sets the database's clock. Two steps that nobody reads the clock
// between may make up for each other, and nobody could tell: so the last one
// must have been seen.
func (w *world) stepClock() {
	if w.db.quiet {
		return
	}
	if w.loaded && len(w.unseen) == 0 {
		d := w.harmless(time.Duration(w.dice.IntN(200)-120) * time.Second)
		w.Table.Advance(d)
		w.log.say("the clock steps by %v", d)
		w.changed(d < 0)
	}
	w.after(40*time.Second+w.db.upTo(100*time.Second), w.stepClock)
}

// harmless makes a step of the clock one that is not known to break the promise.
func (w *world) harmless(d time.Duration) time.Duration {
	if d > 0 && w.sometimesAssumed() && w.known != ahead {
		return d % (lastTimeout - longest)
	}
	return d
}

// failOver changes the server, whose clock may be a little off.
func (w *world) failOver() {
	if w.db.quiet {
		return
	}
	if w.loaded && len(w.unseen) == 0 {
		clock := w.db.upTo(8*time.Second) - 5*time.Second
		w.db.failOver(min(w.dice.IntN(5), w.Table.Commits()), clock)
		w.changed(clock < 0)
	}
	w.after(60*time.Second+w.db.upTo(100*time.Second), w.failOver)
}

// hideHorizon has the database not tell what is open for a while: long enough,
// now and then, for the last tier to take over.
func (w *world) hideHorizon() {
	w.db.vague = !w.db.vague && !w.db.quiet
	w.log.say("the horizon is told: %t", !w.db.vague)
	w.after(10*time.Second+w.db.upTo(120*time.Second), w.hideHorizon)
}
