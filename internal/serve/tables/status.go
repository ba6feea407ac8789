package tables

import (
	"cmp"
	"fmt"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/serve/httpapi"
	"indexerd/timetrace"
)

// Pin returns the session that holds back the horizon; nil if there is none.
func (t *Table) Pin() *doc.Pin {
	t.mu.Lock()
	p := t.passes
	t.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.LastHorizon().Pin
}

// WaitsFor returns why the table is not ready; "": it is.
func (t *Table) WaitsFor() string {
	if w := t.Waits.Load(); w != nil {
		return "opening, waiting for " + w.What
	}
	if marks, _ := t.Trace.Table(t.Conf.Name); marks.Loaded {
		if t.Rebuilding() {
			return "being rebuilt from its pages"
		}
		return ""
	}
	if p := t.Progress.Reading(); p.Running {
		return fmt.Sprintf("loading %d %%", 100*p.Done/max(p.Of, 1))
	}
	if end, quiet := t.Source.Conf.Limits.Quiet.Until(time.Now()); quiet {
		return "waiting for the end of the quiet hours at " + end.Format("15:04")
	}
	return "waiting for its database"
}

// Status returns how far the table has come. marks are those that are durable.
func (t *Table) Status(marks timetrace.Table) httpapi.TableStatus {
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
		Silent:     t.silent,
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
		if c := t.passes.Comparison(); c.Takes > 0 {
			s.Comparison = &httpapi.ComparisonStatus{TakesMS: float64(c.Takes.Microseconds()) / 1000, EveryS: c.Every.Seconds()}
		}
	}
	s.Settled.Unverified = marks.Unverified != "" || t.moment.Behind != ""
	if t.moment.Behind != "" && marks.Unverified == "" {
		s.Settled.Reason = t.moment.Behind
	}
	s.Marks.Sweep = httpapi.TimeOrNull(marks.Sweep)
	for name, mark := range marks.Tiers {
		s.Marks.Tiers[name] = httpapi.Time(mark)
	}
	if p := t.Progress.Reading(); p.Running {
		s.Load = &httpapi.LoadStatus{Done: p.Done, Of: p.Of, RowsPerS: p.Rate, ETAS: p.Left.Seconds()}
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
		if r := t.rebuilt.Load(); r != nil {
			s.Load = r.status()
		}
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
