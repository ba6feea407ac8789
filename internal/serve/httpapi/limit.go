package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/internal/serve/clients"
)

// SearchWithin is how long a search may take until its response starts.
const SearchWithin = 5 * time.Second

// Searches are bound by the processors: running many more at once makes each of
// them slow. Each also keeps a document in memory until its response is written.
// One that has run for longAfter leaves its slot to those that wait, if there is room for
// another long one: a few slow searches hold no others, not even those of their client.
const (
	searchesPerCore = 4
	longAfter       = 100 * time.Millisecond
	waitForSlot     = 500 * time.Millisecond
	// A write that has waited for its client for stalledAfter is aborted while
	// another search waits for a slot.
	stalledAfter = 250 * time.Millisecond
	checkEvery   = 50 * time.Millisecond
)

// maxLargeBodies is how many large bodies are in memory at a time: one takes up to 8 MiB
// while it is read as JSON.
const maxLargeBodies = 8

// maxDelayed is how many responses to unknown tokens are delayed at a time.
const maxDelayed = 32

// Limits are shared by all clients of a server. They survive a change of the
// configuration.
type Limits struct {
	searches *searchLimit
	bodies   *searchLimit // large ones
	failures *clients.Failures
	listener *clients.Listener // nil for calls in process
}

// NewLimits returns the limits of a server; listener is nil for calls in
// process.
func NewLimits(listener *clients.Listener) *Limits {
	return &Limits{newSearchLimit(), newLimit(maxLargeBodies), clients.NewFailures(maxDelayed), listener}
}

// AbortStalled aborts one response that its client does not read, if there is
// one. A caller that closes the index uses it so as not to wait for clients.
func (l *Limits) AbortStalled() { l.searches.abortStalled() }

// A limitKey is what a limit applies to: a client, and a token, which several
// clients may send. Zero members have no limit.
type limitKey struct {
	client netip.Prefix
	token  int
}

// A searchLimit limits the searches that run at once: in total, per client and
// per token. A search holds its slot until its response is written, or until it is long.
// A free slot goes to the waiting search whose token and client hold the fewest.
//
// golang.org/x/sync/semaphore grants strictly in the order of arrival, so one
// client's queue would delay all others.
type searchLimit struct {
	max     int           // slots
	maxLong int           // of long searches
	perKey  int           // slots of one client, and of one token; as many of long searches
	wait    time.Duration // for a slot
	within  time.Duration // until the response starts, the wait included
	stalled time.Duration // how long a write may wait for its client while searches wait
	aborted atomic.Uint64 // stalled responses

	mu      sync.Mutex
	running []*slot
	long    []*slot // those that have left their slots
	waiting []*slot // in the order of arrival
}

// A slot belongs to one search that runs or waits.
type slot struct {
	key     limitKey
	granted chan struct{} // closed when the search may run
	since   time.Time     // when it was granted
	blocked time.Time     // when the current write began; zero: no write
	abort   func()        // makes the current write fail; nil: no write, or aborted
}

func newSearchLimit() *searchLimit {
	l := newLimit(searchesPerCore * runtime.GOMAXPROCS(0))
	l.maxLong = l.max
	return l
}

func newLimit(slots int) *searchLimit {
	return &searchLimit{max: slots, perKey: max(slots*3/4, 1), wait: waitForSlot, within: SearchWithin, stalled: stalledAfter}
}

// do calls search with a slot. It returns a busy error if no slot is free within
// l.wait. The context of search ends after l.within.
func (l *searchLimit) do(ctx context.Context, key limitKey, search func(context.Context, *slot) error) error {
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	s := &slot{key: key, granted: make(chan struct{})}
	if err := l.acquire(ctx, s); err != nil {
		return err
	}
	defer l.release(s)
	return search(ctx, s)
}

