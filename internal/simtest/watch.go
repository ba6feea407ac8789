package simtest

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/doc"
)

// A watch tells the horizon of a database as pgsource's Watch does where the
// beginnings of all transactions are seen. It remembers what a reading proved,
// and notices when the clock was set back: a transaction that is open then may
// stamp below its beginning, until it has ended (R17b). What was open when the
// watch began is bounded by S, which went back with the step.
type watch struct {
	world *world

	server  string
	begun   bool
	clock   time.Time // at the last reading
	local   time.Time // this machine's clock then
	highest time.Time // that the clock has shown since it was last set back
	proven  time.Time // nothing below it will come
	settled time.Time // S when the watch began, proven or assumed
	bounds  map[*transaction]time.Time
}

// newWatch goes on from the last horizon that was made durable.
func newWatch(w *world, last doc.Horizon) *watch {
	return &watch{
		world: w, server: last.Server, clock: last.Now, local: last.Local,
		highest: later(last.Now, last.At.Add(w.slack)), proven: last.At, settled: last.Floor,
	}
}

// Horizon implements compensate.Horizon.
func (h *watch) Horizon(context.Context) (doc.Horizon, error) {
	w := h.world
	if err := w.step("horizon", 1); err != nil {
		return doc.Horizon{}, err
	}
	if server := w.db.serverName(); server != h.server {
		*h = watch{world: w, server: server} // what is remembered speaks of another one
	}
	now, local := w.Table.Clock(), w.local()
	h.learn()
	back, floor := h.steppedBack(now, local)
	if back > 0 {
		h.holdAll(floor)
		h.highest = now
	}
	h.clock, h.local, h.highest, h.begun = now, local, later(h.highest, now), true
	answer := doc.Horizon{Now: now, Local: local, Server: h.server, Version: fmt.Sprintf("%s %d", h.server, w.Table.Commits()), ClockBack: back, Floor: floor}
	if w.db.vague {
		answer.Reason = "the grant was taken away"
		return answer, nil
	}
	answer.At = h.prove(now, back > 0, floor)
	answer.Exact = !answer.At.IsZero()
	return answer, nil
}

// learn bounds the transactions that are new, and forgets those that have
// ended.
func (h *watch) learn() {
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

// steppedBack tells by how much the clock was set back since the last reading,
// and what it showed then at the least.
func (h *watch) steppedBack(now, local time.Time) (back time.Duration, floor time.Time) {
	if !h.clock.IsZero() {
		shown := now.Add(-local.Sub(h.local))
		back, floor = h.highest.Sub(shown), shown.Add(-h.world.slack)
	}
	if !h.begun && back <= h.world.slack/2 {
		floor = time.Time{}
		for _, x := range h.world.db.open { // it was before the watch, who knows when
			back = max(back, x.began.Sub(now))
		}
	}
	if back <= h.world.slack/2 {
		return 0, time.Time{}
	}
	return back, floor
}

// holdAll bounds what is open at a step of the clock.
func (h *watch) holdAll(floor time.Time) {
	h.proven = earlier(h.proven, floor)
	for x, bound := range h.bounds {
		h.bounds[x] = earlier(bound, floor)
	}
}

// prove returns the horizon, which falls with the clock alone.
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
