package simtest

import (
	"math/rand/v2"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

// A world is the state of a run: the database, the machine with its storage, and
// the running process.
type world struct {
	conditions
	timeline
	*machine.Machine
	dice *rand.Rand
	log  eventLog
	db   database

	process *process // nil: not running

	stopped bool // the machine has crashed
	crashIn int  // steps until the crash; 0: none is planned

	loaded    bool                     // at the last check
	unnoticed map[string]time.Duration // by pass: when the clock or the server changed, until the pass has run
	settled   time.Time                // S at the last check
	rewinds   uint64                   // rewinds of the marks at the last check
	result    Result
}

func newWorld(t testing.TB, seed uint64) *world {
	dice := rand.New(rand.NewPCG(seed, 0x5eed))
	w := &world{conditions: drawConditions(seed, dice), timeline: timeline{began: time.Now()}, dice: dice, unnoticed: map[string]time.Duration{}, result: Result{Seed: seed}}
	w.timeline.table = fakeworld.NewTable(w.batch)
	w.Machine = machine.NewStopped(t, w.timeline.table)
	w.Limits, w.Budget = w.limits, w.budget
	w.Table.Page, w.Table.Precision, w.Table.Before = w.page, w.tick, w.stepQuery
	w.Table.Timeless = w.timeless
	if !w.ordered {
		w.Table.Order = fakeworld.FoldCase
	}
	w.Table.Local = w.local
	w.log = newEventLog(&w.timeline)
	w.db = database{
		conditions: &w.conditions, line: &w.timeline, log: &w.log, dice: dice, table: w.Table,
		rows: map[doc.OID]fakeworld.Row{}, promised: map[doc.OID]bool{}, committed: map[doc.OID]time.Time{},
	}
	w.Index.Before, w.Pages.Before, w.Quarantine.Before = w.stepStorage, w.stepStorage, w.stepStorage
	shown := w.conditions
	shown.keys = nil // not printable
	w.log.printf("%d keys, %+v", len(w.keys), shown)
	return w
}

// local returns the local clock, which is never set back.
func (w *world) local() time.Time { return w.began.Add(w.now) }

// marks returns the marks of the running process. Events must not call it: they
// run while the trace may hold its lock.
func (w *world) marks() timetrace.Table {
	if w.process == nil {
		return timetrace.Table{}
	}
	return w.Marks()
}

// noteChange notes that the server changed, or its clock. S may be wrong until
// the passes have noticed.
func (w *world) noteChange(back bool) {
	if w.horizon {
		w.unnoticed["exact"] = w.now
	}
	switch {
	case back && w.timeless:
		w.unnoticed["compare"] = w.now
	case back:
		w.unnoticed["incremental"] = w.now
	}
}

// notice notes that a pass has read the database, since a time.
func (w *world) notice(pass string, since time.Duration) {
	if at, ok := w.unnoticed[pass]; ok && at <= since {
		delete(w.unnoticed, pass)
	}
	if pass == "exact" {
		w.noticeServer(w.process)
	}
}

// noticeServer checks that the exact pass has made a failover that it noticed a
// rewind, which schedules a sweep.
func (w *world) noticeServer(p *process) {
	if p.server != "" && p.server != p.watch.server && w.marks().Rewinds == p.rewound {
		w.fault("after exact: the server changed, and no rewind schedules a sweep")
	}
	p.server, p.rewound = p.watch.server, w.marks().Rewinds
}

// endHostility lets open transactions end, and nothing else happens after them.
func (w *world) endHostility() {
	w.log.printf("quiet from now on")
	w.db.quiet, w.db.hidden = true, false
	w.crashIn = 0
	if w.watched() {
		w.db.changeSilently()
	}
}

// restartIfCrashed starts the machine again after a crash, with what is left of
// its files.
func (w *world) restartIfCrashed() {
	if !w.stopped {
		return
	}
	w.catchUp()
	w.Files.Fail(nil)
	w.Files = w.Files.Crash(w.dice.IntN)
	w.process, w.stopped, w.crashIn = nil, false, 0
	w.result.Crashes++
	w.advance(w.downtime())
	w.log.printf("starts again")
}

// downtime draws how long the machine is down. In 90 s a clock that was set back
// may catch up.
func (w *world) downtime() time.Duration {
	short := w.db.upTo(4 * time.Second)
	if w.dice.IntN(5) > 0 {
		return short
	}
	return w.db.upTo(90 * time.Second)
}
