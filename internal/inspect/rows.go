package inspect

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/timeunit"
)

// most is how far rows of a kind are counted.
const most = 1000

// counted says how many there are.
func counted(n int) string {
	if n == most {
		return "at least " + count(n, "row")
	}
	return count(n, "row")
}

// countable is how many rows are counted. Of more, the planner's guess is enough.
const countable = 1_000_000

// size says how many rows there are, or about how many.
func (l *look) size() error {
	guess, err := l.Rows.Estimate(l.ctx)
	if err != nil {
		return err
	}
	known := false
	if guess <= countable {
		known, err = l.probe("the number of rows", func(ctx context.Context) (err error) {
			l.rows, err = l.Rows.Count(ctx)
			return err
		})
	}
	about := ""
	if !known {
		about, l.rows = "about ", max(guess, int64(len(l.oids)))
	}
	if err != nil {
		return err
	}
	l.add(tableRead, l.path, fmt.Sprintf("%s%s, key %v, updateTime in steps of %v", about, count(l.rows, "row"), l.Rows.Kinds(), l.Rows.Tick()), nothing)
	if l.rows == 0 {
		l.add(emptyResult, l.path+".sql", "it returns no row", nothing)
	}
	return nil
}

// keys looks for rows that share one.
func (l *look) keys() error {
	var twice doc.OID
	seen := map[doc.OID]bool{}
	for _, oid := range l.oids {
		if seen[oid] {
			twice = oid
		}
		seen[oid] = true
	}
	if twice == "" {
		_, err := l.probe("whether a key comes twice", func(ctx context.Context) (err error) {
			twice, err = l.Rows.Duplicate(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	if twice != "" {
		l.add(duplicateKey, l.path+".key", fmt.Sprintf("several rows have the key %v: their document would be now one, now another", twice),
			"group them, make the other rows a child, or name more columns")
	}
	return nil
}

// lastTime is after every updateTime.
var lastTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// times looks at the updateTimes of the rows.
func (l *look) times() error {
	if l.rows == 0 {
		return nil
	}
	updated := l.Conf.Updated
	if tick := l.Rows.Tick(); tick >= time.Minute {
		l.add(coarseUpdated, l.path+".updated", fmt.Sprintf("%s is in steps of %s: each window reads the last two again", updated, span(tick)), "use a timestamp")
	}
	l.units()
	if err := l.missing(updated); err != nil {
		return err
	}
	if err := l.future(updated); err != nil {
		return err
	}
	if err := l.outOfRange(updated); err != nil {
		return err
	}
	return l.constant(updated)
}

// units says what was found in the rows of each SQL.
func (l *look) units() {
	found := l.Rows.Units()
	for _, path := range slices.Sorted(maps.Keys(found)) {
		unit, u := found[path], l.updatedOf(path)
		switch {
		case u.unit != "":
			l.add(unitFound, u.path, fmt.Sprintf("%s counts %s, as declared", u.column, unit.Noun()), nothing)
		case unit == timeunit.Unknown:
			l.add(unitFound, u.path, u.column+" has no plausible time yet to tell its unit: it is found when there is one", "to declare it: updated: {column: "+u.column+", unit: ms}")
		case unit.Declarable():
			l.add(unitFound, u.path, fmt.Sprintf("%s counts %s, as most rows say", u.column, unit.Noun()), fmt.Sprintf("to declare it: updated: {column: %s, unit: %s}", u.column, unit))
		}
	}
}

// An updatedColumn is the updated of an SQL.
type updatedColumn struct{ path, column, unit string }

// updatedOf finds the updated of the SQL at a path.
func (l *look) updatedOf(path string) updatedColumn {
	for _, c := range l.Conf.Children {
		if path == "children."+c.Name {
			return updatedColumn{l.path + "." + path + ".updated", c.Updated, c.Unit}
		}
	}
	for _, x := range l.Conf.Extra {
		if path == "extra."+x.Name {
			return updatedColumn{l.path + "." + path + ".updated", x.Updated, x.Unit}
		}
	}
	if path == "changes" {
		return updatedColumn{l.path + ".changes", l.Conf.Updated, l.Conf.Unit}
	}
	return updatedColumn{l.path + ".updated", l.Conf.Updated, l.Conf.Unit}
}

// outOfRange looks for updateTimes by which no change is found.
func (l *look) outOfRange(updated string) error {
	var n int64
	_, err := l.probe("rows with "+updated+" out of range", func(ctx context.Context) (err error) {
		n, err = l.Rows.OutOfRange(ctx)
		return err
	})
	if n > 0 {
		l.add(outOfRangeUpdated, l.path+".updated", fmt.Sprintf("%s with %s before 1990, or more than a year after the database's clock: only the sweep finds their changes", count(n, "row"), updated),
			"find who writes it")
	}
	return err
}

func (l *look) missing(updated string) error {
	n := 0
	_, err := l.probe("rows without "+updated, func(ctx context.Context) (err error) {
		n, err = l.Rows.WithoutUpdated(ctx, most)
		return err
	})
	if n > 0 {
		l.add(nullUpdated, l.path+".updated", fmt.Sprintf("%s without %s: only the sweep finds their changes", counted(n), updated), "fill it, and make the column NOT NULL")
	}
	return err
}

// future allows for rows that were written while this was asked.
func (l *look) future(updated string) error {
	now, err := l.Rows.Now(l.ctx)
	if err != nil {
		return err
	}
	n := 0
	_, err = l.probe("rows with a future "+updated, func(ctx context.Context) (err error) {
		n, err = l.Rows.UpdatedIn(ctx, doc.Window{From: now.Add(time.Minute), To: lastTime}, most)
		return err
	})
	if n > 0 {
		do := "find who writes it: a change is found when its time has come"
		if wall := l.Rows.Wall(); wall != nil {
			do = fmt.Sprintf("look whether it is written in %v, as timezone has it, and find who writes it", wall)
		}
		l.add(futureUpdated, l.path+".updated", fmt.Sprintf("%s with %s after the database's clock", counted(n), updated), do)
	}
	return err
}

// constant looks for an updateTime that nobody keeps. Of an expression it can't
// be told.
func (l *look) constant(updated string) error {
	if l.rows < 2 || l.window.By == nil || l.window.By[0].Table == "" || l.window.By[0].Maintained {
		return nil
	}
	same := false
	_, err := l.probe("whether all "+updated+" are equal", func(ctx context.Context) (err error) {
		same, err = l.Rows.Constant(ctx)
		return err
	})
	if same {
		l.add(constantUpdated, l.path+".updated", fmt.Sprintf("all rows have the same %s, and no trigger sets it", updated), "make sure that each UPDATE sets it, or only the sweep finds changes")
	}
	return err
}
