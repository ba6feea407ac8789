// Package simtest plays the whole engine against a hostile database, from a
// seed, in one process and in simulated time: the real passes (initial,
// incremental, compensate, deletecheck), the real sink with its guard, the real
// tree of stamps and the real trace, on a disk that forgets what was not
// synced. What is not real:
//
//	database   fakeworld.Table, of a few dozen keys so that writers meet, with
//	           transactions of up to 55 seconds that stamp when they begin or
//	           when they write, and commit late or not at all; an updateTime in microseconds, milliseconds or seconds;
//	           deletes, keys used again, bulk updates, rows that leave the
//	           filter and come back, soft deletes, children, rows that can't be
//	           indexed; changes that move no updateTime, or set it anywhere;
//	           a clock that is set; a server that fails over and loses commits
//	horizon    a watch that gives what pgsource's gives a role that may see
//	           when transactions began (its own tests hold that one)
//	schedule   the engine's: one lane, a sweep that gives it up between chunks,
//	           the last tier only where no horizon is proven
//
// Any step, of a query, the index, the pages or a file, can fail, or be the
// last one before the machine stops. Between steps the others act.
//
// Invariants that are judged after every pass:
//
//	P1     each row that was committed with updateTime < S is in the index as it
//	       is in the database now, or in quarantine
//	whole  the index's document and the page of such a row are of one write
//	S      falls by a rewind alone, while a process lives
//	doubt  a failover that was noticed is a rewind, which calls for a sweep
//
// and at the end, when the database has been quiet: S has passed everything
// that was written, P1 again, and after one sweep index == database. Half of
// the seeds have no sweep before that one, for it would hide what the others
// miss.
//
// P1 speaks of rows that the server stamped. Rows that were back-dated, changed
// silently or lost by a failover are the sweep's, and judged at the end.
//
// Determinism: one goroutine runs at a time. A pass that starts another one is
// made to wait for it by serial; the clock is the simulation's own, and the
// bubble's (testing/synctest) follows it between steps. So a seed gives the same
// run, step by step, and its digest. What that leaves out are several workers
// of one pass, which the sink's own tests let race. Nor is there a replica.
package simtest

import (
	"fmt"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// A Result is what a run came to.
type Result struct {
	Seed    uint64
	Commits int
	Settles int // how often S moved
	Crashes int
	Sweeps  int
	Steps   int // that could have failed
	Digest  uint64

	Lost, Stale, Ghost int
	Faults             []string // what was promised and did not hold, the first few
	Log                []string // all events
}

// OK reports whether all that was promised has held.
func (r *Result) OK() bool { return len(r.Faults) == 0 }

// String says it on one line.
func (r *Result) String() string {
	return fmt.Sprintf("seed=%d commits=%d settles=%d crashes=%d sweeps=%d steps=%d lost=%d stale=%d ghost=%d digest=%016x",
		r.Seed, r.Commits, r.Settles, r.Crashes, r.Sweeps, r.Steps, r.Lost, r.Stale, r.Ghost, r.Digest)
}

// Run plays a seed. Call it in a bubble.
func Run(t testing.TB, seed uint64) *Result {
	t.Helper()
	w := newWorld(t, seed)
	w.play()
	w.result.Commits = w.Table.Commits()
	w.result.Digest, w.result.Log = w.log.digest.Sum64(), w.log.lines
	return &w.result
}

// play is a run: hostile times, a quiet one, and the account.
func (w *world) play() {
	w.populate()
	w.stage()
	w.advance(w.db.upTo(longest)) // some are open when the load begins
	for w.now < w.length && w.result.OK() {
		w.live(func() bool { return w.now >= w.length })
		w.restartIfStopped()
	}
	w.calm()
	limit := w.now + patience
	for w.result.OK() && !w.caughtUp() {
		if w.now >= limit {
			w.fault("S stands at %v, %v after the last write of %v", w.marks().Settled, patience, w.newest())
			return
		}
		w.live(func() bool { return w.caughtUp() || w.now >= limit })
		w.restartIfStopped()
	}
	if w.result.OK() {
		w.sweepOnce()
		w.judgeAll()
	}
}

// patience is how long S may take to pass the last write. A clock that was set
// back has to catch up first.
const patience = 15 * time.Minute

// newest is the newest stamp that S has to pass.
func (w *world) newest() time.Time {
	var newest time.Time
	for oid, row := range w.Table.Rows() {
		if w.db.promised[oid] && row.Updated.After(newest) {
			newest = row.Updated
		}
	}
	return newest
}

// caughtUp reports whether S has passed all that is promised.
func (w *world) caughtUp() bool {
	return w.process != nil && w.marks().Loaded && len(w.db.open) == 0 && w.marks().Settled.After(w.newest())
}

// fault notes that a promise was broken; the run ends with it.
func (w *world) fault(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.log.say("FAULT %s", text)
	if len(w.result.Faults) < 10 {
		w.result.Faults = append(w.result.Faults, text)
	}
}

// document is what the index has of a row, and whether its page is of the same
// write.
func (w *world) document(oid doc.OID) (title string, ok, whole bool) {
	d, ok := w.Index.Doc(oid)
	title, _ = w.Index.Title(oid)
	page, paged := w.Pages.Page(oid)
	return title, ok, ok && paged && page.V == d.V
}
