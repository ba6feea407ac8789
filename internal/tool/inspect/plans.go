package inspect

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
)

// small is the number of rows up to which reading a whole table is not reported.
const small = 10_000

// plans checks the plans of the daemon's queries.
func (tc *tableCheck) plans() error {
	if tc.Conf.RowKey {
		return nil // every plan reads the whole table
	}
	now, err := tc.Rows.Now(tc.ctx)
	if err != nil {
		return err
	}
	every := tc.Conf.Incremental.Every
	plans, _, err := ask(tc, "plans", func(ctx context.Context) ([]doc.Plan, error) {
		return tc.Rows.Plans(ctx, doc.Window{From: now.Add(-every), To: now}, tc.oids)
	})
	seen := map[string]bool{} // by code and path: queries by range and by key have the same findings
	for _, p := range plans {
		if p.Path == "sql" && p.Asks == doc.AsksWindow {
			tc.window = p
		}
		tc.plan(p, seen)
	}
	if p := tc.window; p.Cost > 0 {
		tc.add(windowCost, tc.path+".updated", fmt.Sprintf("the planner estimates a cost of %.0f and %s for a window of %s", p.Cost, terminal.Count(int64(p.Rows), "row"), doc.ShortDuration(every)), nothing)
	}
	return tc.planned(err)
}

// planned returns the error of a question about plans. A plan of an unknown form is a
// finding, once for each table, and no error: the check goes on.
func (tc *tableCheck) planned(err error) error {
	if !errors.Is(err, doc.ErrUnknownPlan) {
		return err
	}
	if !tc.planUnknown {
		tc.planUnknown = true
		tc.add(planUnknown, tc.path+".sql", oneLine(err)+": indexes, joined tables and write privileges are not checked", "grant what is missing, or report the database's release, with this line")
	}
	return nil
}

// plan reports large tables that a plan reads whole.
func (tc *tableCheck) plan(p doc.Plan, seen map[string]bool) {
	own, others := large(p)
	k, column := noIndexOnUpdated, "updated"
	switch {
	case p.Asks != doc.AsksWindow && p.Path == "sql":
		k, column = noIndexOnKey, "key"
	case p.Asks != doc.AsksWindow:
		k, column = noIndexOnChildKey, "key"
	}
	at := tc.keyPath(strings.TrimSuffix(p.Path, ".sql"), column)
	add := func(k code, what, do string) {
		if id := kinds[k].name + at; !seen[id] {
			seen[id] = true
			tc.add(k, at, what, do)
		}
	}
	switch reads := tc.asks(p) + " reads all " + wholes(append(own, others...)); {
	case own == nil && others == nil:
	case p.By[0].Table == "" || p.By[0].Name == "":
		add(k, reads+": "+column+" is not a column of a table", "create an index on the columns of the expression, or select a column of one table and make the others children")
	case own == nil:
		add(joinedWhole, reads+", which is joined", "create an index on the columns that "+tablesOf(others)+" is joined by")
	case p.Indexed:
		add(indexUnused, reads+", although there is an index on "+column, fmt.Sprintf(tc.advice().Analyze, own[0].Table))
	default:
		add(k, reads, tc.createIndex(p.By))
	}
}

// large returns the large tables that a plan reads whole: own is the table that
// has the columns of the condition.
func large(p doc.Plan) (own, others []doc.FullScan) {
	for _, w := range p.FullScans {
		switch {
		case w.Rows <= small:
		case w.Table == p.By[0].Table:
			own = append(own, w)
		default:
			others = append(others, w)
		}
	}
	return own, others
}

// asks describes a query of a plan.
func (tc *tableCheck) asks(p doc.Plan) string {
	of := ""
	if p.Path != "sql" {
		of = " of " + strings.TrimSuffix(p.Path, ".sql")
	}
	if p.Asks == doc.AsksWindow {
		return fmt.Sprintf("each window%s, every %s,", of, doc.ShortDuration(tc.Conf.Incremental.Every))
	}
	return fmt.Sprintf("each batch of %s documents%s", terminal.Grouped(int64(tc.Conf.Batch)), of)
}

func wholes(all []doc.FullScan) string {
	var parts []string
	for _, w := range all {
		parts = append(parts, fmt.Sprintf("%s of %s", terminal.Count(w.Rows, "row"), w.Table))
	}
	return strings.Join(parts, " and all ")
}

func tablesOf(all []doc.FullScan) string {
	var parts []string
	for _, w := range all {
		parts = append(parts, w.Table)
	}
	return strings.Join(slices.Compact(parts), ", ")
}

// createIndex returns the statement that creates an index.
func (tc *tableCheck) createIndex(by []doc.Column) string {
	var columns []string
	for _, c := range by {
		columns = append(columns, c.Name)
	}
	on := fmt.Sprintf("%s (%s)", by[0].Table, strings.Join(columns, ", "))
	if by[0].Partitioned {
		return "CREATE INDEX ON " + on // PostgreSQL can't create it CONCURRENTLY on all partitions
	}
	name := strings.Join(words.FindAllString(strings.Join(append([]string{by[0].Table}, columns...), "_"), -1), "")
	return fmt.Sprintf(tc.advice().Index, name, on)
}

// words matches what a name has in every database.
var words = regexp.MustCompile(`[\pL\pN_]+`)

// advice returns the advice of the table's database.
func (tc *tableCheck) advice() doc.Advice { return tc.servers[tc.Conf.Source].Advice }