func (l *searchLimit) acquire(ctx context.Context, s *slot) error {
	l.mu.Lock()
	l.waiting = append(l.waiting, s)
	l.grant()
	l.mu.Unlock()
	select {
	case <-s.granted: // the usual case, without timers
		return nil
	default:
	}
	timeout, check := time.NewTimer(l.wait), time.NewTicker(checkEvery)
	defer timeout.Stop()
	defer check.Stop()
	for {
		var err error
		select {
		case <-s.granted:
			return nil
		case <-check.C:
			l.abortStalled()
			l.mu.Lock()
			l.grant()
			l.mu.Unlock()
			continue
		case <-ctx.Done():
			err = ctx.Err()
		case <-timeout.C:
			err = &Error{http.StatusTooManyRequests, "busy", "too many searches are running", "try again in a second"}
		}
		l.release(s)
		return err
	}
}

// release removes a slot that runs or waits.
func (l *searchLimit) release(s *slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	is := func(other *slot) bool { return other == s }
	l.waiting = slices.DeleteFunc(l.waiting, is)
	l.running = slices.DeleteFunc(l.running, is)
	l.long = slices.DeleteFunc(l.long, is)
	l.grant()
}

// grant gives free slots to waiting searches.
func (l *searchLimit) grant() {
	if len(l.waiting) > 0 {
		l.moveLong()
	}
	for len(l.running) < l.max {
		next := -1
		for i, s := range l.waiting {
			if !l.hasRoom(l.running, s.key) {
				continue
			}
			if next < 0 || l.holdsFewer(s.key, l.waiting[next].key) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		s := l.waiting[next]
		l.waiting = slices.Delete(l.waiting, next, next+1)
		l.running = append(l.running, s)
		s.since = time.Now()
		close(s.granted)
	}
}

// moveLong has long searches leave their slots, but not those whose client does not read.
func (l *searchLimit) moveLong() {
	l.running = slices.DeleteFunc(l.running, func(s *slot) bool {
		moves := s.abort == nil && time.Since(s.since) >= longAfter && len(l.long) < l.maxLong && l.hasRoom(l.long, s.key)
		if moves {
			l.long = append(l.long, s)
		}
		return moves
	})
}

// hasRoom reports whether a key's token and its client may have another of some slots.
func (l *searchLimit) hasRoom(among []*slot, key limitKey) bool {
	token, client := held(among, key)
	return token < l.perKey && client < l.perKey
}

// held counts the slots of a key's token and of its client.
func held(among []*slot, key limitKey) (token, client int) {
	for _, s := range among {
		if key.token != 0 && s.key.token == key.token {
			token++
		}
		if key.client.IsValid() && s.key.client == key.client {
			client++
		}
	}
	return token, client
}

// holdsFewer reports whether a holds fewer slots than b.
func (l *searchLimit) holdsFewer(a, b limitKey) bool {
	tokenA, clientA := held(l.running, a)
	tokenB, clientB := held(l.running, b)
	return tokenA < tokenB || tokenA == tokenB && clientA < clientB
}

// abortStalled aborts one stalled response: of the key that holds the most
// slots, the one that has waited longest.
func (l *searchLimit) abortStalled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	var victim *slot
	for _, s := range slices.Concat(l.running, l.long) {
		if s.abort == nil || time.Since(s.blocked) < l.stalled {
			continue
		}
		if victim == nil || l.holdsFewer(victim.key, s.key) || !l.holdsFewer(s.key, victim.key) && s.blocked.Before(victim.blocked) {
			victim = s
		}
	}
	if victim != nil {
		victim.abort()
		l.aborted.Add(1)
		victim.abort = nil
	}
}

// beginWrite records that a write begins, which abort makes fail.
func (l *searchLimit) beginWrite(s *slot, abort func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.blocked, s.abort = time.Now(), abort
}

// endWrite records that the write has ended.
func (l *searchLimit) endWrite(s *slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.blocked, s.abort = time.Time{}, nil
}
