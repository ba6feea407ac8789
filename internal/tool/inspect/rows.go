package inspect

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
	"indexerd/internal/base/timeunit"
)

// most is the number up to which rows with a problem are counted.
const most = 1000

// counted describes a number of rows with a problem.
func counted(n int) string {
	if n == most {
		return "at least " + terminal.Count(n, "row")
	}
	return terminal.Count(n, "row")
}

// countable is the estimate up to which rows are counted.
const countable = 1_000_000

// size reports the number of rows, counted or estimated.
func (tc *tableCheck) size() error {
	guess, err := tc.Rows.Estimate(tc.ctx) // 0 if the plan has an unknown form
	if err := tc.planned(err); err != nil {
		return err
	}
	known := false
	if guess <= countable {
		if tc.rows, known, err = ask(tc, "the number of rows", tc.Rows.Count); err != nil {
			return err
		}
	}
	about := ""
	if !known {
		about, tc.rows = "about ", max(guess, int64(len(tc.oids)))
	}
	what := fmt.Sprintf("%s%s, key %v", about, terminal.Count(tc.rows, "row"), tc.Rows.Kinds())
	if !tc.Conf.ByComparison() {
		what += fmt.Sprintf(", updated with a precision of %v", tc.Rows.Tick())
	}
	if tc.Conf.RowKey {
		what += ": each page, and each batch of rows that changed, reads and sorts all of them"
	}
	tc.add(tableRead, tc.path, what, nothing)
	if tc.rows == 0 {
		tc.add(emptyResult, tc.path+".sql", "the SQL returns no rows", nothing)
	}
	return nil
}

// keys reports keys that are not unique.
func (tc *tableCheck) keys() error {
	var twice doc.OID
	seen := map[doc.OID]bool{}
	for _, oid := range tc.oids {
		if seen[oid] {
			twice = oid
		}
		seen[oid] = true
	}
	if twice == "" {
		var err error
		if twice, _, err = ask(tc, "whether keys are unique", tc.Rows.Duplicate); err != nil {
			return err
		}
	}
	if twice != "" {
		tc.add(duplicateKey, tc.path+".key", fmt.Sprintf("several rows have the key %v: their document would change with every read", twice),
			"use GROUP BY, make the other rows a child, or add columns to key")
	}
	return nil
}

// lastTime is after every updateTime.
var lastTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// times checks the updateTimes of the rows.
func (tc *tableCheck) times() error {
	if tc.rows == 0 {
		return nil
	}
	updated := tc.Conf.Updated
	if tick := tc.Rows.Tick(); tick >= time.Minute {
		tc.add(coarseUpdated, tc.path+".updated", fmt.Sprintf("%s has a precision of %s: each window reads the last two of them again", updated, doc.ShortDuration(tick)), "use a timestamp")
	}
	tc.units()
	for _, check := range []func(string) error{tc.missing, tc.future, tc.outOfRange, tc.constant} {
		if err := check(updated); err != nil {
			return err
		}
	}
	return nil
}

// units reports the unit of each numeric updated column.
func (tc *tableCheck) units() {
	found := tc.Rows.Units()
	for _, path := range slices.Sorted(maps.Keys(found)) {
		unit, column, declared, at := found[path], tc.Conf.Updated, tc.Conf.Unit, tc.path+".changes"
		for _, s := range tc.sqls() {
			if s.path == path {
				column, declared, at = s.updated, s.unit, tc.keyPath(path, "updated")
			}
		}
		switch {
		case declared != "":
			tc.add(unitFound, at, fmt.Sprintf("%s counts %s, as declared", column, unit.Noun()), nothing)
		case unit == timeunit.Unknown:
			tc.add(unitFound, at, column+" has no plausible time yet: its unit is unknown until a row has one", "to declare it: updated: {column: "+column+", unit: ms}")
		case unit.Declarable():
			tc.add(unitFound, at, fmt.Sprintf("%s counts %s in most rows", column, unit.Noun()), fmt.Sprintf("to declare it: updated: {column: %s, unit: %s}", column, unit))
		}
	}
}

// outOfRange reports updateTimes that are not plausible.
func (tc *tableCheck) outOfRange(updated string) error {
	n, _, err := ask(tc, "rows with an implausible "+updated, tc.Rows.OutOfRange)
	if n > 0 {
		tc.add(outOfRangeUpdated, tc.path+".updated", fmt.Sprintf("%s with %s before 1990, or more than a year after the database's clock: no window finds their changes", terminal.Count(n, "row"), updated),
			"find what writes these times")
	}
	return err
}

// missing reports rows without updateTime.
func (tc *tableCheck) missing(updated string) error {
	n, _, err := ask(tc, "rows without "+updated, func(ctx context.Context) (int, error) { return tc.Rows.WithoutUpdated(ctx, most) })
	if n > 0 {
		tc.add(nullUpdated, tc.path+".updated", fmt.Sprintf("%s without %s: no window finds their changes", counted(n), updated), "fill the column, and make it NOT NULL")
	}
	return err
}

// future reports updateTimes more than a minute after the database's clock. The
// minute allows for rows that are written during the check.
func (tc *tableCheck) future(updated string) error {
	now, err := tc.Rows.Now(tc.ctx)
	if err != nil {
		return err
	}
	n, _, err := ask(tc, "rows with a future "+updated, func(ctx context.Context) (int, error) {
		return tc.Rows.UpdatedIn(ctx, doc.Window{From: now.Add(time.Minute), To: lastTime}, most)
	})
	if n > 0 {
		do := "find what writes these times: a change is found when its time comes"
		if wall := tc.Rows.Wall(); wall != nil {
			do = fmt.Sprintf("check that the times are written in %v, the table's timezone, and find what writes them", wall)
		}
		tc.add(futureUpdated, tc.path+".updated", fmt.Sprintf("%s with %s after the database's clock", counted(n), updated), do)
	}
	return err
}

// constant reports a column that has one value in all rows, unless a trigger
// sets it. It does not check expressions.
func (tc *tableCheck) constant(updated string) error {
	if tc.rows < 2 || tc.window.By == nil || tc.window.By[0].Table == "" || tc.window.By[0].Maintained {
		return nil
	}
	same, _, err := ask(tc, "whether all rows have the same "+updated, tc.Rows.Constant)
	if same {
		tc.add(constantUpdated, tc.path+".updated", fmt.Sprintf("all rows have the same %s, and no trigger sets it", updated), "set the column with each UPDATE, or no window finds changes")
	}
	return err
}
