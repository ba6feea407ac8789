package tables

import (
	"context"
	"iter"
	"net/http"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/sync/passes"
)

// A table without updateTimes has one pass, compare, which is a sweep that moves S. One
// with updateTimes has it between two sweeps, for what no window shows. Of a source one
// table is compared at a time. Between two chunks its turn goes to the shortest
// comparison that waits.

// sweepPass is the pass that compares all of the table.
func (t *Table) sweepPass() string {
	if t.Conf.ByComparison() {
		return "compare"
	}
	return "deletecheck"
}

// compare compares the table, and returns the time of its statements.
func (t *Table) compare(ctx context.Context) (doc.Report, time.Duration, error) {
	share, name := t.Source.comparisons, t.Conf.Name
	sweep, between := t.Sweep, !t.Conf.ByComparison()
	if between {
		if _, quiet := t.Source.Conf.Limits.Quiet.Until(time.Now()); quiet {
			return doc.Report{}, 0, passes.ErrNotNow
		}
		select {
		case t.sweeping <- struct{}{}:
			defer func() { <-t.sweeping }()
		default:
			return doc.Report{}, 0, passes.ErrNotNow
		}
		sweep = t.sweep
	}
	if err := share.Take(ctx, name); err != nil {
		return doc.Report{}, 0, err
	}
	taken := true
	defer func() {
		if taken {
			share.Give()
		}
	}()
	metered, spent := pace.Metered(ctx)
	report, err := sweep(metered, Sweeping{scheduled: true, between: between, Progress: t.showProgress, rest: func(ctx context.Context) error {
		share.Give()
		taken = false
		err := share.Take(ctx, name)
		taken = err == nil
		return err
	}})
	return report, spent.Spent(), err
}

// repairing is the rows of a table whose fetches do not count as the cost of a
// comparison. A change makes each necessary once, however often the table is compared:
// else an UPDATE of all rows would delay the comparisons after it.
type repairing struct{ database.Rows }

// Docs implements deletecheck.Source.
func (r repairing) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	ctx, _ = pace.Metered(ctx)
	return r.Rows.Docs(ctx, oids)
}

// showProgress shows the progress of a comparison in the run that waits for it, if
// there is one.
func (t *Table) showProgress(done, of int64) {
	if r := t.Comparing.Load(); r != nil {
		r.Meter.Set(done, of)
	}
}

// compareNow compares the table without regard to its share.
func (t *Table) compareNow(ctx context.Context) error {
	_, err := t.RunNow(ctx, (*passes.Passes).RunCompare)
	return err
}

// PassesNow are the passes of a table that a caller can start, beside the sweep.
func (t *Table) PassesNow() map[string]func(*passes.Passes, context.Context) (doc.Report, error) {
	if t.Conf.ByComparison() {
		return map[string]func(*passes.Passes, context.Context) (doc.Report, error){"compare": (*passes.Passes).RunCompare}
	}
	return map[string]func(*passes.Passes, context.Context) (doc.Report, error){
		"incremental": (*passes.Passes).RunIncremental, "compensate": (*passes.Passes).RunCompensation,
	}
}

// NoPass is the error of a caller that names a pass which the table does not have.
func (t *Table) NoPass(pass string) error {
	hint := "there is incremental, compensate and deletecheck"
	if t.Conf.ByComparison() {
		hint = "a table without updated has compare"
	}
	return &httpapi.Error{Status: http.StatusNotFound, Code: "not_found", Message: "no pass " + pass, Hint: hint}
}
