// Package pace bounds what this daemon asks of one database: so many statements
// a second, and far fewer while the database is slow.
//
// Whoever asks waits before it begins, and never inside a transaction, whose
// snapshot would hold back the database's own cleaning. What it then asked
// beyond its first statement is charged afterwards, to whoever comes next: so
// the rate holds on average over any second but the first.
//
// Slow is when more than one in twenty of the last hundred statements took
// longer than a threshold. Then every statement is followed by a rest of nine
// times as long as it took: one connection's tenth is all that is asked of the
// database, and fast answers end the state as quickly as slow ones began it.
//
// Invariant: who waits gets on in the order of asking. Cost: a lock and no
// goroutine; without limits, nothing is waited for.
package pace

import (
	"context"
	"sync"
	"time"
)

// Limits are a database's. Zero: none.
type Limits struct {
	PerSecond int
	Slow      time.Duration
}

const (
	remembered = 100 // statements
	tolerated  = 5   // of them may be slow
	restFactor = 9
	maxRest    = 30 * time.Second // after one statement
)

// A Pace is the pace of one database. It is safe for concurrent use.
type Pace struct {
	limits Limits

	mu      sync.Mutex
	next    time.Time        // when the next one may begin
	slow    [remembered]bool // of the last statements, around from count
	over    int              // how many of them are
	figures Figures
}

// Figures are what was asked so far.
type Figures struct {
	Statements uint64
	Busy       time.Duration // that they took, together
	Slow       bool          // the database is, and is spared
}

// New returns a pace that keeps to the limits.
func New(l Limits) *Pace { return &Pace{limits: l} }

// Wait waits until one more statement may be sent.
func (p *Pace) Wait(ctx context.Context) error {
	p.mu.Lock()
	now := time.Now()
	at := p.begin(now)
	p.next = at.Add(p.interval())
	p.mu.Unlock()
	if !at.After(now) {
		return nil
	}
	timer := time.NewTimer(at.Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Charge counts further statements, of one that has waited.
func (p *Pace) Charge(statements int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = p.begin(time.Now()).Add(time.Duration(statements) * p.interval())
}

// Took notes how long a statement took.
func (p *Pace) Took(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.judge(d)
	p.figures.Statements++
	p.figures.Busy += d
	if p.figures.Slow {
		p.next = p.begin(time.Now()).Add(min(restFactor*d, maxRest))
	}
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

// begin is when the next one may begin.
func (p *Pace) begin(now time.Time) time.Time {
	if p.next.Before(now) {
		return now
	}
	return p.next
}

func (p *Pace) interval() time.Duration {
	if p.limits.PerSecond == 0 {
		return 0
	}
	return time.Second / time.Duration(p.limits.PerSecond)
}

// Figures returns what was asked so far.
func (p *Pace) Figures() Figures {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.figures
}
