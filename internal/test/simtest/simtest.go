// Package simtest runs the whole engine against a hostile database, in one
// process, in simulated time, from a seed. It uses the real passes (initial,
// incremental, compensate, deletecheck) in the daemon's order (internal/sync/passes),
// sink, guard, tree of stamps and timeTrace, on a file system that loses what was
// not synced. It simulates:
//
//	database   fakeworld.Table with a few dozen keys, so that writers collide:
//	           transactions of up to 55 s that set updateTime when they begin or
//	           when they write, and commit late or never; updateTime in
//	           microseconds, milliseconds or seconds; deletes, reused keys, bulk
//	           updates, rows that leave the filter and return, soft deletes,
//	           children, rows that the index rejects; changes that leave
//	           updateTime alone or set it to any time; clock steps; failovers
//	           that lose commits
//	hints      for a table without updateTimes, which is followed by comparison:
//	           none, exact ones, ones whose counters come late, ones that go back,
//	           and ones that lie
//	horizon    a watch of internal/source/horizon reads samples of the open transactions,
//	           for a role that sees when they began, or for one that does not
//	schedule   jobs run one at a time when they fall due; a sweep lets the
//	           others run between its chunks
//
// Every step of a query, the index, the pages or a file can fail, or be the last
// before the machine crashes. Other sessions act between steps.
//
// After every pass the run checks:
//
//	P1      each row committed with updateTime < S is in the index as it is in
//	        the database now, or in quarantine; without updateTimes, each row
//	        committed before S
//	whole   document and page of such a row have the same version
//	S       falls only with a rewind, while a process runs
//	rewind  a failover that the exact pass noticed is a rewind, which schedules a
//	        sweep
//
// When the database has been quiet, it checks that S has passed every write, P1
// again, and after one sweep that index and database are equal. Half of the
// seeds run no sweep before that one: a sweep would hide what the other passes
// miss.
//
// P1 covers rows whose updateTime the server set. Rows that were back-dated,
// changed silently, or lost by a failover are repaired by the sweep and checked
// at the end.
//
// A seed always gives the same run, and the same digest of its events: one
// goroutine runs at a time, since a read of the table waits for the others
// (serial), and the clock of the bubble (testing/synctest) follows the simulated
// one. So there are no concurrent workers in a pass, which the tests of sink and
// passes have, and there is no replica. A seed takes about 50 ms.
//
//	go test ./internal/test/simtest                     200 seeds; 20 with -short
//	make sim N=10000 FROM=1                             10,000 seeds from the first on
//	SIM_N=10000 SIM_FROM=1 go test -v -timeout 60m -run TestSeeds ./internal/test/simtest
//	SIM_SEED=42 SIM_LOG=1 go test -v -count=1 -run TestSeeds ./internal/test/simtest
//
// The last prints one run, event by event. SIM_KNOWN names the known gap that runs
// may meet (see gap). TestTwoDaemons of internal/serve/daemon is a second simulation,
// of two daemons and the servers that they share, and reads the same variables.
package simtest

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// A Result is the result of a run.
type Result struct {
	Seed    uint64
	Commits int
	Settles int // moves of S
	Crashes int
	Sweeps  int
	Steps   int // steps that could fail
	Digest  uint64

	Silent             int // rows that comparisons between sweeps found changed
	PassedBy           int // runs of jobs that had nothing to do
	Lost, Stale, Ghost int
	Faults             []string // broken promises, at most 10
	Log                []string // all events
}

// OK reports whether no promise was broken.
func (r *Result) OK() bool { return len(r.Faults) == 0 }

// String returns the counts on one line.
func (r *Result) String() string {
	return fmt.Sprintf("seed=%d commits=%d settles=%d crashes=%d sweeps=%d silent=%d steps=%d lost=%d stale=%d ghost=%d digest=%016x",
		r.Seed, r.Commits, r.Settles, r.Crashes, r.Sweeps, r.Silent, r.Steps, r.Lost, r.Stale, r.Ghost, r.Digest)
}

// Run runs a seed. The caller has to be in a synctest bubble.
func Run(t testing.TB, seed uint64) *Result {
	t.Helper()
	w := newWorld(t, seed)
	w.play()
	w.result.Commits = w.Table.Commits()
	w.result.Digest, w.result.Log = w.log.digest.Sum64(), w.log.lines
	return &w.result
}

// play runs the hostile period, the quiet one, and the last sweep.
func (w *world) play() {
	w.populate()
	w.startHostility()
	w.advance(w.db.upTo(longest)) // transactions are open when the load begins
	for w.now < w.length && w.result.OK() {
		w.runPasses(func() bool { return w.now >= w.length })
		w.restartIfCrashed()
	}
	w.endHostility()
	limit := w.now + settleWithin
	for w.result.OK() && !w.caughtUp() {
		if w.now >= limit {
			w.fault("S is %v, %v after the last write of %v", w.marks().Settled, settleWithin, w.newest())
			return
		}
		w.runPasses(func() bool { return w.caughtUp() || w.now >= limit })
		w.restartIfCrashed()
	}
	if w.result.OK() && w.watched() {
		w.waitForSilent()
	}
	if w.result.OK() {
		w.sweepAtEnd()
		w.checkAll()
	}
}

// settleWithin is how long S may take to pass the last write. A clock that was
// set back has to catch up first.
const settleWithin = 15 * time.Minute

// silentWithin is how long comparisons may take to find the last change. For ten minutes
// the database's counters may be explained by what does not explain them.
const silentWithin = 11 * time.Minute

// waitForSilent runs passes until each row is in the index as it is in the database,
// without a sweep. A table that has to be verified waits for its sweep.
func (w *world) waitForSilent() {
	limit := w.now + silentWithin
	first := func() string {
		rows := w.Table.Rows()
		for _, oid := range slices.Sorted(maps.Keys(rows)) {
			if difference := w.difference(oid, rows[oid]); difference != "" {
				return fmt.Sprintf("row %v is %s", oid, difference)
			}
		}
		return ""
	}
	done := func() bool { return w.now >= limit || w.marks().Unverified != "" || first() == "" }
	w.runPasses(done)
	if difference := first(); difference != "" && w.result.OK() && w.marks().Unverified == "" {
		w.fault("%v after the last write, %s", silentWithin, difference)
	}
}

// newest returns the greatest updateTime that S has to pass.
func (w *world) newest() time.Time {
	var newest time.Time
	for oid, row := range w.Table.Rows() {
		if at := w.db.time(oid, row); w.db.promised[oid] && at.After(newest) {
			newest = at
		}
	}
	return newest
}

// caughtUp reports whether S has passed every row that P1 covers.
func (w *world) caughtUp() bool {
	return w.process != nil && w.marks().Loaded && len(w.db.open) == 0 && w.marks().Settled.After(w.newest())
}

// fault records a broken promise, which ends the run.
func (w *world) fault(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.log.printf("FAULT %s", text)
	if len(w.result.Faults) < 10 {
		w.result.Faults = append(w.result.Faults, text)
	}
}

// document returns the title of a row's document, and whether its page has the
// same version.
func (w *world) document(oid doc.OID) (title string, ok, whole bool) {
	d, ok := w.Index.Doc(oid)
	title, _ = w.Index.Title(oid)
	page, paged := w.Pages.Page(oid)
	return title, ok, ok && paged && page.V == d.V
}
