package simtest

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/doc"
)

// A watch computes the horizon as horizon.Watch does for a role that sees when
// transactions began. It keeps the highest horizon that a reading proved, and
// detects that the clock was set back: a transaction that is open then may write
// an updateTime below its beginning until it ends (R17b). For transactions that
// were open before the watch began, S is the lower bound: it went back with the
// step.
type watch struct {
	world *world

	server  string
	begun   bool
	clock   time.Time                  // at the last reading
	local   time.Time                  // the local clock at the last reading
	highest time.Time                  // reading of the clock since it was last set back
	proven  time.Time                  // lower bound of what can still commit
	settled time.Time                  // S when the watch began, proven or assumed
	bounds  map[*transaction]time.Time // lower bounds of what each can write
}

// newWatch returns a watch that continues from the last durable horizon.
func newWatch(w *world, last doc.Horizon) *watch {
	return &watch{
		world: w, server: last.Server, clock: last.Now, local: last.Local,
		highest: later(last.Now, last.At.Add(w.slack)), proven: last.At, settled: last.Floor,
	}
}

// Horizon implements compensate.Horizon.
func (h *watch) Horizon(context.Context) (doc.Horizon, error) {
	w := h.world
	w.catchUp()
	if err := w.step("horizon", 1); err != nil {
		return doc.Horizon{}, err
	}
	if server := w.db.serverName(); server != h.server {
		*h = watch{world: w, server: server} // the state of another server
	}
	now, local := w.Table.Clock(), w.local()
	h.update()
	back, floor := h.clockStep(now, local)
	if back > 0 {
		h.lowerBounds(floor)
		h.highest = now
	}
	h.clock, h.local, h.highest, h.begun = now, local, later(h.highest, now), true
	answer := doc.Horizon{Hidden: w.looks, Now: now, Local: local, Server: h.server, Version: fmt.Sprintf("%s %d", h.server, w.Table.Commits()), ClockBack: back, Floor: floor}
	if w.db.hidden {
		answer.Reason = "the role lacks a privilege"
		return answer, nil
	}
	answer.At = h.prove(now, back > 0, floor)
	answer.Exact = !answer.At.IsZero()
	return answer, nil
}

// update adds bounds for new transactions and drops those of ended ones.
func (h *watch) update() {
	bounds := map[*transaction]time.Time{}
	for _, x := range h.world.db.open {
		bound, known := h.bounds[x]
		if !known {
			bound = x.began
			if !h.begun && !h.settled.IsZero() {
				bound = earlier(bound, h.settled)
			}
		}
		bounds[x] = bound
	}
	h.bounds = bounds
}

// clockStep returns by how much the clock was set back since the last reading,
// and the lowest time that it can have shown.
func (h *watch) clockStep(now, local time.Time) (back time.Duration, floor time.Time) {
	if !h.clock.IsZero() {
		shown := now.Add(-local.Sub(h.local))
		back, floor = h.highest.Sub(shown), shown.Add(-h.world.slack)
	}
	if !h.begun && back <= h.world.slack/2 {
		floor = time.Time{}
		for _, x := range h.world.db.open { // the step was before the first reading
			back = max(back, x.began.Sub(now))
		}
	}
	if back <= h.world.slack/2 {
		return 0, time.Time{}
	}
	return back, floor
}

// lowerBounds lowers the bounds of open transactions to the floor of a step.
func (h *watch) lowerBounds(floor time.Time) {
	h.proven = earlier(h.proven, floor)
	for x, bound := range h.bounds {
		h.bounds[x] = earlier(bound, floor)
	}
}

// prove returns the horizon. It falls only when the clock was set back.
func (h *watch) prove(now time.Time, stepped bool, floor time.Time) time.Time {
	low := now
	for _, bound := range h.bounds {
		low = earlier(low, bound)
	}
	if low.IsZero() {
		return low
	}
	at := later(low.Add(-h.world.slack), h.proven)
	if stepped {
		at = earlier(at, floor)
	}
	if !at.IsZero() {
		h.proven = at
	}
	return at
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
