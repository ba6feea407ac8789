package opensearch

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrForeign is the error of Examine if others have written to the index. It is
// returned once: what they wrote then counts as known.
var ErrForeign = errors.New("others have written to the index")

// A tally compares the operations that the shards have with those of this process. A
// shard numbers its operations without gaps, so that one more than was sent is a write
// of others.
//
// An answer that was lost leaves open whether its writes are operations. The cluster
// may count a write twice if a primary fails. In both cases the next examination begins
// again from what the shards have then, and notices no write of others before it. The
// terms of primaries that failed before are learned from the answers until the
// examination after that.
//
// The shards are read while no bulk is under way: bulks wait that long, and an
// examination waits for bulks, longer each time until it succeeds.
type tally struct {
	examining sync.Mutex // held while bulks are paused

	mu      sync.Mutex
	flying  int            // bulks without an answer yet
	paused  chan struct{}  // bulks wait until it is closed; nil: they do not
	landed  chan struct{}  // closed when none is flying; nil: no caller waits for that
	waiting time.Duration  // how long the next pause waits
	sure    int64          // operations of this process since base
	maybe   int64          // writes that may be operations
	terms   map[int64]bool // of primaries that have answered
	learns  bool           // primaries may have failed before base: new terms are of then
	lost    bool           // a primary may have failed since base

	base *primaries // nil: not known
}

// The times that a pause waits for bulks.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 10 * time.Second
)

// begins counts a bulk before it is sent.
func (t *tally) begins(items int) {
	for {
		t.mu.Lock()
		paused := t.paused
		if paused == nil {
			t.flying++
			t.maybe += int64(items)
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		<-paused
	}
}

// pause makes bulks wait until resume is called. It reports whether none is flying.
func (t *tally) pause() (still bool, resume func()) {
	t.examining.Lock()
	landed := make(chan struct{})
	t.mu.Lock()
	t.paused, t.landed = make(chan struct{}), landed
	if t.flying == 0 {
		close(landed)
		t.landed = nil
	}
	wait := max(t.waiting, firstPause)
	t.mu.Unlock()
	select {
	case <-landed:
		still, wait = true, 0
	case <-time.After(wait):
		wait = min(2*wait, lastPause)
	}
	return still, func() {
		defer t.examining.Unlock()
		t.mu.Lock()
		defer t.mu.Unlock()
		close(t.paused)
		t.paused, t.landed, t.waiting = nil, nil, wait
	}
}

// ends counts what a bulk of some items has become. There may be fewer answers.
func (t *tally) ends(items int, answers []result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.flying--; t.flying == 0 && t.landed != nil {
		close(t.landed)
		t.landed = nil
	}
	if len(answers) > items {
		return // nothing is known of them
	}
	for _, r := range answers {
		switch {
		case r.SeqNo != nil && *r.SeqNo >= 0:
			t.maybe--
			t.sure++
			t.lost = t.lost || !t.learns && !t.terms[r.Term]
			if t.terms == nil {
				t.terms = map[int64]bool{}
			}
			t.terms[r.Term] = true
		case r.isNoOperation():
			t.maybe--
		}
	}
}

// compare returns ErrForeign if the shards have more operations than this process has
// sent before they were read. still is true if no bulk was in flight then.
func (t *tally) compare(now primaries, still bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.base != nil && !t.lost && slices.Equal(t.base.nodes, now.nodes)
	foreign := known && now.operations > t.base.operations+t.sure+t.maybe
	switch {
	case still && (!known || foreign || t.maybe > 0):
		t.learns = !known || t.maybe > 0
		t.base, t.sure, t.maybe, t.lost = &now, 0, 0, false
	case still:
		t.learns = false
	case foreign:
		now.operations -= t.sure + t.maybe
		t.base = &now
	}
	if foreign {
		return ErrForeign
	}
	return nil
}
