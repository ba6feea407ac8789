package simtest

import (
	"math"
	"math/rand/v2"
	"os"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	"indexerd/internal/sink"
)

// conditions are what a seed draws first: the world it plays in.
type conditions struct {
	length time.Duration // of the hostile time
	keys   []doc.OID
	tick   time.Duration // precision of updateTime

	horizon bool          // one can be had
	slack   time.Duration // how far it stays behind the clock
	vague   bool          // it is not always told
	sweeps  bool          // also before the end
	changes bool          // there is an SQL that lists what has left the filter

	statements bool // some transactions stamp when they write, not when they began
	silent     bool // some changes move no updateTime, set it back, ahead or to NULL
	unfit      bool // some rows can't be indexed
	clockSteps bool
	failovers  bool
	crashes    bool
	faults     int // one step in so many fails; 0: none

	ordered bool        // the database orders keys as OIDs are ordered
	batch   int         // rows of a fetch
	page    int         // stamps of a page
	chunk   int         // documents of a sweep between two rests
	budget  int64       // of the tree
	limits  sink.Limits // of the guard

	known hole // is open; the others are kept out of the run
}

// sometimesAssumed reports whether S may rest on an assumption.
func (c *conditions) sometimesAssumed() bool { return !c.horizon || c.vague }

// A hole is something that is known to break a promise.
// Seeds keep out of it, but for SIM_KNOWN=ahead and so on: who closes a hole
// plays with it first, and then removes it from here.
type hole string

// ahead: the clock is set ahead while a transaction is open, and no horizon is
// told. By the clock it has then been open for longer than any is assumed to be.
const ahead hole = "ahead"

// everything lets all removals through.
var everything = sink.Limits{Count: math.MaxInt}

func drawConditions(d *rand.Rand) conditions {
	yes := func(percent int) bool { return d.IntN(100) < percent }
	one := func(n ...int) int { return n[d.IntN(len(n))] }
	c := conditions{
		length:  time.Duration(200+d.IntN(200)) * time.Second,
		tick:    []time.Duration{time.Microsecond, time.Millisecond, time.Second}[d.IntN(3)],
		horizon: yes(65), slack: []time.Duration{time.Second, 10 * time.Millisecond}[d.IntN(2)],
		sweeps: yes(50), changes: yes(50),
		statements: yes(70), silent: yes(50), unfit: yes(25), clockSteps: yes(40), failovers: yes(25), crashes: yes(60),
		ordered: yes(75), batch: one(1, 3, 7, 50), page: one(2, 5, 20, 100), chunk: one(2, 5, 16),
		limits: everything, known: hole(os.Getenv("SIM_KNOWN")),
	}
	c.vague = c.horizon && yes(30)
	if yes(40) {
		c.faults = one(200, 500, 2000)
	}
	if yes(30) {
		c.budget = 1 << 10
	}
	if yes(15) {
		c.limits = sink.Limits{Count: 3, Fraction: 0.1}
	}
	for n := range 15 + d.IntN(40) {
		c.keys = append(c.keys, key(n, c.ordered))
	}
	return c
}

// key is a number, or a text of one or two letters whose capitals the database
// does not see.
func key(n int, ordered bool) doc.OID {
	if ordered {
		return fakeworld.Key(n - 7) // negative ones too
	}
	letter := rune('a' + n/2)
	if n%2 == 0 {
		letter = rune('A' + n/2)
	}
	return fakeworld.TextKey(string(letter) + "ey")
}
