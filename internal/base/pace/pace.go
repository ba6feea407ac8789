// Package pace limits the statements that this daemon sends to one database: to
// a number per second, and to a tenth of one connection's time while the
// database is slow.
//
// A caller waits before it takes a connection, and never inside a transaction,
// because a long snapshot holds up the database's vacuum. Statements beyond the
// first are charged afterwards, and delay the next caller. So the rate holds on
// average, and not within each second.
//
// The database is slow while more than 5 of the last 100 statements took longer
// than a threshold. Then each statement is followed by a pause of nine times its
// duration, at most 30 seconds.
//
// A Share divides a part of the time among tasks that repeat. A Meter shows what a
// task cost: the time of its statements, whatever else it waited for.
//
// Callers proceed in the order in which they called Wait. Cost: a lock, no
// goroutine; without limits Wait returns at once.
package pace

import (
	"cmp"
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits are the limits of one database. Zero: no limit.
type Limits struct {
	PerSecond int           // statements
	Slow      time.Duration // a statement that takes longer is slow
}

const (
	remembered  = 100 // last statements by which the database is judged
	tolerated   = 5   // of them may be slow
	pauseFactor = 9
	maxPause    = 30 * time.Second // after one statement
)

// A Pace applies the limits of one database. It is safe for concurrent use.
type Pace struct {
	limits Limits
	rate   *rate.Limiter

	mu      sync.Mutex
	pause   time.Time        // no statement begins before
	slow    [remembered]bool // a ring of the last statements
	over    int              // slow statements in the ring
	figures Figures
}

// Figures count the statements so far.
type Figures struct {
	Statements uint64
	Busy       time.Duration // sum of their durations
	Slow       bool          // the database is slow now
}

// New returns a pace with these limits.
func New(l Limits) *Pace {
	limit := rate.Limit(cmp.Or(float64(l.PerSecond), float64(rate.Inf)))
	return &Pace{limits: l, rate: rate.NewLimiter(limit, 1)}
}

// Wait waits until one more statement may be sent.
func (p *Pace) Wait(ctx context.Context) error {
	delay := p.reserve(1)
	if delay <= 0 {
		return nil
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Charge counts statements that a caller sent after the one it waited for.
func (p *Pace) Charge(statements int) { p.reserve(statements) }

// reserve takes n statements, one after the other and none before the end of the
// pause. It returns how long it is until the last one may be sent.
func (p *Pace) reserve(n int) (delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	at := now
	if p.pause.After(now) {
		at = p.pause
	}
	for range n {
		delay = p.rate.ReserveN(at, 1).DelayFrom(now)
	}
	return delay
}

// Took records the duration of a statement, also for the context's Meter.
func (p *Pace) Took(ctx context.Context, d time.Duration) {
	meter(ctx, d)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.judge(d)
	p.figures.Statements++
	p.figures.Busy += d
	if !p.figures.Slow {
		return
	}
	if now := time.Now(); p.pause.Before(now) {
		p.pause = now
	}
	p.pause = p.pause.Add(min(pauseFactor*d, maxPause))
}

// judge decides whether the database is slow.
func (p *Pace) judge(d time.Duration) {
	if p.limits.Slow == 0 {
		return
	}
	oldest := &p.slow[p.figures.Statements%remembered]
	if *oldest {
		p.over--
	}
	if *oldest = d > p.limits.Slow; *oldest {
		p.over++
	}
	p.figures.Slow = p.over > tolerated
}

// Figures returns the counts so far.
func (p *Pace) Figures() Figures {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.figures
}
