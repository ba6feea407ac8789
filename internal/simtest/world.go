package simtest

import (
	"math/rand/v2"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
	"indexerd/internal/fakeworld/machine"
	"indexerd/timetrace"
)

// A world is a run: the database, the machine, what is stored on it, and the
// process that runs.
type world struct {
	conditions
	timeline
	*machine.Machine
	began time.Time // this machine's clock when the run did
	dice  *rand.Rand
	log   chronicle
	db    database

	process *process // nil: none runs

	stopped bool // the machine has
	fuse    int  // steps until it does; 0: none is lit

	loaded  bool                     // as far as the last pass knows
	unseen  map[string]time.Duration // since when a pass has to see that the clock or the server is another one
	settled time.Time                // S at the last judgement, and
	rewinds uint64                   // how often it had been taken back
	result  Result
}

func newWorld(t testing.TB, seed uint64) *world {
	dice := rand.New(rand.NewPCG(seed, 0x5eed))
	w := &world{conditions: drawConditions(dice), began: time.Now(), dice: dice, unseen: map[string]time.Duration{}, result: Result{Seed: seed}}
	w.timeline.table = fakeworld.NewTable(w.batch)
	w.Machine = machine.NewStopped(t, w.timeline.table)
	w.Limits, w.Budget = w.limits, w.budget
	w.Table.Page, w.Table.Precision, w.Table.Before = w.page, w.tick, w.ask
	if !w.ordered {
		w.Table.Order = fakeworld.FoldCase
	}
	w.Table.Local = w.local
	w.log = newChronicle(&w.timeline)
	w.db = database{
		conditions: &w.conditions, line: &w.timeline, log: &w.log, dice: dice, table: w.Table,
		rows: map[doc.OID]fakeworld.Row{}, promised: map[doc.OID]bool{},
	}
	w.Index.Before, w.Pages.Before, w.Quarantine.Before = w.touch, w.touch, w.touch
	shown := w.conditions
	shown.keys = nil // bytes
	w.log.say("%d keys, %+v", len(w.keys), shown)
	return w
}

// local is this machine's clock, which only goes on.
func (w *world) local() time.Time { return w.began.Add(w.now) }

// marks are those of the process that runs. Not to be called from an event: the
// trace may be under way.
func (w *world) marks() timetrace.Table {
	if w.process == nil {
		return timetrace.Table{}
	}
	return w.Marks()
}

// changed says that the database is another one, or its clock back. Until the
// engine has seen that, S may be believed to be what it is not.
func (w *world) changed(back bool) {
	if w.horizon {
		w.unseen["exact"] = w.now
	}
	if back {
		w.unseen["incremental"] = w.now
	}
}

// saw says that a pass has looked at the database since a time.
func (w *world) saw(pass string, since time.Duration) {
	if at, ok := w.unseen[pass]; ok && at <= since {
		delete(w.unseen, pass)
	}
	if pass == "exact" {
		w.sawServer(w.process)
	}
}

// sawServer holds the exact pass to this: a failover that it has noticed is a
// rewind, which has a sweep verify the index.
func (w *world) sawServer(p *process) {
	if p.server != "" && p.server != p.watch.server && w.marks().Rewinds == p.rewound {
		w.fault("after exact: the server is another one, and nothing says that a sweep has to verify the index")
	}
	p.server, p.rewound = p.watch.server, w.marks().Rewinds
}

// calm ends the hostile times: what is open comes to its end.
func (w *world) calm() {
	w.log.say("quiet from now on")
	w.db.quiet, w.db.vague = true, false
	w.fuse = 0
}

// restartIfStopped starts the machine again when it has stopped, with what is
// left of its files.
func (w *world) restartIfStopped() {
	if !w.stopped {
		return
	}
	w.catchUp()
	w.Files.Fail(nil)
	w.Files = w.Files.Crash(w.dice.IntN)
	w.process, w.stopped, w.fuse = nil, false, 0
	w.result.Crashes++
	w.advance(w.downtime())
	w.log.say("starts again")
}

// downtime is how long the machine is down. A clock that is set back may catch
// up meanwhile.
func (w *world) downtime() time.Duration {
	short := w.db.upTo(4 * time.Second)
	if w.dice.IntN(5) > 0 {
		return short
	}
	return w.db.upTo(90 * time.Second)
}
