package daemon

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/recovered"
	"indexerd/internal/serve/httpapi"
	"indexerd/timetrace"
)

// Status returns how far each table has come.
func (e *Engine) Status(ctx context.Context) httpapi.Status {
	s := httpapi.Status{
		Version: Version,
		Running: !e.started.IsZero(),
		Started: httpapi.TimeOrNull(e.started),
		Now:     httpapi.Time(time.Now()),
		Ready:   len(e.Waiting()) == 0,
		Sources: []httpapi.SourceStatus{},
	}
	if s.Running {
		s.PID = os.Getpid()
	}
	for _, src := range e.sources {
		err := src.lastError()
		s.Sources = append(s.Sources, httpapi.SourceStatus{
			Source: src.conf.Name, Driver: src.conf.Driver, Connected: s.Running && err == nil, Error: httpapi.ErrorText(err), PinnedBy: e.pin(src), Load: src.load(),
		})
	}
	s.Tables = e.tableStatus(e.marks())
	s.Leader = e.shared.Status(ctx)
	return s
}

// tableStatus asks the tables at once: each may wait for its index.
func (e *Engine) tableStatus(marks timetrace.State) []httpapi.TableStatus {
	all := make([]httpapi.TableStatus, len(e.tables))
	var asking errgroup.Group
	asking.SetLimit(openedAtOnce)
	for i, t := range e.tables {
		asking.Go(func() (err error) {
			defer recovered.Into(&err)
			all[i] = t.status(marks[t.Conf.Name])
			return nil
		})
	}
	recovered.Again([]error{asking.Wait()})
	return all
}

// marks returns those that are durable: S must not go back after a crash. Only an engine
// that is open may make noted ones durable now: the next one may have others.
func (e *Engine) marks() timetrace.State {
	if !slices.ContainsFunc(e.tables, func(t *table) bool { return t.Waits.Load() != nil }) {
		return e.trace.Durable()
	}
	marks := timetrace.State{}
	for _, t := range e.tables {
		marks[t.Conf.Name] = e.trace.DurableTable(t.Conf.Name)
	}
	return marks
}

// pin returns the session that holds back the horizon of a source, as its tables
// last read it.
func (e *Engine) pin(s *source) *httpapi.Pin {
	for _, t := range e.tables {
		if t.source != s {
			continue
		}
		if p := t.pin(); p != nil {
			return &httpapi.Pin{PID: p.PID, User: p.User, Application: p.Application, AgeS: p.Age.Seconds()}
		}
	}
	return nil
}

func (t *table) pin() *doc.Pin {
	t.mu.Lock()
	p := t.passes
	t.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.LastHorizon().Pin
}

// Waiting lists why tables are not ready; empty where all are.
func (e *Engine) Waiting() []string {
	waiting := []string{}
	for _, t := range e.tables {
		if w := t.Waits.Load(); w != nil {
			waiting = append(waiting, fmt.Sprintf("%s: opening, waiting for %s", t.Conf.Name, w.What))
			continue
		}
		marks, _ := e.trace.Table(t.Conf.Name)
		if marks.Loaded {
			continue
		}
		line := t.Conf.Name + ": waiting for its database"
		if end, quiet := t.source.conf.Limits.Quiet.Until(time.Now()); quiet {
			line = t.Conf.Name + ": waiting for the end of the quiet hours at " + end.Format("15:04")
		}
		if p := t.progress.Snapshot(); p.Running {
			line = fmt.Sprintf("%s: loading %d %%", t.Conf.Name, 100*p.Done/max(p.Of, 1))
		}
		waiting = append(waiting, line)
	}
	return waiting
}

