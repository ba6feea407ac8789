package clients

import (
	"container/list"
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

const (
	freeFailures    = 3                      // failures of a client without a delay, for typing errors
	firstDelay      = 100 * time.Millisecond // doubles with each further failure
	maxDelay        = 2 * time.Second
	resetAfter      = time.Minute // time without a failure after which the count restarts
	maxClients      = 4096        // clients remembered; the least recently failed is dropped first
	maxClientDelays = 4           // answers to one client that are delayed at a time
)

// Failures delays the answers to a client's failed attempts. The delay grows
// with each attempt. Answers to valid tokens are not delayed, because Failed is
// called for failed attempts only.
type Failures struct {
	limit int // answers to all clients that are delayed at a time
	count atomic.Uint64

	mu      sync.Mutex
	delayed int
	clients map[netip.Prefix]*list.Element // of *failing
	order   *list.List                     // most recent failure first
}

type failing struct {
	client  netip.Prefix
	times   int
	last    time.Time
	delayed int
}

// NewFailures returns a Failures that delays up to limit answers at a time. Each
// delayed answer holds a connection.
func NewFailures(limit int) *Failures {
	return &Failures{limit: limit, clients: map[netip.Prefix]*list.Element{}, order: list.New()}
}

// Count returns how many attempts have failed.
func (f *Failures) Count() uint64 { return f.count.Load() }

// Failed counts a failed attempt of client and waits for its delay or until ctx
// ends. It returns false without waiting if too many answers are delayed
// already.
func (f *Failures) Failed(ctx context.Context, client netip.Prefix) bool {
	f.count.Add(1)
	one, delay := f.enter(client)
	if one == nil {
		return false
	}
	defer f.leave(one)
	if delay == 0 {
		return true
	}
	due := time.NewTimer(delay)
	defer due.Stop()
	select {
	case <-due.C:
	case <-ctx.Done():
	}
	return true
}

// enter counts a failure and a delayed answer, and returns the delay. It returns
// nil if too many answers are delayed already.
func (f *Failures) enter(client netip.Prefix) (*failing, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.remember(client)
	one.times++
	delay := delayOf(one.times)
	if delay > 0 && (f.delayed >= f.limit || one.delayed >= maxClientDelays) {
		return nil, 0
	}
	f.delayed++
	one.delayed++
	return one, delay
}

func (f *Failures) leave(one *failing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.delayed--
	one.delayed--
}

// remember returns the entry of client and moves it to the front.
func (f *Failures) remember(client netip.Prefix) *failing {
	now := time.Now()
	at, known := f.clients[client]
	if !known {
		if len(f.clients) == maxClients {
			oldest := f.order.Back()
			delete(f.clients, f.order.Remove(oldest).(*failing).client)
		}
		at = f.order.PushFront(&failing{client: client})
		f.clients[client] = at
	}
	f.order.MoveToFront(at)
	one := at.Value.(*failing)
	if now.Sub(one.last) > resetAfter {
		one.times = 0
	}
	one.last = now
	return one
}

// delayOf returns the delay of a client's n-th failure in a row.
func delayOf(n int) time.Duration {
	delay := time.Duration(0)
	for i := freeFailures; i < n && delay < maxDelay; i++ {
		delay = min(max(2*delay, firstDelay), maxDelay)
	}
	return delay
}
