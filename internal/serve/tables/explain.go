package tables

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/httpapi"
	"indexerd/timetrace"
)

// A rowState is what database, index, pages, tree and quarantine hold for a row.
type rowState struct {
	marks   timetrace.Table
	row     *doc.Stamp // the database's
	page    *doc.Meta
	version doc.Version
	tree    *doc.Stamp
	aside   bool // the row is in quarantine
}

// Explain returns what is known about one document.
func (t *Table) Explain(ctx context.Context, oid doc.OID) (httpapi.Explanation, error) {
	x := httpapi.Explanation{Table: t.Conf.Name, OID: oid.String()}
	has, err := t.gather(ctx, oid)
	if err != nil {
		return x, unavailable(err)
	}
	if r, ok := t.Quarantine.Partial(oid); ok {
		x.Partial = QuarantinedRow(r)
	}
	if r, ok := t.Quarantine.Row(oid); ok {
		has.aside = true
		x.Quarantine = QuarantinedRow(r)
	}
	x.Verdict = has.verdict()
	x.Database, x.Tree = versionStatus(has.row), versionStatus(has.tree)
	if has.version != 0 {
		x.Index = &httpapi.IndexStatus{V: uint64(has.version)}
	}
	if has.page != nil {
		x.Page = &httpapi.PageState{VersionStatus: *versionStatus(&has.page.Stamp), V: uint64(has.page.V)}
		x.LastSeen = t.lastSeen(has.marks, *has.page)
	}
	x.Settled = has.timely() && has.row.Updated.Before(has.marks.Settled)
	x.Next = t.nextPass(has, x.Verdict)
	return x, nil
}

// gather reads the state of a row everywhere.
func (t *Table) gather(ctx context.Context, oid doc.OID) (has rowState, err error) {
	has.marks, _ = t.Trace.Table(t.Conf.Name)
	stamps, err := asked(ctx, t, func(ctx context.Context, r database.Rows) ([]doc.Stamp, error) {
		return r.StampsOf(ctx, []doc.OID{oid})
	})
	if err != nil {
		return has, err
	}
	for _, s := range stamps {
		if s.OID == oid {
			has.row = &s
		}
	}
	page, ok, err := t.Pages.Meta(oid)
	if err != nil {
		return has, err
	}
	if ok {
		has.page = &page
	}
	versions, err := t.Current().Versions([]doc.OID{oid})
	if err != nil {
		return has, err
	}
	has.version = versions[0]
	if t.Tree == nil {
		return has, nil
	}
	if s, ok, err := t.Tree.Get(oid); err != nil {
		return has, err
	} else if ok {
		has.tree = &s
	}
	return has, nil
}

func (has rowState) verdict() string {
	indexed := has.version != 0
	switch {
	case has.aside:
		return "quarantined"
	case has.row == nil && has.page == nil && !indexed:
		return "absent"
	case indexed != (has.page != nil) || has.page != nil && has.page.V != has.version:
		if has.row != nil && !indexed {
			return "lost"
		}
		return "torn"
	case has.row == nil:
		return "ghost"
	case has.page == nil:
		return "lost"
	case !has.page.Same(*has.row):
		return "stale"
	}
	return "equal"
}

// timely reports whether the updateTime of the row is one by which windows find it.
func (has rowState) timely() bool {
	return has.row != nil && timeunit.Plausible(has.row.Updated, has.marks.Incremental)
}

func versionStatus(s *doc.Stamp) *httpapi.VersionStatus {
	if s == nil {
		return nil
	}
	return &httpapi.VersionStatus{Updated: httpapi.TimeOrNull(s.Updated), Token: s.Token.String()}
}

// clockSlack is how far the clocks of database and machine may differ when a
// fetch is matched with a run.
const clockSlack = time.Second

// lastSeen finds the run that fetched a page; nil where the history does not
// have it any more.
func (t *Table) lastSeen(marks timetrace.Table, page doc.Meta) *httpapi.LastSeen {
	seen := &httpapi.LastSeen{At: httpapi.Time(page.Fetched)}
	runs, _ := t.History.Runs(1000, 0)
	for _, r := range runs {
		if page.Fetched.Before(r.Started.Add(-clockSlack)) || page.Fetched.After(r.Started.Add(r.Took+clockSlack)) {
			continue
		}
		seen.Pass, seen.From, seen.To = r.Pass, httpapi.TimeOrNull(r.Report.Window.From), httpapi.TimeOrNull(r.Report.Window.To)
		if r.Tier != "" {
			seen.Tier = &r.Tier
		}
		return seen
	}
	if len(runs) == 0 || page.Fetched.Before(runs[len(runs)-1].Started) || page.Fetched.Before(marks.Incremental) {
		seen.Pass = "initial"
		return seen
	}
	return nil
}

// nextPass returns the pass that reads the row next, and what it will do.
func (t *Table) nextPass(has rowState, verdict string) *httpapi.NextPass {
	next := func(pass, will string) *httpapi.NextPass {
		return &httpapi.NextPass{Pass: pass, At: t.nextRun(pass), Will: will}
	}
	switch verdict {
	case "equal":
		if t.Conf.ByComparison() {
			return next("compare", "nothing to do")
		}
		return next("incremental", "nothing to do")
	case "lost", "stale":
		switch {
		case !has.timely():
			return next(t.sweepPass(), "fetch it")
		case !has.row.Updated.Before(has.marks.Incremental.Add(-time.Second)):
			return next("incremental", "fetch it")
		case !has.row.Updated.Before(has.marks.Settled):
			return next("compensate", "fetch it")
		}
		return next(t.sweepPass(), "fetch it")
	case "ghost":
		if held := t.Guard.Held(); held.Removals > 0 {
			return next(t.sweepPass(), fmt.Sprintf("hold its removal, one of %d: see status", held.Removals))
		}
		return next(t.sweepPass(), "remove it")
	case "torn":
		return next(t.sweepPass(), "fetch it, or remove it")
	case "quarantined":
		return next(t.sweepPass(), "try it again")
	}
	return nil
}

// nextRun is when a pass is due; nil where no daemon runs.
func (t *Table) nextRun(pass string) *httpapi.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	var first time.Time
	for _, j := range t.jobs {
		if at := j.Status().Next; j.pass == pass && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return httpapi.TimeOrNull(first)
}

// unavailable is the error of a question that only the database could answer.
func unavailable(err error) error {
	if errors.Is(err, doc.ErrUnavailable) || errors.Is(err, doc.ErrChangedResult) || database.IsFault(err) {
		return &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: configs.Message(err), Hint: "see status"}
	}
	return err
}
