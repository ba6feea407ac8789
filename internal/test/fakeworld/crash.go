package fakeworld

import (
	"errors"
	"sync"
)

// ErrCrash is the error of every step from the crash on.
var ErrCrash = errors.New("the machine has stopped")

// A Countdown is a crash at a given step. Its Before is the Before of every part.
type Countdown struct {
	mu   sync.Mutex
	left int
}

// NewCountdown returns a crash after n steps.
func NewCountdown(n int) *Countdown { return &Countdown{left: n} }

// Before counts the step, and returns ErrCrash from the crash on.
func (c *Countdown) Before(string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		return ErrCrash
	}
	return nil
}

// Crashed reports whether a step has met the crash.
func (c *Countdown) Crashed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left < 0
}

func call(before func(string) error, step string) error {
	if before == nil {
		return nil
	}
	return before(step)
}