func (t *table) status(marks timetrace.Table) httpapi.TableStatus {
	waits, documents := t.Waits.Load(), uint64(0)
	if waits == nil {
		documents = t.CountDocuments() // which may take a moment
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := httpapi.TableStatus{
		Table:      t.Conf.Name,
		Source:     t.Conf.Source,
		State:      "loading",
		FollowedBy: "updated",
		Settled:    httpapi.SettledStatus{At: httpapi.TimeOrNull(marks.Settled), Mode: "assumed"},
		Marks:      httpapi.Marks{Incremental: httpapi.TimeOrNull(marks.Incremental), Tiers: map[string]httpapi.Time{}},
		Passes:     []httpapi.PassStatus{},
		Skipped:    t.skipped,
		OutOfRange: marks.OutOfRange,
		Documents:  documents,
	}
	if marks.Loaded {
		s.State = "following"
	}
	if t.Conf.ByComparison() {
		s.FollowedBy, s.Marks.Incremental = "comparison", nil
	}
	if marks.Mode != "" {
		s.Settled.Mode = marks.Mode
	}
	s.Settled.Reason = marks.Unverified // also while no pass runs
	if t.passes != nil {
		s.Settled.Reason = t.passes.Reason(marks)
	}
	s.Settled.Unverified = marks.Unverified != "" || t.moment.Behind != ""
	if t.moment.Behind != "" && marks.Unverified == "" {
		s.Settled.Reason = t.moment.Behind
	}
	s.Marks.Sweep = httpapi.TimeOrNull(marks.Sweep)
	for name, mark := range marks.Tiers {
		s.Marks.Tiers[name] = httpapi.Time(mark)
	}
	if p := t.progress.Snapshot(); p.Running {
		s.Load = &httpapi.LoadStatus{Done: p.Done, Of: p.Of, RowsPerS: p.Rate, ETAS: p.ETA.Seconds()}
	}
	if waits == nil {
		t.Table.Status(&s)
	}
	if !t.windowAt.IsZero() {
		lag := (time.Since(t.windowAt) + t.moment.Now.Sub(t.moment.Seen)).Seconds()
		s.LagS = &lag
		s.Window = &httpapi.WindowStatus{From: httpapi.Time(t.window.From), To: httpapi.Time(t.window.To)}
	}
	if t.Conf.ByComparison() && t.passes != nil && marks.Loaded {
		if lag, known := t.passes.Lag(); known {
			seconds := lag.Seconds()
			s.LagS = &seconds
		}
	}
	if t.Config.Index.Engine == configs.OpenSearch {
		s.Index = &httpapi.ClusterStatus{Engine: t.Config.Index.Engine, Health: cmp.Or(t.health, "unknown")}
	}
	if t.lastError != nil {
		s.LastError = &httpapi.LastError{At: httpapi.Time(t.lastError.at), Pass: t.lastError.pass, What: httpapi.SingleLine(t.lastError.err)}
	}
	if marks.Hidden != "" && t.Conf.ACL != "" {
		s.LastError = hiddenStatus(s.LastError, marks.Hidden)
	}
	for _, j := range t.jobs {
		pass := j.status()
		if pass.Error != nil {
			s.State = "failing"
		}
		s.Passes = append(s.Passes, pass)
	}
	if t.reindexing {
		s.State = "reindexing"
	}
	if t.jobs == nil && t.lastError != nil {
		s.State = "failing"
	}
	if waits != nil {
		waits.Status(&s)
	}
	return s
}

// hiddenStatus is the last error of a table whose documents only admins find,
// which a restart does not end.
func hiddenStatus(last *httpapi.LastError, hidden string) *httpapi.LastError {
	if last == nil {
		return &httpapi.LastError{At: httpapi.Time(time.Now()), Pass: "connect", What: hidden}
	}
	last.What += "; " + hidden
	return last
}

func (j scheduledPass) status() httpapi.PassStatus {
	s := j.Status()
	p := httpapi.PassStatus{
		Pass: j.pass, Running: s.Running, Last: httpapi.TimeOrNull(s.Last),
		TookMS: float64(s.Took.Microseconds()) / 1000, Next: httpapi.TimeOrNull(s.Next), Error: httpapi.ErrorText(s.Err),
	}
	if j.tier != "" {
		p.Tier = &j.tier
	}
	return p
}
