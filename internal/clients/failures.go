package clients

import (
	"container/list"
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// The delays of failed attempts.
const (
	freeFailures = 3                      // answered at once: a person mistypes
	firstDelay   = 100 * time.Millisecond // doubles with each further failure
	mostDelay    = 2 * time.Second
	forgiven     = time.Minute // without a failure, after which a client begins again
	mostClients  = 4096        // remembered; the one that failed longest ago is forgotten first
	mostOfClient = 4           // answers of one client that are delayed at a time
)

// Failures delays the answers to failed attempts of a client, each longer than
// the one before. It holds back no answer to a valid token: the caller asks only
// after an attempt has failed.
type Failures struct {
	most  int // answers that are delayed at a time, of all clients
	count atomic.Uint64

	mu      sync.Mutex
	delayed int
	clients map[netip.Prefix]*list.Element // of *failing
	order   *list.List                     // the client that failed last in front
}

type failing struct {
	client  netip.Prefix
	times   int
	last    time.Time
	delayed int
}

// NewFailures delays up to most answers at a time. Each holds a connection.
func NewFailures(most int) *Failures {
	return &Failures{most: most, clients: map[netip.Prefix]*list.Element{}, order: list.New()}
}

// Count is how many attempts have failed.
func (f *Failures) Count() uint64 { return f.count.Load() }

// Failed counts a failed attempt and waits as long as its answer has to wait,
// or until ctx ends. It returns false at once where too many answers wait.
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

// enter counts a failure and one more delayed answer; nil: there are enough.
func (f *Failures) enter(client netip.Prefix) (*failing, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.remember(client)
	one.times++
	delay := delayOf(one.times)
	if delay > 0 && (f.delayed >= f.most || one.delayed >= mostOfClient) {
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

// remember finds a client, in front of all others.
func (f *Failures) remember(client netip.Prefix) *failing {
	now := time.Now()
	at, known := f.clients[client]
	if !known {
		if len(f.clients) == mostClients {
			longest := f.order.Back()
			delete(f.clients, f.order.Remove(longest).(*failing).client)
		}
		at = f.order.PushFront(&failing{client: client})
		f.clients[client] = at
	}
	f.order.MoveToFront(at)
	one := at.Value.(*failing)
	if now.Sub(one.last) > forgiven {
		one.times = 0
	}
	one.last = now
	return one
}

// delayOf is the delay of a client's failure by its number.
func delayOf(times int) time.Duration {
	delay := time.Duration(0)
	for n := freeFailures; n < times && delay < mostDelay; n++ {
		delay = min(max(2*delay, firstDelay), mostDelay)
	}
	return delay
}
