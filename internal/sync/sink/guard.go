package sink

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// guardWindow is how long a removal counts against the limits.
const guardWindow = time.Hour

// Limits limit the removals within guardWindow. The larger of both applies.
type Limits struct {
	Count    int
	Fraction float64 // of the documents at the beginning of the window
}

// Held are removals that wait for an operator to allow them.
type Held struct {
	Removals int // of the largest pass that was held since the last sweep
	Of       int // documents in the index then
	Since    time.Time
}

// A Guard limits the removals of documents whose rows were not found, because an
// empty listing may be a mistake. If a pass wants to remove more than the limits
// allow, the guard holds all its removals until an operator allows them.
//
// Invariant: without an Allow, the removals of any hour are within the limits,
// which apply to the documents at its beginning and those added since, however
// passes cut their removals into batches. A batch is judged by all that its pass
// has left to remove. That number and the pass's removals of the hour have the
// same sum for each batch, so a pass is admitted or held as a whole.
//
// Removals that an operator allowed, those of rows that are marked deleted, and those
// of rows that have another key now are exempt. They count as documents that were
// there.
type Guard struct {
	limits    Limits
	documents func() (uint64, error)

	// Keep, if not nil, makes the removals of the last hour durable that count against the
	// limits, before another one is made: the daemon that takes over remembers them.
	// Set it before the first removal.
	Keep func([]Removals) error

	mu      sync.Mutex
	log     []removal // of the last guardWindow
	allowed int       // removals that may still be made beyond the limits
	granted int       // removals made beyond the limits since the last Allow
	held    Held
}

// A removal is the number of documents that were removed at a time.
type removal struct {
	at      time.Time
	n       int
	limited bool // it counts against the limits
}

// Removals are removals that count against the limits, of up to a minute.
type Removals struct {
	At time.Time `json:"at"` // of the last one
	N  int       `json:"n"`
}

// NewGuard returns a guard. documents returns the number of documents in the index.
func NewGuard(l Limits, documents func() (uint64, error)) *Guard {
	return &Guard{limits: l, documents: documents}
}

// Remember counts removals of an earlier process, so that a restart does not begin
// a new hour.
func (g *Guard) Remember(at time.Time, n int) { g.note(removal{at, n, true}) }

// Allow admits n removals beyond the limits. 0 revokes the rest of an earlier
// Allow. Of a pass with more removals exactly n are made.
func (g *Guard) Allow(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.allowed, g.granted = n, 0
}

// Settle replaces what is held by the removals that a full sweep has held.
// Removals that were held before are among these, or are no longer due.
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

// Held returns what is held. Removals is 0 if nothing is.
func (g *Guard) Held() Held {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held
}

// admit returns how many removals of a batch of n may be made now, and counts them.
// left is the number that the pass has left, with these; 0: they are exempt. The
// caller calls undo if the removals fail.
func (g *Guard) admit(n, left int) (removal, error) {
	documents, err := g.documents()
	if err != nil {
		return removal{}, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if left == 0 {
		exempt := removal{now, n, false}
		g.log = append(g.log, exempt)
		return exempt, nil
	}
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
	if err := g.keep(admitted); err != nil {
		g.log = g.log[:len(g.log)-1]
		return removal{}, fmt.Errorf("guard: %w", err)
	}
	return admitted, nil
}

// keep makes the removals durable that count, if the last one does.
func (g *Guard) keep(last removal) error {
	if g.Keep == nil || !last.limited || last.n == 0 {
		return nil
	}
	var all []Removals
	for _, r := range g.log {
		if !r.limited {
			continue
		}
		if n := len(all) - 1; n >= 0 && all[n].At.Truncate(time.Minute).Equal(r.at.Truncate(time.Minute)) {
			all[n] = Removals{r.at, all[n].N + r.n}
		} else {
			all = append(all, Removals{r.at, r.n})
		}
	}
	return g.Keep(all)
}

// Admits reports whether a pass of n removals would be admitted now.
func (g *Guard) Admits(n int) (bool, error) {
	documents, err := g.documents()
	if err != nil {
		return false, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	used, before := g.hour(time.Now(), int(documents))
	return n <= g.allowed || !g.beyond(used+g.granted+n, before), nil
}

// Lose counts n removals that Admits has admitted, and that the sink does not make.
func (g *Guard) Lose(n int) error {
	if n == 0 {
		return nil
	}
	_, err := g.admit(n, n)
	return err
}

// hour returns the limited removals of the last hour, and the number of documents
// before them: those in the index and all that were removed. So the removals of a
// pass do not lower its own limit.
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

// hold records a pass that is held, if it is the largest.
func (g *Guard) hold(h Held) {
	if h.Removals <= g.held.Removals {
		return
	}
	if !g.held.Since.IsZero() {
		h.Since = g.held.Since
	}
	g.held = h
}

// undo uncounts removals that failed, so that a full disk does not use up the
// limits. An Allow stays used, because part of the removals may have been made.
func (g *Guard) undo(r removal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.log, r); i >= 0 {
		g.log = slices.Delete(g.log, i, i+1)
	}
}

// recordExempt records removals that are exempt from the limits.
func (g *Guard) recordExempt(n int) { g.note(removal{time.Now(), n, false}) }

func (g *Guard) note(r removal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.log = append(g.log, r)
}
