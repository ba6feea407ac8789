package simtest

import (
	"cmp"
	"context"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/sync/passes"
)

const (
	sweepEvery = 90 * time.Second
	retryAfter = time.Second
)

// A job is a pass and its schedule.
type job struct {
	name  string
	every time.Duration
	due   time.Duration
	run   func(context.Context) (doc.Report, error)
}

// schedule plans the passes, all of them at once: the delays of a daemon's jobs
// are times of the database's clock, and the bubble has another one.
func (p *process) schedule() {
	for _, j := range p.passes.Jobs() {
		p.jobs = append(p.jobs, &job{name: cmp.Or(j.Tier, j.Pass), every: j.Every, due: p.now, run: func(ctx context.Context) (doc.Report, error) {
			began := p.now
			if report, ok := p.passBy(ctx, j); ok {
				return report, nil
			}
			report, err := j.Run(p.passes, ctx)
			if err == nil && p.timeless {
				p.notice(j.Pass, began)
			}
			return report, err
		}})
	}
	if p.sweeps && !p.timeless {
		p.jobs = append(p.jobs, &job{name: "sweep", every: sweepEvery, due: p.now + p.db.upTo(sweepEvery), run: func(ctx context.Context) (doc.Report, error) {
			return p.runSweep(ctx, false, p.runOthers)
		}})
	}
}

// passBy passes a job by as the daemon does, with a reading that was taken for all tables.
// It does not in half of the time, in which readings come too late for it.
func (p *process) passBy(ctx context.Context, j passes.Job) (report doc.Report, ok bool) {
	if p.turns++; j.PassBy == nil || p.turns%2 == 0 {
		return doc.Report{}, false
	}
	if p.known = nil; p.hint != noHint {
		if h, err := p.Hint(ctx); err == nil {
			p.known = &h
		}
	}
	if p.watch != nil {
		_, _ = p.watch.lead.Horizon(ctx) // after an error nothing is ready
	}
	if p.stopped {
		return doc.Report{}, false
	}
	if report, ok = j.PassBy(p.passes); ok {
		p.result.PassedBy++
	}
	if p.known = nil; p.watch != nil {
		_, _ = p.watch.Watch.Ready() // no later pass uses the reading
	}
	return report, ok
}

// Known returns the hint that was read for all tables.
func (p *process) Known() (doc.Hint, bool) {
	if p.known == nil {
		return doc.Hint{}, false
	}
	return *p.known, true
}

// runPasses runs passes until ended reports true or the machine crashes.
func (w *world) runPasses(ended func() bool) {
	for !ended() && !w.stopped && w.result.OK() {
		if w.process == nil {
			w.startAndLoad()
			continue
		}
		w.process.next().do()
	}
}

// startAndLoad starts the process and loads the table. A start that fails is
// retried by the next call, a load until it succeeds.
func (w *world) startAndLoad() {
	p, err := w.start()
	if err != nil {
		w.failed("start", err)
		w.advance(retryAfter)
		w.catchUp()
		return
	}
	w.process = p
	for !w.stopped && w.result.OK() && !w.marks().Loaded {
		_, err := p.load(context.Background())
		w.catchUp()
		if err != nil {
			w.failed("load", err)
			w.advance(retryAfter)
			w.catchUp()
			continue
		}
		w.log.printf("loaded")
		w.check("load")
	}
}

// A dueJob is a job to run next.
type dueJob struct {
	*process
	*job
}

// next returns the job that is due first. A sweep that has to verify the index is
// due at once.
func (p *process) next() dueJob {
	first := p.jobs[0]
	for _, j := range p.jobs {
		if j.name == "sweep" && p.marks().Unverified != "" && j.due > p.now+5*time.Second {
			j.due = p.now
		}
		if j.due < first.due {
			first = j
		}
	}
	return dueJob{p, first}
}

// do waits until the job is due, and runs it.
func (t dueJob) do() {
	t.advance(max(0, t.due-t.now))
	t.catchUp()
	report, err := t.run(context.Background())
	t.catchUp()
	t.due = t.now + t.every
	if err != nil {
		t.due = t.now + retryAfter
		t.failed(t.job.name, err)
		return
	}
	if report.Read+report.Deleted+report.Held > 0 {
		t.log.printf("%s [%s, %s) read %d added %d updated %d deleted %d held %d skipped %d rejected %d", t.job.name,
			report.Window.From.Format("15:04:05.000000"), report.Window.To.Format("15:04:05.000000"),
			report.Read, report.Added, report.Updated, report.Deleted, report.Held, report.Skipped, report.Quarantined)
	}
	if t.job.name == "sweep" {
		t.result.Sweeps++
	}
	t.check(t.job.name)
}

// failed logs an error of a pass. An error that was not injected is a fault.
func (w *world) failed(pass string, err error) {
	w.log.printf("%s: %v", pass, err)
	if !isSimulated(err) {
		w.fault("%s failed without an injected error: %v", pass, err)
	}
}

// runOthers runs the other passes that are due, between two chunks of a sweep or of a
// comparison. Only one of these runs at a time.
func (p *process) runOthers(context.Context, time.Duration) error {
	p.advance(p.db.upTo(500 * time.Millisecond))
	p.catchUp()
	for _, j := range p.jobs {
		if p.stopped || !p.result.OK() {
			break
		}
		if j.name != "sweep" && j.name != "compare" && j.due <= p.now {
			dueJob{p, j}.do()
		}
	}
	if p.stopped || !p.result.OK() {
		return simulated{errStopped}
	}
	return nil
}
