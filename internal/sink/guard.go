package sink

import (
	"slices"
	"sync"
	"time"
)

// guardWindow is how long removals count against the limits.
const guardWindow = time.Hour

// Limits bound the removals of guardWindow: the larger of the two counts.
type Limits struct {
	Count    int
	Fraction float64 // of the documents there were when the window began
}

// Held are removals that wait for a person's word.
type Held struct {
	Removals int // in the largest pass that was held since the last sweep
	Of       int // documents there were
	Since    time.Time
}

// A Guard stands before every removal that is inferred from a row's absence:
// an empty listing may be a mistake of the database's, or of ours. What a pass
// wants to remove beyond the limits is held, all of it, until it is allowed.
//
// Invariant: without an Allow, the hour before each such removal has no more of
// them than the limits of the documents there were when it began, and of those
// added since, however passes cut their removals into batches. A batch is judged by all that its pass has left to remove; with
// what the pass has removed already, which counts against the hour, that is one
// sum from its first batch to its last, so it is let through or held as one.
//
// What was removed otherwise, by a person's word or because its row says that
// it is deleted, is not limited. It counts among the documents that there were.
type Guard struct {
	limits    Limits
	documents func() (uint64, error)

	mu      sync.Mutex
	log     []removal // of the last guardWindow
	allowed int       // removals that may still be made beyond the limits
	granted int       // removals that were, since the last Allow
	held    Held
}

// A removal is when so many documents were removed.
type removal struct {
	at      time.Time
	n       int
	limited bool // it counts against the limits
}

// NewGuard makes a guard; documents counts what the index has.
func NewGuard(l Limits, documents func() (uint64, error)) *Guard {
	return &Guard{limits: l, documents: documents}
}

// Remember counts removals of an earlier run, so that a restart does not begin
// a new hour.
func (g *Guard) Remember(at time.Time, n int) { g.note(removal{at, n, true}) }

// Allow lets n removals through beyond the limits; 0 takes back what is left.
// Until then all removals count as one pass: exactly n of a larger one are made.
func (g *Guard) Allow(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.allowed, g.granted = n, 0
}

// Settle says how many removals a full sweep has held: what was held before is
// among them, or is no longer to be removed.
func (g *Guard) Settle(held Held) {
	g.mu.Lock()
	defer g.mu.Unlock()
	since := g.held.Since
	switch {
	case held.Removals == 0:
		held = Held{}
	case !since.IsZero():
		held.Since = since
	}
	g.held = held
}

// Held returns what is held; Removals is 0 when nothing is.
func (g *Guard) Held() Held {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held
}

// admit returns the removals of a batch of n that may be made now, which count
// at once; left is how many its pass has left to make, these included. Those
// that are not made after all go back by undo.
func (g *Guard) admit(n, left int) (removal, error) {
	documents, err := g.documents()
	if err != nil {
		return removal{}, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	left = max(left, n)
	admitted := removal{now, n, true}
	if used, before := g.hour(now, int(documents)); g.beyond(used+g.granted+left, before) {
		admitted = removal{now, min(n, g.allowed), false}
		g.allowed -= admitted.n
		g.granted += admitted.n
	}
	if admitted.n < n {
		g.hold(Held{left - admitted.n, int(documents), now})
	}
	g.log = append(g.log, admitted)
	return admitted, nil
}

// hour returns the limited removals of the hour up to now, and how many
// documents there were to remove: those that are there, and all that were
// removed. So a pass does not come to be held half-way because of what it has
// removed itself.
func (g *Guard) hour(now time.Time, documents int) (used, before int) {
	g.log = slices.DeleteFunc(g.log, func(r removal) bool { return now.Sub(r.at) >= guardWindow })
	before = documents
	for _, r := range g.log {
		before += r.n
		if r.limited {
			used += r.n
		}
	}
	return used, before
}

func (g *Guard) beyond(removals, documents int) bool {
	return float64(removals) > max(float64(g.limits.Count), g.limits.Fraction*float64(documents))
}

// hold notes a pass that is held, if it is the largest.
func (g *Guard) hold(h Held) {
	if h.Removals <= g.held.Removals {
		return
	}
	if !g.held.Since.IsZero() {
		h.Since = g.held.Since
	}
	g.held = h
}

// undo takes back removals that have failed, so that a disk that is full for an
// hour does not use the hour up. What was allowed stays used: part of it may
// have been made.
func (g *Guard) undo(r removal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.log, r); i >= 0 {
		g.log = slices.Delete(g.log, i, i+1)
	}
}

// hear notes removals that no limit holds for.
func (g *Guard) hear(n int) { g.note(removal{time.Now(), n, false}) }

func (g *Guard) note(r removal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.log = append(g.log, r)
}
