package opensearch

import (
	"errors"
	"slices"
	"sync"
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
// again from what the shards have then, and notices no write of others before it.
type tally struct {
	mu     sync.Mutex
	flying int            // bulks without an answer yet
	sent   uint64         // of these and all before
	sure   int64          // operations of this process since base
	maybe  int64          // writes that may be operations
	terms  map[int64]bool // of primaries that have answered
	lost   bool           // a primary may have failed since base

	base *primaries // nil: not known
}

// begins counts a bulk before it is sent.
func (t *tally) begins(items int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flying++
	t.sent++
	t.maybe += int64(items)
}

// ends counts what a bulk of some items has become. There may be fewer answers.
func (t *tally) ends(items int, answers []result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flying--
	if len(answers) > items {
		return // nothing is known of them
	}
	for _, r := range answers {
		switch {
		case r.SeqNo != nil && *r.SeqNo >= 0:
			t.maybe--
			t.sure++
			t.lost = t.lost || len(t.terms) > 0 && !t.terms[r.Term]
			if t.terms == nil {
				t.terms = map[int64]bool{}
			}
			t.terms[r.Term] = true
		case r.isNoOperation():
			t.maybe--
		}
	}
}

// flight returns what changes with every bulk that is sent or answered.
func (t *tally) flight() (sent uint64, flying int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent, t.flying
}

// compare returns ErrForeign if the shards, as they were read after a flight, have more
// operations than this process has sent.
func (t *tally) compare(now primaries, sent uint64, flying int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.base == nil || t.lost || !slices.Equal(t.base.nodes, now.nodes) {
		return t.restart(now, sent, flying)
	}
	if now.operations > t.base.operations+t.sure+t.maybe {
		t.restart(now, sent, flying)
		return ErrForeign
	}
	if t.maybe > 0 {
		return t.restart(now, sent, flying)
	}
	return nil
}

// restart begins to count again, unless a bulk was under way while the shards were read:
// then what they had is of no moment that the counts know.
func (t *tally) restart(now primaries, sent uint64, flying int) error {
	if flying > 0 || t.flying > 0 || t.sent != sent {
		return nil
	}
	t.base, t.sure, t.maybe, t.lost = &now, 0, 0, false
	return nil
}
