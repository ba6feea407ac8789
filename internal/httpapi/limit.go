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

	"indexerd/internal/clients"
)

// SearchWithin is what one search may take until its answer begins.
const SearchWithin = 5 * time.Second

// Searches are work for the processors: many more at once than there are would
// only make each of them late. Each also holds a document in memory until its
// answer is written.
const (
	searchesPerCore = 4
	waitForTurn     = 500 * time.Millisecond
	// An answer that was not read for stalledAfter is broken off when another
	// search waits for its turn.
	stalledAfter = 250 * time.Millisecond
	lookEvery    = 50 * time.Millisecond
)

// mostDelayed is how many answers to wrong tokens are delayed at a time.
const mostDelayed = 32

// Limits are what all callers of a server share. They outlive a configuration.
type Limits struct {
	searches *searchLimit
	failures *clients.Failures
	listener *clients.Listener // nil for calls in process
}

// NewLimits returns the limits of a server; listener is nil for calls in
// process.
func NewLimits(listener *clients.Listener) *Limits {
	return &Limits{newSearchLimit(), clients.NewFailures(mostDelayed), listener}
}

// CutStalled breaks off an answer that is not read, if there is one: what it
// was made from is about to be closed.
func (l *Limits) CutStalled() { l.searches.cutStalled() }

// A party has a share of the searches: the client, and the token that it
// shows, which may come from many clients. The zero token has no share.
type party struct {
	client netip.Prefix
	token  int
}

// A searchLimit lets so many searches run at once, each until its answer is
// written. The next turn is that of the party that has fewest.
type searchLimit struct {
	most    int           // turns
	share   int           // of these, of one client, and of one token
	wait    time.Duration // for a turn
	within  time.Duration // until the answer begins, the wait included
	stalled time.Duration // how long an answer may be unread when others wait
	cuts    atomic.Uint64 // answers that were broken off

	mu      sync.Mutex
	running []*turn
	waiting []*turn // in the order of their coming
}

// A turn is one search under way, or waiting.
type turn struct {
	who     party
	came    chan struct{} // closed when it may run
	blocked time.Time     // since when a write of its answer waits; zero: none does
	cut     func()        // makes that write fail; nil before the first one
}

func newSearchLimit() *searchLimit {
	most := searchesPerCore * runtime.GOMAXPROCS(0)
	return &searchLimit{most: most, share: max(most*3/4, 1), wait: waitForTurn, within: SearchWithin, stalled: stalledAfter}
}

// do calls search when its turn comes; too late, it is refused as busy. The
// context ends when the answer should have begun.
func (l *searchLimit) do(ctx context.Context, who party, search func(context.Context, *turn) error) error {
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	t := &turn{who: who, came: make(chan struct{})}
	if err := l.enter(ctx, t); err != nil {
		return err
	}
	defer l.leave(t)
	return search(ctx, t)
}

func (l *searchLimit) enter(ctx context.Context, t *turn) error {
	l.mu.Lock()
	l.waiting = append(l.waiting, t)
	l.admit()
	l.mu.Unlock()
	select {
	case <-t.came: // no timer where no search has to wait
		return nil
	default:
	}
	late, look := time.NewTimer(l.wait), time.NewTicker(lookEvery)
	defer late.Stop()
	defer look.Stop()
	for {
		var err error
		select {
		case <-t.came:
			return nil
		case <-look.C:
			l.cutStalled()
			continue
		case <-ctx.Done():
			err = ctx.Err()
		case <-late.C:
			err = &Error{http.StatusTooManyRequests, "busy", "as many searches are under way as this machine can take", "try again in a second"}
		}
		l.leave(t)
		return err
	}
}

// leave ends a turn, or the wait for it.
func (l *searchLimit) leave(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	is := func(other *turn) bool { return other == t }
	l.waiting = slices.DeleteFunc(l.waiting, is)
	l.running = slices.DeleteFunc(l.running, is)
	l.admit()
}

// admit begins turns while there are any.
func (l *searchLimit) admit() {
	for len(l.running) < l.most {
		next := -1
		for i, t := range l.waiting {
			token, client := l.held(t.who)
			if token >= l.share || client >= l.share {
				continue
			}
			if next < 0 || l.fewer(t.who, l.waiting[next].who) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		t := l.waiting[next]
		l.waiting = slices.Delete(l.waiting, next, next+1)
		l.running = append(l.running, t)
		close(t.came)
	}
}

// held counts the turns of a party's token and of its client.
func (l *searchLimit) held(who party) (token, client int) {
	for _, t := range l.running {
		if who.token != 0 && t.who.token == who.token {
			token++
		}
		if who.client.IsValid() && t.who.client == who.client {
			client++
		}
	}
	return token, client
}

// fewer reports whether a has fewer turns than b.
func (l *searchLimit) fewer(a, b party) bool {
	tokenA, clientA := l.held(a)
	tokenB, clientB := l.held(b)
	return tokenA < tokenB || tokenA == tokenB && clientA < clientB
}

// cutStalled breaks off an answer that is not read: of the party that has most
// turns, the one that waits longest.
func (l *searchLimit) cutStalled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	var victim *turn
	for _, t := range l.running {
		if t.cut == nil || t.blocked.IsZero() || time.Since(t.blocked) < l.stalled {
			continue
		}
		if victim == nil || l.fewer(victim.who, t.who) || !l.fewer(t.who, victim.who) && t.blocked.Before(victim.blocked) {
			victim = t
		}
	}
	if victim != nil {
		victim.cut()
		l.cuts.Add(1)
		victim.cut = nil // once is enough
	}
}

// writing notes that a write begins, which cut can end.
func (l *searchLimit) writing(t *turn, cut func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.blocked, t.cut = time.Now(), cut
}

// written notes that the write has ended.
func (l *searchLimit) written(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.blocked, t.cut = time.Time{}, nil
}
