package inspect

import (
	"fmt"
	"slices"
	"strings"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
	"indexerd/internal/source/changes"
)

// changes reports for each SQL how its changes are found: by updated, within
// seconds, or by comparison or the sweep.
func (tc *tableCheck) changes() error {
	relations, err := tc.Rows.Relations(tc.ctx)
	if err := tc.planned(err); err != nil {
		return err
	}
	t, every := tc.Conf, doc.ShortDuration(tc.Conf.Incremental.Every)
	sweep, _ := tc.others()
	tc.add(changesFound, tc.path+".updated", fmt.Sprintf("changes that set %s are found every %s; deleted rows %s; %s", t.Updated, every, removals(t, sweep), exits(t, sweep)), nothing)
	for _, s := range tc.sqls() {
		switch {
		case s.path == "sql":
		case s.updated == "":
			tc.add(childWithoutUpdated, tc.path+"."+s.path,
				fmt.Sprintf("changes of %s are found by %s only", s.name, sweep), "set updated to the column with the time of the last change of its rows")
			continue
		default:
			tc.add(childChanges, tc.path+"."+s.path, fmt.Sprintf(
				"changes of %s that set %s are found every %s; its deleted rows by %s, or at once if %s of the table's row is also set",
				s.name, s.updated, every, sweep, t.Updated), nothing)
		}
		tc.joined(s, sweep, relations)
	}
	return nil
}

// others names what finds the changes that no window shows, and why that is the sweep
// alone; "": it is not.
func (tc *tableCheck) others() (what, reason string) {
	sweep := "the sweep, every " + doc.ShortDuration(tc.Conf.DeleteCheck.Every)
	switch {
	case tc.Conf.RowKey:
		return sweep, "rows have no key"
	case tc.Hints == nil:
		return sweep, "the database does not show that something was committed"
	}
	if tc.hint == nil {
		h, known, err := ask(tc, "what the database shows of changes", tc.Hints.Hint)
		if !known || err != nil {
			h = doc.Hint{Reason: "the database did not show whether something was committed"}
		}
		tc.hint = &h
	}
	if tc.hint.Version == "" {
		return sweep, tc.hint.Reason
	}
	return "comparison", ""
}

// silent reports how changes are found that leave updated alone, and what that costs.
func (tc *tableCheck) silent() error {
	found, reason := tc.others()
	what := fmt.Sprintf("a change that leaves %s alone is found by %s", tc.Conf.Updated, found)
	if reason != "" {
		tc.add(silentChanges, tc.path+".updated", what+": "+reason, nothing)
		return nil
	}
	maintained, err := tc.Rows.Maintained(tc.ctx)
	if err != nil {
		return err
	}
	took, known, err := tc.comparison(tc.ctx)
	if err != nil {
		return err
	}
	every := tc.every(took)
	often := fmt.Sprintf("every %s while something changes that windows do not find, and every %s beside what they find",
		rounded(every), rounded(max(every, changes.EveryBeside(uint64(tc.rows)))))
	if maintained {
		often = fmt.Sprintf("every %s, since the database sets %s", rounded(max(every, changes.EveryMaintained(took))), tc.Conf.Updated)
	}
	if took > 0 {
		what += fmt.Sprintf(", which takes about %s of database time for %s, %s, and is made at most %s", rounded(took), terminal.Count(tc.rows, "row"), known, often)
	}
	tc.add(silentChanges, tc.path+".updated", what, nothing)
	return nil
}

// removals describes how rows that are deleted, or marked deleted, are found.
func removals(t configs.Table, sweep string) string {
	switch d := t.Deleted; {
	case d.Column != "":
		return fmt.Sprintf("that %s marks at once, others by %s", d.Column, sweep)
	case d.SQL != "":
		return fmt.Sprintf("that deleted.sql lists when they are read again, all by %s", sweep)
	}
	return "by " + sweep
}

// exits describes how rows that no longer meet the conditions of the SQL are
// found.
func exits(t configs.Table, sweep string) string {
	if t.Changes != "" {
		return "rows that no longer meet the SQL's conditions by changes, at once"
	}
	return "rows that no longer meet the SQL's conditions by " + sweep + ", since changes is not set"
}

// joined reports the tables of an SQL whose changes do not set updated. If
// updated is an expression, such as greatest(...), the tables that it covers are
// unknown.
func (tc *tableCheck) joined(s tableSQL, sweep string, relations []doc.Relation) {
	var joined []string
	plain := false
	for _, r := range relations {
		switch {
		case r.Path != s.path:
		case r.Origin:
			plain = true
		case !slices.Contains(joined, r.Name):
			joined = append(joined, r.Name)
		}
	}
	if len(joined) == 0 {
		return
	}
	tables := strings.Join(joined, ", ")
	what := fmt.Sprintf("a change of %s alone does not set %s: it is found by %s", tables, s.updated, sweep)
	if !plain {
		what = fmt.Sprintf("%s is an expression: a change of %s that does not change it is found by %s", s.updated, tables, sweep)
	}
	tc.add(joinedTables, tc.keyPath(s.path, "sql"), what, "if that is too late, add its time to updated with greatest(...), or make it a child")
}
